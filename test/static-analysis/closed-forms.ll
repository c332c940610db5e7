; Closed forms: wrapping, bases, conditions, loops, early returns.
; RUN: %opt -passes='print<gm-closed-forms>' -disable-output %s | FileCheck %s

target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

@s = addrspace(3) global [4096 x i32] undef, align 4
@g = addrspace(1) global [4096 x i32] zeroinitializer, align 4

; A difference is negative for some threads: as a signed index it is itself, as an
; unsigned one it wraps. In 64 bits there is nothing to look through.
; CHECK-LABEL: closed forms of wrapping:
; CHECK-NEXT: - load shared 4 s rule=closed-form address=-20 + 4*tid.x{{$}}
; CHECK-NEXT: - load shared 4 s rule=counted closed=no (the index may wrap around) sweep=no (not in a loop){{$}}
; CHECK-NEXT: - load shared 4 s rule=closed-form address=-20 + 4*tid.x{{$}}
; CHECK-NEXT: - load shared 4 s rule=closed-form address=4*tid.x + -1024*loop0 loops=[one] where tid.x + -256*loop0 >= 0, 255 + -1*tid.x + 256*loop0 >= 0{{$}}
define ptx_kernel void @wrapping() {
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = add i32 %tid, -5
  %i.s = sext i32 %i to i64
  %p0 = getelementptr i32, ptr addrspace(3) @s, i64 %i.s
  %a = load volatile i32, ptr addrspace(3) %p0
  %i.z = zext i32 %i to i64
  %p1 = getelementptr i32, ptr addrspace(3) @s, i64 %i.z
  %b = load volatile i32, ptr addrspace(3) %p1
  %tid.z = zext i32 %tid to i64
  %j = add i64 %tid.z, -5
  %p2 = getelementptr i32, ptr addrspace(3) @s, i64 %j
  %c = load volatile i32, ptr addrspace(3) %p2
  %n = trunc i32 %tid to i8
  %n.z = zext i8 %n to i64
  %p3 = getelementptr i32, ptr addrspace(3) @s, i64 %n.z
  %d = load volatile i32, ptr addrspace(3) %p3
  ret void
}

; Blocks of at most 128 threads have indices that fit.
; CHECK-LABEL: closed forms of bounded:
; CHECK-NEXT: - load shared 4 s rule=closed-form address=4*tid.x{{$}}
; CHECK-NEXT: - load shared 4 s rule=closed-form address=4*tid.x + -256*loop0 loops=[one] where tid.x + -64*loop0 >= 0, 63 + -1*tid.x + 64*loop0 >= 0{{$}}
define ptx_kernel void @bounded() "nvvm.maxntid"="128" {
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %n = trunc i32 %tid to i8
  %n.z = zext i8 %n to i64
  %p = getelementptr i32, ptr addrspace(3) @s, i64 %n.z
  %a = load volatile i32, ptr addrspace(3) %p
  %m = trunc i32 %tid to i6
  %m.z = zext i6 %m to i64
  %q = getelementptr i32, ptr addrspace(3) @s, i64 %m.z
  %b = load volatile i32, ptr addrspace(3) %q
  ret void
}

; CHECK-LABEL: closed forms of bases:
; CHECK-NEXT: - store global 4 g rule=closed-form address=4*ctaid.x{{$}}
; CHECK-NEXT: - store global 4 argument 1 rule=closed-form address=4*nctaid.y{{$}}
; CHECK-NEXT: - store global 4 - rule=thread-invariant closed=no (the address does not start at one variable or parameter) sweep=no (not in a loop){{$}}
define ptx_kernel void @bases(ptr %0, i1 %1) {
  %x = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %p0 = getelementptr i32, ptr addrspace(1) @g, i32 %x
  store volatile i32 0, ptr addrspace(1) %p0
  %arg = addrspacecast ptr %0 to ptr addrspace(1)
  %y = call i32 @llvm.nvvm.read.ptx.sreg.nctaid.y()
  %p1 = getelementptr i32, ptr addrspace(1) %arg, i32 %y
  store volatile i32 0, ptr addrspace(1) %p1
  %p2 = select i1 %1, ptr addrspace(1) @g, ptr addrspace(1) %arg
  store volatile i32 0, ptr addrspace(1) %p2
  ret void
}

; Some blocks only, some threads only, and what some threads may not get to.
; CHECK-LABEL: closed forms of control:
; CHECK-NEXT: - store shared 4 s rule=closed-form address=4*tid.x where -1 + param0 >= 0{{$}}
; CHECK-NEXT: - store shared 4 s rule=closed-form address=4*tid.x{{$}}
; CHECK-NEXT: - store shared 4 s rule=closed-form address=4*tid.x where 99 + -1*tid.x >= 0{{$}}
define ptx_kernel void @control(i1 %0) {
entry:
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %p = getelementptr i32, ptr addrspace(3) @s, i32 %tid
  br i1 %0, label %some, label %all
some:
  store volatile i32 0, ptr addrspace(3) %p
  br label %all
all:
  store volatile i32 1, ptr addrspace(3) %p
  %first = icmp ult i32 %tid, 100
  br i1 %first, label %rest, label %end
rest:
  store volatile i32 2, ptr addrspace(3) %p
  br label %end
end:
  ret void
}

