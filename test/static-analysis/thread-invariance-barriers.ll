; Shared memory that the kernel writes, though never in the interval between two
; barriers in which it is read: all threads read the same.
; RUN: %opt -passes='print<gm-accesses>' -disable-output %s | FileCheck %s

target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

@s = addrspace(3) global [64 x i32] undef, align 4
@t = addrspace(3) global [64 x i32] undef, align 4
@c = addrspace(4) externally_initialized constant [64 x i32] zeroinitializer

; The second address depends on what the first load reads.
; CHECK-LABEL: accesses of between: 4{{$}}
; CHECK-NEXT: - store shared 4 s tid-invariant=no (depends on threadIdx)
; CHECK-NEXT: - load shared 4 s+0 tid-invariant=yes
; CHECK-NEXT: - load constant 4 c tid-invariant=yes
; CHECK-NEXT: - store shared 4 s tid-invariant=no (depends on threadIdx)
define ptx_kernel void @between() {
  %tx = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %p = getelementptr i32, ptr addrspace(3) @s, i32 %tx
  store i32 0, ptr addrspace(3) %p
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %a = load i32, ptr addrspace(3) @s
  %r = getelementptr i32, ptr addrspace(4) @c, i32 %a
  %b = load i32, ptr addrspace(4) %r
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  store i32 1, ptr addrspace(3) %p
  ret void
}

; No barrier before, none behind, one of some threads only.
; CHECK-LABEL: accesses of before: 3{{$}}
; CHECK-NEXT: - store shared 4 s
; CHECK-NEXT: - load shared 4 s
; CHECK-NEXT: - load constant 4 c tid-invariant=no (depends on a load from memory that the kernel may write)
define ptx_kernel void @before() {
  store i32 0, ptr addrspace(3) @s
  %a = load i32, ptr addrspace(3) @s
  %r = getelementptr i32, ptr addrspace(4) @c, i32 %a
  %b = load i32, ptr addrspace(4) %r
  ret void
}
; CHECK-LABEL: accesses of behind: 3{{$}}
; CHECK-NEXT: - load shared 4 s
; CHECK-NEXT: - load constant 4 c tid-invariant=no (depends on a load from memory that the kernel may write)
; CHECK-NEXT: - store shared 4 s
define ptx_kernel void @behind() {
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %a = load i32, ptr addrspace(3) @s
  %r = getelementptr i32, ptr addrspace(4) @c, i32 %a
  %b = load i32, ptr addrspace(4) %r
  store i32 0, ptr addrspace(3) @s
  ret void
}
; CHECK-LABEL: accesses of partial: 3{{$}}
; CHECK-NEXT: - store shared 4 s
; CHECK-NEXT: - load shared 4 s
; CHECK-NEXT: - load constant 4 c tid-invariant=no (depends on a load from memory that the kernel may write)
define ptx_kernel void @partial() {
  store i32 0, ptr addrspace(3) @s
  call void @llvm.nvvm.barrier.cta.sync.aligned.count(i32 1, i32 64)
  %a = load i32, ptr addrspace(3) @s
  %r = getelementptr i32, ptr addrspace(4) @c, i32 %a
  %b = load i32, ptr addrspace(4) %r
  ret void
}

; A loop in which one barrier is missing: the next iteration's write comes in the
; interval of the read. With a second barrier it does not.
; CHECK-LABEL: accesses of one_barrier: 3{{$}}
; CHECK-NEXT: - store shared 4 s
; CHECK-NEXT: - load shared 4 s
; CHECK-NEXT: - load constant 4 c tid-invariant=no (depends on a load from memory that the kernel may write)
define ptx_kernel void @one_barrier(i32 %0) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %j, %loop ]
  store i32 %i, ptr addrspace(3) @s
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %a = load i32, ptr addrspace(3) @s
  %r = getelementptr i32, ptr addrspace(4) @c, i32 %a
  %b = load i32, ptr addrspace(4) %r
  %j = add i32 %i, 1
  %more = icmp slt i32 %j, %0
  br i1 %more, label %loop, label %end
end:
  ret void
}
; CHECK-LABEL: accesses of two_barriers: 3{{$}}
; CHECK-NEXT: - store shared 4 s
; CHECK-NEXT: - load shared 4 s
; CHECK-NEXT: - load constant 4 c tid-invariant=yes
define ptx_kernel void @two_barriers(i32 %0) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %j, %body ]
  store i32 %i, ptr addrspace(3) @s
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  br label %body
body:
  %a = load i32, ptr addrspace(3) @s
  %r = getelementptr i32, ptr addrspace(4) @c, i32 %a
  %b = load i32, ptr addrspace(4) %r
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %j = add i32 %i, 1
  %more = icmp slt i32 %j, %0
  br i1 %more, label %loop, label %end
end:
  ret void
}

; Not executed by all threads alike: they may be in different intervals.
; CHECK-LABEL: accesses of some: 3{{$}}
; CHECK-NEXT: - store shared 4 s
; CHECK-NEXT: - load shared 4 s {{.*}} uniform=no
; CHECK-NEXT: - load constant 4 c tid-invariant=no (depends on a load from memory that the kernel may write)
define ptx_kernel void @some() {
entry:
  %tx = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %odd = trunc i32 %tx to i1
  store i32 0, ptr addrspace(3) @s
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  br i1 %odd, label %then, label %end
then:
  %a = load i32, ptr addrspace(3) @s
  %r = getelementptr i32, ptr addrspace(4) @c, i32 %a
  %b = load i32, ptr addrspace(4) %r
  br label %end
end:
  ret void
}

; Whether %y is read by all depends on %x, which is written between: the doubt
; about the one is a doubt about the other.
; CHECK-LABEL: accesses of chain: 5{{$}}
; CHECK-NEXT: - store shared 4 s
; CHECK-NEXT: - store shared 4 t
; CHECK-NEXT: - load shared 4 t
; CHECK-NEXT: - load shared 4 s {{.*}} uniform=no (some threads may have returned before)
; CHECK-NEXT: - load constant 4 c tid-invariant=no (depends on a load from memory that the kernel may write) uniform=no
define ptx_kernel void @chain() {
entry:
  store i32 0, ptr addrspace(3) @s
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  store i32 1, ptr addrspace(3) @t
  %x = load i32, ptr addrspace(3) @t
  %c = icmp eq i32 %x, 0
  br i1 %c, label %then, label %end
then:
  %y = load i32, ptr addrspace(3) @s
  %r = getelementptr i32, ptr addrspace(4) @c, i32 %y
  %b = load i32, ptr addrspace(4) %r
  br label %end
end:
  ret void
}

; The memory may be another block's, whose barriers are others.
; CHECK-LABEL: accesses of cluster: 3{{$}}
; CHECK-NEXT: - store shared-cluster 4 s
; CHECK-NEXT: - load shared 4 s
; CHECK-NEXT: - load constant 4 c tid-invariant=no (depends on a load from memory that the kernel may write)
define ptx_kernel void @cluster() {
  %remote = call ptr addrspace(7) @llvm.nvvm.mapa.shared.cluster(ptr addrspace(3) @s, i32 1)
  store i32 0, ptr addrspace(7) %remote
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %a = load i32, ptr addrspace(3) @s
  %r = getelementptr i32, ptr addrspace(4) @c, i32 %a
  %b = load i32, ptr addrspace(4) %r
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)
declare void @llvm.nvvm.barrier.cta.sync.aligned.count(i32, i32)
declare ptr addrspace(7) @llvm.nvvm.mapa.shared.cluster(ptr addrspace(3), i32)
