; memcpy, memmove and memset are one access per side. Intrinsics that only look
; like accesses (lifetime, prefetch, fences) are none.
; RUN: %opt -passes='print<gm-accesses>' -disable-output %s | FileCheck %s

target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

@s = addrspace(3) global [64 x i32] undef, align 16

; CHECK-LABEL: accesses of k: 8{{$}}
; CHECK-NEXT: - copy-from global 32 argument 1
; CHECK-NEXT: - copy-to shared 32 s+16
; CHECK-NEXT: - copy-from shared 24 s+0
; CHECK-NEXT: - copy-to shared 24 s+8
; CHECK-NEXT: - copy-to shared 256 s+0
; CHECK-NEXT: - copy-from global ? argument 1 {{.*}}static=no (not a shared variable of known size)
; CHECK-NEXT: - copy-to shared ? s {{.*}}static=no (the length is not constant)
; CHECK-NEXT: - copy-to shared 8 s+0
define ptx_kernel void @k(ptr %0, i64 %1) {
  call void @llvm.memcpy.p3.p0.i64(ptr addrspace(3) getelementptr (i8, ptr addrspace(3) @s, i64 16), ptr %0, i64 32, i1 false)
  call void @llvm.memmove.p3.p3.i64(ptr addrspace(3) getelementptr (i8, ptr addrspace(3) @s, i64 8), ptr addrspace(3) @s, i64 24, i1 false)
  call void @llvm.memset.p3.i64(ptr addrspace(3) @s, i8 0, i64 256, i1 false)
  call void @llvm.memcpy.p3.p0.i64(ptr addrspace(3) @s, ptr %0, i64 %1, i1 false)
  call void @llvm.memcpy.p3.p0.i64(ptr addrspace(3) @s, ptr %0, i64 0, i1 false)
  call void @llvm.nvvm.st.bulk.shared.cta(ptr addrspace(3) @s, i64 8, i64 0)
  call void @llvm.nvvm.prefetch.L1(ptr %0)
  call void @llvm.nvvm.membar.gl()
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %c = call i1 @llvm.nvvm.isspacep.shared(ptr %0)
  ret void
}

declare void @llvm.memcpy.p3.p0.i64(ptr addrspace(3), ptr, i64, i1)
declare void @llvm.memmove.p3.p3.i64(ptr addrspace(3), ptr addrspace(3), i64, i1)
declare void @llvm.memset.p3.i64(ptr addrspace(3), i8, i64, i1)
declare void @llvm.nvvm.st.bulk.shared.cta(ptr addrspace(3), i64, i64)
declare void @llvm.nvvm.prefetch.L1(ptr)
declare void @llvm.nvvm.membar.gl()
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)
declare i1 @llvm.nvvm.isspacep.shared(ptr)
