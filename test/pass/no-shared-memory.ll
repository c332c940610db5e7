; A kernel that uses no shared memory has a descriptor that says so, and no clone
; that counts it. That is no reason to skip it in other profiles.
; RUN: %opt -gm-profile=shared -passes=gm-instrument,verify -S %s | FileCheck %s
; RUN: %opt -passes=gm-instrument,verify -S %s | FileCheck %s --check-prefix=BOTH

target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

; CHECK-NOT: __gm_dynamic
; magic, version, bytes, parameters, …, modes 0, flags 0, level 4, 32 bits
; CHECK: @__gm_kernel_k = weak addrspace(1) constant
; CHECK-SAME: { i32 827018567, i32 21, i32 355, i32 1, i32 1, i32 0, i32 0, i32 0, i32 128, i32 0, i32 4, i32 32, i32 -67108865, i32 4, i32 8, i32 192, i32 0, i32 3,
; CHECK-SAME: c"\00k\00uses no shared memory\00p\00"
; CHECK-NOT: k__gm_

; It has a profile of global memory, all of which a closed form describes (modes 4
; and 16): no reason to skip the kernel.
; BOTH: @__gm_kernel_k = weak addrspace(1) constant
; BOTH-SAME: { i32 827018567, i32 21, i32 {{[0-9]+}}, i32 1, i32 1, i32 0, i32 0, i32 0, i32 14996, i32 0, i32 4, i32 32, i32 -67108865, i32 4, i32 8, i32 192, i32 0, i32 3,
; BOTH-SAME: c"\00k\00uses no shared memory\00
; BOTH-NOT: k__gm_shared
; BOTH-NOT: k__gm_global(
; BOTH: define ptx_kernel void @k__gm_global_all(
define ptx_kernel void @k(ptr %p) {
  store i32 1, ptr %p
  ret void
}
