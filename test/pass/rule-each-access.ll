; An access about which nothing is known is counted by each thread, with the
; hook inlined: index, clamp, add. The kernel itself stays.
; RUN: %opt -passes=gm-instrument,verify -gm-verify -S %s | FileCheck %s
; RUN: %opt -passes=gm-instrument -gm-counter-bits=8 -S %s | FileCheck %s --check-prefix=PLAIN

target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()

@tile = internal addrspace(3) global [64 x i32] undef, align 4

; CHECK-LABEL: define ptx_kernel void @k(ptr %p)
; CHECK:         %i = load i32, ptr %at
; CHECK-NEXT:    %a = getelementptr i32, ptr addrspace(3) @tile, i32 %i
; CHECK-NEXT:    store i32 1, ptr addrspace(3) %a
; CHECK-NEXT:    ret void

; CHECK-LABEL: define ptx_kernel void @k__gm_shared(
; CHECK-SAME:    ptr %p, ptr noundef byval(%struct.GmprofSharedLaunch) align 8 "nvvm.grid_constant" %gm.launch)
; CHECK:         store i32 1, ptr addrspace(3) %a
; CHECK-NEXT:    %[[Q:.+]] = ptrtoint ptr addrspace(3) %a to i64
; CHECK-NEXT:    %[[P:.+]] = trunc i64 %[[Q]] to i32
; CHECK-NEXT:    %[[D:.+]] = sub i32 %[[P]], %gm.first
; CHECK-NEXT:    %[[W:.+]] = lshr exact i32 %[[D]], 2
; CHECK-NEXT:    %[[M:.+]] = call {{.*}}i32 @llvm.umin.i32(i32 %[[W]], i32 %[[WORDS:.+]])
; CHECK-NEXT:    %[[S:.+]] = shl {{.*}}i32 %[[M]], 2
; CHECK-NEXT:    %[[C:.+]] = add i32 %[[S]], %gm.base
; CHECK-NEXT:    %[[R:.+]] = zext i32 %[[C]] to i64
; CHECK-NEXT:    %[[Q:.+]] = inttoptr i64 %[[R]] to ptr addrspace(3)
; CHECK-NEXT:    atomicrmw add ptr addrspace(3) %{{.+}}, i32 1 monotonic

; PLAIN-LABEL: define ptx_kernel void @k__gm_shared(
; PLAIN:         store i32 1, ptr addrspace(3) %a
; PLAIN:         %[[OLD:.+]] = load i8, ptr addrspace(3) %[[Q:.+]], align 1
; PLAIN-NEXT:    %[[FULL:.+]] = icmp eq i8 %[[OLD]], -1
; PLAIN-NEXT:    br i1 %[[FULL]]
; PLAIN:         %[[NEW:.+]] = add {{.*}}i8 %[[OLD]], 1
; PLAIN-NEXT:    store i8 %[[NEW]], ptr addrspace(3) %[[Q]], align 1
define ptx_kernel void @k(ptr %p) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %at = getelementptr i32, ptr %p, i32 %t
  %i = load i32, ptr %at
  %a = getelementptr i32, ptr addrspace(3) @tile, i32 %i
  store i32 1, ptr addrspace(3) %a
  ret void
}
