; Shared memory of the cluster's blocks: mapa leads to a variable of another block, which may be
; the own one. A pointer's type and the assembly's instruction say it as well.
; RUN: %opt -passes='print<gm-accesses>' -disable-output %s | FileCheck %s

target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

@s = internal addrspace(3) global [64 x i32] undef, align 4

; CHECK-LABEL: accesses of k: 10{{$}}
; CHECK-NEXT: - load shared-cluster 4 s tid
; CHECK-NEXT: - atomic shared-cluster 4 s reduction tid
; CHECK-NEXT: - store shared-cluster 4 s tid
; CHECK-NEXT: - load shared-cluster 4 s tid
; Whichever variable the pointer is of, it is in the block that it is mapped to.
; CHECK-NEXT: - load shared-cluster 4 - tid
; CHECK-NEXT: - load shared-cluster 4 argument 4 tid
; CHECK-NEXT: - load shared-cluster 4 - displacement=8 tid
; CHECK-NEXT: - barrier shared-cluster 8 - tid
; The own memory or another block's.
; CHECK-NEXT: - load generic 4 s tid
; CHECK-NEXT: - load shared 4 s+0 tid
define ptx_kernel void @k(ptr %0, i32 %1, i1 %2, ptr addrspace(7) %3) {
  %a = call ptr @llvm.nvvm.mapa(ptr addrspacecast (ptr addrspace(3) @s to ptr), i32 %1)
  %b = getelementptr i32, ptr %a, i32 %1
  %c = load i32, ptr %b
  %d = atomicrmw add ptr %a, i32 %c seq_cst
  %e = call ptr addrspace(7) @llvm.nvvm.mapa.shared.cluster(ptr addrspace(3) @s, i32 %1)
  store i32 %c, ptr addrspace(7) %e
  %f = addrspacecast ptr addrspace(7) %e to ptr
  %g = load i32, ptr %f
  %h = call ptr @llvm.nvvm.mapa(ptr %0, i32 %1)
  %i = load i32, ptr %h
  %j = load i32, ptr addrspace(7) %3
  %l = call i32 asm sideeffect "ld.shared::cluster.u32 $0, [$1+8];", "=r,r"(i32 %1)
  call void asm sideeffect "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [$0];", "r"(i32 %1)
  %m = select i1 %2, ptr %a, ptr addrspacecast (ptr addrspace(3) @s to ptr)
  %n = load i32, ptr %m
  %o = load i32, ptr addrspace(3) @s
  ret void
}

declare ptr @llvm.nvvm.mapa(ptr, i32)
declare ptr addrspace(7) @llvm.nvvm.mapa.shared.cluster(ptr addrspace(3), i32)
