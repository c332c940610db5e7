; Spaces are joined over selects and phis: equal ones stay, different ones are
; generic. Two variables in one space are no variable. Null and undef have no say.
; RUN: %opt -passes='print<gm-accesses>' -disable-output %s | FileCheck %s

target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

@s = addrspace(3) global [64 x i32] undef, align 4
@t = addrspace(3) global [64 x i32] undef, align 4

; CHECK-LABEL: accesses of selects: 4{{$}}
; CHECK-NEXT: - load shared 4 - tid
; CHECK-NEXT: - load generic 4 - tid
; CHECK-NEXT: - load shared 4 s tid
; CHECK-NEXT: - load shared 4 s tid
define ptx_kernel void @selects(ptr %0, i1 %1) {
  %s = addrspacecast ptr addrspace(3) @s to ptr
  %t = addrspacecast ptr addrspace(3) @t to ptr
  %pa = select i1 %1, ptr %s, ptr %t
  %a = load i32, ptr %pa
  %pb = select i1 %1, ptr %s, ptr %0
  %b = load i32, ptr %pb
  %pc = select i1 %1, ptr %s, ptr null
  %c = load i32, ptr %pc
  %n = getelementptr i32, ptr %s, i64 5
  %pd = select i1 %1, ptr %s, ptr %n
  %d = load i32, ptr %pd
  ret void
}

; A pointer that walks through an array, and double buffering.
; CHECK-LABEL: accesses of phis: 3{{$}}
; CHECK-NEXT: - load shared 4 s tid
; CHECK-NEXT: - load shared 4 - tid
; CHECK-NEXT: - store shared 4 - tid
define ptx_kernel void @phis(i32 %0) {
entry:
  %s = addrspacecast ptr addrspace(3) @s to ptr
  %t = addrspacecast ptr addrspace(3) @t to ptr
  br label %loop
loop:
  %p = phi ptr [ %s, %entry ], [ %q, %loop ]
  %front = phi ptr [ %s, %entry ], [ %back, %loop ]
  %back = phi ptr [ %t, %entry ], [ %front, %loop ]
  %i = phi i32 [ 0, %entry ], [ %j, %loop ]
  %a = load i32, ptr %p
  %b = load i32, ptr %front
  store i32 %b, ptr %back
  %q = getelementptr i32, ptr %p, i64 1
  %j = add i32 %i, 1
  %c = icmp slt i32 %j, %0
  br i1 %c, label %loop, label %end
end:
  ret void
}
