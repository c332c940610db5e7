; What K__gm_objects does in the places that static analysis says (print<gm-touches>).
; RUN: %opt -gm-profile=objects -passes=gm-instrument,verify -S %s | FileCheck %s
; RUN: %opt -gm-profile=global -passes=gm-instrument,verify -S %s | FileCheck %s --check-prefix=NONE

; Without that profile nothing is added, but the touches are there.
; NONE: @__gm_kernel_branch = {{.*}} [{ i32, i32, i32, i32, i32, i32 } { i32 0, i32 3, i32 0, i32 0,
; NONE-NOT: __gm_objects

target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)
declare void @llvm.nvvm.exit()

; Nothing to note.
; CHECK: @__gm_kernel_plain = {{.*}} i32 128,
; CHECK-SAME: [{ i32, i32, i32, i32, i32, i32 } { i32 0, i32 1, i32 0, i32 0, i32 0, i32 0 }]
; Reads and writes (3), always (0); a write (2) of the second variable, by flag (2) number 2.
; CHECK: @__gm_kernel_branch = {{.*}} i32 384,
; CHECK-SAME: { i32 0, i32 3, i32 0, i32 0, i32 0, i32 0 }
; CHECK-SAME: { i32 1, i32 2, i32 2, i32 2, i32 0, i32 0 }
; The object is searched (3).
; CHECK: @__gm_kernel_chase = {{.*}} i32 384,
; CHECK-SAME: { i32 -1, i32 2, i32 3, i32 0, i32 0, i32 0 }

; CHECK-NOT: @plain__gm_objects
define ptx_kernel void @plain(ptr %p) {
  %x = load volatile float, ptr %p
  ret void
}

; The flag is a register; hits of eight flags are looked at together, once, at the end.
; CHECK-LABEL: define ptx_kernel void @branch__gm_objects(
; CHECK-SAME: ptr noundef byval(%struct.GmprofObjectsLaunch) align 8 "nvvm.grid_constant" %gm.launch)
; CHECK: end:
; CHECK-NEXT: %[[NOT:.+]] = phi i64 [ -65537, %then ], [ -1, %0 ]
; CHECK: %[[SEEN:.+]] = load i64, ptr addrspace(1)
; CHECK: or i64 %[[NOT]], %[[SEEN]]
; CHECK: store i8 1, ptr addrspace(1)
; CHECK: ret void
define ptx_kernel void @branch(ptr %p, ptr %q) {
  %x = load float, ptr %p
  %c = fcmp ogt float %x, 1.0
  br i1 %c, label %then, label %end
then:
  store float 0.0, ptr %q
  br label %end
end:
  store float 1.0, ptr %p
  ret void
}

; Who leaves early has a return of its own: the others may wait for them to be gone.
; CHECK-LABEL: define ptx_kernel void @early__gm_objects(
; CHECK: br i1 %c, label %[[LEAVE:.+]], label %stay
; CHECK: stay:
; CHECK: call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
; CHECK: {{^}}[[LEAVE]]:
; CHECK-NEXT: ret void
; CHECK: end:
; CHECK: load i64, ptr addrspace(1)
; CHECK: ret void
define ptx_kernel void @early(ptr %p, ptr %q) {
  %x = load float, ptr %p
  %c = fcmp ogt float %x, 1.0
  br i1 %c, label %end, label %stay
stay:
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  store float 0.0, ptr %q
  br label %end
end:
  ret void
}

; Threads may end elsewhere: the hit is set before.
; CHECK-LABEL: define ptx_kernel void @exits__gm_objects(
; CHECK: then:
; CHECK: load i64, ptr addrspace(1)
; CHECK: store i8 1, ptr addrspace(1)
; CHECK: store float 0.000000e+00, ptr addrspace(1)
; CHECK: call void @llvm.nvvm.exit()
define ptx_kernel void @exits(ptr %p, ptr %q) {
  %x = load float, ptr %p
  %c = fcmp ogt float %x, 1.0
  br i1 %c, label %then, label %end
then:
  store float 0.0, ptr %q
  call void @llvm.nvvm.exit()
  br label %end
end:
  ret void
}

; In a loop, the flag is the sum of the conditions, and the block is as it was.
; CHECK-LABEL: define ptx_kernel void @loop__gm_objects(
; CHECK: loop:
; CHECK: %[[FLAG:.+]] = phi i1 [ false, %entry ], [ %[[NEXT:.+]], %latch ]
; CHECK: %[[NEXT]] = or i1 %[[FLAG]], %c
; CHECK-NEXT: br i1 %c, label %then, label %latch
; CHECK: then:
; CHECK-NEXT: store float
; CHECK-NEXT: br label %latch
; CHECK: exit:
; CHECK: select i1 %[[NEXT]], i64
define ptx_kernel void @loop(ptr %p, ptr %q, i32 %n) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %latch ]
  %a = getelementptr float, ptr %p, i32 %i
  %x = load float, ptr %a
  %c = fcmp ogt float %x, 1.0
  br i1 %c, label %then, label %latch
then:
  store float 0.0, ptr %q
  br label %latch
latch:
  %next = add i32 %i, 1
  %more = icmp slt i32 %next, %n
  br i1 %more, label %loop, label %exit
exit:
  ret void
}

; Once, in front of the loop, by what its addresses are offsets from; what was found last is
; in registers.
; CHECK-LABEL: define ptx_kernel void @chase__gm_objects(
; CHECK-NOT: alloca
; CHECK: call i1 @llvm.nvvm.isspacep.global(ptr %q)
; CHECK: call i32 @__gm_range_of(
; CHECK: loop:
; CHECK-NOT: call
; CHECK: ret void
define ptx_kernel void @chase(ptr %p, i32 %n) {
entry:
  %q = load ptr, ptr %p
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %a = getelementptr float, ptr %q, i32 %i
  store float 0.0, ptr %a
  %next = add i32 %i, 1
  %more = icmp slt i32 %next, %n
  br i1 %more, label %loop, label %exit
exit:
  ret void
}
