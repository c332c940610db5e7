; Which accesses every thread of the block executes equally often.
; RUN: %opt -passes='print<gm-accesses>' -disable-output %s | FileCheck %s

target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

@s = addrspace(3) global [64 x i32] undef, align 4

; CHECK-LABEL: accesses of condition: 5{{$}}
; CHECK-NEXT: - store shared 4 s{{.*}} uniform=yes
; CHECK-NEXT: - store shared 4 s{{.*}} uniform=no (under a condition that differs between threads)
; CHECK-NEXT: - store shared 4 s{{.*}} uniform=yes
; A condition that is the same for all threads does no harm.
; CHECK-NEXT: - store shared 4 s{{.*}} uniform=yes
; CHECK-NEXT: - store shared 4 s{{.*}} uniform=yes
define ptx_kernel void @condition(i1 %0, i32 %1) {
entry:
  %tx = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %p = getelementptr i32, ptr addrspace(3) @s, i32 %tx
  store i32 0, ptr addrspace(3) %p
  %first = icmp eq i32 %tx, 0
  br i1 %first, label %then, label %join
then:
  store i32 1, ptr addrspace(3) %p
  br label %join
join:
  store i32 2, ptr addrspace(3) @s
  br i1 %0, label %all, label %end
all:
  store i32 3, ptr addrspace(3) %p
  br label %end
end:
  store i32 4, ptr addrspace(3) %p
  ret void
}

; A branch with a uniform condition under a branch with a divergent one.
; CHECK-LABEL: accesses of nested: 2{{$}}
; CHECK-NEXT: - store shared 4 s{{.*}} uniform=no (under a condition that differs between threads)
; CHECK-NEXT: - store shared 4 s{{.*}} uniform=yes
define ptx_kernel void @nested(i1 %0) {
entry:
  %tx = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %first = icmp eq i32 %tx, 0
  br i1 %first, label %outer, label %join
outer:
  br i1 %0, label %inner, label %join
inner:
  store i32 1, ptr addrspace(3) @s
  br label %join
join:
  store i32 2, ptr addrspace(3) @s
  br label %end
end:
  ret void
}

; Everything behind an early return of some threads. The return may be shared
; with the others or not.
; CHECK-LABEL: accesses of early: 2{{$}}
; CHECK-NEXT: - store shared 4 s+0 {{.*}} uniform=yes
; CHECK-NEXT: - store shared 4 s{{.*}} uniform=no (some threads may have returned before)
define ptx_kernel void @early(i32 %0) {
entry:
  store i32 1, ptr addrspace(3) @s
  %tx = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %in = icmp slt i32 %tx, %0
  br i1 %in, label %work, label %end
work:
  store i32 2, ptr addrspace(3) @s
  br label %end
end:
  ret void
}

; CHECK-LABEL: accesses of early2: 3{{$}}
; CHECK-NEXT: - store shared 4 s{{.*}} uniform=no (under a condition that differs between threads)
; CHECK-NEXT: - store shared 4 s{{.*}} uniform=no (some threads may have returned before)
; CHECK-NEXT: - store shared 4 s{{.*}} uniform=no (some threads may have returned before)
define ptx_kernel void @early2(i32 %0, i1 %1) {
entry:
  %tx = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %in = icmp slt i32 %tx, %0
  br i1 %in, label %work, label %maybe
maybe:
  store i32 1, ptr addrspace(3) @s
  br i1 %1, label %out, label %work
out:
  ret void
work:
  store i32 2, ptr addrspace(3) @s
  br label %more
more:
  store i32 3, ptr addrspace(3) @s
  ret void
}

; If all threads return, nothing differs.
; CHECK-LABEL: accesses of together: 1{{$}}
; CHECK-NEXT: - store shared 4 s{{.*}} uniform=yes {{.*}} static=no (not executed whenever the kernel is)
define ptx_kernel void @together(i32 %0) {
entry:
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %in = icmp slt i32 %b, %0
  br i1 %in, label %work, label %end
work:
  store i32 2, ptr addrspace(3) @s
  br label %end
end:
  ret void
}

; The whole of a loop that threads leave at different iterations; code behind it
; is executed alike again. In a uniform loop nothing differs, and a condition in
; it that does, does so for its own code only.
; CHECK-LABEL: accesses of loops: 4{{$}}
; CHECK-NEXT: - store shared 4 s{{.*}} uniform=no (in a loop that threads leave at different iterations)
; CHECK-NEXT: - store shared 4 s{{.*}} uniform=yes
; CHECK-NEXT: - store shared 4 s{{.*}} uniform=no (under a condition that differs between threads)
; CHECK-NEXT: - store shared 4 s{{.*}} uniform=yes
define ptx_kernel void @loops(i32 %0) {
entry:
  %tx = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  br label %one
one:
  %i = phi i32 [ 0, %entry ], [ %i.next, %one ]
  store i32 1, ptr addrspace(3) @s
  %i.next = add i32 %i, 1
  %i.more = icmp slt i32 %i.next, %tx
  br i1 %i.more, label %one, label %two
two:
  %j = phi i32 [ 0, %one ], [ %j.next, %latch ]
  store i32 2, ptr addrspace(3) @s
  %odd = icmp ult i32 %tx, %j
  br i1 %odd, label %inner, label %latch
inner:
  store i32 3, ptr addrspace(3) @s
  br label %latch
latch:
  store i32 4, ptr addrspace(3) @s
  %j.next = add i32 %j, 1
  %j.more = icmp slt i32 %j.next, %0
  br i1 %j.more, label %two, label %end
end:
  ret void
}

