; The address space behind casts to generic, as clang writes them: constant
; expressions and instructions, under GEPs. Only a cast from a specific space
; says anything; a cast of an unknown pointer to a specific one is believed.
; RUN: %opt -passes='print<gm-accesses>' -disable-output %s | FileCheck %s

target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

@s = internal addrspace(3) global [64 x i32] undef, align 4
@g = addrspace(1) global i32 0
@c = addrspace(4) constant [4 x i32] zeroinitializer

; CHECK-LABEL: accesses of k: 8{{$}}
; CHECK-NEXT: - load shared 4 s+0
; CHECK-NEXT: - load shared 4 s+8
; CHECK-NEXT: - load shared 4 s+12
; CHECK-NEXT: - load shared 4 s tid
; CHECK-NEXT: - load global 4 g tid
; CHECK-NEXT: - load constant 4 c tid
; CHECK-NEXT: - load local 4 pg tid
; CHECK-NEXT: - load shared 4 - tid
define ptx_kernel void @k(i64 %0, i64 %1) {
  %a = load i32, ptr addrspacecast (ptr addrspace(3) @s to ptr)
  %b = load i32, ptr getelementptr (i8, ptr addrspacecast (ptr addrspace(3) @s to ptr), i64 8)
  %c = load i32, ptr addrspacecast (ptr addrspace(3) getelementptr (i8, ptr addrspace(3) @s, i64 12) to ptr)
  %pd = addrspacecast ptr addrspace(3) @s to ptr
  %qd = getelementptr i32, ptr %pd, i64 %0
  %d = load i32, ptr %qd
  %e = load i32, ptr addrspacecast (ptr addrspace(1) @g to ptr)
  %f = load i32, ptr addrspacecast (ptr addrspace(4) @c to ptr)
  %pg = alloca i32, addrspace(5)
  %qg = addrspacecast ptr addrspace(5) %pg to ptr
  %h = load i32, ptr %qg
  %pu = inttoptr i64 %1 to ptr
  %qu = addrspacecast ptr %pu to ptr addrspace(3)
  %ru = addrspacecast ptr addrspace(3) %qu to ptr
  %i = load i32, ptr %ru
  ret void
}
