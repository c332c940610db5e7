; Atomics that only accumulate: commutative and associative operations whose results are unused.
; RUN: %opt -passes='print<gm-accesses>' -disable-output %s | FileCheck %s

target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

; CHECK-LABEL: accesses of instructions: 7{{$}}
; CHECK-NEXT: - atomic global 4 argument 1 reduction {{.*}}
; CHECK-NEXT: - atomic global 4 argument 1 reduction {{.*}}
; CHECK-NEXT: - atomic global 4 argument 1 reduction {{.*}}
; A result that is used, and operations that do not commute.
; CHECK-NEXT: - atomic global 4 argument 1 tid-invariant={{.*}}
; CHECK-NEXT: - atomic global 4 argument 1 tid-invariant={{.*}}
; CHECK-NEXT: - atomic global 4 argument 1 tid-invariant={{.*}}
; CHECK-NEXT: - atomic global 4 argument 1 tid-invariant={{.*}}
define ptx_kernel void @instructions(ptr addrspace(1) %0) {
  %a = atomicrmw add ptr addrspace(1) %0, i32 1 seq_cst
  %b = atomicrmw umax ptr addrspace(1) %0, i32 1 seq_cst
  %c = atomicrmw fadd ptr addrspace(1) %0, float 1.0 seq_cst
  %d = atomicrmw add ptr addrspace(1) %0, i32 1 seq_cst
  %e = atomicrmw xchg ptr addrspace(1) %0, i32 %d seq_cst
  %f = atomicrmw uinc_wrap ptr addrspace(1) %0, i32 7 seq_cst
  %g = cmpxchg ptr addrspace(1) %0, i32 0, i32 1 seq_cst seq_cst
  ret void
}

; CHECK-LABEL: accesses of intrinsics: 3{{$}}
; CHECK-NEXT: - atomic {{.*}} reduction tid-invariant={{.*}}
; CHECK-NEXT: - atomic global 4 argument 1 tid-invariant={{.*}}
; CHECK-NEXT: - atomic global 4 argument 1 tid-invariant={{.*}}
define ptx_kernel i32 @intrinsics(ptr %0) {
  %a = call i32 @llvm.nvvm.atomic.add.gen.i.cta.i32.p0(ptr %0, i32 1)
  %b = call i32 @llvm.nvvm.atomic.inc.gen.i.cta.i32.p0(ptr %0, i32 7)
  %c = call i32 @llvm.nvvm.atomic.add.gen.i.cta.i32.p0(ptr %0, i32 1)
  ret i32 %c
}

; Those that order other accesses tell other threads of them.
; CHECK-LABEL: accesses of assembly: 7{{$}}
; CHECK-NEXT: - atomic global 4 argument 1 reduction {{.*}}
; CHECK-NEXT: - atomic global 4 argument 1 reduction {{.*}}
; CHECK-NEXT: - atomic global 4 argument 1 tid-invariant={{.*}}
; CHECK-NEXT: - atomic global 4 argument 1 tid-invariant={{.*}}
; CHECK-NEXT: - atomic global 4 argument 1 tid-invariant={{.*}}
; CHECK-NEXT: - atomic global 4 argument 1 tid-invariant={{.*}}
; CHECK-NEXT: - atomic global 4 argument 1 tid-invariant={{.*}}
define ptx_kernel i32 @assembly(ptr %0, i32 %1) {
  call void asm sideeffect "red.global.add.s32 [$0], $1;", "l,r"(ptr %0, i32 %1)
  %a = call i32 asm sideeffect "atom.relaxed.gpu.global.add.u32 $0, [$1], $2;", "=r,l,r"(ptr %0, i32 %1)
  call void asm sideeffect "red.global.inc.u32 [$0], $1;", "l,r"(ptr %0, i32 %1)
  call void asm sideeffect "red.release.gpu.global.add.u32 [$0], $1;", "l,r"(ptr %0, i32 %1)
  %b = call i32 asm sideeffect "atom.acq_rel.gpu.global.add.u32 $0, [$1], $2;", "=r,l,r"(ptr %0, i32 %1)
  %c = call i32 asm sideeffect "atom.global.exch.b32 $0, [$1], $2;", "=r,l,r"(ptr %0, i32 %1)
  %d = call i32 asm sideeffect "atom.global.add.u32 $0, [$1], $2;", "=r,l,r"(ptr %0, i32 %1)
  ret i32 %d
}

declare i32 @llvm.nvvm.atomic.add.gen.i.cta.i32.p0(ptr, i32)
declare i32 @llvm.nvvm.atomic.inc.gen.i.cta.i32.p0(ptr, i32)
