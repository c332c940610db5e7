; What empties L1: fences and acquiring operations that have other multiprocessors in their scope, and waits for what bulk copies
; write. Lines of -O2 code for sm_90 that ptxas puts a CCTL.IVALL behind (see docs/cache-model.md).
; RUN: %opt -passes='print<gm-accesses>' -disable-output %s 2>&1 | FileCheck %s

target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

declare void @llvm.nvvm.membar.cta()
declare void @llvm.nvvm.membar.gl()
declare void @llvm.nvvm.membar.sys()
declare void @llvm.nvvm.fence.sc.cluster()
declare void @llvm.nvvm.cp.async.bulk.wait.group(i32)
declare void @llvm.nvvm.cp.async.bulk.wait.group.read(i32)
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)
declare void @llvm.nvvm.barrier.cluster.arrive()
declare void @llvm.nvvm.barrier.cluster.wait()
declare void @llvm.nvvm.barrier.cluster.wait.aligned()

; CHECK-LABEL: accesses of intrinsics:
; CHECK-COUNT-4: fence -
; CHECK-NOT:     fence
define ptx_kernel void @intrinsics() {
  call void @llvm.nvvm.membar.gl()
  call void @llvm.nvvm.membar.sys()
  call void @llvm.nvvm.fence.sc.cluster()
  call void @llvm.nvvm.cp.async.bulk.wait.group(i32 0)
  ret void
}

; CHECK-LABEL: accesses of barriers_of_clusters:
; CHECK-COUNT-3: fence - in clusters
; CHECK-NOT:     fence
define ptx_kernel void @barriers_of_clusters() {
  call void @llvm.nvvm.barrier.cluster.arrive()
  call void @llvm.nvvm.barrier.cluster.wait()
  call void @llvm.nvvm.barrier.cluster.wait.aligned()
  call void asm sideeffect "barrier.cluster.arrive; barrier.cluster.wait.acquire;", "~{memory}"()
  ret void
}

; CHECK-LABEL: accesses of of_the_block:
; CHECK-NOT:     fence
; CHECK-LABEL: accesses of operations:
define ptx_kernel void @of_the_block(ptr addrspace(1) %p) {
  call void @llvm.nvvm.membar.cta()
  call void @llvm.nvvm.cp.async.bulk.wait.group.read(i32 0)
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  fence syncscope("block") seq_cst
  fence syncscope("singlethread") seq_cst
  %a = load atomic i32, ptr addrspace(1) %p syncscope("block") acquire, align 4
  %b = cmpxchg ptr addrspace(1) %p, i32 %a, i32 1 syncscope("block") seq_cst seq_cst
  ret void
}

; Of atomicrmw the backend makes relaxed operations, whatever it says.
; CHECK-COUNT-6: fence -
; CHECK-NOT:     fence
define ptx_kernel void @operations(ptr addrspace(1) %p) {
  fence seq_cst
  fence syncscope("device") acq_rel
  %a = load atomic i32, ptr addrspace(1) %p acquire, align 4
  %b = load atomic i32, ptr addrspace(1) %p syncscope("device") seq_cst, align 4
  store atomic i32 1, ptr addrspace(1) %p seq_cst, align 4
  %c = cmpxchg ptr addrspace(1) %p, i32 %a, i32 1 seq_cst monotonic
  %d = cmpxchg ptr addrspace(1) %p, i32 %a, i32 1 monotonic monotonic
  %e = cmpxchg ptr addrspace(1) %p, i32 %a, i32 1 release monotonic
  %f = load atomic i32, ptr addrspace(1) %p monotonic, align 4
  %g = load volatile i32, ptr addrspace(1) %p
  store atomic i32 1, ptr addrspace(1) %p release, align 4
  %h = atomicrmw add ptr addrspace(1) %p, i32 1 seq_cst
  ret void
}

; CHECK-LABEL: accesses of assembly:
; CHECK-COUNT-9: fence -
; CHECK-NOT:     fence
define ptx_kernel void @assembly(ptr %p) {
  call void asm sideeffect "fence.acq_rel.gpu;", "~{memory}"()
  call void asm sideeffect "fence.sc.sys;", "~{memory}"()
  call void asm sideeffect "fence.acq_rel.cluster;", "~{memory}"()
  call void asm sideeffect "fence.gpu;", "~{memory}"()
  call void asm sideeffect "membar.gl;", "~{memory}"()
  call void asm sideeffect "cp.async.bulk.wait_group 0;", "~{memory}"()
  %a = call i32 asm sideeffect "ld.acquire.gpu.u32 $0, [$1];", "=r,l,~{memory}"(ptr %p)
  %b = call i32 asm sideeffect "atom.add.acquire.gpu.s32 $0, [$1], 1;", "=r,l,~{memory}"(ptr %p)
  %c = call i32 asm sideeffect "atom.acq_rel.global.add.u32 $0, [$1], 1;", "=r,l,~{memory}"(ptr %p)
  ret void
}

; CHECK-LABEL: accesses of assembly_of_the_block:
; CHECK-NOT:     fence
; CHECK-LABEL: accesses of last:
define ptx_kernel void @assembly_of_the_block(ptr %p) {
  call void asm sideeffect "fence.acq_rel.cta;", "~{memory}"()
  call void asm sideeffect "membar.cta;", "~{memory}"()
  call void asm sideeffect "fence.proxy.async.global;", "~{memory}"()
  call void asm sideeffect "fence.mbarrier_init.release.cluster;", "~{memory}"()
  call void asm sideeffect "cp.async.bulk.wait_group.read 0;", "~{memory}"()
  call void asm sideeffect "cp.async.wait_group 0;", "~{memory}"()
  %a = call i32 asm sideeffect "ld.acquire.cta.u32 $0, [$1];", "=r,l,~{memory}"(ptr %p)
  %b = call i32 asm sideeffect "ld.relaxed.gpu.u32 $0, [$1];", "=r,l,~{memory}"(ptr %p)
  call void asm sideeffect "st.release.gpu.u32 [$0], 1;", "l,~{memory}"(ptr %p)
  %c = call i32 asm sideeffect "atom.release.gpu.add.u32 $0, [$1], 1;", "=r,l,~{memory}"(ptr %p)
  ret void
}

define ptx_kernel void @last() {
  ret void
}
