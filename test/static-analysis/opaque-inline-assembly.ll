; Inline PTX that accesses memory in ways that cannot be read reliably.
; RUN: %opt -passes='print<gm-accesses>' -disable-output %s | FileCheck %s

target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

; CHECK-LABEL: accesses of k: 0, opaque: 13{{$}}
; An address that the assembly computes.
; CHECK-NEXT: opaque -: inline assembly with an address that cannot be read
; CHECK-NEXT: opaque -: inline assembly under a predicate that cannot be read
; The predicate is set twice; the second time not by a comparison with 0.
; CHECK-NEXT: opaque -: inline assembly under a predicate that cannot be read
; CHECK-NEXT: opaque -: control flow in inline assembly
; CHECK-NEXT: opaque -: tensor copy, which a descriptor in memory describes
; CHECK-NEXT: opaque -: bulk copy to several blocks of the cluster
; CHECK-NEXT: opaque -: bulk copy of bytes that a mask chooses
; The assembly computes how long the copy is.
; CHECK-NEXT: opaque -: inline assembly with an unknown memory instruction
; CHECK-NEXT: opaque -: matrix instruction that reads shared memory by a descriptor
; CHECK-NEXT: opaque -: inline assembly with an unknown memory instruction
; CHECK-NEXT: opaque -: control flow in inline assembly
; The second instruction sets both predicates of the pair.
; CHECK-NEXT: opaque -: inline assembly under a predicate that cannot be read
; CHECK-NEXT: opaque -: inline assembly that cannot be parsed
define ptx_kernel void @k(ptr %0, i32 %1, i64 %2) {
  %a = call i32 asm sideeffect "{.reg .u64 t; add.u64 t, $1, 8; ld.global.u32 $0, [t];}", "=r,l"(ptr %0)
  call void asm sideeffect "{.reg .pred p; setp.lt.s32 p, $1, 7; @p st.global.u32 [$0], $1;}", "l,r"(ptr %0, i32 %1)
  call void asm sideeffect "{.reg .pred p; setp.ne.s32 p, $1, 0; not.pred p, p; @p st.global.u32 [$0], $1;}", "l,r"(ptr %0, i32 %1)
  call void asm sideeffect "{again: st.global.u32 [$0], $1; bra again;}", "l,r"(ptr %0, i32 %1)
  call void asm sideeffect "cp.async.bulk.tensor.1d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [$0], [$1, {$0}], [$0];", "r,l"(i32 %1, ptr %0)
  call void asm sideeffect "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [$0], [$1], $0, [$0], 3;", "r,l"(i32 %1, ptr %0)
  call void asm sideeffect "cp.async.bulk.global.shared::cta.bulk_group.cp_mask [$1], [$0], $0, $0;", "r,l"(i32 %1, ptr %0)
  call void asm sideeffect "{.reg .u32 t; shl.b32 t, $0, 4; cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [$0], [$1], t, [$0];}", "r,l"(i32 %1, ptr %0)
  call void asm sideeffect "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {$0}, $1, $1, 1, 1, 1;", "r,l"(i32 %1, i64 %2)
  call void asm sideeffect "frobnicate.shared [$0];", "r"(i32 %1)
  call void asm sideeffect "{.reg .pred P; setp.eq.s32 P, $1, 0; @P bra done; mbarrier.arrive.shared.b64 _, [$0]; done: }", "r,r"(i32 %1, i32 0)
  call void asm sideeffect "{.reg .pred p, q; setp.ne.s32 p, $1, 0; setp.lt.s32 q|p, $1, 7; @p st.global.u32 [$0], $1;}", "l,r"(ptr %0, i32 %1)
  call void asm sideeffect "st.global.u32 [$0, $1;", "l,r"(ptr %0, i32 %1)
  ret void
}
