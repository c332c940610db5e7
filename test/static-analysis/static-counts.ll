; Address and count known at compile time.
; RUN: %opt -passes='print<gm-accesses>' -disable-output %s | FileCheck %s

target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

@s = addrspace(3) global [64 x i32] undef, align 4
@dyn = external addrspace(3) global [0 x i32], align 4

; CHECK-LABEL: accesses of straight: 7{{$}}
; CHECK-NEXT: - load shared 4 s+0 {{.*}} static=1
; CHECK-NEXT: - store shared 16 s+240 {{.*}} static=1
; CHECK-NEXT: - load shared 4 s {{.*}} static=no (outside the variable)
; CHECK-NEXT: - load shared 4 s {{.*}} static=no (outside the variable)
; CHECK-NEXT: - load shared 4 dyn {{.*}} static=no (not a shared variable of known size)
; CHECK-NEXT: - load shared 4 s {{.*}} static=no (the address is not constant)
; CHECK-NEXT: - load shared 4 s {{.*}} static=no (the address is not constant)
define ptx_kernel void @straight(i32 %0, i1 %1) {
  %a = load i32, ptr addrspacecast (ptr addrspace(3) @s to ptr)
  store <4 x i32> zeroinitializer, ptr addrspace(3) getelementptr (i32, ptr addrspace(3) @s, i32 60)
  %b = load i32, ptr addrspace(3) getelementptr (i32, ptr addrspace(3) @s, i32 64)
  %c = load i32, ptr addrspace(3) getelementptr (i8, ptr addrspace(3) @s, i32 -4)
  %d = load i32, ptr addrspace(3) @dyn
  %p = getelementptr i32, ptr addrspace(3) @s, i32 %0
  %e = load i32, ptr addrspace(3) %p
  %q = select i1 %1, ptr addrspace(3) @s, ptr addrspace(3) getelementptr (i32, ptr addrspace(3) @s, i32 1)
  %f = load i32, ptr addrspace(3) %q
  ret void
}

; CHECK-LABEL: accesses of conditions: 3{{$}}
; CHECK-NEXT: - load shared 4 s {{.*}} static=no (not executed whenever the kernel is)
; CHECK-NEXT: - load shared 4 s {{.*}} static=no (under a condition that differs between threads)
; CHECK-NEXT: - load shared 4 s+0 {{.*}} static=1
define ptx_kernel void @conditions(i1 %0) {
entry:
  br i1 %0, label %a, label %b
a:
  %x = load i32, ptr addrspace(3) @s
  br label %b
b:
  %tx = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %odd = trunc i32 %tx to i1
  br i1 %odd, label %c, label %d
c:
  %y = load i32, ptr addrspace(3) @s
  br label %d
d:
  %z = load i32, ptr addrspace(3) @s
  ret void
}

; A rotated loop of 10 iterations, and in it one of 3.
; CHECK-LABEL: accesses of loops: 5{{$}}
; CHECK-NEXT: - load shared 4 s+0 {{.*}} static=10
; CHECK-NEXT: - load shared 4 s+4 {{.*}} static=30
; CHECK-NEXT: - load shared 4 s {{.*}} static=no (the address is not constant)
; CHECK-NEXT: - load shared 4 s {{.*}} static=no (not executed in every iteration)
; CHECK-NEXT: - load shared 4 s+8 {{.*}} static=10
define ptx_kernel void @loops(i1 %0) {
entry:
  br label %outer
outer:
  %i = phi i32 [ 0, %entry ], [ %i.next, %latch ]
  %a = load i32, ptr addrspace(3) @s
  br label %inner
inner:
  %j = phi i32 [ 0, %outer ], [ %j.next, %inner ]
  %b = load i32, ptr addrspace(3) getelementptr (i32, ptr addrspace(3) @s, i32 1)
  %pj = getelementptr i32, ptr addrspace(3) @s, i32 %j
  %c = load i32, ptr addrspace(3) %pj
  %j.next = add i32 %j, 1
  %j.more = icmp ult i32 %j.next, 3
  br i1 %j.more, label %inner, label %middle
middle:
  br i1 %0, label %some, label %latch
some:
  %d = load i32, ptr addrspace(3) @s
  br label %latch
latch:
  %e = load i32, ptr addrspace(3) getelementptr (i32, ptr addrspace(3) @s, i32 2)
  %i.next = add i32 %i, 1
  %i.more = icmp ult i32 %i.next, 10
  br i1 %i.more, label %outer, label %end
end:
  ret void
}

; for (i = 0; i < 10; ++i): the header executes once more than the body.
; CHECK-LABEL: accesses of header: 2{{$}}
; CHECK-NEXT: - load shared 4 s+0 {{.*}} static=11
; CHECK-NEXT: - load shared 4 s+4 {{.*}} static=10
define ptx_kernel void @header() {
entry:
  br label %head
head:
  %i = phi i32 [ 0, %entry ], [ %j, %body ]
  %a = load i32, ptr addrspace(3) @s
  %more = icmp ult i32 %i, 10
  br i1 %more, label %body, label %end
body:
  %b = load i32, ptr addrspace(3) getelementptr (i32, ptr addrspace(3) @s, i32 1)
  %j = add i32 %i, 1
  br label %head
end:
  ret void
}

