; Functions without an end, without a way to it, and with code that is not reached.
; RUN: %opt -passes='print<gm-accesses>' -disable-output %s | FileCheck %s

target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

@s = addrspace(3) global [64 x i32] undef, align 4

; CHECK-LABEL: accesses of forever: 2{{$}}
; CHECK-NEXT: - store shared 4 s{{.*}} uniform=yes
; CHECK-NEXT: - store shared 4 s{{.*}} uniform=yes loops=[%loop@1] static=no
define ptx_kernel void @forever() {
entry:
  store i32 0, ptr addrspace(3) @s
  br label %loop
loop:
  store i32 1, ptr addrspace(3) @s
  br label %loop
}

; CHECK-LABEL: accesses of some_forever: 2{{$}}
; CHECK-NEXT: - store shared 4 s{{.*}} uniform=no
; CHECK-NEXT: - store shared 4 s{{.*}} uniform=no
define ptx_kernel void @some_forever() {
entry:
  %tx = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %odd = trunc i32 %tx to i1
  br i1 %odd, label %loop, label %end
loop:
  store i32 1, ptr addrspace(3) @s
  br label %loop
end:
  store i32 2, ptr addrspace(3) @s
  ret void
}

; CHECK-LABEL: accesses of only_trap: 1{{$}}
; CHECK-NEXT: - store shared 4 s+0 tid-invariant=yes uniform=yes loops=[] static=1
define ptx_kernel void @only_trap() {
  store i32 0, ptr addrspace(3) @s
  call void @llvm.trap()
  unreachable
}

; CHECK-LABEL: accesses of unreached: 1{{$}}
; CHECK-NEXT: - store shared 4 s+0 tid-invariant=yes uniform=yes loops=[] static=1
define ptx_kernel void @unreached() {
entry:
  store i32 0, ptr addrspace(3) @s
  br label %end
dead:
  %i = phi i32 [ 0, %dead ], [ 1, %dead2 ]
  %tx = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %odd = trunc i32 %tx to i1
  %x = load i32, ptr addrspace(3) @s
  br i1 %odd, label %dead, label %dead2
dead2:
  br i1 %odd, label %dead, label %end
end:
  ret void
}

; CHECK-LABEL: accesses of switches: 4{{$}}
; CHECK-DAG: - store shared 4 s tid-invariant=yes uniform=no (under a condition that differs between threads)
; CHECK-DAG: - store shared 4 s tid-invariant=yes uniform=no (under a condition that differs between threads)
; CHECK-DAG: - store shared 4 s tid-invariant=yes uniform=no (under a condition that differs between threads)
; CHECK-NEXT: - store shared 4 s+0 tid-invariant=yes uniform=yes loops=[] static=1
define ptx_kernel void @switches() {
entry:
  %tx = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  switch i32 %tx, label %other [
    i32 0, label %zero
    i32 1, label %one
    i32 2, label %bad
    i32 3, label %bad
  ]
zero:
  store i32 0, ptr addrspace(3) @s
  br label %one
one:
  store i32 1, ptr addrspace(3) @s
  br label %end
other:
  store i32 2, ptr addrspace(3) @s
  br label %end
bad:
  call void @llvm.trap()
  unreachable
end:
  store i32 3, ptr addrspace(3) @s
  br label %ret
ret:
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare void @llvm.trap()
