; Atomics that only NVVM has, and operations on barrier objects.
; RUN: %opt -passes='print<gm-accesses>' -disable-output %s | FileCheck %s

target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

@s = addrspace(3) global [64 x i32] undef, align 16

; CHECK-LABEL: accesses of k: 7{{$}}
; CHECK-NEXT: - atomic shared 4 s+0
; CHECK-NEXT: - atomic shared 8 s+0
; CHECK-NEXT: - atomic shared 4 s+0
; CHECK-NEXT: - atomic shared 4 s+0
; CHECK-NEXT: - load global 4 argument 1
; CHECK-NEXT: - barrier shared 8 s+8
; CHECK-NEXT: - barrier shared 8 s+8
define ptx_kernel void @k(ptr %0) {
  %g = addrspacecast ptr addrspace(3) @s to ptr
  %a = call i32 @llvm.nvvm.atomic.add.gen.i.cta.i32.p0(ptr %g, i32 1)
  %b = call double @llvm.nvvm.atomic.add.gen.f.sys.f64.p0(ptr %g, double 1.0)
  %c = call i32 @llvm.nvvm.atomic.inc.gen.i.cta.i32.p0(ptr %g, i32 7)
  %d = call i32 @llvm.nvvm.atomic.cas.gen.i.sys.i32.p0(ptr %g, i32 0, i32 1)
  %e = call i32 @llvm.nvvm.ldu.global.i.i32.p0(ptr %0, i32 4)
  %m = getelementptr i8, ptr addrspace(3) @s, i64 8
  call void @llvm.nvvm.mbarrier.init.shared(ptr addrspace(3) %m, i32 32)
  %f = call i64 @llvm.nvvm.mbarrier.arrive.shared(ptr addrspace(3) %m)
  ret void
}

declare i32 @llvm.nvvm.atomic.add.gen.i.cta.i32.p0(ptr, i32)
declare double @llvm.nvvm.atomic.add.gen.f.sys.f64.p0(ptr, double)
declare i32 @llvm.nvvm.atomic.inc.gen.i.cta.i32.p0(ptr, i32)
declare i32 @llvm.nvvm.atomic.cas.gen.i.sys.i32.p0(ptr, i32, i32)
declare i32 @llvm.nvvm.ldu.global.i.i32.p0(ptr, i32)
declare void @llvm.nvvm.mbarrier.init.shared(ptr addrspace(3), i32)
declare i64 @llvm.nvvm.mbarrier.arrive.shared(ptr addrspace(3))