; A body that is never executed counts 0 times.
; CHECK-LABEL: accesses of never: 1{{$}}
; CHECK-NEXT: - load shared 4 s+4 {{.*}} static=0
define ptx_kernel void @never() {
entry:
  br label %head
head:
  %i = phi i32 [ 0, %entry ], [ %j, %body ]
  %more = icmp ult i32 %i, 0
  br i1 %more, label %body, label %end
body:
  %b = load i32, ptr addrspace(3) getelementptr (i32, ptr addrspace(3) @s, i32 1)
  %j = add i32 %i, 1
  br label %head
end:
  ret void
}

; CHECK-LABEL: accesses of variable: 1{{$}}
; CHECK-NEXT: - load shared 4 s {{.*}} loops=[%loop@1] static=no (in a loop whose trip count is not constant)
define ptx_kernel void @variable(i32 %0) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %j, %loop ]
  %a = load i32, ptr addrspace(3) @s
  %j = add i32 %i, 1
  %more = icmp slt i32 %j, %0
  br i1 %more, label %loop, label %end
end:
  ret void
}

; The loop is left at its first exit, in the seventh iteration: after %a, before
; %b.
; CHECK-LABEL: accesses of between: 2{{$}}
; CHECK-NEXT: - load shared 4 s+0 {{.*}} static=7
; CHECK-NEXT: - load shared 4 s+4 {{.*}} static=6
define ptx_kernel void @between() {
entry:
  br label %head
head:
  %i = phi i32 [ 0, %entry ], [ %j, %body ]
  %a = load i32, ptr addrspace(3) @s
  %stop = icmp eq i32 %i, 6
  br i1 %stop, label %end, label %body
body:
  %b = load i32, ptr addrspace(3) getelementptr (i32, ptr addrspace(3) @s, i32 1)
  %j = add i32 %i, 1
  %more = icmp ult i32 %j, 10
  br i1 %more, label %head, label %end
end:
  ret void
}

; An assertion in the loop does not count as a way out, nor one before it.
; CHECK-LABEL: accesses of assertion: 2{{$}}
; CHECK-NEXT: - load shared 4 s+0 {{.*}} static=10
; CHECK-NEXT: - load shared 4 s+4 {{.*}} static=10
define ptx_kernel void @assertion(i1 %0, i1 %1) {
entry:
  br i1 %0, label %pre, label %bad
pre:
  br label %loop
loop:
  %i = phi i32 [ 0, %pre ], [ %j, %good ]
  %a = load i32, ptr addrspace(3) @s
  br i1 %1, label %good, label %bad
good:
  %b = load i32, ptr addrspace(3) getelementptr (i32, ptr addrspace(3) @s, i32 1)
  %j = add i32 %i, 1
  %more = icmp ult i32 %j, 10
  br i1 %more, label %loop, label %end
bad:
  call void @__assertfail(ptr null, ptr null, i32 1, ptr null, i64 1)
  unreachable
end:
  ret void
}

; 2^17 times 2^17 iterations do not fit 32 bits.
; CHECK-LABEL: accesses of large: 1{{$}}
; CHECK-NEXT: - load shared 4 s {{.*}} static=no (the count is too large)
define ptx_kernel void @large() {
entry:
  br label %outer
outer:
  %i = phi i32 [ 0, %entry ], [ %i.next, %latch ]
  br label %inner
inner:
  %j = phi i32 [ 0, %outer ], [ %j.next, %inner ]
  %b = load i32, ptr addrspace(3) @s
  %j.next = add i32 %j, 1
  %j.more = icmp ult i32 %j.next, 131072
  br i1 %j.more, label %inner, label %latch
latch:
  %i.next = add i32 %i, 1
  %i.more = icmp ult i32 %i.next, 131072
  br i1 %i.more, label %outer, label %end
end:
  ret void
}

; A predicate, and a copy of unknown length.
; CHECK-LABEL: accesses of operands: 2{{$}}
; CHECK-NEXT: - store shared 16 s predicate=nonzero {{.*}} static=no (the address is not constant)
; CHECK-NEXT: - copy-to shared ? s {{.*}} static=no (the length is not constant)
define ptx_kernel void @operands(i32 %0) {
  call void asm sideeffect "{.reg .pred p; setp.ne.u32 p, $1, 0; @p st.shared.b128 [$0], $1;}", "r,r"(i32 ptrtoint (ptr addrspace(3) @s to i32), i32 %0)
  call void @llvm.memset.p3.i32(ptr addrspace(3) @s, i8 0, i32 %0, i1 false)
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare void @llvm.memset.p3.i32(ptr addrspace(3), i8, i32, i1)
declare void @__assertfail(ptr, ptr, i32, ptr, i64)
