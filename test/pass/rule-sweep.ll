; Two sweeps that unrolling made of one are counted by one call: steps of one access, and
; twice as many as the loop has iterations. A function that gets shared memory alone is
; called as it is; one that may get global memory has a clone.
; RUN: %opt -passes=gm-instrument,verify -S %s | FileCheck %s

target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

@tile = internal addrspace(3) global [64 x i32] undef, align 4
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()

; CHECK-LABEL: define ptx_kernel void @unrolled__gm_global(
; CHECK:       preheader:
; CHECK:         [[TAKEN:%.+]] = shl {{.*}}i64 %{{.+}}, 1
; CHECK:         [[TRIPS:%.+]] = add {{.*}}i64 [[TAKEN]], 2
; CHECK:         call void @__gm_global_sweep_u8({{.*}}, i32 4, i64 4, i64 [[TRIPS]], i64 1)
; CHECK-NOT:     call void @__gm_global_sweep_u8(
; CHECK:       loop:
define ptx_kernel void @unrolled(ptr %p, ptr %q) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %at = getelementptr i32, ptr %q, i32 %t
  %n = load i32, ptr %at
  %any = icmp sgt i32 %n, 0
  br i1 %any, label %preheader, label %end
preheader:
  br label %loop
loop:
  %i = phi i64 [ 0, %preheader ], [ %next, %loop ]
  %a = getelementptr [2 x i32], ptr %p, i64 %i
  %v = load volatile i32, ptr %a
  %b = getelementptr i32, ptr %a, i64 1
  %w = load volatile i32, ptr %b
  %next = add nuw nsw i64 %i, 1
  %last = trunc i64 %next to i32
  %more = icmp ult i32 %last, %n
  br i1 %more, label %loop, label %exit
exit:
  br label %end
end:
  ret void
}

define i32 @first(ptr %values) noinline {
  %v = load volatile i32, ptr %values
  ret i32 %v
}

; CHECK-LABEL: define ptx_kernel void @calls__gm_global(
; CHECK:         call i32 @first(ptr addrspacecast
; CHECK:         call i32 @first__gm_global_u8_192(ptr
define ptx_kernel void @calls(ptr %p) {
  %s = call i32 @first(ptr addrspacecast (ptr addrspace(3) @tile to ptr))
  %g = call i32 @first(ptr %p)
  ret void
}
