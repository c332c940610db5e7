; Accesses that not every lane makes, or not at its own address.
; RUN: %opt -passes=gm-instrument,verify -S %s | FileCheck %s

target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()

@tile = internal addrspace(3) global [256 x i32] undef, align 16
declare { i32, i32 } @llvm.nvvm.ldmatrix.sync.aligned.m8n8.x2.b16.p3(ptr addrspace(3))

; A generic address is counted if it is one of shared memory.
; CHECK-LABEL: define ptx_kernel void @generic__gm_shared(
; CHECK:         store i32 1, ptr %q
; CHECK:         %[[IS:.+]] = call i1 @llvm.nvvm.isspacep.shared(ptr %q)
; CHECK-NEXT:    br i1 %[[IS]]
; CHECK:         addrspacecast ptr %q to ptr addrspace(3)
; CHECK:         atomicrmw add ptr addrspace(3)
define ptx_kernel void @generic(ptr %p) {
  %q = load ptr, ptr %p
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %at = getelementptr i32, ptr %p, i32 %t
  %i = load i32, ptr %at
  %a = getelementptr i32, ptr addrspace(3) @tile, i32 %i
  %g = addrspacecast ptr addrspace(3) %a to ptr
  store ptr %g, ptr %p
  store i32 1, ptr %q
  ret void
}

; ldmatrix.x2: lanes 0 to 15 each have the address of a row of 16 bytes.
; CHECK-LABEL: define ptx_kernel void @ldmatrix__gm_shared(
; CHECK:         call { i32, i32 } @llvm.nvvm.ldmatrix
; CHECK:         %[[LANE:.+]] = {{.*}}call {{.*}}i32 @llvm.nvvm.read.ptx.sreg.laneid()
; CHECK:         icmp {{.*}}ult i32 %[[LANE]], 16
; CHECK-COUNT-4: atomicrmw add ptr addrspace(3)
; CHECK-NOT:     atomicrmw add ptr addrspace(3)
; CHECK:         ret void
define ptx_kernel void @ldmatrix(ptr %p) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %at = getelementptr i32, ptr %p, i32 %t
  %i = load i32, ptr %at
  %a = getelementptr <4 x i32>, ptr addrspace(3) @tile, i32 %i
  %m = call { i32, i32 } @llvm.nvvm.ldmatrix.sync.aligned.m8n8.x2.b16.p3(ptr addrspace(3) %a)
  %v = extractvalue { i32, i32 } %m, 0
  store i32 %v, ptr %p
  ret void
}

; Accesses of the same address in a stretch of code are counted together, where
; the stretch ends.
; CHECK-LABEL: define ptx_kernel void @twice__gm_shared(
; CHECK:         %v = load i32, ptr addrspace(3) %a
; CHECK-NEXT:    %w = mul i32 %v, 3
; CHECK-NEXT:    store i32 %w, ptr addrspace(3) %a
; CHECK-NOT:     atomicrmw
; CHECK:         atomicrmw add ptr addrspace(3) %{{.+}}, i32 2 monotonic
; CHECK-NOT:     atomicrmw add ptr addrspace(3)
; CHECK:       gm.plain:
define ptx_kernel void @twice(ptr %p) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %at = getelementptr i32, ptr %p, i32 %t
  %i = load i32, ptr %at
  %a = getelementptr i32, ptr addrspace(3) @tile, i32 %i
  %v = load i32, ptr addrspace(3) %a
  %w = mul i32 %v, 3
  store i32 %w, ptr addrspace(3) %a
  ret void
}
