; An access of another block's shared memory counts with the word at the same place of the block's
; own. So may pointers from anywhere be to another block's, where code can make such. Live ranges,
; of which no block knows all accesses, are not counted. Heat notes what is the block's own, and
; counts the rest.
; RUN: %opt -gm-profile=shared -gm-shared-closed-forms=false -passes=gm-instrument,verify -S %s \
; RUN:   | FileCheck %s --implicit-check-not=tiles__gm_shared_all
; RUN: %opt -gm-profile=heat -passes=gm-instrument,verify -S %s | FileCheck %s --check-prefix=HEAT
; RUN: %opt -gm-profile=global,cache -passes=gm-instrument,verify -S %s | FileCheck %s --check-prefix=NONE

target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

@s = internal addrspace(3) global [64 x i32] undef, align 4

; NONE-NOT: k__gm_

; CHECK-LABEL: define ptx_kernel void @k__gm_shared(
; CHECK:         [[OTHER:%.+]] = call ptr addrspace(7) @llvm.nvvm.mapa.shared.cluster(ptr addrspace(3) @s, i32 %rank)
; CHECK:         store i32 1, ptr addrspace(7) [[OTHER]]
; CHECK:         [[OWN:%.+]] = call {{.*}}i32 @llvm.nvvm.read.ptx.sreg.cluster.ctarank()
; CHECK:         [[AT:%.+]] = call ptr addrspace(7) @llvm.nvvm.mapa.shared.cluster(ptr addrspace(3) %{{.+}}, i32 [[OWN]])
; CHECK:         [[SHARED:%.+]] = ptrtoint ptr addrspace(7) [[AT]] to i64
; CHECK:         %{{.+}} = trunc i64 [[SHARED]] to i32
; CHECK:         atomicrmw add ptr addrspace(3) %{{.+}} monotonic

; HEAT-LABEL: define ptx_kernel void @k__gm_heat(
; HEAT:         [[OTHER:%.+]] = call ptr addrspace(7) @llvm.nvvm.mapa.shared.cluster(ptr addrspace(3) @s, i32 %rank)
; HEAT:         [[GENERIC:%.+]] = addrspacecast ptr addrspace(7) [[OTHER]] to ptr
; HEAT:         call i1 @llvm.nvvm.isspacep.shared(ptr [[GENERIC]])
; HEAT:         atomicrmw add ptr addrspace(1) %{{.+}}, i64 1 monotonic
; HEAT:         store i32 1, ptr addrspace(7) [[OTHER]]
define ptx_kernel void @k(i32 %rank) #0 {
  %a = call ptr addrspace(7) @llvm.nvvm.mapa.shared.cluster(ptr addrspace(3) @s, i32 %rank)
  store i32 1, ptr addrspace(7) %a
  ret void
}

; CHECK-LABEL: define ptx_kernel void @pointer__gm_shared(
; CHECK:         call i1 @llvm.nvvm.isspacep.shared.cluster(ptr %p)
; CHECK:         call ptr addrspace(7) @llvm.nvvm.mapa.shared.cluster(
define ptx_kernel void @pointer(ptr %from) #0 {
  %x = load i32, ptr addrspace(3) @s
  %p = load ptr, ptr %from
  store i32 %x, ptr %p
  ret void
}

; The cluster's instruction copies to the block's own memory: whose it is need not be asked.
; CHECK-LABEL: define ptx_kernel void @copies__gm_shared(
; CHECK-NOT:     mapa
; CHECK:         call void asm sideeffect "cp.async.bulk
; CHECK-NOT:     mapa
; CHECK:         ret void
define ptx_kernel void @copies(ptr %p, i32 %n) #0 {
  %a = ptrtoint ptr addrspace(3) @s to i32
  call void asm sideeffect "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [$0], [$1], $2, [$0];", "r,l,r"(i32 %a, ptr %p, i32 %n)
  ret void
}

; Of the tiles that are moved to shared memory one after the other, no clone bounds the ranges.
; CHECK-LABEL: define ptx_kernel void @tiles__gm_shared(
define ptx_kernel void @tiles(ptr %from, i32 %n, i32 %rank) #0 {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %to = getelementptr i32, ptr addrspace(3) @s, i32 %t
  %next = call ptr addrspace(7) @llvm.nvvm.mapa.shared.cluster(ptr addrspace(3) @s, i32 %rank)
  %of = getelementptr i32, ptr addrspace(7) %next, i32 %t
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %j, %loop ]
  %at = getelementptr i32, ptr %from, i32 %i
  %x = load i32, ptr %at
  store i32 %x, ptr addrspace(3) %to
  call void @llvm.nvvm.barrier.cluster.arrive()
  call void @llvm.nvvm.barrier.cluster.wait()
  %y = load volatile i32, ptr addrspace(7) %of
  call void @llvm.nvvm.barrier.cluster.arrive()
  call void @llvm.nvvm.barrier.cluster.wait()
  %j = add i32 %i, 1
  %more = icmp slt i32 %j, %n
  br i1 %more, label %loop, label %end
end:
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare ptr addrspace(7) @llvm.nvvm.mapa.shared.cluster(ptr addrspace(3), i32)
declare void @llvm.nvvm.barrier.cluster.arrive()
declare void @llvm.nvvm.barrier.cluster.wait()

attributes #0 = { "target-cpu"="sm_90" }
