; Inline PTX whose statements can be read.
; RUN: %opt -passes='print<gm-accesses>' -disable-output %s | FileCheck %s

target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

@s = addrspace(3) global [64 x i32] undef, align 16

; CHECK-LABEL: accesses of copies: 12{{$}}
; CHECK-NEXT: - async-to shared 16 s {{.*}}
; CHECK-NEXT: - async-from global 16 argument 1 {{.*}}
; The size of the source as a value, and as a constant.
; CHECK-NEXT: - async-to shared 8 s {{.*}}
; CHECK-NEXT: - async-from global ? argument 1 {{.*}}
; CHECK-NEXT: - async-to shared 4 s {{.*}}
; CHECK-NEXT: - async-from global 2 argument 1 {{.*}}
; CUTLASS's form: a predicate made of an operand guards the copy.
; CHECK-NEXT: - async-to shared 16 s predicate=nonzero {{.*}}
; CHECK-NEXT: - async-from global 16 argument 1 predicate=nonzero {{.*}}
; With ignore-src the destination is written (with zeros) in any case.
; CHECK-NEXT: - async-to shared 16 s tid
; CHECK-NEXT: - async-from global 16 argument 1 predicate=zero {{.*}}
; A cache policy is no size.
; CHECK-NEXT: - async-to shared 16 s {{.*}}
; CHECK-NEXT: - async-from global 16 argument 1 {{.*}}
define ptx_kernel void @copies(ptr %0, i32 %1, i64 %2) {
  %i = ptrtoint ptr addrspace(3) @s to i64
  %a = trunc i64 %i to i32
  call void asm sideeffect "cp.async.cg.shared.global [$0], [$1], $2;", "r,l,n,~{memory}"(i32 %a, ptr %0, i32 16)
  call void asm sideeffect "cp.async.ca.shared.global.L2::128B [$0], [$1], 8, $2;", "r,l,r"(i32 %a, ptr %0, i32 %1)
  call void asm sideeffect "cp.async.ca.shared::cta.global [$0], [$1], $2, $3;", "r,l,n,n"(i32 %a, ptr %0, i32 4, i32 2)
  call void asm sideeffect "{\0A  .reg .pred p;\0A  setp.ne.b32 p, $0, 0;\0A  @p cp.async.cg.shared.global [$1], [$2], $3;\0A}\0A", "r,r,l,n"(i32 %1, i32 %a, ptr %0, i32 16)
  call void asm sideeffect "{ .reg .pred p; setp.ne.b32 p, $0, 0; cp.async.cg.shared.global [$1], [$2], 16, p; }", "r,r,l"(i32 %1, i32 %a, ptr %0)
  call void asm sideeffect "cp.async.cg.shared.global.L2::cache_hint [$0], [$1], 16, $2;", "r,l,l"(i32 %a, ptr %0, i64 %2)
  call void asm sideeffect "cp.async.commit_group; // and wait\0A cp.async.wait_group 0;", ""()
  ret void
}

; A bulk copy to what is known as the own block's memory goes to no other block.
; CHECK-LABEL: accesses of bulk: 15{{$}}
; CHECK-NEXT: - async-from global ? argument 1 {{.*}}
; CHECK-NEXT: - async-to shared ? s {{.*}}
; CHECK-NEXT: - async-from global 64 argument 1 {{.*}}
; CHECK-NEXT: - async-to shared-cluster 64 - {{.*}}
; CHECK-NEXT: - async-from shared 4096 s predicate=nonzero {{.*}}
; CHECK-NEXT: - async-to shared-cluster 4096 - predicate=nonzero {{.*}}
; CHECK-NEXT: - async-from shared ? s {{.*}}
; CHECK-NEXT: - async-to global ? argument 1 {{.*}}
; CHECK-NEXT: - async-from shared 32 s {{.*}}
; CHECK-NEXT: - atomic global 32 argument 1 reduction {{.*}}
; CHECK-NEXT: - copy-to shared 128 s {{.*}}
; CHECK-NEXT: - copy-to shared ? s {{.*}}
; CHECK-NEXT: - store shared-cluster 8 - {{.*}}
; CHECK-NEXT: - atomic shared-cluster 4 - {{.*}}
; CHECK-NEXT: - store shared-cluster 4 - displacement=8 {{.*}}
define ptx_kernel void @bulk(ptr %0, i32 %1, i32 %2) {
  %a = ptrtoint ptr addrspace(3) @s to i32
  call void asm sideeffect "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [$0], [$1], $2, [$3];", "r,l,r,r"(i32 %a, ptr %0, i32 %1, i32 %2)
  call void asm sideeffect "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.L2::cache_hint [$0], [$1], $2, [$3], $4;", "r,l,n,r,l"(i32 %2, ptr %0, i32 64, i32 %2, i64 0)
  call void asm sideeffect "{ .reg .pred p; setp.ne.b32 p, $0, 0; @p cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [$1], [$2], 4096, [$1]; }", "r,r,r"(i32 %1, i32 %2, i32 %a)
  call void asm sideeffect "cp.async.bulk.global.shared::cta.bulk_group [$0], [$1], $2;", "l,r,r"(ptr %0, i32 %a, i32 %1)
  call void asm sideeffect "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [$0], [$1], 32;", "l,r"(ptr %0, i32 %a)
  call void asm sideeffect "cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [$0], [$1], 0, [$0];", "r,l"(i32 %a, ptr %0)
  call void asm sideeffect "cp.async.bulk.prefetch.L2.global [$0], 64; cp.async.bulk.commit_group; cp.async.bulk.wait_group.read 0;", "l"(ptr %0)
  call void asm sideeffect "st.bulk.weak.shared::cta [$0], 128, 0;", "r"(i32 %a)
  call void asm sideeffect "st.bulk.weak.shared::cta [$0], $1, 0;", "r,r"(i32 %a, i32 %1)
  call void asm sideeffect "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v2.u32 [$0], {$1, $1}, [$2];", "r,r,r"(i32 %2, i32 %1, i32 %2)
  call void asm sideeffect "red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.inc.u32 [$0], $1, [$2];", "r,r,r"(i32 %2, i32 %1, i32 %2)
  call void asm sideeffect "st.async.shared::cluster.mbarrier::complete_tx::bytes.b32 [$0+8], 1, [$0];", "r"(i32 %2)
  ret void
}

