; Length, predicate and stride must not change in the loop either.
; RUN: %opt -passes='print<gm-accesses>' -disable-output %s | FileCheck %s

target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

@s = addrspace(3) global [64 x i32] undef, align 4

; CHECK-LABEL: accesses of k: 5{{$}}
; CHECK-NEXT: - copy-to shared ? s {{.*}} loops=[%loop@1] static
; CHECK-NEXT: - copy-to shared ? s {{.*}} loops=[] (the length or predicate changes in the loop) static
; CHECK-NEXT: - store shared 4 s predicate=nonzero {{.*}} loops=[%loop@1] static
; CHECK-NEXT: - store shared 4 s predicate=nonzero {{.*}} loops=[] (the length or predicate changes in the loop) static
; CHECK-NEXT: - matrix-read {{.*}} loops=[] (the length or predicate changes in the loop) static
define ptx_kernel void @k(i32 %0) {
entry:
  %a = ptrtoint ptr addrspace(3) @s to i32
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %j, %loop ]
  call void @llvm.memset.p3.i32(ptr addrspace(3) @s, i8 0, i32 %0, i1 false)
  call void @llvm.memset.p3.i32(ptr addrspace(3) @s, i8 0, i32 %i, i1 false)
  call void asm sideeffect "{.reg .pred p; setp.ne.u32 p, $1, 0; @p st.shared.u32 [$0], $1;}", "r,r"(i32 %a, i32 %0)
  call void asm sideeffect "{.reg .pred p; setp.ne.u32 p, $1, 0; @p st.shared.u32 [$0], $1;}", "r,r"(i32 %a, i32 %i)
  %m = call {double, double} @llvm.nvvm.wmma.m8n8k4.load.c.row.stride.f64.p3(ptr addrspace(3) @s, i32 %i)
  %j = add i32 %i, 1
  %more = icmp slt i32 %j, %0
  br i1 %more, label %loop, label %end
end:
  ret void
}

declare void @llvm.memset.p3.i32(ptr addrspace(3), i8, i32, i1)
declare {double, double} @llvm.nvvm.wmma.m8n8k4.load.c.row.stride.f64.p3(ptr addrspace(3), i32)