; for (i = 0; i < 10; ++i) for (j = 0; j < n; ++j): the outer header executes 11
; times, the outer body 10 times, and the body of the inner loop n times in each.
; CHECK-LABEL: closed forms of loops:
; CHECK-NEXT: - store shared 4 s rule=closed-form address=4*loop0 loops=[%outer] where 10 + -1*loop0 >= 0{{$}}
; CHECK-NEXT: - store shared 4 s rule=closed-form address=4*tid.x + 400*loop0 loops=[%outer] where 9 + -1*loop0 >= 0{{$}}
; CHECK-NEXT: - store shared 4 s rule=closed-form address=4*tid.x + 8*loop0 + 400*loop1 loops=[%inner, %outer] where 9 + -1*loop1 >= 0, -1 + -1*loop0 + param0 >= 0 if 0 <= param0 <= 4611686018427387903 after 1{{$}}
define ptx_kernel void @loops(i64 %0) {
entry:
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %tid.z = zext i32 %tid to i64
  br label %outer
outer:
  %i = phi i64 [ 0, %entry ], [ %i.next, %latch ]
  %p0 = getelementptr i32, ptr addrspace(3) @s, i64 %i
  store volatile i32 0, ptr addrspace(3) %p0
  %i.more = icmp ult i64 %i, 10
  br i1 %i.more, label %body, label %end
body:
  %i.row = mul i64 %i, 100
  %row = add i64 %i.row, %tid.z
  %p1 = getelementptr i32, ptr addrspace(3) @s, i64 %row
  store volatile i32 1, ptr addrspace(3) %p1
  br label %inner
inner:
  %j = phi i64 [ 0, %body ], [ %j.next, %inner.body ]
  %j.more = icmp ne i64 %j, %0
  br i1 %j.more, label %inner.body, label %latch
inner.body:
  %j.2 = mul i64 %j, 2
  %k = add i64 %row, %j.2
  %p2 = getelementptr i32, ptr addrspace(3) @s, i64 %k
  store volatile i32 2, ptr addrspace(3) %p2
  %j.next = add i64 %j, 1
  br label %inner
latch:
  %i.next = add i64 %i, 1
  br label %outer
end:
  ret void
}

; Sweeps of single threads, also backwards; not where an exit may come first, the
; stride is not constant, or the access is conditional.
; CHECK-LABEL: closed forms of sweeps:
; CHECK-NEXT: - load global 4 argument 1 rule=closed-form address=4*tid.x + -4*loop0 loops=[%loop] where tid.x + -1*loop0 >= 0{{$}}
; CHECK-NEXT: - load global 4 argument 1 rule=closed-form address=4*tid.x*param1 + -4*loop0*param1 loops=[%loop] where tid.x + -1*loop0 >= 0{{$}}
; CHECK-NEXT: - load global 4 argument 1 rule=counted closed=no (under a condition on data in memory) sweep=no (not executed in every iteration){{$}}
define ptx_kernel void @sweeps(ptr addrspace(1) %0, i64 %1) {
entry:
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %count = zext i32 %tid to i64
  br label %loop
loop:
  %i = phi i64 [ %count, %entry ], [ %i.next, %latch ]
  %p0 = getelementptr i32, ptr addrspace(1) %0, i64 %i
  %a = load volatile i32, ptr addrspace(1) %p0
  %k = mul i64 %i, %1
  %p1 = getelementptr i32, ptr addrspace(1) %0, i64 %k
  %b = load volatile i32, ptr addrspace(1) %p1
  %odd = icmp slt i32 %a, 3
  br i1 %odd, label %some, label %latch
some:
  %c = load volatile i32, ptr addrspace(1) %p0
  br label %latch
latch:
  %i.next = add i64 %i, -1
  %more = icmp ne i64 %i, 0
  br i1 %more, label %loop, label %end
end:
  ret void
}

; A way that ends the kernel is no condition; one that ends the thread might be any.
; CHECK-LABEL: closed forms of ends:
; CHECK-NEXT: - store global 4 p rule=closed-form address=4*tid.x{{$}}
; CHECK-NEXT: - store global 4 p rule=counted closed=no (some threads may have left in a call before) sweep=no (not in a loop){{$}}
define ptx_kernel void @ends(ptr addrspace(1) %p, i32 %n) {
entry:
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %q = getelementptr i32, ptr addrspace(1) %p, i32 %tid
  %wrong = icmp slt i32 %n, 0
  br i1 %wrong, label %fail, label %go
fail:
  call void @llvm.trap()
  unreachable
go:
  store volatile i32 0, ptr addrspace(1) %q
  %some = icmp slt i32 %tid, %n
  br i1 %some, label %leave, label %end
leave:
  call void asm sideeffect "exit;", ""()
  br label %end
end:
  store volatile i32 1, ptr addrspace(1) %q
  ret void
}

