; What differs between the threads of a block by itself, and what does not.
; RUN: %opt -passes='print<gm-accesses>' -disable-output %s | FileCheck %s

target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

@s = addrspace(3) global [4096 x i32] undef, align 4

define internal i32 @callee() noinline {
  ret i32 0
}

; CHECK-LABEL: accesses of differ: 16{{$}}
; CHECK-NEXT: - {{.*}} tid-invariant=no (depends on threadIdx)
; CHECK-NEXT: - {{.*}} tid-invariant=no (depends on threadIdx)
; CHECK-NEXT: - {{.*}} tid-invariant=no (depends on the lane)
; CHECK-NEXT: - {{.*}} tid-invariant=no (depends on the lane)
; CHECK-NEXT: - {{.*}} tid-invariant=no (depends on the warp)
; CHECK-NEXT: - {{.*}} tid-invariant=no (depends on a clock or on the multiprocessor's number)
; CHECK-NEXT: - {{.*}} tid-invariant=no (depends on a clock or on the multiprocessor's number)
; CHECK-NEXT: - {{.*}} tid-invariant=no (depends on the result of a warp operation)
; CHECK-NEXT: - {{.*}} tid-invariant=no (depends on the result of a warp operation)
; CHECK-NEXT: - {{.*}} tid-invariant=no (depends on which lanes are active)
; CHECK-NEXT: - {{.*}} tid-invariant=no (depends on the result of a call)
; CHECK-NEXT: - {{.*}} tid-invariant=no (depends on the result of inline assembly)
; CHECK-NEXT: - {{.*}} tid-invariant=no (depends on the result of inline assembly)
; CHECK-NEXT: - {{.*}} tid-invariant=no (depends on the result of inline assembly)
; CHECK-NEXT: - {{.*}} tid-invariant=no (depends on the result of inline assembly)
; The old value of an atomic; the atomic's own address is the same for all.
; CHECK-NEXT: - {{.*}} tid-invariant=yes
define ptx_kernel void @differ() {
  %tx = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %p0 = getelementptr i32, ptr addrspace(3) @s, i32 %tx
  store i32 0, ptr addrspace(3) %p0
  ; The warp's number within the block comes from threadIdx.
  %w = udiv i32 %tx, 32
  %p1 = getelementptr i32, ptr addrspace(3) @s, i32 %w
  store i32 0, ptr addrspace(3) %p1
  %lane = call i32 @llvm.nvvm.read.ptx.sreg.laneid()
  %p2 = getelementptr i32, ptr addrspace(3) @s, i32 %lane
  store i32 0, ptr addrspace(3) %p2
  %mask = call i32 @llvm.nvvm.read.ptx.sreg.lanemask.lt()
  %p3 = getelementptr i32, ptr addrspace(3) @s, i32 %mask
  store i32 0, ptr addrspace(3) %p3
  ; Uniform for a warp, not for a block.
  %warp = call i32 @llvm.nvvm.read.ptx.sreg.warpid()
  %p4 = getelementptr i32, ptr addrspace(3) @s, i32 %warp
  store i32 0, ptr addrspace(3) %p4
  %clock = call i32 @llvm.nvvm.read.ptx.sreg.clock()
  %p5 = getelementptr i32, ptr addrspace(3) @s, i32 %clock
  store i32 0, ptr addrspace(3) %p5
  %sm = call i32 @llvm.nvvm.read.ptx.sreg.smid()
  %p6 = getelementptr i32, ptr addrspace(3) @s, i32 %sm
  store i32 0, ptr addrspace(3) %p6
  %sh = call i32 @llvm.nvvm.shfl.sync.idx.i32(i32 -1, i32 5, i32 0, i32 31)
  %p7 = getelementptr i32, ptr addrspace(3) @s, i32 %sh
  store i32 0, ptr addrspace(3) %p7
  %ballot = call i32 @llvm.nvvm.vote.ballot.sync(i32 -1, i1 true)
  %p8 = getelementptr i32, ptr addrspace(3) @s, i32 %ballot
  store i32 0, ptr addrspace(3) %p8
  %active = call i32 @llvm.nvvm.activemask()
  %p9 = getelementptr i32, ptr addrspace(3) @s, i32 %active
  store i32 0, ptr addrspace(3) %p9
  %call = call i32 @callee()
  %p10 = getelementptr i32, ptr addrspace(3) @s, i32 %call
  store i32 0, ptr addrspace(3) %p10
  %asm = call i32 asm sideeffect "mov.u32 $0, %laneid;", "=r"()
  %p11 = getelementptr i32, ptr addrspace(3) @s, i32 %asm
  store i32 0, ptr addrspace(3) %p11
  ; Assembly without side effects has them all the same.
  %asm2 = call i32 asm "mov.u32 $0, %laneid;", "=r"()
  %p12 = getelementptr i32, ptr addrspace(3) @s, i32 %asm2
  store i32 0, ptr addrspace(3) %p12
  %asm3 = call i32 asm "{.reg .pred p; setp.ne.u32 p, $1, 0; vote.ballot.sync.b32 $0, p, 0xffffffff;}", "=r,r"(i32 1)
  %p13 = getelementptr i32, ptr addrspace(3) @s, i32 %asm3
  store i32 0, ptr addrspace(3) %p13
  %asm4 = call i32 asm "bfe.u32 $0, $1, 0, 8;", "=r,r"(i32 %asm)
  %p14 = getelementptr i32, ptr addrspace(3) @s, i32 %asm4
  store i32 0, ptr addrspace(3) %p14
  %old = atomicrmw add ptr addrspace(3) @s, i32 1 seq_cst
  ret void
}

; CHECK-LABEL: accesses of same: 9{{$}}
; CHECK-NEXT: - {{.*}} tid-invariant=yes
; CHECK-NEXT: - {{.*}} tid-invariant=yes
; CHECK-NEXT: - {{.*}} tid-invariant=yes
; CHECK-NEXT: - {{.*}} tid-invariant=yes
; CHECK-NEXT: - {{.*}} tid-invariant=yes
; CHECK-NEXT: - {{.*}} tid-invariant=yes
; CHECK-NEXT: - {{.*}} tid-invariant=yes
; __syncthreads_count() of all threads; not that of some threads.
; CHECK-NEXT: - {{.*}} tid-invariant=yes
; CHECK-NEXT: - {{.*}} tid-invariant=no (depends on the result of a warp operation)
define ptx_kernel void @same(i32 %0) {
  %p0 = getelementptr i32, ptr addrspace(3) @s, i32 7
  store i32 0, ptr addrspace(3) %p0
  %p1 = getelementptr i32, ptr addrspace(3) @s, i32 %0
  store i32 0, ptr addrspace(3) %p1
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %p2 = getelementptr i32, ptr addrspace(3) @s, i32 %b
  store i32 0, ptr addrspace(3) %p2
  %n = call i32 @llvm.nvvm.read.ptx.sreg.ntid.y()
  %f = mul i32 %n, %0
  %p3 = getelementptr i32, ptr addrspace(3) @s, i32 %f
  store i32 0, ptr addrspace(3) %p3
  %m = call i32 @llvm.smin.i32(i32 %0, i32 %n)
  %p4 = getelementptr i32, ptr addrspace(3) @s, i32 %m
  store i32 0, ptr addrspace(3) %p4
  %d = call i32 @llvm.nvvm.read.ptx.sreg.dynamic_smem_size()
  %p5 = getelementptr i32, ptr addrspace(3) @s, i32 %d
  store i32 0, ptr addrspace(3) %p5
  %bits = call i32 asm sideeffect "{ .reg .u32 t; shr.b32 t, $1, 3; and.b32 $0, t, 7; }", "=r,r"(i32 %0)
  %p8 = getelementptr i32, ptr addrspace(3) @s, i32 %bits
  store i32 0, ptr addrspace(3) %p8
  %tx = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %z = icmp eq i32 %tx, 0
  %all = call i32 @llvm.nvvm.barrier.cta.red.popc.aligned.all(i32 0, i1 %z)
  %p6 = getelementptr i32, ptr addrspace(3) @s, i32 %all
  store i32 0, ptr addrspace(3) %p6
  %some = call i32 @llvm.nvvm.barrier.cta.red.popc.aligned.count(i32 1, i32 64, i1 %z)
  %p7 = getelementptr i32, ptr addrspace(3) @s, i32 %some
  store i32 0, ptr addrspace(3) %p7
  ret void
}

; CHECK-LABEL: accesses of device: 2{{$}}
; CHECK-NEXT: - {{.*}} tid-invariant=no (depends on an argument, which callers may choose for each thread)
; CHECK-NEXT: - {{.*}} tid-invariant=yes
define void @device(i32 %0) {
  %p0 = getelementptr i32, ptr addrspace(3) @s, i32 %0
  store i32 0, ptr addrspace(3) %p0
  store i32 0, ptr addrspace(3) @s
  ret void
}

; CHECK-LABEL: accesses of old: 2{{$}}
; CHECK-NEXT: - atomic {{.*}} tid-invariant=yes
; CHECK-NEXT: - store {{.*}} tid-invariant=no (depends on the result of an atomic operation)
define ptx_kernel void @old() {
  %old = atomicrmw add ptr addrspace(3) @s, i32 1 seq_cst
  %p = getelementptr i32, ptr addrspace(3) @s, i32 %old
  store i32 0, ptr addrspace(3) %p
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.laneid()
declare i32 @llvm.nvvm.read.ptx.sreg.lanemask.lt()
declare i32 @llvm.nvvm.read.ptx.sreg.warpid()
declare i32 @llvm.nvvm.read.ptx.sreg.clock()
declare i32 @llvm.nvvm.read.ptx.sreg.smid()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ntid.y()
declare i32 @llvm.nvvm.read.ptx.sreg.dynamic_smem_size()
declare i32 @llvm.nvvm.shfl.sync.idx.i32(i32, i32, i32, i32)
declare i32 @llvm.nvvm.vote.ballot.sync(i32, i1)
declare i32 @llvm.nvvm.activemask()
declare i32 @llvm.nvvm.barrier.cta.red.popc.aligned.all(i32, i1)
declare i32 @llvm.nvvm.barrier.cta.red.popc.aligned.count(i32, i32, i1)
declare i32 @llvm.smin.i32(i32, i32)
