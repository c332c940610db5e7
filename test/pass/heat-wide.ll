; What the backend makes one vector access of is noted as one, with the address where the vector begins:
; nothing may come between its parts.
; RUN: %opt -gm-profile=heat -gm-heat-closed-forms=false -passes=gm-instrument,verify -S %s | FileCheck %s

target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare void @use(i32) memory(none)

; Also of stores of the same constant.
; CHECK-LABEL: define ptx_kernel void @pairs__gm_heat(
; CHECK:         [[A:%.+]] = ptrtoint ptr addrspace(1) %a to i64
; CHECK:         [[D:%.+]] = ptrtoint ptr addrspace(1) %d to i64
; CHECK-NEXT:    [[C:%.+]] = add i64 [[D]], -4
; CHECK:         or disjoint i64 %{{.+}}, 216172782113783808
; CHECK:         store i64 [[A]], ptr
; CHECK:         or disjoint i64 %{{.+}}, 234187193508167680
; CHECK:         store i64 [[C]], ptr
; CHECK:         call i64 @__gm_heat_next_global_chunk({{.+}}, i32 {{.*}}2, i32 {{.*}}256)
; CHECK-NOT:     call {{.+}} @__gm_heat
; CHECK:       gm.plain:
define ptx_kernel void @pairs(ptr %p, ptr %q) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %a = getelementptr [2 x i32], ptr %p, i32 %t
  %x = load i32, ptr %a, align 8
  %b = getelementptr i8, ptr %a, i32 4
  %y = load i32, ptr %b, align 4
  %c = getelementptr [2 x i32], ptr %q, i32 %t
  store i32 0, ptr %c, align 8
  %d = getelementptr i8, ptr %c, i32 4
  store i32 0, ptr %d, align 4
  %s = add i32 %x, %y
  call void @use(i32 %s)
  ret void
}

; Three floats of a float4 are loaded with the fourth; the second is the first one here.
; CHECK-LABEL: define ptx_kernel void @three__gm_heat(
; CHECK:         [[B:%.+]] = ptrtoint ptr addrspace(1) %b to i64
; CHECK-NEXT:    [[A:%.+]] = add i64 [[B]], -4
; CHECK:         [[D:%.+]] = ptrtoint ptr addrspace(1) %d to i64
; CHECK:         or disjoint i64 %{{.+}}, 288230376151711744
; CHECK:         store i64 [[A]], ptr
; CHECK:         or disjoint i64 %{{.+}}, 162129599470239744
; CHECK:         store i64 [[D]], ptr
; CHECK:         call i64 @__gm_heat_next_global_chunk({{.+}}, i32 {{.*}}2, i32 {{.*}}256)
; CHECK-NOT:     call {{.+}} @__gm_heat
; CHECK:       gm.plain:
define ptx_kernel void @three(ptr noalias %p, ptr noalias %q) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %a = getelementptr inbounds [4 x float], ptr %p, i32 %t
  %b = getelementptr inbounds i8, ptr %a, i32 4
  %y = load float, ptr %b, align 4
  %x = load float, ptr %a, align 16
  %c = getelementptr inbounds i8, ptr %a, i32 8
  %z = load float, ptr %c, align 8
  %s = fadd float %x, %y
  %u = fadd float %s, %z
  %d = getelementptr inbounds float, ptr %q, i32 %t
  store float %u, ptr %d, align 4
  ret void
}

; By itself.
; CHECK-LABEL: define ptx_kernel void @alone__gm_heat(
; CHECK:         load i32, ptr addrspace(1) %a
; CHECK-NEXT:    %b =
; CHECK-NEXT:    load i32, ptr addrspace(1) %b
; CHECK:         or disjoint i64 %{{.+}}, 216172782113783808
; CHECK:         store i64 %{{.+}}, ptr
; CHECK:         call i64 @__gm_heat_next_global_chunk({{.+}}, i32 {{.*}}1, i32 {{.*}}256)
; CHECK-NOT:     call {{.+}} @__gm_heat
; CHECK:       gm.plain:
define ptx_kernel void @alone(ptr %p) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %a = getelementptr [2 x i32], ptr %p, i32 %t
  %x = load i32, ptr %a, align 8
  %b = getelementptr i8, ptr %a, i32 4
  %y = load i32, ptr %b, align 4
  %s = add i32 %x, %y
  call void @use(i32 %s)
  ret void
}

; Not aligned to 8 bytes: two.
; CHECK-LABEL: define ptx_kernel void @apart__gm_heat(
; CHECK:         or disjoint i64 %{{.+}}, 144115188075855872
; CHECK:         store i64 %{{.+}}, ptr
; CHECK:         or disjoint i64 %{{.+}}, 144115192370823168
; CHECK:         store i64 %{{.+}}, ptr
; CHECK:       gm.plain:
define ptx_kernel void @apart(ptr %p) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %a = getelementptr [2 x i32], ptr %p, i32 %t
  %x = load i32, ptr %a, align 4
  %b = getelementptr i8, ptr %a, i32 4
  %y = load i32, ptr %b, align 4
  %s = add i32 %x, %y
  store i32 %s, ptr %p, align 4
  ret void
}
