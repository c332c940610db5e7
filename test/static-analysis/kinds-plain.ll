; Loads, stores and LLVM's atomics, with their sizes.
; RUN: %opt -passes='print<gm-accesses>' -disable-output %s | FileCheck %s

target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

@s = addrspace(3) global [64 x i64] undef, align 16

; CHECK-LABEL: accesses of k: 10{{$}}
define ptx_kernel void @k() {
; CHECK-NEXT: - load shared 1 s+0
  %a = load i8, ptr addrspace(3) @s
; CHECK-NEXT: - load shared 2 s+0
  %b = load half, ptr addrspace(3) @s
; CHECK-NEXT: - load shared 8 s+0
  %c = load volatile double, ptr addrspace(3) @s
; CHECK-NEXT: - load shared 16 s+0
  %d = load <4 x float>, ptr addrspace(3) @s, align 16
; CHECK-NEXT: - load shared 4 s+0
  %e = load atomic i32, ptr addrspace(3) @s acquire, align 4
; CHECK-NEXT: - store shared 1 s+0
  store i1 true, ptr addrspace(3) @s
; CHECK-NEXT: - store shared 16 s+0
  store <4 x float> %d, ptr addrspace(3) @s
; CHECK-NEXT: - atomic shared 4 s+0
  %f = atomicrmw add ptr addrspace(3) @s, i32 1 seq_cst
; CHECK-NEXT: - atomic shared 8 s+0
  %g = cmpxchg ptr addrspace(3) @s, i64 0, i64 1 seq_cst seq_cst
; CHECK-NEXT: - atomic shared 4 s+0
  %h = atomicrmw fadd ptr addrspace(3) @s, float 1.0 monotonic
  ret void
}
