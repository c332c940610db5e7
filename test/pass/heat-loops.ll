; Where data say from where and how often a loop reads, but it moves on evenly, its accesses are noted
; in front of it, by their first address, their number and their distance. What its last
; iteration leaves out is not counted. Accesses that are taken apart, or move on by something that is not
; constant, are noted where they are made.
; RUN: %opt -gm-profile=heat -passes=gm-instrument,verify -S %s | FileCheck %s
; RUN: %opt -gm-profile=heat -gm-heat-loops=false -passes=gm-instrument,verify -S %s | FileCheck %s --check-prefix=OFF
; RUN: %opt -gm-profile=heat -gm-level=basic -passes=gm-instrument,verify -S %s | FileCheck %s --check-prefix=OFF

target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

@place = addrspace(1) global i64 0

; Site 1, a read of 4 bytes (2 << 24), 33554433: from %p + 4 * %from on, %n times, 12 bytes further each
; time.
; CHECK-LABEL: define ptx_kernel void @even__gm_heat(
; CHECK:       preheader:
; CHECK:         or disjoint i64 %{{.+}}, 1297036696977670144
; CHECK-COUNT-3: store i64 %{{.+}}, ptr
; CHECK:         store i64 55834574847, ptr
; CHECK:         call i64 @__gm_heat_next_global_chunk({{.+}}, i32 {{.*}}2, i32 {{.*}}256)
; CHECK:       loop:
; CHECK-NOT:     call i64 @__gm_heat
; CHECK:         br i1 %more, label %loop, label %exit
; OFF-NOT:     1297036696977670144
define ptx_kernel void @even(ptr %p) {
entry:
  %from = load i64, ptr %p
  br label %preheader
preheader:
  br label %loop
loop:
  %i = phi i64 [ %from, %preheader ], [ %next, %loop ]
  %a = getelementptr [3 x i32], ptr %p, i64 %i
  %v = load volatile i32, ptr %a
  %next = add nsw i64 %i, 1
  %more = icmp slt i64 %next, 100
  br i1 %more, label %loop, label %exit
exit:
  ret void
}

; What data say of a loop that comes next is known behind the access of these data, where that is noted, too.
; CHECK-LABEL: define ptx_kernel void @behind__gm_heat(
; CHECK:         %n = load i64
; CHECK:         or disjoint i64 %{{.+}}, 216172786408751104
; CHECK:         or disjoint i64 %{{.+}}, 1297036701272637440
; CHECK:         call i64 @__gm_heat_next_global_chunk({{.+}}, i32 {{.*}}3, i32 {{.*}}256)
; CHECK:       loop:
; CHECK-NOT:     call {{.+}} @__gm_heat
; CHECK:       gm.plain:
define ptx_kernel void @behind(ptr %p) {
entry:
  %at = load i64, ptr addrspacecast (ptr addrspace(1) @place to ptr)
  %of = getelementptr i64, ptr %p, i64 %at
  %n = load i64, ptr %of
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %a = getelementptr [3 x i32], ptr %p, i64 %i
  %v = load volatile i32, ptr %a
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %exit
exit:
  ret void
}

; 8 bytes that are aligned to 4 are two accesses; a list's next node is anywhere.
; CHECK-LABEL: define ptx_kernel void @uneven__gm_heat(
; CHECK-NOT:     call void @__gm_heat_share_chunk(
; CHECK:         ret void
define ptx_kernel void @uneven(ptr %p) {
entry:
  %n = load i64, ptr %p
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %node = phi ptr [ %p, %entry ], [ %following, %loop ]
  %a = getelementptr i64, ptr %p, i64 %i
  %v = load volatile i64, ptr %a, align 4
  %following = load volatile ptr, ptr %node
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %exit
exit:
  ret void
}

; Sites 1, 3 and 5 read words, 0, 2 and 4 bytes: two runs of three with 4 and 2 bytes between, and 2
; between the numbers of their sites: 3 + (2 << 48) = 562949953421315. What is behind a call that may
; not come back is by itself.
; CHECK-LABEL: define ptx_kernel void @unrolled__gm_heat(
; CHECK:         %b2 = load volatile i32
; CHECK:         store i64 562949953421315, ptr
; CHECK:         store i64 12884901887, ptr
; CHECK:         store i64 562949953421315, ptr
; CHECK:         store i64 21474836479, ptr
; CHECK:         call i64 @__gm_heat_next_global_chunk({{.+}}, i32 {{.*}}4, i32 {{.*}}256)
; CHECK:         call void @mayExit__gm_heat(
; CHECK:         call i64 @__gm_heat_next_global_chunk(
; CHECK:       gm.plain:
declare void @mayExit()
define ptx_kernel void @unrolled(ptr %p, ptr %q) {
  %at = load i64, ptr addrspacecast (ptr addrspace(1) @place to ptr)
  %a = getelementptr i8, ptr %p, i64 %at
  %b = getelementptr i8, ptr %q, i64 %at
  %a0 = load volatile i8, ptr %a
  %b0 = load volatile i32, ptr %b
  %a.1 = getelementptr i8, ptr %a, i64 2
  %b.1 = getelementptr i8, ptr %b, i64 4
  %a1 = load volatile i8, ptr %a.1
  %b1 = load volatile i32, ptr %b.1
  %a.2 = getelementptr i8, ptr %a, i64 4
  %b.2 = getelementptr i8, ptr %b, i64 8
  %a2 = load volatile i8, ptr %a.2
  %b2 = load volatile i32, ptr %b.2
  call void @mayExit()
  %a.3 = getelementptr i8, ptr %a, i64 6
  %a3 = load volatile i8, ptr %a.3
  ret void
}

; A small loop that counts is unrolled, so that ptxas has its loads under way together: four times, since
; no more than eight requests are left together. What is left over is a loop of its own.
; CHECK-LABEL: define ptx_kernel void @gathers__gm_heat(
; CHECK:       loop:
; CHECK:         %v = load i32, ptr addrspace(1) %a
; CHECK-NOT:     call {{.+}} @__gm_heat
; CHECK:         %v.1 = load i32
; CHECK-NOT:     call {{.+}} @__gm_heat
; CHECK:         %v.2 = load i32
; CHECK-NOT:     call {{.+}} @__gm_heat
; CHECK:         %v.3 = load i32
; CHECK:         call i64 @__gm_heat_next_global_chunk({{.+}}, i32 {{.*}}4, i32 {{.*}}256)
; CHECK-NOT:     call {{.+}} @__gm_heat
; CHECK:       loop.epil:
; CHECK:         call i64 @__gm_heat_next_global_chunk({{.+}}, i32 {{.*}}1, i32 {{.*}}256)
; CHECK-NOT:     call {{.+}} @__gm_heat
; CHECK:       gm.plain:
define ptx_kernel void @gathers(ptr %p, ptr %q) {
entry:
  %n = load i64, ptr addrspacecast (ptr addrspace(1) @place to ptr)
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %sum = phi i32 [ 0, %entry ], [ %more.sum, %loop ]
  %o = getelementptr i64, ptr %p, i64 %i
  %at = load i64, ptr %o
  %a = getelementptr i32, ptr %q, i64 %at
  %v = load i32, ptr %a
  %more.sum = add i32 %sum, %v
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %exit
exit:
  store i32 %more.sum, ptr addrspacecast (ptr addrspace(1) @place to ptr)
  ret void
}
