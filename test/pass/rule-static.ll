; Address and count known at compile time: the descriptor has them, the clone does
; nothing. All threads store 4 bytes at offset 8 once, and load them 10 times.
; RUN: %opt -gm-shared-closed-forms=false -passes=gm-instrument,verify -S %s | FileCheck %s

target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

@tile = internal addrspace(3) global [64 x i32] undef, align 4

; statics: {variable 0, site, offset 8, bytes 4, count}
; CHECK: @__gm_kernel_k = {{.*}} [2 x { i32, i32, i64, i32, i32 }] [{ i32, i32, i64, i32, i32 } { i32 0, i32 0, i64 8, i32 4, i32 1 }, { i32, i32, i64, i32, i32 } { i32 0, i32 1, i64 8, i32 4, i32 10 }]
; CHECK-LABEL: define ptx_kernel void @k__gm_shared(
; CHECK-NOT:     atomicrmw add ptr addrspace(3)
; CHECK:         store i32 7, ptr addrspace(3) getelementptr {{.*}}@tile
; CHECK-NOT:     atomicrmw add ptr addrspace(3)
; CHECK:         load volatile i32, ptr addrspace(3) getelementptr {{.*}}@tile
; CHECK-NOT:     atomicrmw add ptr addrspace(3)
; CHECK:         ret void
define ptx_kernel void @k(ptr %p) {
entry:
  store i32 7, ptr addrspace(3) getelementptr (i8, ptr addrspace(3) @tile, i64 8)
  br label %loop
loop:
  %n = phi i32 [ 0, %entry ], [ %next, %loop ]
  %v = load volatile i32, ptr addrspace(3) getelementptr (i8, ptr addrspace(3) @tile, i64 8)
  %next = add nuw nsw i32 %n, 1
  %more = icmp ult i32 %next, 10
  br i1 %more, label %loop, label %exit
exit:
  ret void
}
