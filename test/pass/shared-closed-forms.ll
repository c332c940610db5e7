; Accesses of shared memory that a closed form describes are not counted: the
; descriptor has the form. known has no others, so that its own kernel is run (mode
; 64), or, if the form should not hold, the clone that counts all (32). In mixed, one
; store has an address that depends on data.
; RUN: %opt -gm-profile=shared -passes=gm-instrument,verify -S %s | FileCheck %s
; RUN: %opt -gm-profile=shared -passes=gm-instrument,verify -gm-shared-closed-forms=false -S %s \
; RUN:   | FileCheck %s --check-prefix=OFF
; RUN: %opt -gm-profile=shared -passes=gm-instrument,verify -gm-level=sa -S %s \
; RUN:   | FileCheck %s --check-prefix=LEVEL

target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()

@tile = internal addrspace(3) global [64 x i32] undef, align 4

; One form, of site 0 and variable 0: address 4 * tid.x where param0 - 1 - tid.x >= 0.
; CHECK: @__gm_kernel_known = {{.*}}{ i32 827018567, i32 21, i32 {{[0-9]+}}, i32 1, i32 1, i32 0, i32 0, i32 0, i32 224,
; CHECK-SAME: { i32, i32, i32, i32 } { i32 0, i32 0, i32 0, i32 {{[0-9]+}} }
; CHECK-SAME: [i64 0, i64 1, i64 4, i64 1, i64 0, i64 0,
; CHECK: @__gm_kernel_mixed = {{.*}}{ i32 827018567, i32 21, i32 {{[0-9]+}}, i32 2, i32 1, i32 0, i32 0, i32 0, i32 161,
; OFF: @__gm_kernel_known = {{.*}}{ i32 827018567, i32 21, i32 {{[0-9]+}}, i32 1, i32 1, i32 0, i32 0, i32 0, i32 129,
; LEVEL: @__gm_kernel_known = {{.*}}{ i32 827018567, i32 21, i32 {{[0-9]+}}, i32 1, i32 1, i32 0, i32 0, i32 0, i32 130,

; CHECK-NOT: @known__gm_shared(
; CHECK-LABEL: define ptx_kernel void @known__gm_shared_all(
; CHECK: atomicrmw add ptr addrspace(3)
; OFF-LABEL: define ptx_kernel void @known__gm_shared(
; OFF: store i32 1
; OFF: atomicrmw add ptr addrspace(3)
; OFF-NOT: @known__gm_shared_all
define ptx_kernel void @known(i32 %n) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %in = icmp ult i32 %t, %n
  br i1 %in, label %body, label %done
body:
  %a = getelementptr i32, ptr addrspace(3) @tile, i32 %t
  store i32 1, ptr addrspace(3) %a
  br label %done
done:
  ret void
}

; CHECK-LABEL: define ptx_kernel void @mixed__gm_shared(
; CHECK: store i32 2
; CHECK-NOT: atomicrmw add ptr addrspace(3)
; CHECK: store i32 3
; CHECK: atomicrmw add ptr addrspace(3)
; CHECK-LABEL: define ptx_kernel void @mixed__gm_shared_all(
; CHECK: store i32 2
; CHECK: store i32 3
; CHECK: atomicrmw add ptr addrspace(3)
; CHECK: atomicrmw add ptr addrspace(3)
define ptx_kernel void @mixed(ptr addrspace(1) %p, i32 %n) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %a = getelementptr i32, ptr addrspace(3) @tile, i32 %t
  store i32 2, ptr addrspace(3) %a
  %from = getelementptr i32, ptr addrspace(1) %p, i32 %t
  %i = load i32, ptr addrspace(1) %from
  %b = getelementptr i32, ptr addrspace(3) @tile, i32 %i
  store i32 3, ptr addrspace(3) %b
  ret void
}