; Trip counts that nothing is known of: the loop does not end where it is missed, or
; may go on after wrapping around.
; CHECK-LABEL: closed forms of missed:
; CHECK-NEXT: - store global 4 p rule=thread-invariant closed=no (the trip count is not known at the launch) sweep=no (the address does not change evenly in the loop){{$}}
; CHECK-NEXT: - store global 4 p rule=loop-invariant closed=no (the trip count is not known at the launch){{$}}
define ptx_kernel void @missed(ptr addrspace(1) %p, i32 %n) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %i.next, %loop ]
  %q = getelementptr i32, ptr addrspace(1) %p, i32 %i
  store volatile i32 0, ptr addrspace(1) %q
  %i.next = add i32 %i, 3
  %more = icmp ne i32 %i.next, %n
  br i1 %more, label %loop, label %between
between:
  br label %second
second:
  %j = phi i32 [ 0, %between ], [ %j.next, %second ]
  %j.step = and i32 %j, 1
  store volatile i32 0, ptr addrspace(1) %p
  %j.next = add i32 %j, %j.step
  %j.more = icmp slt i32 %j.next, %n
  br i1 %j.more, label %second, label %end
end:
  ret void
}

; A minimum bounds the loop, bit by bit masks and signed divisions are quotients.
; CHECK-LABEL: closed forms of operations:
; CHECK-NEXT: - store global 4 p rule=closed-form address=4*loop0 loops=[%loop] where -1 + param1 >= 0, -1 + tid.x >= 0, -1 + -1*loop0 + param1 >= 0, -1 + tid.x + -1*loop0 >= 0{{$}}
; CHECK-NEXT: - store global 4 p rule=closed-form address=-32*loop0 + 8*loop1 loops=[one, one] where tid.x + -2*loop1 >= 0, 1 + -1*tid.x + 2*loop1 >= 0, -4*loop0 + loop1 >= 0, 3 + 4*loop0 + -1*loop1 >= 0{{$}}
; CHECK-NEXT: - store global 4 p rule=closed-form address=4*derived0 derived=[(param1) / (10)] if 0 <= param1 <= 2147483647 after 0{{$}}
define ptx_kernel void @operations(ptr addrspace(1) %p, i32 %n) {
entry:
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %least = call i32 @llvm.smin.i32(i32 %tid, i32 %n)
  %any = icmp sgt i32 %least, 0
  br i1 %any, label %before, label %end
before:
  br label %loop
loop:
  %i = phi i32 [ 0, %before ], [ %i.next, %loop ]
  %q = getelementptr i32, ptr addrspace(1) %p, i32 %i
  store volatile i32 0, ptr addrspace(1) %q
  %i.next = add i32 %i, 1
  %more = icmp slt i32 %i.next, %least
  br i1 %more, label %loop, label %end
end:
  %mask = and i32 %tid, 6
  %q.mask = getelementptr i32, ptr addrspace(1) %p, i32 %mask
  store volatile i32 1, ptr addrspace(1) %q.mask
  %quotient = sdiv i32 %n, 10
  %q.quotient = getelementptr i32, ptr addrspace(1) %p, i32 %quotient
  store volatile i32 2, ptr addrspace(1) %q.quotient
  ret void
}

; Compilers divide what is small in few bits. Without knowing that it is, what the bits are as a
; signed number must not be negative.
; CHECK-LABEL: closed forms of narrowed:
; CHECK-NEXT: - store global 4 p rule=closed-form address=4*loop0 + -16*loop1 loops=[one, one] where tid.x + -36*loop1 >= 0, 35 + -1*tid.x + 36*loop1 >= 0, tid.x + -9*loop0 >= 0, 8 + -1*tid.x + 9*loop0 >= 0{{$}}
; CHECK-NEXT: - store global 4 p rule=closed-form address=4*loop0 + -116*loop1 loops=[one, one] where 128 + tid.x + -256*loop1 >= 0, 127 + -1*tid.x + 256*loop1 >= 0, tid.x + -9*loop0 + 5*loop1 >= 0, 8 + -1*tid.x + 9*loop0 + -5*loop1 >= 0 if 0 <= tid.x + -256*loop1 <= 127 after 2{{$}}
define ptx_kernel void @narrowed(ptr addrspace(1) %p) {
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = sdiv i32 %tid, 36
  %i.36 = mul i32 %i, 36
  %rest = sub i32 %tid, %i.36
  %rest.8 = trunc i32 %rest to i8
  %j = sdiv i8 %rest.8, 9
  %j.s = sext i8 %j to i64
  %q = getelementptr i32, ptr addrspace(1) %p, i64 %j.s
  store volatile i32 0, ptr addrspace(1) %q
  %any.8 = trunc i32 %tid to i8
  %k = sdiv i8 %any.8, 9
  %k.s = sext i8 %k to i64
  %q.k = getelementptr i32, ptr addrspace(1) %p, i64 %k.s
  store volatile i32 1, ptr addrspace(1) %q.k
  ret void
}
