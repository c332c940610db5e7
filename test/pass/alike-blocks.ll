; Where all blocks provably do the same, the first one counts for all of them:
; its counts are multiplied by the size of the grid.
; RUN: %opt -gm-profile=shared -gm-shared-closed-forms=false -passes=gm-instrument,verify -S %s | FileCheck %s
; RUN: %opt -gm-profile=shared -gm-shared-closed-forms=false -passes=gm-instrument,verify -gm-level=basic -S %s | FileCheck %s --check-prefix=BASIC
; RUN: %opt -gm-profile=shared -gm-shared-closed-forms=false -passes=gm-instrument,verify -gm-alike-blocks=false -S %s \
; RUN:   | FileCheck %s --check-prefix=EACH

target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

@tile = internal addrspace(3) global [64 x i32] undef, align 4
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()

; flags: blocks alike (4)
; CHECK: @__gm_kernel_alike = {{.*}} i32 129, i32 4, i32 4, i32 32,
; CHECK: @__gm_kernel_by_index = {{.*}} i32 129, i32 0, i32 4, i32 32,
; CHECK: @__gm_kernel_by_data = {{.*}} i32 129, i32 0, i32 4, i32 32,
; CHECK: @__gm_kernel_after_loop = {{.*}} i32 129, i32 4, i32 4, i32 32,
; CHECK: @__gm_kernel_in_loop = {{.*}} i32 129, i32 0, i32 4, i32 32,
; The level basic counts in every block.
; BASIC: @__gm_kernel_alike = {{.*}} i32 130, i32 0, i32 0, i32 32,
; As it does if asked to.
; EACH: @__gm_kernel_alike = {{.*}} i32 129, i32 0, i32 4, i32 32,

; CHECK-LABEL: define ptx_kernel void @alike__gm_shared(
; CHECK:         %[[X:.+]] = call {{.*}}i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
; CHECK:         %[[FIRST:.+]] = icmp eq i32 %{{.+}}, 0
; CHECK-NEXT:    br i1 %[[FIRST]], label %gm.begin, label %gm.plain
; CHECK:         %[[BLOCKS:.+]] = mul {{.*}}i64
; CHECK:         %[[N:.+]] = mul i64 %{{.*}}, %{{.*}}
; CHECK:         atomicrmw add ptr addrspace(1) %{{.+}}, i64 %[[N]]
define ptx_kernel void @alike(ptr %p, i32 %n) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = add i32 %t, %n
  %a = getelementptr i32, ptr addrspace(3) @tile, i32 %i
  store i32 1, ptr addrspace(3) %a
  ret void
}

define ptx_kernel void @by_index(ptr %p, i32 %n) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %x = add i32 %t, %b
  %c = icmp ult i32 %x, %n
  br i1 %c, label %then, label %exit
then:
  %a = getelementptr i32, ptr addrspace(3) @tile, i32 %t
  store i32 1, ptr addrspace(3) %a
  br label %exit
exit:
  ret void
}

define ptx_kernel void @by_data(ptr %p) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %at = getelementptr i32, ptr %p, i32 %t
  %i = load i32, ptr %at
  %a = getelementptr i32, ptr addrspace(3) @tile, i32 %i
  store i32 1, ptr addrspace(3) %a
  ret void
}

; A loop in which blocks differ ends before the access ...
define ptx_kernel void @after_loop(ptr %p, i32 %n) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  br label %loop
loop:
  %i = phi i32 [ %b, %entry ], [ %next, %loop ]
  store volatile i32 %i, ptr %p
  %next = add i32 %i, 1
  %more = icmp ult i32 %next, %n
  br i1 %more, label %loop, label %exit
exit:
  %a = getelementptr i32, ptr addrspace(3) @tile, i32 %t
  store i32 1, ptr addrspace(3) %a
  ret void
}

; ... or is what it is in.
define ptx_kernel void @in_loop(ptr %p, i32 %n) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %a = getelementptr i32, ptr addrspace(3) @tile, i32 %t
  br label %loop
loop:
  %i = phi i32 [ %b, %entry ], [ %next, %loop ]
  store volatile i32 %i, ptr addrspace(3) %a
  %next = add i32 %i, 1
  %more = icmp ult i32 %next, %n
  br i1 %more, label %loop, label %exit
exit:
  ret void
}
