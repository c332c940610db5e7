; cp.async and bulk copies by intrinsics: one access per side. The source of a
; cp.async with a source size is only that long, the destination is filled up.
; What a bulk copy to several blocks or of some bytes writes is not said by an address.
; RUN: %opt -passes='print<gm-accesses>' -disable-output %s | FileCheck %s

target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

@s = addrspace(3) global [64 x i32] undef, align 16
@m = addrspace(3) global i64 undef

; CHECK-LABEL: accesses of k: 17, opaque: 2{{$}}
; CHECK-NEXT: - async-to shared 4 s+0
; CHECK-NEXT: - async-from global 4 argument 1
; CHECK-NEXT: - async-to shared 16 s+0
; CHECK-NEXT: - async-from global 16 argument 1
; CHECK-NEXT: - async-to shared 16 s+0
; CHECK-NEXT: - async-from global 12 argument 1
; CHECK-NEXT: - async-to shared 8 s+0
; CHECK-NEXT: - async-to shared 8 s+0
; CHECK-NEXT: - async-from global ? argument 1
; CHECK-NEXT: - async-from global 128 argument 1
; CHECK-NEXT: - async-to shared 128 s+0
; CHECK-NEXT: - async-from shared 128 s+0
; CHECK-NEXT: - async-to global 128 argument 1
; CHECK-NEXT: - async-from shared 128 s+0
; CHECK-NEXT: - async-to shared-cluster 128 argument 3
; CHECK-NEXT: - async-from global ? argument 1
; CHECK-NEXT: - async-to shared-cluster ? argument 3
; CHECK-NEXT: opaque -: bulk copy to several blocks of the cluster
; CHECK-NEXT: opaque -: bulk copy of bytes that a mask chooses
define ptx_kernel void @k(ptr addrspace(1) %0, i32 %1, ptr addrspace(7) %2) {
  call void @llvm.nvvm.cp.async.ca.shared.global.4(ptr addrspace(3) @s, ptr addrspace(1) %0)
  call void @llvm.nvvm.cp.async.cg.shared.global.16(ptr addrspace(3) @s, ptr addrspace(1) %0)
  call void @llvm.nvvm.cp.async.ca.shared.global.16.s(ptr addrspace(3) @s, ptr addrspace(1) %0, i32 12)
  call void @llvm.nvvm.cp.async.ca.shared.global.8.s(ptr addrspace(3) @s, ptr addrspace(1) %0, i32 0)
  call void @llvm.nvvm.cp.async.ca.shared.global.8.s(ptr addrspace(3) @s, ptr addrspace(1) %0, i32 %1)
  call void @llvm.nvvm.cp.async.commit.group()
  call void @llvm.nvvm.cp.async.wait.all()
  call void @llvm.nvvm.cp.async.bulk.global.to.shared.cta(ptr addrspace(3) @s, ptr addrspace(3) @m, ptr addrspace(1) %0, i32 128, i64 0, i1 false)
  call void @llvm.nvvm.cp.async.bulk.shared.cta.to.global(ptr addrspace(1) %0, ptr addrspace(3) @s, i32 128, i64 0, i1 false)
  call void @llvm.nvvm.cp.async.bulk.shared.cta.to.cluster(ptr addrspace(7) %2, ptr addrspace(3) @m, ptr addrspace(3) @s, i32 128)
  call void @llvm.nvvm.cp.async.bulk.global.to.shared.cluster(ptr addrspace(7) %2, ptr addrspace(3) @m, ptr addrspace(1) %0, i32 %1, i16 0, i64 0, i1 false, i1 false)
  call void @llvm.nvvm.cp.async.bulk.global.to.shared.cluster(ptr addrspace(7) %2, ptr addrspace(3) @m, ptr addrspace(1) %0, i32 %1, i16 3, i64 0, i1 true, i1 false)
  call void @llvm.nvvm.cp.async.bulk.shared.cta.to.global.bytemask(ptr addrspace(1) %0, ptr addrspace(3) @s, i32 128, i64 0, i1 false, i16 15)
  ret void
}

declare void @llvm.nvvm.cp.async.ca.shared.global.4(ptr addrspace(3), ptr addrspace(1))
declare void @llvm.nvvm.cp.async.cg.shared.global.16(ptr addrspace(3), ptr addrspace(1))
declare void @llvm.nvvm.cp.async.ca.shared.global.16.s(ptr addrspace(3), ptr addrspace(1), i32)
declare void @llvm.nvvm.cp.async.ca.shared.global.8.s(ptr addrspace(3), ptr addrspace(1), i32)
declare void @llvm.nvvm.cp.async.commit.group()
declare void @llvm.nvvm.cp.async.wait.all()
declare void @llvm.nvvm.cp.async.bulk.global.to.shared.cta(ptr addrspace(3), ptr addrspace(3), ptr addrspace(1), i32, i64, i1)
declare void @llvm.nvvm.cp.async.bulk.shared.cta.to.global(ptr addrspace(1), ptr addrspace(3), i32, i64, i1)
declare void @llvm.nvvm.cp.async.bulk.shared.cta.to.cluster(ptr addrspace(7), ptr addrspace(3), ptr addrspace(3), i32)
declare void @llvm.nvvm.cp.async.bulk.global.to.shared.cluster(ptr addrspace(7), ptr addrspace(3), ptr addrspace(1), i32, i16, i64, i1, i1)
declare void @llvm.nvvm.cp.async.bulk.shared.cta.to.global.bytemask(ptr addrspace(1), ptr addrspace(3), i32, i64, i1, i16)
