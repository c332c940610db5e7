; Calls that cannot be followed are listed with the reason; calls of functions in
; the module and of harmless library functions are not.
; RUN: %opt -passes='print<gm-accesses>' -disable-output %s | FileCheck %s

target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

; CHECK-LABEL: accesses of k: 0, opaque: 4{{$}}
; CHECK-NEXT: opaque -: indirect call
; CHECK-NEXT: opaque -: call of a function that is not in this module
; CHECK-NEXT: opaque -: call of a function that another definition may replace
; CHECK-NEXT: opaque -: masked vector access
define ptx_kernel void @k(ptr %0, <4 x i1> %1) {
  call void %0()
  call void @elsewhere(ptr %0)
  call void @replaceable()
  %m = call <4 x float> @llvm.masked.load.v4f32.p0(ptr align 4 %0, <4 x i1> %1, <4 x float> zeroinitializer)
  call void @here()
  call void @inlinable()
  %p = call i32 @vprintf(ptr null, ptr null)
  %s = call float @__nv_sinf(float 0.0)
  %q = call i32 @pure(i32 1)
  ret void
}

define void @here() {
  ret void
}

define linkonce_odr void @inlinable() {
  ret void
}

define weak void @replaceable() {
  ret void
}

declare void @elsewhere(ptr)
declare i32 @pure(i32) memory(none)
declare i32 @vprintf(ptr, ptr)
declare float @__nv_sinf(float)
declare <4 x float> @llvm.masked.load.v4f32.p0(ptr, <4 x i1>, <4 x float>)
