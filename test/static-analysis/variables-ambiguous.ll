; Shared variables that an access may go to are known, whichever it is.
; RUN: %opt -passes='print<gm-variables>' -disable-output %s | FileCheck %s

target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

@even = internal addrspace(3) global [32 x i32] undef, align 4
@odd = internal addrspace(3) global [32 x i32] undef, align 4
@unused = internal addrspace(3) global [32 x i32] undef, align 4

; CHECK-LABEL: variables of k:
; CHECK-DAG: shared even type=- bytes=128 element=4 -
; CHECK-DAG: shared odd type=- bytes=128 element=4 -
; CHECK-NOT: unused
define ptx_kernel void @k(i1 %0) {
  %p = select i1 %0, ptr addrspacecast (ptr addrspace(3) @even to ptr), ptr addrspacecast (ptr addrspace(3) @odd to ptr)
  store i32 1, ptr %p
  ret void
}
