; wmma.load: the warp reads 16 rows of 32 bytes, 64 bytes apart. Each lane counts
; rows of its own, by its lane number: lanes need not be together after another
; tile was counted.
; RUN: %opt -gm-profile=shared,global,objects -passes=gm-instrument,verify -S %s | FileCheck %s

target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

@tile = internal addrspace(3) global [512 x half] undef, align 32
declare { <2 x half>, <2 x half>, <2 x half>, <2 x half>, <2 x half>, <2 x half>, <2 x half>, <2 x half> } @llvm.nvvm.wmma.m16n16k16.load.a.row.stride.f16.p3(ptr addrspace(3), i32)

; CHECK-LABEL: define ptx_kernel void @k__gm_shared(
; CHECK:         call {{.*}} @llvm.nvvm.wmma.m16n16k16.load.a.row.stride.f16.p3(
; CHECK-NOT:     @llvm.nvvm.activemask
; CHECK:         %[[LANE:.+]] = call {{.*}}i32 @llvm.nvvm.read.ptx.sreg.laneid()
; CHECK-NEXT:    %[[HAS:.+]] = icmp samesign ult i32 %[[LANE]], 16
; CHECK-NEXT:    br i1 %[[HAS]], label
; CHECK:         shl nuw nsw i32 %[[LANE]], 6
; CHECK-NOT:     @llvm.nvvm.activemask
; CHECK:       gm.plain:
define ptx_kernel void @k(ptr %p) {
  %f = call { <2 x half>, <2 x half>, <2 x half>, <2 x half>, <2 x half>, <2 x half>, <2 x half>, <2 x half> } @llvm.nvvm.wmma.m16n16k16.load.a.row.stride.f16.p3(ptr addrspace(3) @tile, i32 32)
  %v = extractvalue { <2 x half>, <2 x half>, <2 x half>, <2 x half>, <2 x half>, <2 x half>, <2 x half>, <2 x half> } %f, 0
  store <2 x half> %v, ptr %p
  ret void
}

; All lanes stay together for the matrix instructions between: there is one in each
; half of the clone, not one in each arm of a branch on the lane.
; CHECK-LABEL: define ptx_kernel void @between__gm_shared(
; CHECK:         @llvm.nvvm.wmma.m16n16k16.load.a.row.stride.f16.p3(
; CHECK:         @llvm.nvvm.wmma.m16n16k16.mma.row.row.f16.f16(
; CHECK-NOT:     @llvm.nvvm.wmma.m16n16k16.mma.row.row.f16.f16(
; CHECK:         @llvm.nvvm.wmma.m16n16k16.store.d.row.stride.f16.p3(
; CHECK-NOT:     @llvm.nvvm.wmma.m16n16k16.mma.row.row.f16.f16(
; CHECK:       gm.plain:
; CHECK:         @llvm.nvvm.wmma.m16n16k16.mma.row.row.f16.f16(
; CHECK-NOT:     @llvm.nvvm.wmma.m16n16k16.mma.row.row.f16.f16(
declare { <2 x half>, <2 x half>, <2 x half>, <2 x half> } @llvm.nvvm.wmma.m16n16k16.mma.row.row.f16.f16(<2 x half>, <2 x half>, <2 x half>, <2 x half>, <2 x half>, <2 x half>, <2 x half>, <2 x half>, <2 x half>, <2 x half>, <2 x half>, <2 x half>, <2 x half>, <2 x half>, <2 x half>, <2 x half>, <2 x half>, <2 x half>, <2 x half>, <2 x half>)
declare void @llvm.nvvm.wmma.m16n16k16.store.d.row.stride.f16.p3(ptr addrspace(3), <2 x half>, <2 x half>, <2 x half>, <2 x half>, i32)
define ptx_kernel void @between(ptr %p) {
  %f = call { <2 x half>, <2 x half>, <2 x half>, <2 x half>, <2 x half>, <2 x half>, <2 x half>, <2 x half> } @llvm.nvvm.wmma.m16n16k16.load.a.row.stride.f16.p3(ptr addrspace(3) @tile, i32 32)
  %v = extractvalue { <2 x half>, <2 x half>, <2 x half>, <2 x half>, <2 x half>, <2 x half>, <2 x half>, <2 x half> } %f, 0
  %m = call { <2 x half>, <2 x half>, <2 x half>, <2 x half> } @llvm.nvvm.wmma.m16n16k16.mma.row.row.f16.f16(<2 x half> %v, <2 x half> %v, <2 x half> %v, <2 x half> %v, <2 x half> %v, <2 x half> %v, <2 x half> %v, <2 x half> %v, <2 x half> %v, <2 x half> %v, <2 x half> %v, <2 x half> %v, <2 x half> %v, <2 x half> %v, <2 x half> %v, <2 x half> %v, <2 x half> %v, <2 x half> %v, <2 x half> %v, <2 x half> %v)
  %d = extractvalue { <2 x half>, <2 x half>, <2 x half>, <2 x half> } %m, 0
  call void @llvm.nvvm.wmma.m16n16k16.store.d.row.stride.f16.p3(ptr addrspace(3) @tile, <2 x half> %d, <2 x half> %d, <2 x half> %d, <2 x half> %d, i32 32)
  ret void
}
