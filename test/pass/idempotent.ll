; A second run, as in a device link that runs the pipeline again, changes nothing.
; RUN: %opt -passes=gm-instrument -S %s -o %t.once
; RUN: %opt -passes=gm-instrument -S %t.once -o %t.twice
; RUN: %opt -passes=gm-instrument,gm-instrument -S %s -o %t.both
; RUN: opt -S %t.once | grep -v ModuleID > %t.1
; RUN: grep -v ModuleID %t.twice > %t.2
; RUN: opt -S %t.both | grep -v ModuleID > %t.3
; RUN: diff %t.1 %t.2
; RUN: diff %t.1 %t.3
; RUN: FileCheck %s < %t.twice

target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()

@tile = internal addrspace(3) global [64 x i32] undef, align 4

; CHECK: define ptx_kernel void @k__gm_shared(
; CHECK-NOT: __gm_shared__gm_shared
; CHECK: !{i32 7, !"gmprof", i32 21}
define ptx_kernel void @k(ptr %p) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %at = getelementptr i32, ptr %p, i32 %t
  %i = load i32, ptr %at
  %a = getelementptr i32, ptr addrspace(3) @tile, i32 %i
  store i32 1, ptr addrspace(3) %a
  ret void
}