; Some threads leave the function from inside a loop.
; CHECK-LABEL: accesses of return_in_loop: 3{{$}}
; CHECK-NEXT: - store shared 4 s{{.*}} uniform=no (in a loop that threads leave at different iterations)
; CHECK-NEXT: - store shared 4 s{{.*}} uniform=no (in a loop that threads leave at different iterations)
; CHECK-NEXT: - store shared 4 s{{.*}} uniform=no
define ptx_kernel void @return_in_loop(i32 %0) {
entry:
  %tx = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  br label %head
head:
  %j = phi i32 [ 0, %entry ], [ %j.next, %latch ]
  store i32 2, ptr addrspace(3) @s
  %leave = icmp eq i32 %tx, %j
  br i1 %leave, label %out, label %latch
latch:
  store i32 4, ptr addrspace(3) @s
  %j.next = add i32 %j, 1
  %j.more = icmp slt i32 %j.next, %0
  br i1 %j.more, label %head, label %end
out:
  ret void
end:
  store i32 5, ptr addrspace(3) @s
  ret void
}

; A failed assertion or a trap ends the kernel for all threads.
; CHECK-LABEL: accesses of assertion: 3{{$}}
; CHECK-NEXT: - store shared 4 s{{.*}} uniform=yes
; CHECK-NEXT: - store shared 4 s{{.*}} uniform=no (under a condition that differs between threads)
; CHECK-NEXT: - store shared 4 s{{.*}} uniform=yes
define ptx_kernel void @assertion(i32 %0) {
entry:
  %tx = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %good = icmp slt i32 %tx, %0
  br i1 %good, label %ok, label %bad
bad:
  call void @__assertfail(ptr null, ptr null, i32 1, ptr null, i64 1)
  unreachable
ok:
  store i32 2, ptr addrspace(3) @s
  %some = icmp slt i32 %tx, 7
  br i1 %some, label %cond, label %end
cond:
  store i32 2, ptr addrspace(3) @s
  %also = icmp slt i32 %tx, 5
  br i1 %also, label %end, label %trap
trap:
  call void @llvm.trap()
  unreachable
end:
  store i32 3, ptr addrspace(3) @s
  ret void
}

; exit ends the one thread: by intrinsic, in assembly, in a function called.
; CHECK-LABEL: accesses of exits: 1{{$}}
; CHECK-NEXT: - store shared 4 s{{.*}} uniform=no (under a condition that differs between threads)
define ptx_kernel void @exits(i32 %0) {
entry:
  %tx = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %good = icmp slt i32 %tx, %0
  br i1 %good, label %ok, label %bad
bad:
  call void @llvm.nvvm.exit()
  unreachable
ok:
  store i32 2, ptr addrspace(3) @s
  ret void
}

; CHECK-LABEL: accesses of exits_in_callee: 3{{$}}
; CHECK-NEXT: - store shared 4 s{{.*}} uniform=yes
; CHECK-NEXT: - store shared 4 s{{.*}} uniform=yes
; CHECK-NEXT: - store shared 4 s{{.*}} uniform=no (some threads may have left in a call before)
define ptx_kernel void @exits_in_callee() {
  store i32 1, ptr addrspace(3) @s
  call void @harmless()
  store i32 2, ptr addrspace(3) @s
  call void @outer()
  store i32 3, ptr addrspace(3) @s
  ret void
}

define internal void @harmless() noinline {
  %r = call i32 @vprintf(ptr null, ptr null)
  ret void
}

define internal void @outer() noinline {
  call void @leaver()
  ret void
}

define internal void @leaver() noinline {
  call void asm sideeffect "{ .reg .pred p; setp.ne.u32 p, $0, 0; @p exit; }", "r"(i32 1)
  ret void
}

; So may any function that is not known.
; CHECK-LABEL: accesses of unknown: 2, opaque: 1{{$}}
; CHECK-NEXT: - store shared 4 s{{.*}} uniform=yes
; CHECK-NEXT: - store shared 4 s{{.*}} uniform=no (some threads may have left in a call before)
; CHECK-NEXT: opaque -: call of a function that is not in this module
define ptx_kernel void @unknown() {
  store i32 1, ptr addrspace(3) @s
  call void @elsewhere()
  store i32 3, ptr addrspace(3) @s
  ret void
}

; Nothing is said of a device function: its callers may be anywhere.
; CHECK-LABEL: accesses of device: 1{{$}}
; CHECK-NEXT: - store shared 4 s{{.*}} uniform=no (in a device function, whose callers may be anywhere)
define void @device() {
  store i32 1, ptr addrspace(3) @s
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
declare void @llvm.nvvm.exit()
declare void @llvm.trap()
declare void @__assertfail(ptr, ptr, i32, ptr, i64)
declare i32 @vprintf(ptr, ptr)
declare void @elsewhere()
