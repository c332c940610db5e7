; Each 4-byte word that an access touches is counted. With 8-bit counters the
; counters of a wide, aligned access are updated together.
; RUN: %opt -passes=gm-instrument,verify -gm-level=sa-na-sm-th -gm-counter-bits=8 -S %s | FileCheck %s

target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()

@tile = internal addrspace(3) global [64 x i32] undef, align 16
declare void @llvm.memcpy.p3.p1.i64(ptr addrspace(3), ptr addrspace(1), i64, i1)

; A byte is one access of its word.
; CHECK-LABEL: define ptx_kernel void @byte__gm_shared(
; CHECK:         store i8 1, ptr addrspace(3) %a
; CHECK:         load i8, ptr addrspace(3)
; CHECK:         store i8 %{{.+}}, ptr addrspace(3)
; CHECK-NOT:     store i8
; CHECK:       gm.plain:
define ptx_kernel void @byte(ptr %p) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %at = getelementptr i32, ptr %p, i32 %t
  %i = load i32, ptr %at
  %a = getelementptr i8, ptr addrspace(3) @tile, i32 %i
  store i8 1, ptr addrspace(3) %a
  ret void
}

; 8 aligned bytes are two counters in 16 bits, 16 are four in 32.
; CHECK-LABEL: define ptx_kernel void @pair__gm_shared(
; CHECK:         store i64 1, ptr addrspace(3) %a
; CHECK:         %[[OLD:.+]] = load i16, ptr addrspace(3) %[[C:.+]], align 2
; CHECK:         store i16 %{{.+}}, ptr addrspace(3) %[[C]], align 2
; CHECK:       gm.plain:
define ptx_kernel void @pair(ptr %p) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %at = getelementptr i32, ptr %p, i32 %t
  %i = load i32, ptr %at
  %a = getelementptr i64, ptr addrspace(3) @tile, i32 %i
  store i64 1, ptr addrspace(3) %a
  ret void
}

; CHECK-LABEL: define ptx_kernel void @quad__gm_shared(
; CHECK:         store <4 x float> zeroinitializer, ptr addrspace(3) %a
; CHECK:         %[[OLD:.+]] = load i32, ptr addrspace(3) %[[C:.+]], align 4
; CHECK-NEXT:    %[[LOW:.+]] = and i32 %[[OLD]], 2139062143
; CHECK-NEXT:    %[[SUM:.+]] = add nuw i32 %[[LOW]], 16843009
; CHECK:         store i32 %{{.+}}, ptr addrspace(3) %[[C]], align 4
; CHECK:       gm.plain:
define ptx_kernel void @quad(ptr %p) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %at = getelementptr i32, ptr %p, i32 %t
  %i = load i32, ptr %at
  %a = getelementptr <4 x float>, ptr addrspace(3) @tile, i32 %i
  store <4 x float> zeroinitializer, ptr addrspace(3) %a
  ret void
}

; Not aligned to its size: one after the other.
; CHECK-LABEL: define ptx_kernel void @unaligned_quad__gm_shared(
; CHECK:         store <4 x float> zeroinitializer, ptr addrspace(3) %a, align 4
; CHECK-COUNT-4: store i8 %{{.+}}, ptr addrspace(3)
; CHECK-NOT:     store i8
; CHECK:       gm.plain:
define ptx_kernel void @unaligned_quad(ptr %p) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %at = getelementptr i32, ptr %p, i32 %t
  %i = load i32, ptr %at
  %a = getelementptr i32, ptr addrspace(3) @tile, i32 %i
  store <4 x float> zeroinitializer, ptr addrspace(3) %a, align 4
  ret void
}

; A length known at run time: a loop from the first word to the last.
; CHECK-LABEL: define ptx_kernel void @copy__gm_shared(
; CHECK:         call void @llvm.memcpy
; CHECK:         %[[NONE:.+]] = icmp eq i64 %n, 0
; CHECK:         phi i32
; CHECK:         store i8 %{{.+}}, ptr addrspace(3)
; CHECK:       gm.plain:
define ptx_kernel void @copy(ptr addrspace(1) %p, i64 %n) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %at = getelementptr i32, ptr addrspace(1) %p, i32 %t
  %i = load i32, ptr addrspace(1) %at
  %a = getelementptr i32, ptr addrspace(3) @tile, i32 %i
  call void @llvm.memcpy.p3.p1.i64(ptr addrspace(3) align 4 %a, ptr addrspace(1) align 4 %p, i64 %n, i1 false)
  ret void
}
