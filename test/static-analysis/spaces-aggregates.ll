; Pointers in structs and vectors that are in registers.
; RUN: %opt -passes='print<gm-accesses>' -disable-output %s | FileCheck %s

target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

@s = addrspace(3) global [64 x i32] undef, align 4

; CHECK-LABEL: accesses of k: 3{{$}}
; CHECK-NEXT: - load shared 4 s tid
; CHECK-NEXT: - load global 4 argument 1 tid
; CHECK-NEXT: - load shared 4 s tid
define ptx_kernel void @k(ptr %0) {
  %s = addrspacecast ptr addrspace(3) @s to ptr
  %st0 = insertvalue { ptr, ptr } poison, ptr %s, 0
  %st1 = insertvalue { ptr, ptr } %st0, ptr %0, 1
  %p0 = extractvalue { ptr, ptr } %st1, 0
  %a = load i32, ptr %p0
  %p1 = extractvalue { ptr, ptr } %st1, 1
  %b = load i32, ptr %p1
  %v0 = insertelement <2 x ptr> poison, ptr %0, i64 0
  %v1 = insertelement <2 x ptr> %v0, ptr %s, i64 1
  %p2 = extractelement <2 x ptr> %v1, i64 1
  %c = load i32, ptr %p2
  ret void
}

; A pointer that was in memory may be any.
; CHECK-LABEL: accesses of memory: 2{{$}}
; CHECK-NEXT: - load shared 8 s{{.*}}
; CHECK-NEXT: - load generic 4 - tid
define ptx_kernel void @memory() {
  %p = load ptr, ptr addrspace(3) @s
  %a = load i32, ptr %p
  ret void
}

; CHECK-LABEL: accesses of unknown: 1{{$}}
; CHECK-NEXT: - load generic 4 - tid
define void @unknown({ ptr, ptr } %0) {
  %p = extractvalue { ptr, ptr } %0, 0
  %a = load i32, ptr %p
  ret void
}
