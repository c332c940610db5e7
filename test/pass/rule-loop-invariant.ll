; Accesses whose address stays the same in a loop that they execute in every
; iteration of are counted where the loop is left.
; RUN: %opt -gm-shared-closed-forms=false -passes=gm-instrument,verify -S %s | FileCheck %s

target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

@tile = internal addrspace(3) global [64 x i32] undef, align 4
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()

; The trip count is known when the loop is entered: n times.
; CHECK-LABEL: define ptx_kernel void @trip_count__gm_shared(
; CHECK:       loop:
; CHECK-NOT:     atomicrmw
; CHECK:         br i1 %more, label %loop, label %exit
; CHECK:       exit:
; CHECK:         %[[N:.+]] = {{call i32 @llvm.umax.i32\(i32 %n, i32 1\)|zext i32 %n to i64}}
; CHECK:         atomicrmw add ptr addrspace(3)
; CHECK:         ret void
define ptx_kernel void @trip_count(ptr %p, i32 %n) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %a = getelementptr i32, ptr addrspace(3) @tile, i32 %t
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  store volatile i32 %i, ptr addrspace(3) %a
  %next = add nuw nsw i32 %i, 1
  %more = icmp ult i32 %next, %n
  br i1 %more, label %loop, label %exit
exit:
  ret void
}

; Two exits, one before and one after the access, and no trip count: executions
; are counted in a register, 0 at the preheader and one more after each access,
; and both exits add them.
; CHECK-LABEL: define ptx_kernel void @two_exits__gm_shared(
; CHECK:       head:
; CHECK:         %gm.executions.0 = phi i32 [ 0, %{{.+}} ], [ %[[MORE:.+]], %latch ]
; CHECK:         br i1 %c, label %latch, label %first
; CHECK:       latch:
; CHECK-NOT:     atomicrmw
; CHECK:         %[[MORE]] = add i32 %gm.executions.0, 1
; CHECK-NOT:     atomicrmw
; CHECK:         br i1 %d, label %head, label %second
; CHECK:       first:
; CHECK:         atomicrmw add ptr addrspace(3)
; CHECK:       second:
; CHECK:         atomicrmw add ptr addrspace(3)
define ptx_kernel void @two_exits(ptr %p) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %a = getelementptr i32, ptr addrspace(3) @tile, i32 %t
  br label %head
head:
  %v = load volatile i32, ptr %p
  %c = icmp eq i32 %v, 1
  br i1 %c, label %latch, label %first
latch:
  store volatile i32 3, ptr addrspace(3) %a
  %w = load volatile i32, ptr %p
  %d = icmp eq i32 %w, 2
  br i1 %d, label %head, label %second
first:
  store i32 1, ptr %p
  ret void
second:
  store i32 2, ptr %p
  ret void
}

; Two loops of 5 and 7 iterations: 35, known at compile time, by each thread.
; CHECK-LABEL: define ptx_kernel void @nested__gm_shared(
; CHECK:       inner:
; CHECK-NOT:     atomicrmw
; CHECK:         br i1 %more, label %inner, label %latch
; CHECK:       latch:
; CHECK-NOT:     atomicrmw
; CHECK:         br i1 %again, label %outer, label %exit
; CHECK:       exit:
; CHECK:         atomicrmw add ptr addrspace(3) %{{.+}}, i32 35 monotonic
; CHECK:         ret void
define ptx_kernel void @nested(ptr %p) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %a = getelementptr i32, ptr addrspace(3) @tile, i32 %t
  br label %outer
outer:
  %j = phi i32 [ 0, %entry ], [ %up, %latch ]
  br label %inner
inner:
  %i = phi i32 [ 0, %outer ], [ %next, %inner ]
  store volatile i32 %i, ptr addrspace(3) %a
  %next = add nuw nsw i32 %i, 1
  %more = icmp ult i32 %next, 7
  br i1 %more, label %inner, label %latch
latch:
  %up = add nuw nsw i32 %j, 1
  %again = icmp ult i32 %up, 5
  br i1 %again, label %outer, label %exit
exit:
  ret void
}

; Not in every iteration: counted where it is.
; CHECK-LABEL: define ptx_kernel void @conditional__gm_shared(
; CHECK:       then:
; CHECK:         store volatile i32 3
; CHECK:         atomicrmw add ptr addrspace(3) %{{.+}}, i32 1 monotonic
; CHECK:       exit:
; CHECK:         ret void
define ptx_kernel void @conditional(ptr %p) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %a = getelementptr i32, ptr addrspace(3) @tile, i32 %t
  br label %loop
loop:
  %v = load volatile i32, ptr %p
  %c = icmp eq i32 %v, 1
  br i1 %c, label %then, label %latch
then:
  store volatile i32 3, ptr addrspace(3) %a
  br label %latch
latch:
  %w = load volatile i32, ptr %p
  %d = icmp eq i32 %w, 2
  br i1 %d, label %loop, label %exit
exit:
  ret void
}
