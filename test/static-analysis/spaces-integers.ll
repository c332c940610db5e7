; Addresses that were integers on the way: aligned by hand, moved by an offset.
; The sum of two addresses is none.
; RUN: %opt -passes='print<gm-accesses>' -disable-output %s | FileCheck %s

target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

@dyn = external addrspace(3) global [0 x i8], align 4

; CHECK-LABEL: accesses of k: 4{{$}}
; CHECK-NEXT: - load shared 4 dyn tid
; CHECK-NEXT: - load shared 4 dyn tid
; CHECK-NEXT: - load generic 4 - tid
; CHECK-NEXT: - load shared 4 - tid
define ptx_kernel void @k(i64 %0, ptr %1, i32 %2) {
  %i = ptrtoint ptr addrspacecast (ptr addrspace(3) @dyn to ptr) to i64
  %up = add i64 %i, 1023
  %al = and i64 %up, -1024
  %p = inttoptr i64 %al to ptr
  %a = load i32, ptr %p
  %o = add i64 %0, %i
  %q = inttoptr i64 %o to ptr
  %b = load i32, ptr %q
  %j = ptrtoint ptr %1 to i64
  %sum = add i64 %i, %j
  %r = inttoptr i64 %sum to ptr
  %c = load i32, ptr %r
  %t = inttoptr i32 %2 to ptr addrspace(3)
  %d = load i32, ptr addrspace(3) %t
  ret void
}
