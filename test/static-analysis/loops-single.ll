; The two conditions of loop invariance: the address does not change in the loop,
; and the access executes in every iteration.
; RUN: %opt -passes='print<gm-accesses>' -disable-output %s | FileCheck %s

target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

@s = addrspace(3) global [64 x i32] undef, align 4

; CHECK-LABEL: accesses of rotated: 6{{$}}
; CHECK-NEXT: - load shared 4 s {{.*}} loops=[%loop@1] static
; %p is computed in the loop, always to the same address.
; CHECK-NEXT: - load shared 4 s {{.*}} loops=[%loop@1] static
; CHECK-NEXT: - load shared 4 s {{.*}} loops=[] (the address changes in the loop) static
; CHECK-NEXT: - load shared 4 s {{.*}} loops=[] (not executed in every iteration) static
; CHECK-NEXT: - store shared 4 s {{.*}} loops=[%loop@1] static
; Behind the loop: no loop, and no reason.
; CHECK-NEXT: - load shared 4 s {{.*}} loops=[] static
define ptx_kernel void @rotated(i32 %0, i1 %1) {
entry:
  %out = getelementptr i32, ptr addrspace(3) @s, i32 %0
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %j, %latch ]
  %a = load i32, ptr addrspace(3) %out
  %k = add i32 %0, 3
  %p = getelementptr i32, ptr addrspace(3) @s, i32 %k
  %b = load i32, ptr addrspace(3) %p
  %q = getelementptr i32, ptr addrspace(3) @s, i32 %i
  %c = load i32, ptr addrspace(3) %q
  br i1 %1, label %some, label %latch
some:
  %d = load i32, ptr addrspace(3) %out
  br label %latch
latch:
  store i32 0, ptr addrspace(3) %out
  %j = add i32 %i, 1
  %more = icmp slt i32 %j, %0
  br i1 %more, label %loop, label %end
end:
  %e = load i32, ptr addrspace(3) %out
  ret void
}

; A loop that exits at its header: the body executes in every iteration that the
; back edge ends.
; CHECK-LABEL: accesses of header: 2{{$}}
; CHECK-NEXT: - load shared 4 s {{.*}} loops=[%head@1] static
; CHECK-NEXT: - load shared 4 s {{.*}} loops=[%head@1] static
define ptx_kernel void @header(i32 %0) {
entry:
  %out = getelementptr i32, ptr addrspace(3) @s, i32 %0
  br label %head
head:
  %i = phi i32 [ 0, %entry ], [ %j, %body ]
  %a = load i32, ptr addrspace(3) %out
  %more = icmp slt i32 %i, %0
  br i1 %more, label %body, label %end
body:
  %b = load i32, ptr addrspace(3) %out
  %j = add i32 %i, 1
  br label %head
end:
  ret void
}

; A break between: the second access misses the last iteration, or not, depending
; on where the loop is left. That can be counted.
; CHECK-LABEL: accesses of breaks: 2{{$}}
; CHECK-NEXT: - load shared 4 - {{.*}} loops=[%head@1] static
; CHECK-NEXT: - load shared 4 s {{.*}} loops=[%head@1] static
define ptx_kernel void @breaks(i32 %0, ptr %1) {
entry:
  %out = getelementptr i32, ptr addrspace(3) @s, i32 %0
  br label %head
head:
  %i = phi i32 [ 0, %entry ], [ %j, %body ]
  %x = load volatile i32, ptr addrspace(3) null
  %stop = icmp eq i32 %x, 0
  br i1 %stop, label %end, label %body
body:
  %b = load i32, ptr addrspace(3) %out
  %j = add i32 %i, 1
  %more = icmp slt i32 %j, %0
  br i1 %more, label %head, label %end
end:
  ret void
}

; Two back edges, as before LoopSimplify.
; CHECK-LABEL: accesses of latches: 1{{$}}
; CHECK-NEXT: - load shared 4 s {{.*}} loops=[] (the loop has several entries or back edges)
define ptx_kernel void @latches(i32 %0, i1 %1) {
entry:
  %out = getelementptr i32, ptr addrspace(3) @s, i32 %0
  br label %head
head:
  %i = phi i32 [ 0, %entry ], [ %j, %head ], [ %j, %other ]
  %b = load i32, ptr addrspace(3) %out
  %j = add i32 %i, 1
  %more = icmp slt i32 %j, %0
  br i1 %more, label %head, label %other
other:
  br i1 %1, label %head, label %end
end:
  ret void
}
