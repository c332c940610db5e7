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
; CHECK: @__gm_kernel_kept = {{.*}} i32 384,
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

; With two places in a loop, it is left for a copy as it was, once a lane has come to both.
; CHECK-LABEL: define ptx_kernel void @unrolled__gm_objects(
; CHECK: loop:
; CHECK-NEXT: %[[FLAG:.+]] = phi i1 [ false, %entry ], [ %[[KNOWN:.+]], %[[AGAIN:.+]] ]
; CHECK-NEXT: %i = phi i32 [ 0, %entry ], [ %next, %[[AGAIN]] ]
; CHECK: %[[FIRST:.+]] = or i1 %[[FLAG]], %c
; CHECK: %[[BOTH:.+]] = or i1 %[[FIRST]], %d
; CHECK: latch:
; CHECK: br i1 %more, label %[[AGAIN]], label %exit
; CHECK: [[AGAIN]]:
; CHECK-NEXT: %[[LANES:.+]] = call {{.*}}i32 @llvm.nvvm.activemask()
; CHECK-NEXT: %[[ANY:.+]] = call i1 @llvm.nvvm.vote.any.sync(i32 %[[LANES]], i1 %[[BOTH]])
; CHECK-NEXT: %[[KNOWN]] = or i1 %[[BOTH]], %[[ANY]]
; CHECK-NEXT: br i1 %[[ANY]], label %loop.own, label %loop
; CHECK: exit:
; CHECK-NEXT: %[[SET:.+]] = phi i1 [ %[[KNOWN]], %latch.own ], [ %[[BOTH]], %latch ]
; CHECK: select i1 %[[SET]], i64
; CHECK: ret void
; CHECK: loop.own:
; CHECK-NEXT: phi i32 [ %next, %[[AGAIN]] ], [ %{{.*}}, %latch.own ]
; CHECK-NOT: or i1
; CHECK-NOT: activemask
; CHECK: }
define ptx_kernel void @unrolled(ptr %p, ptr %q, i32 %n) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %latch ]
  %a = getelementptr float, ptr %p, i32 %i
  %x = load float, ptr %a
  %c = fcmp ogt float %x, 1.0
  br i1 %c, label %then, label %second
then:
  store float 0.0, ptr %q
  br label %second
second:
  %b = getelementptr float, ptr %a, i32 1
  %y = load float, ptr %b
  %d = fcmp ogt float %y, 1.0
  br i1 %d, label %then2, label %latch
then2:
  store float 1.0, ptr %q
  br label %latch
latch:
  %next = add i32 %i, 2
  %more = icmp slt i32 %next, %n
  br i1 %more, label %loop, label %exit
exit:
  ret void
}

; In another loop, the copy is entered at once if nothing is left.
; CHECK-LABEL: define ptx_kernel void @nested__gm_objects(
; CHECK: outer:
; CHECK: %[[BEFORE:.+]] = phi i1
; CHECK: %[[ALL:.+]] = {{.*}}call {{.*}}i1 @llvm.nvvm.vote.any.sync(i32 %{{.+}}, i1 %[[BEFORE]])
; CHECK-NEXT: br i1 %[[ALL]], label %loop.own, label %loop
; CHECK: loop.own:
; CHECK: phi i32 [ 0, %outer ]
define ptx_kernel void @nested(ptr %p, ptr %q, i32 %n) {
entry:
  br label %outer
outer:
  %k = phi i32 [ 0, %entry ], [ %k2, %outer.latch ]
  br label %loop
loop:
  %i = phi i32 [ 0, %outer ], [ %next, %latch ]
  %j = add i32 %i, %k
  %a = getelementptr float, ptr %p, i32 %j
  %x = load float, ptr %a
  %c = fcmp ogt float %x, 1.0
  br i1 %c, label %then, label %second
then:
  store float 0.0, ptr %q
  br label %second
second:
  %b = getelementptr float, ptr %a, i32 1
  %y = load float, ptr %b
  %d = fcmp ogt float %y, 1.0
  br i1 %d, label %then2, label %latch
then2:
  store float 1.0, ptr %q
  br label %latch
latch:
  %next = add i32 %i, 2
  %more = icmp slt i32 %next, %n
  br i1 %more, label %loop, label %outer.latch
outer.latch:
  %k2 = add i32 %k, 1
  %again = icmp slt i32 %k2, %n
  br i1 %again, label %outer, label %exit
exit:
  ret void
}

; Where lanes wait for each other in the loop, it is not left.
; CHECK-LABEL: define ptx_kernel void @waits__gm_objects(
; CHECK-NOT: activemask
; CHECK: ret void
; CHECK-NEXT: }
define ptx_kernel void @waits(ptr %p, ptr %q, i32 %n) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %latch ]
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %a = getelementptr float, ptr %p, i32 %i
  %x = load float, ptr %a
  %c = fcmp ogt float %x, 1.0
  br i1 %c, label %then, label %second
then:
  store float 0.0, ptr %q
  br label %second
second:
  %d = fcmp ogt float %x, 2.0
  br i1 %d, label %then2, label %latch
then2:
  store float 1.0, ptr %q
  br label %latch
latch:
  %next = add i32 %i, 2
  %more = icmp slt i32 %next, %n
  br i1 %more, label %loop, label %exit
exit:
  ret void
}

; A pointer that gets its value once is kept, and searched where threads leave: by what its
; addresses are offsets from.
; CHECK-LABEL: define ptx_kernel void @kept__gm_objects(
; CHECK-NOT: alloca
; CHECK-NOT: call
; CHECK: loop:
; CHECK-NOT: call
; CHECK: exit:
; CHECK: call i1 @llvm.nvvm.isspacep.global(ptr %q)
; CHECK: ret void
define ptx_kernel void @kept(ptr %p, i32 %n) {
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

; One that gets its value in a loop is searched there; what was found last is in registers.
; CHECK-LABEL: define ptx_kernel void @chase__gm_objects(
; CHECK-NOT: alloca
; CHECK: loop:
; CHECK: phi i64 [ 0, %entry ]
; CHECK: phi i64 [ 0, %entry ]
; CHECK: load ptr, ptr %q
; CHECK: icmp ult i64
; CHECK: call i1 @llvm.nvvm.isspacep.global(ptr
; CHECK: ret void
define ptx_kernel void @chase(ptr %p) {
entry:
  %first = load ptr, ptr %p
  br label %loop
loop:
  %q = phi ptr [ %first, %entry ], [ %next, %loop ]
  %next = load ptr, ptr %q
  %more = icmp ne ptr %next, null
  br i1 %more, label %loop, label %exit
exit:
  ret void
}

; A function gives back what it computed where it notes what it kept.
; CHECK-LABEL: define i32 @function__gm_objects(ptr %p, i1 %c, ptr %{{.+}})
; CHECK: end:
; CHECK: %[[KEPT:.+]] = phi i64 [ %{{.+}}, %then ], [ 0, %{{.+}} ]
; CHECK: %result = phi i32
; CHECK: icmp eq i64 %[[KEPT]], 0
; CHECK: ret i32 %result
define i32 @function(ptr %p, i1 %c) noinline {
  br i1 %c, label %then, label %end
then:
  %q = load ptr, ptr %p
  %x = load i32, ptr %q
  br label %end
end:
  %result = phi i32 [ 0, %0 ], [ %x, %then ]
  ret i32 %result
}
define ptx_kernel void @caller(ptr %p, ptr %r, i1 %c) {
  %x = call i32 @function(ptr %p, i1 %c)
  store i32 %x, ptr %r
  ret void
}
