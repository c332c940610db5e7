; Of an access that moves on evenly, but waits for a condition, lanes remember which of 32 iterations make
; it, where all of them leave the loop together.
; RUN: %opt -gm-profile=heat -passes=gm-instrument,verify -S %s | FileCheck %s
; RUN: %opt -gm-profile=heat -gm-heat-loops=false -passes=gm-instrument,verify -S %s | FileCheck %s --check-prefix=OFF

target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare void @mayExit()

; OFF-NOT: call i32 @llvm.fshl.i32(

; Rows of 64 words: 256 bytes from one iteration's to the next one's; and the word that is written, to which
; that is 0. Their block has one mask.
; CHECK-LABEL: define ptx_kernel void @rows__gm_heat(
; CHECK:         store i64 %{{.+}}, ptr %gm.rows
; CHECK:         %[[whole:.+]] = zext i32 %[[full:.+]] to i64
; CHECK-NEXT:    or disjoint i64 %[[whole]], 1099511627776
; CHECK-COUNT-2: store i64 32, ptr
; CHECK:         store i64 %[[whole]], ptr
; CHECK:         call i64 @__gm_heat_next_global_chunk({{.+}}, i32 {{.*}}4, i32 {{.*}}256)
; CHECK:       loop:
; CHECK-NOT:     call {{.+}} @__gm_heat
; CHECK:       then:
; CHECK:         %[[set:.+]] = or i32
; CHECK-NOT:     or i32
; CHECK:       latch:
; CHECK:         %[[mask:.+]] = phi i32 [ %[[set]], %then ], [ %{{.+}}, %loop ]
; CHECK:         call i32 @llvm.fshl.i32(
; CHECK:       exit:
; CHECK:         store i64 %{{.+}}, ptr %gm.rows
; CHECK:         %[[rest:.+]] = zext i32 %[[mask]] to i64
; CHECK-NEXT:    or disjoint i64 %[[rest]], 1099511627776
; CHECK-COUNT-2: store i64 32, ptr
; CHECK:         store i64 %[[rest]], ptr
; CHECK:         call i64 @__gm_heat_next_global_chunk({{.+}}, i32 {{.*}}4, i32 {{.*}}256)
; CHECK:       gm.plain:
define ptx_kernel void @rows(ptr noalias readonly %flags, ptr noalias readonly %p, ptr noalias %q, i32 %n) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %latch ]
  %of = zext i32 %i to i64
  %f = getelementptr i32, ptr %flags, i64 %of
  %flag = load i32, ptr %f
  %is = icmp eq i32 %flag, 1
  br i1 %is, label %then, label %latch
then:
  %row = shl nsw i32 %i, 6
  %index = add nsw i32 %row, %t
  %wide = sext i32 %index to i64
  %a = getelementptr i32, ptr %p, i64 %wide
  %v = load i32, ptr %a
  store i32 %v, ptr %q
  br label %latch
latch:
  %next = add nsw i32 %i, 1
  %more = icmp slt i32 %next, %n
  br i1 %more, label %loop, label %exit
exit:
  ret void
}

; Down, three words at a time, from the thread's number on.
; CHECK-LABEL: define ptx_kernel void @down__gm_heat(
; CHECK:         or disjoint i64 %{{.+}}, -51539607552
; CHECK:         store i64 32, ptr
; CHECK:         call i32 @llvm.fshl.i32(
; CHECK:       gm.plain:
define ptx_kernel void @down(ptr noalias readonly %flags, ptr noalias readonly %p, ptr noalias %q, i32 %n) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %latch ]
  %of = zext i32 %i to i64
  %f = getelementptr i32, ptr %flags, i64 %of
  %flag = load i32, ptr %f
  %is = icmp eq i32 %flag, 1
  br i1 %is, label %then, label %latch
then:
  %three = mul nsw i32 %i, 3
  %index = sub nsw i32 %t, %three
  %wide = sext i32 %index to i64
  %a = getelementptr i32, ptr %p, i64 %wide
  %v = load i32, ptr %a
  store i32 %v, ptr %q
  br label %latch
latch:
  %next = add nsw i32 %i, 1
  %more = icmp slt i32 %next, %n
  br i1 %more, label %loop, label %exit
exit:
  ret void
}

; An extended sum of which only its unsigned marks tell that it does not overflow.
; CHECK-LABEL: define ptx_kernel void @notNegative__gm_heat(
; CHECK:         or disjoint i64 %{{.+}}, 34359738368
; CHECK:         store i64 32, ptr
; CHECK:         call i32 @llvm.fshl.i32(
; CHECK:       gm.plain:
define ptx_kernel void @notNegative(ptr noalias readonly %flags, ptr noalias readonly %p, ptr noalias %q, i32 %n) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %latch ]
  %of = zext i32 %i to i64
  %f = getelementptr i32, ptr %flags, i64 %of
  %flag = load i32, ptr %f
  %is = icmp eq i32 %flag, 1
  br i1 %is, label %then, label %latch
then:
  %two = shl nuw i32 %i, 1
  %index = or disjoint i32 %two, 1
  %wide = zext i32 %index to i64
  %a = getelementptr i32, ptr %p, i64 %wide
  %v = load i32, ptr %a
  store i32 %v, ptr %q
  br label %latch
latch:
  %next = add nuw nsw i32 %i, 1
  %more = icmp slt i32 %next, %n
  br i1 %more, label %loop, label %exit
exit:
  ret void
}

; A sum that may overflow: what is read is anywhere; only what is written is at one place.
; CHECK-LABEL: define ptx_kernel void @mayOverflow__gm_heat(
; CHECK-NOT:     , 1099511627776
; CHECK:         store i64 32, ptr
; CHECK:         call i64 @__gm_heat_next_global_chunk(
; CHECK:         call i32 @llvm.fshl.i32(
; CHECK-NOT:     , 1099511627776
; CHECK:       gm.plain:
define ptx_kernel void @mayOverflow(ptr noalias readonly %flags, ptr noalias readonly %p, ptr noalias %q, i32 %n) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %latch ]
  %of = zext i32 %i to i64
  %f = getelementptr i32, ptr %flags, i64 %of
  %flag = load i32, ptr %f
  %is = icmp eq i32 %flag, 1
  br i1 %is, label %then, label %latch
then:
  %row = shl i32 %i, 6
  %index = add nsw i32 %row, %t
  %wide = sext i32 %index to i64
  %a = getelementptr i32, ptr %p, i64 %wide
  %v = load i32, ptr %a
  store i32 %v, ptr %q
  br label %latch
latch:
  %next = add nsw i32 %i, 1
  %more = icmp slt i32 %next, %n
  br i1 %more, label %loop, label %exit
exit:
  ret void
}

; Lanes that leave the loop apart do not make its iterations together.
; CHECK-LABEL: define ptx_kernel void @apart__gm_heat(
; CHECK-NOT:     call i32 @llvm.fshl.i32(
; CHECK:       gm.plain:
define ptx_kernel void @apart(ptr noalias readonly %flags, ptr noalias readonly %p, ptr noalias %q, i32 %n) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %latch ]
  %of = zext i32 %i to i64
  %f = getelementptr i32, ptr %flags, i64 %of
  %flag = load i32, ptr %f
  %is = icmp eq i32 %flag, 1
  br i1 %is, label %then, label %latch
then:
  %row = shl nsw i32 %i, 6
  %index = add nsw i32 %row, %t
  %wide = sext i32 %index to i64
  %a = getelementptr i32, ptr %p, i64 %wide
  %v = load i32, ptr %a
  store i32 %v, ptr %q
  br label %latch
latch:
  %next = add nsw i32 %i, 1
  %more = icmp slt i32 %next, %t
  br i1 %more, label %loop, label %exit
exit:
  ret void
}

; A lane that ends in the loop would leave nothing.
; CHECK-LABEL: define ptx_kernel void @left__gm_heat(
; CHECK-NOT:     call i32 @llvm.fshl.i32(
; CHECK:       gm.plain:
define ptx_kernel void @left(ptr noalias readonly %flags, ptr noalias readonly %p, ptr noalias %q, i32 %n) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %latch ]
  %of = zext i32 %i to i64
  %f = getelementptr i32, ptr %flags, i64 %of
  %flag = load i32, ptr %f
  %is = icmp eq i32 %flag, 1
  br i1 %is, label %then, label %latch
then:
  %row = shl nsw i32 %i, 6
  %index = add nsw i32 %row, %t
  %wide = sext i32 %index to i64
  %a = getelementptr i32, ptr %p, i64 %wide
  %v = load i32, ptr %a
  store i32 %v, ptr %q
  call void @mayExit()
  br label %latch
latch:
  %next = add nsw i32 %i, 1
  %more = icmp slt i32 %next, %n
  br i1 %more, label %loop, label %exit
exit:
  ret void
}
