; The program does not see that dynamic shared memory was enlarged.
; RUN: %opt -passes=gm-instrument,verify -S %s | FileCheck %s

target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()

@tile = external addrspace(3) global [0 x i32], align 4

; CHECK-LABEL: define ptx_kernel void @k__gm_shared(
; CHECK-NOT:     dynamic_smem_size
; CHECK:         store i32 %{{.+}}, ptr addrspace(3) %a
; CHECK:         %[[F:.+]] = getelementptr {{.*}} %gm.launch, i32 0, i32 9
; CHECK:         %[[OWN:.+]] = load i32, ptr %[[F]]
; CHECK:         store volatile i32 %[[OWN]], ptr
; CHECK:         %[[ALL:.+]] = call i32 @llvm.nvvm.read.ptx.sreg.total_smem_size()
; CHECK:         %[[RIGHT:.+]] = sub i32 %[[ALL]], %{{.+}}
; CHECK:         store volatile i32 %[[RIGHT]], ptr
; CHECK-LABEL: define ptx_kernel void @k__gm_shared_dm(
; CHECK:         dynamic_smem_size
declare i32 @llvm.nvvm.read.ptx.sreg.total_smem_size()
define ptx_kernel void @k(ptr %p) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %at = getelementptr i32, ptr %p, i32 %t
  %i = load i32, ptr %at
  %a = getelementptr i32, ptr addrspace(3) @tile, i32 %i
  store i32 %i, ptr addrspace(3) %a
  %s = call i32 asm sideeffect "mov.u32 $0, %dynamic_smem_size;", "=r"()
  store volatile i32 %s, ptr %p
  %total = call i32 @llvm.nvvm.read.ptx.sreg.total_smem_size()
  store volatile i32 %total, ptr %p
  ret void
}

; CHECK-NOT: @unclear__gm_shared
define ptx_kernel void @unclear(ptr %p) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %at = getelementptr i32, ptr %p, i32 %t
  %i = load i32, ptr %at
  %a = getelementptr i32, ptr addrspace(3) @tile, i32 %i
  store i32 %i, ptr addrspace(3) %a
  %s = call i32 asm sideeffect "add.u32 $0, %dynamic_smem_size, 4;", "=r"()
  store i32 %s, ptr %p
  ret void
}
