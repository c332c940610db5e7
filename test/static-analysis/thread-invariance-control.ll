; Values that differ because threads came different ways, or left a loop at
; different iterations.
; RUN: %opt -passes='print<gm-accesses>' -disable-output %s | FileCheck %s

target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

@s = addrspace(3) global [64 x i32] undef, align 4

; CHECK-LABEL: accesses of phi: 2{{$}}
; CHECK-NEXT: - store shared 4 s tid-invariant=no (depends on which way threads came, and they may differ)
; CHECK-NEXT: - store shared 4 s tid-invariant=yes
define ptx_kernel void @phi(i1 %0) {
entry:
  %tx = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %odd = trunc i32 %tx to i1
  br i1 %odd, label %a, label %b
a:
  br label %b
b:
  %x = phi i32 [ 0, %entry ], [ 1, %a ]
  %p = getelementptr i32, ptr addrspace(3) @s, i32 %x
  store i32 0, ptr addrspace(3) %p
  br i1 %0, label %c, label %d
c:
  br label %d
d:
  %y = phi i32 [ 0, %b ], [ 1, %c ]
  %q = getelementptr i32, ptr addrspace(3) @s, i32 %y
  store i32 0, ptr addrspace(3) %q
  ret void
}

; In the loop %i is the same in the same iteration; behind it, it differs.
; CHECK-LABEL: accesses of temporal: 3{{$}}
; CHECK-NEXT: - store shared 4 s tid-invariant=yes uniform=no (in a loop that threads leave at different iterations)
; CHECK-NEXT: - store shared 4 s tid-invariant=no (depends on a value that leaves a loop at different iterations) uniform=yes
; CHECK-NEXT: - store shared 4 s+12 tid-invariant=yes uniform=yes
define ptx_kernel void @temporal() {
entry:
  %tx = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %j, %loop ]
  %p = getelementptr i32, ptr addrspace(3) @s, i32 %i
  store i32 0, ptr addrspace(3) %p
  %j = add i32 %i, 1
  %c = icmp slt i32 %j, %tx
  br i1 %c, label %loop, label %end
end:
  %q = getelementptr i32, ptr addrspace(3) @s, i32 %i
  store i32 0, ptr addrspace(3) %q
  store i32 0, ptr addrspace(3) getelementptr (i32, ptr addrspace(3) @s, i32 3)
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
