; A cycle with two entries, one of which threads choose differently.
; RUN: %opt -passes='print<gm-accesses>' -disable-output %s | FileCheck %s

target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

@s = addrspace(3) global [64 x i32] undef, align 4

; CHECK-LABEL: accesses of k: 3{{$}}
; CHECK-DAG: - store shared 4 s{{.*}} tid-invariant=yes uniform=no ({{[^)]*}}) loops=[] static=no
; CHECK-DAG: - store shared 4 s tid-invariant=no ({{.*}}) uniform=no ({{[^)]*}}) loops=[] static=no
; CHECK-DAG: - store shared 4 s+8 tid-invariant=yes uniform=yes loops=[] static=1
define ptx_kernel void @k(i32 %0) {
entry:
  %tx = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %c = icmp slt i32 %tx, %0
  br i1 %c, label %a, label %b
a:
  %i = phi i32 [ 0, %entry ], [ %j, %b ]
  store i32 1, ptr addrspace(3) @s
  %i1 = add i32 %i, 1
  br label %b
b:
  %j = phi i32 [ 5, %entry ], [ %i1, %a ]
  %p = getelementptr i32, ptr addrspace(3) @s, i32 %j
  store i32 2, ptr addrspace(3) %p
  %d = icmp slt i32 %j, %0
  br i1 %d, label %a, label %end
end:
  store i32 3, ptr addrspace(3) getelementptr (i32, ptr addrspace(3) @s, i32 2)
  ret void
}

; With a uniform entry it is still no loop that could be counted as one.
; CHECK-LABEL: accesses of uniform: 2{{$}}
; CHECK-DAG: - store shared 4 s tid-invariant=yes uniform=yes loops=[] static=no (irreducible control flow)
; CHECK-DAG: - store shared 4 s tid-invariant=yes uniform=yes loops=[] static=no (irreducible control flow)
define ptx_kernel void @uniform(i32 %0, i1 %1) {
entry:
  br i1 %1, label %a, label %b
a:
  %i = phi i32 [ 0, %entry ], [ %j, %b ]
  store i32 1, ptr addrspace(3) @s
  %i1 = add i32 %i, 1
  br label %b
b:
  %j = phi i32 [ 5, %entry ], [ %i1, %a ]
  store i32 2, ptr addrspace(3) @s
  %d = icmp slt i32 %j, %0
  br i1 %d, label %a, label %end
end:
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
