; The run of loops starts at the innermost and ends at the first that fails.
; RUN: %opt -passes='print<gm-accesses>' -disable-output %s | FileCheck %s

target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

@s = addrspace(3) global [64 x i32] undef, align 4

; CHECK-LABEL: accesses of nest: 5{{$}}
; Executes in the outer loop only.
; CHECK-NEXT: - load shared 4 s {{.*}} loops=[%outer@1] static
; CHECK-NEXT: - load shared 4 s {{.*}} loops=[%inner@2 %outer@1] static
; Depends on the outer loop's counter.
; CHECK-NEXT: - load shared 4 s {{.*}} loops=[%inner@2] (the address changes in the loop) static
; Depends on the inner loop's counter: not invariant in the outer one either.
; CHECK-NEXT: - load shared 4 s {{.*}} loops=[] (the address changes in the loop) static
; The inner loop is not entered in every iteration.
; CHECK-NEXT: - load shared 4 s {{.*}} loops=[%cond@2] (not executed in every iteration) static
define ptx_kernel void @nest(i32 %0, i1 %1) {
entry:
  %fix = getelementptr i32, ptr addrspace(3) @s, i32 %0
  br label %outer
outer:
  %i = phi i32 [ 0, %entry ], [ %i.next, %latch ]
  %a = load i32, ptr addrspace(3) %fix
  %pi = getelementptr i32, ptr addrspace(3) @s, i32 %i
  br label %inner
inner:
  %j = phi i32 [ 0, %outer ], [ %j.next, %inner ]
  %b = load i32, ptr addrspace(3) %fix
  %c = load i32, ptr addrspace(3) %pi
  %pj = getelementptr i32, ptr addrspace(3) @s, i32 %j
  %d = load i32, ptr addrspace(3) %pj
  %j.next = add i32 %j, 1
  %j.more = icmp slt i32 %j.next, %0
  br i1 %j.more, label %inner, label %middle
middle:
  br i1 %1, label %pre, label %latch
pre:
  br label %cond
cond:
  %k = phi i32 [ 0, %pre ], [ %k.next, %cond ]
  %e = load i32, ptr addrspace(3) %fix
  %k.next = add i32 %k, 1
  %k.more = icmp slt i32 %k.next, %0
  br i1 %k.more, label %cond, label %post
post:
  br label %latch
latch:
  %i.next = add i32 %i, 1
  %i.more = icmp slt i32 %i.next, %0
  br i1 %i.more, label %outer, label %end
end:
  ret void
}
