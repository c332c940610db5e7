; Accesses that the launch determines are noted in K__gm_heat_all alone: K__gm_heat notes the others,
; and is not there if there are none.
; RUN: %opt -gm-profile=heat -passes=gm-instrument,verify -S %s | FileCheck %s
; RUN: %opt -gm-profile=heat -gm-heat-closed-forms=false -passes=gm-instrument,verify -S %s | FileCheck %s --check-prefix=OFF
; RUN: %opt -gm-profile=heat -gm-level=basic -passes=gm-instrument,verify -S %s | FileCheck %s --check-prefix=OFF

target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()

; Modes of known: heat (512) and its clone for everything (2048), and objects (128).
; CHECK: @__gm_kernel_known = {{.*}}{ i32 827018567, i32 21, i32 {{[0-9]+}}, i32 1, i32 1, i32 0, i32 0, i32 0, i32 2688,
; One form of 13 words, of site 0 and variable 0, no loop: 16 bytes that begin 8 before
; its address, in one piece. Site 1 is the same access.
; CHECK-SAME: { i32 {{[01]}}, i32 0, i32 0, i32 {{[0-9]+}}, i32 0, i32 {{(0|-8)}}, i32 16, i32 16 }]
; Modes of mixed: both clones.
; CHECK: @__gm_kernel_mixed = {{.*}}{ i32 827018567, i32 21, i32 {{[0-9]+}}, i32 1, i32 1, i32 0, i32 0, i32 0, i32 3712,
; The loop is one of the program (mask 1); a byte at a time.
; CHECK-SAME: [1 x { i32, i32, i32, i32, i32, i32, i32, i32 }] [{ i32, i32, i32, i32, i32, i32, i32, i32 } { i32 0, i32 0, i32 0, i32 {{[0-9]+}}, i32 1, i32 0, i32 1, i32 1 }]
; OFF: @__gm_kernel_known = {{.*}}{ i32 827018567, i32 21, i32 {{[0-9]+}}, i32 1, i32 1, i32 0, i32 0, i32 0, i32 1664,
; OFF: @__gm_kernel_mixed = {{.*}}{ i32 827018567, i32 21, i32 {{[0-9]+}}, i32 1, i32 1, i32 0, i32 0, i32 0, i32 1664,

; CHECK-NOT: @known__gm_heat(
; CHECK-LABEL: define ptx_kernel void @known__gm_heat_all(
; CHECK: call i64 @__gm_heat_next_global_chunk(
; CHECK-NOT: @known__gm_heat(
; OFF-NOT: @known__gm_heat_all(
; OFF-LABEL: define ptx_kernel void @known__gm_heat(
; OFF: call i64 @__gm_heat_next_global_chunk(
define ptx_kernel void @known(ptr %p) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %a = getelementptr { i64, i64 }, ptr %p, i32 %t
  %b = getelementptr i8, ptr %a, i64 8
  store i64 1, ptr %a, align 16
  store i64 2, ptr %b, align 8
  ret void
}

; 37748737: site 1, a store (1 << 22) of 4 bytes (2 << 24), of two iterations.
; CHECK-LABEL: define ptx_kernel void @mixed__gm_heat(
; CHECK-NOT: call i64 @__gm_heat_next_global_chunk(
; CHECK: %v = load i8
; CHECK-COUNT-2: or disjoint i64 %{{.+}}, 162129590880305152
; CHECK: call i64 @__gm_heat_next_global_chunk({{.+}}, i32 {{.*}}2, i32 {{.*}}256)
; CHECK-NOT: or disjoint i64 %{{.+}}, 162129590880305152
; CHECK: gm.plain:
; CHECK-LABEL: define ptx_kernel void @mixed__gm_heat_all(
; CHECK: or disjoint i64 %{{.+}}, 1152921504606846976
; CHECK: %v = load i8
; CHECK: or disjoint i64 %{{.+}}, 162129590880305152
define ptx_kernel void @mixed(ptr %p) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %a = getelementptr i8, ptr %p, i64 %i
  %v = load i8, ptr %a
  %wide = zext i8 %v to i64
  %b = getelementptr i32, ptr %p, i64 %wide
  store i32 1, ptr %b
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, 10
  br i1 %more, label %loop, label %exit
exit:
  ret void
}
