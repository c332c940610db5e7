; Calls of CUDA's functions and of kernels' stubs leave a frame, also at the end of a function:
; none becomes a jump. Others may.
; RUN: opt -load-pass-plugin=%gmpass -passes=gm-host-calls,verify -S %s | FileCheck %s
; RUN: opt -load-pass-plugin=%gmpass -passes='gm-host-calls,function(tailcallelim)' -S %s | FileCheck %s
; RUN: sed 's/x86_64-unknown-linux-gnu/nvptx64-nvidia-cuda/' %s | opt -load-pass-plugin=%gmpass -passes=gm-host-calls -S | FileCheck %s --check-prefix=DEVICE

; CHECK: notail call i32 @cudaMalloc(
; CHECK: notail call i32 @cuMemFree_v2(
; CHECK: notail call void @_Z21__device_stub__kernelPf(
; CHECK: %e = {{(tail )?}}call i32 @custom(
; CHECK: %e = {{(tail )?}}call i32 @cudaOfProgram(
; CHECK: %e = {{(tail )?}}call i32 %f(ptr @cudaMalloc)
; DEVICE-NOT: notail
target triple = "x86_64-unknown-linux-gnu"

declare i32 @cudaMalloc(ptr, i64)
declare i32 @cuMemFree_v2(i64)
declare i32 @custom(ptr)
define void @_Z21__device_stub__kernelPf(ptr %x) {
  ret void
}
define i32 @cudaOfProgram(ptr %p) {
  ret i32 0
}
define i32 @allocate(ptr %p) {
  %e = call i32 @cudaMalloc(ptr %p, i64 4)
  ret i32 %e
}
define i32 @release(i64 %p) {
  %e = tail call i32 @cuMemFree_v2(i64 %p)
  ret i32 %e
}
define void @launch(ptr %x) {
  call void @_Z21__device_stub__kernelPf(ptr %x)
  ret void
}
define i32 @others(ptr %p) {
  %e = call i32 @custom(ptr %p)
  ret i32 %e
}
define i32 @own(ptr %p) {
  %e = call i32 @cudaOfProgram(ptr %p)
  ret i32 %e
}
define i32 @pass(ptr %f) {
  %e = call i32 %f(ptr @cudaMalloc)
  ret i32 %e
}
