; A loaded value is the same for all threads if the address is, and nothing can
; write to it meanwhile: another warp may come after the write.
; RUN: %opt -passes='print<gm-accesses>' -disable-output %s | FileCheck %s

target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

%S = type { i32, i32 }
@s = addrspace(3) global [64 x i32] undef, align 4
@t = addrspace(3) global i32 undef, align 4
@x = external addrspace(3) global [0 x i32], align 16
@y = external addrspace(3) global [0 x double], align 16
@c = addrspace(4) externally_initialized constant [64 x i32] zeroinitializer

; CHECK-LABEL: accesses of k: 14{{$}}
; CHECK-NEXT: - load constant
; CHECK-NEXT: - store shared 4 s tid-invariant=yes
; CHECK-NEXT: - load param
; CHECK-NEXT: - store shared 4 s tid-invariant=yes
; Nothing aliases a restrict pointer that is not written through.
; CHECK-NEXT: - load global
; CHECK-NEXT: - store shared 4 s tid-invariant=yes
; ld.global.nc
; CHECK-NEXT: - load global
; CHECK-NEXT: - store shared 4 s tid-invariant=yes
; %2 is stored to, and %3 may be the same memory.
; CHECK-NEXT: - load global
; CHECK-NEXT: - store shared 4 s tid-invariant=no (depends on a load from memory that the kernel may write)
; CHECK-NEXT: - load shared
; CHECK-NEXT: - store shared 4 s tid-invariant=no (depends on a load from memory that the kernel may write)
; Other addresses, other values.
; CHECK-NEXT: - load constant {{.*}} tid-invariant=no (depends on threadIdx)
; CHECK-NEXT: - store shared 4 s tid-invariant=no (depends on threadIdx)
define ptx_kernel void @k(ptr byval(%S) align 4 %0, ptr noalias readonly %1, ptr %2, ptr %3) {
  %a = load i32, ptr addrspace(4) @c
  %p0 = getelementptr i32, ptr addrspace(3) @s, i32 %a
  store i32 0, ptr addrspace(3) %p0
  %b = load i32, ptr %0
  %p1 = getelementptr i32, ptr addrspace(3) @s, i32 %b
  store i32 0, ptr addrspace(3) %p1
  %d = load i32, ptr %1
  %p2 = getelementptr i32, ptr addrspace(3) @s, i32 %d
  store i32 0, ptr addrspace(3) %p2
  %e = load i32, ptr %3, !invariant.load !0
  %p3 = getelementptr i32, ptr addrspace(3) @s, i32 %e
  store i32 0, ptr addrspace(3) %p3
  %f = load i32, ptr %3
  %p4 = getelementptr i32, ptr addrspace(3) @s, i32 %f
  store i32 0, ptr addrspace(3) %p4
  %g = load i32, ptr addrspace(3) @s
  %p5 = getelementptr i32, ptr addrspace(3) @s, i32 %g
  store i32 0, ptr addrspace(3) %p5
  %tx = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %q = getelementptr i32, ptr addrspace(4) @c, i32 %tx
  %h = load i32, ptr addrspace(4) %q
  %p6 = getelementptr i32, ptr addrspace(3) @s, i32 %h
  store i32 0, ptr addrspace(3) %p6
  call void @writes(ptr %2)
  ret void
}

define internal void @writes(ptr %0) noinline memory(argmem: write) {
  store i32 0, ptr %0
  ret void
}

; Stores to another variable do no harm; a volatile load may see anything.
; CHECK-LABEL: accesses of other: 4{{$}}
; CHECK-NEXT: - load shared 4 t+0
; CHECK-NEXT: - store shared 4 s tid-invariant=yes
; CHECK-NEXT: - load shared 4 t+0
; CHECK-NEXT: - store shared 4 s tid-invariant=no (depends on a volatile or atomic load)
define ptx_kernel void @other() {
  %a = load i32, ptr addrspace(3) @t
  %p0 = getelementptr i32, ptr addrspace(3) @s, i32 %a
  store i32 0, ptr addrspace(3) %p0
  %b = load volatile i32, ptr addrspace(3) @t
  %p1 = getelementptr i32, ptr addrspace(3) @s, i32 %b
  store i32 0, ptr addrspace(3) %p1
  ret void
}

; All names of dynamic shared memory are the same memory.
; CHECK-LABEL: accesses of dynamic: 3{{$}}
; CHECK-NEXT: - load shared 4 x tid
; CHECK-NEXT: - load constant 4 c tid-invariant=no (depends on a load from memory that the kernel may write)
; CHECK-NEXT: - store shared 8 y tid
define ptx_kernel void @dynamic() {
  %a = load i32, ptr addrspace(3) @x
  %p = getelementptr i32, ptr addrspace(4) @c, i32 %a
  %b = load i32, ptr addrspace(4) %p
  store double 0.0, ptr addrspace(3) @y
  ret void
}

; In one iteration the loop reads s[i] and writes s[i+1]: a slower warp may read
; what a faster one has written an iteration before.
; CHECK-LABEL: accesses of iterations: 3{{$}}
; CHECK-NEXT: - load shared 4 s tid-invariant=yes
; CHECK-NEXT: - store shared 4 s tid-invariant=yes
; CHECK-NEXT: - load constant 4 c tid-invariant=no (depends on a load from memory that the kernel may write)
define ptx_kernel void @iterations(i32 %0) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %j, %loop ]
  %j = add nuw nsw i32 %i, 1
  %p = getelementptr inbounds i32, ptr addrspace(3) @s, i32 %i
  %a = load i32, ptr addrspace(3) %p
  %q = getelementptr inbounds i32, ptr addrspace(3) @s, i32 %j
  store i32 %i, ptr addrspace(3) %q
  %r = getelementptr inbounds i32, ptr addrspace(4) @c, i32 %a
  %b = load i32, ptr addrspace(4) %r
  %cmp = icmp slt i32 %j, %0
  br i1 %cmp, label %loop, label %end
end:
  ret void
}

; In a device function the callers' writes count as well.
; CHECK-LABEL: accesses of device: 2{{$}}
; CHECK-NEXT: - load shared 4 t tid-invariant=yes
; CHECK-NEXT: - store shared 4 s tid-invariant=no (depends on a load from memory that the function's callers may write)
define void @device() {
  %a = load i32, ptr addrspace(3) @t
  %p0 = getelementptr i32, ptr addrspace(3) @s, i32 %a
  store i32 0, ptr addrspace(3) %p0
  ret void
}

; Local memory is each thread's own, and so is what is in it.
; CHECK-LABEL: accesses of local: 3{{$}}
; CHECK-NEXT: - store local 4 l tid-invariant=no (each thread has its own local memory)
; CHECK-NEXT: - load local 4 l tid-invariant=no (each thread has its own local memory)
; CHECK-NEXT: - store shared 4 s tid-invariant=no (depends on a load from local memory)
define ptx_kernel void @local() {
  %l = alloca i32
  store i32 1, ptr %l
  %a = load i32, ptr %l
  %p0 = getelementptr i32, ptr addrspace(3) @s, i32 %a
  store i32 0, ptr addrspace(3) %p0
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
!0 = !{}
