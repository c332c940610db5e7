; All that a module had is there afterwards, byte for byte: nothing but additions.
; RUN: opt -S %s -o %t.before
; RUN: %opt -passes=gm-instrument -S %s -o %t.after
; RUN: llvm-extract -S -func=k -func=helper %t.before -o %t.k.before
; RUN: llvm-extract -S -func=k -func=helper %t.after -o %t.k.after
; RUN: grep -v -e '^!' -e '^$' -e ModuleID %t.k.before > %t.1
; RUN: grep -v -e '^!' -e '^$' -e ModuleID %t.k.after > %t.2
; RUN: diff %t.1 %t.2

target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()

@tile = internal addrspace(3) global [64 x i32] undef, align 4

define ptx_kernel void @k(ptr %p) #0 {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %at = getelementptr i32, ptr %p, i32 %t
  %i = load i32, ptr %at
  br label %loop
loop:
  %n = phi i32 [ 0, %entry ], [ %next, %loop ]
  %a = getelementptr i32, ptr addrspace(3) @tile, i32 %i
  store i32 %n, ptr addrspace(3) %a
  %g = addrspacecast ptr addrspace(3) %a to ptr
  call void @helper(ptr %g)
  %next = add i32 %n, 1
  %more = icmp ult i32 %next, %i
  br i1 %more, label %loop, label %exit
exit:
  ret void
}

define internal void @helper(ptr %p) #1 {
  store i32 1, ptr %p
  ret void
}

attributes #0 = { norecurse nounwind "target-cpu"="sm_90" }
attributes #1 = { noinline nosync nounwind memory(argmem: write) "target-cpu"="sm_90" }
