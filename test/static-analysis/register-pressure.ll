; How many registers of 32 bits hold values at a time.
; RUN: %opt -passes='print<gm-register-pressure>' -disable-output %s | FileCheck %s

target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

; %a until its only use, then %b. Arguments and predicates take none.
; CHECK: registers of chain: 1, full occupancy
define ptx_kernel void @chain(ptr %p, i32 %x) {
  %a = add i32 %x, 1
  %b = mul i32 %a, %x
  %c = icmp eq i32 %b, 0
  store i1 %c, ptr %p
  ret void
}

; The address (2), both halves (2 + 2) and a vector of three floats (3).
; CHECK: registers of kinds: 9, full occupancy
define ptx_kernel void @kinds(ptr %p, i64 %x, <3 x float> %f) {
  %a = getelementptr i8, ptr %p, i64 %x
  %l = mul i64 %x, 3
  %h = mul i64 %x, 5
  %v = fadd <3 x float> %f, %f
  store i64 %l, ptr %a
  store i64 %h, ptr %a
  store <3 x float> %v, ptr %a
  ret void
}

; %kept is used after the loop, so all around it, beside %i and %sum, and %next before %i is no more.
; CHECK: registers of loop: 4, full occupancy
define ptx_kernel void @loop(ptr %p, i32 %n) {
entry:
  %kept = mul i32 %n, %n
  br label %body
body:
  %i = phi i32 [ 0, %entry ], [ %next, %body ]
  %sum = phi i32 [ 0, %entry ], [ %more, %body ]
  %next = add i32 %i, 1
  %more = add i32 %sum, %i
  %again = icmp ult i32 %next, %n
  br i1 %again, label %body, label %end
end:
  %all = add i32 %more, %kept
  store i32 %all, ptr %p
  ret void
}

; What a branch keeps for one way only is not held on the other: 2 for the address or 1 for %y.
; CHECK: registers of ways: 2, full occupancy
define ptx_kernel void @ways(ptr %p, i64 %x, i1 %c) {
  br i1 %c, label %left, label %right
left:
  %a = getelementptr i8, ptr %p, i64 %x
  store i32 1, ptr %a
  ret void
right:
  %y = trunc i64 %x to i32
  store i32 %y, ptr %p
  ret void
}

; An exact division has a subroutine, whose registers are not known; an approximate one has not.
; CHECK: registers of exact: 1{{$}}
; CHECK: registers of approximate: 1, full occupancy
define ptx_kernel void @exact(ptr %p, float %x) {
  %y = fdiv float 1.0, %x
  store float %y, ptr %p
  ret void
}
define ptx_kernel void @approximate(ptr %p, float %x) {
  %y = fdiv afn float 1.0, %x
  store float %y, ptr %p
  ret void
}
