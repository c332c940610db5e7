; A kernel's pointer arguments point to global memory, and so do the pointers in
; the structs it is passed by value, unless it writes to its copy of the struct.
; RUN: %opt -passes='print<gm-accesses>' -disable-output %s | FileCheck %s

target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

%S = type { ptr, i32, ptr }

; CHECK-LABEL: accesses of k: 7{{$}}
; CHECK-NEXT: - load global 4 argument 1 tid-invariant=yes
; CHECK-NEXT: - load param 8 argument 2 tid-invariant=yes
; CHECK-NEXT: - load global 4 argument 2 tid-invariant=yes
; CHECK-NEXT: - load param 8 argument 2 tid-invariant=yes
; CHECK-NEXT: - store global 4 argument 2+16 tid-invariant=yes
; CHECK-NEXT: - load param 8 argument 2 tid-invariant=yes
; CHECK-NEXT: - store global 2 argument 2+16 tid-invariant=yes
define ptx_kernel void @k(ptr %0, ptr byval(%S) align 8 %1) {
  %a = load i32, ptr %0
  %p = load ptr, ptr %1
  %b = load i32, ptr %p
  %f = getelementptr i8, ptr %1, i64 16
  %q = load ptr, ptr %f
  store i32 %a, ptr %q
  %r = load ptr, ptr %f
  store i16 1, ptr %r
  ret void
}

; CHECK-LABEL: accesses of written: 3{{$}}
; CHECK-NEXT: - store param 8 argument 1 tid
; CHECK-NEXT: - load param 8 argument 1 tid
; CHECK-NEXT: - load generic 4 - tid-invariant=no (depends on a load from memory that the kernel may write)
define ptx_kernel void @written(ptr byval(%S) align 8 %0, ptr %1) {
  store ptr %1, ptr %0
  %p = load ptr, ptr %0
  %b = load i32, ptr %p
  ret void
}

; Pointers in integers, as driver API programs and iterators have them.
; CHECK-LABEL: accesses of integers: 3{{$}}
; CHECK-NEXT: - load global 4 argument 1 tid
; CHECK-NEXT: - load param 8 argument 2 tid
; CHECK-NEXT: - load global 4 argument 2+8 tid
define ptx_kernel void @integers(i64 %0, ptr byval(%S) align 8 %1) {
  %p = inttoptr i64 %0 to ptr
  %a = load i32, ptr %p
  %f = getelementptr i8, ptr %1, i64 8
  %i = load i64, ptr %f
  %q = inttoptr i64 %i to ptr
  %b = load i32, ptr %q
  ret void
}

; The byval argument of a device function is in the caller's frame, and its
; other pointers may point anywhere.
; CHECK-LABEL: accesses of device: 3{{$}}
; CHECK-NEXT: - load local 8 argument 1 tid
; CHECK-NEXT: - load generic 4 - tid
; CHECK-NEXT: - load generic 4 - tid
define void @device(ptr byval(%S) align 8 %0, ptr %1) {
  %p = load ptr, ptr %0
  %b = load i32, ptr %p
  %c = load i32, ptr %1
  ret void
}

; malloc's memory is global.
; CHECK-LABEL: accesses of heap: 1{{$}}
; CHECK-NEXT: - store global 4 - tid
define ptx_kernel void @heap() {
  %p = call ptr @malloc(i64 4)
  store i32 0, ptr %p
  ret void
}
declare ptr @malloc(i64)