; CHECK-LABEL: accesses of scalars: 10{{$}}
; CHECK-NEXT: - load global 4 argument 1 {{.*}}
; CHECK-NEXT: - load global 16 argument 1 displacement=32 {{.*}}
; CHECK-NEXT: - load shared 2 s displacement=-4 {{.*}}
; CHECK-NEXT: - store shared 8 s {{.*}}
; CHECK-NEXT: - store shared 4 s predicate=zero {{.*}}
; CHECK-NEXT: - atomic global 4 argument 1 {{.*}}
; CHECK-NEXT: - atomic shared 4 s {{.*}}
; CHECK-NEXT: - load global 4 argument 1 {{.*}}
; CHECK-NEXT: - barrier shared 8 s {{.*}}
; CHECK-NEXT: - barrier shared 8 s {{.*}}
define ptx_kernel void @scalars(ptr %0, i32 %1) {
  %a = ptrtoint ptr addrspace(3) @s to i32
  %l = call i32 asm sideeffect "ld.global.nc.L1::no_allocate.u32 $0, [$1];", "=r,l"(ptr %0)
  %v = call {i32, i32, i32, i32} asm sideeffect "ld.volatile.global.v4.u32 {$0, $1, $2, $3}, [$4 + 32];", "=r,=r,=r,=r,l"(ptr %0)
  %h = call i16 asm sideeffect "ld.shared.b16 $0, [$1+-4];", "=h,r"(i32 %a)
  call void asm sideeffect "st.shared.v2.f32 [$0], {$1, $1};", "r,r"(i32 %a, i32 %1)
  call void asm sideeffect "{.reg .pred q; setp.eq.s32 q, $1, 0; @q st.shared::cta.u32 [$0], $1;}", "r,r"(i32 %a, i32 %1)
  call void asm sideeffect "red.release.gpu.global.add.s32 [$0], $1;", "l,r"(ptr %0, i32 %1)
  %x = call i32 asm sideeffect "atom.shared.add.u32 $0, [$1], $2;", "=r,r,r"(i32 %a, i32 %1)
  %y = call i32 asm sideeffect "/* generic */ ld.relaxed.gpu.u32 $0, [$1];", "=r,l"(ptr %0)
  call void asm sideeffect "mbarrier.init.shared.b64 [$0], $1;", "r,r"(i32 %a, i32 %1)
  %w = call i32 asm sideeffect "{.reg .pred P; mbarrier.try_wait.parity.shared.b64 P, [$1], $2; selp.b32 $0, 1, 0, P;}", "=r,r,r"(i32 %a, i32 0)
  ret void
}

; A loop that waits for a barrier counts as one wait.
; CHECK-LABEL: accesses of waits: 1{{$}}
; CHECK-NEXT: - barrier shared 8 s {{.*}}
define ptx_kernel void @waits(i32 %0) {
  %a = ptrtoint ptr addrspace(3) @s to i32
  call void asm sideeffect "{\0A.reg .pred P1;\0ALAB_WAIT:\0Ambarrier.try_wait.parity.shared::cta.b64 P1, [$0], $1;\0A@P1 bra DONE;\0Abra LAB_WAIT;\0ADONE:\0A}\0A", "r,r"(i32 %a, i32 %0)
  ret void
}

; CHECK-LABEL: accesses of matrices: 3{{$}}
; CHECK-NEXT: - matrix-read shared 16 s tid
; CHECK-NEXT: - matrix-read shared 16 s lanes=16
; CHECK-NEXT: - matrix-write shared 16 s lanes=8
define ptx_kernel void @matrices() {
  %a = ptrtoint ptr addrspace(3) @s to i32
  %x = call {i32, i32, i32, i32} asm sideeffect "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {$0,$1,$2,$3}, [$4];", "=r,=r,=r,=r,r"(i32 %a)
  %y = call {i32, i32} asm sideeffect "ldmatrix.sync.aligned.x2.trans.m8n8.shared.b16 {$0,$1}, [$2];", "=r,=r,r"(i32 %a)
  call void asm sideeffect "stmatrix.sync.aligned.m8n8.x1.shared.b16 [$0], {$1};", "r,r"(i32 %a, i32 0)
  ret void
}

; No accesses at all.
; CHECK-LABEL: accesses of none: 0{{$}}
define ptx_kernel void @none(ptr %0) {
  %a = call i32 asm "mov.u32 $0, %laneid;", "=r"()
  call void asm sideeffect "prefetch.global.L2 [$0];", "l"(ptr %0)
  call void asm sideeffect "bar.sync 0;", "~{memory}"()
  %b = call i32 asm "{ .reg .u64 t; cvta.to.shared.u64 t, $1; cvt.u32.u64 $0, t; }", "=r,l"(ptr %0)
  ret void
}
