; A call that may end the thread would lose what is counted behind the loop.
; Barriers, printf and functions that are known to return do no harm.
; RUN: %opt -passes='print<gm-accesses>' -disable-output %s | FileCheck %s

target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

@s = addrspace(3) global [64 x i32] undef, align 4

; CHECK-LABEL: accesses of known: 1{{$}}
; CHECK-NEXT: - load shared 4 s {{.*}} loops=[%loop@1] static
define ptx_kernel void @known(i32 %0) {
entry:
  %out = getelementptr i32, ptr addrspace(3) @s, i32 %0
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %j, %loop ]
  %a = load i32, ptr addrspace(3) %out
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  call void @here()
  %r = call i32 @vprintf(ptr null, ptr null)
  call void asm sideeffect "nanosleep.u32 10;", ""()
  %j = add i32 %i, 1
  %more = icmp slt i32 %j, %0
  br i1 %more, label %loop, label %end
end:
  ret void
}

; CHECK-LABEL: accesses of unknown: 1, opaque: 1{{$}}
; CHECK-NEXT: - load shared 4 s {{.*}} loops=[] (the loop has an opaque call) static
define ptx_kernel void @unknown(i32 %0, ptr %1) {
entry:
  %out = getelementptr i32, ptr addrspace(3) @s, i32 %0
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %j, %loop ]
  %a = load i32, ptr addrspace(3) %out
  call void %1()
  %j = add i32 %i, 1
  %more = icmp slt i32 %j, %0
  br i1 %more, label %loop, label %end
end:
  ret void
}

; CHECK-LABEL: accesses of exits: 1{{$}}
; CHECK-NEXT: - load shared 4 s {{.*}} loops=[] (the loop has an opaque call) static
define ptx_kernel void @exits(i32 %0, ptr %1) {
entry:
  %out = getelementptr i32, ptr addrspace(3) @s, i32 %0
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %j, %loop ]
  %a = load i32, ptr addrspace(3) %out
  call void asm sideeffect "@%p exit;", ""()
  %j = add i32 %i, 1
  %more = icmp slt i32 %j, %0
  br i1 %more, label %loop, label %end
end:
  ret void
}

define internal void @here() noinline {
  call void @there()
  ret void
}

define internal void @there() noinline {
  ret void
}

declare i32 @vprintf(ptr, ptr)
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)
