; Constant memory of the program is read through its address in global memory, along any path of
; casts, phis and selects. What cannot be followed is an error that names the variable.
; RUN: split-file %s %t
; RUN: gmprof-instrument clone --profile cache --arch sm_90 %t/paths.ll -o %t/paths.ptx
; RUN: FileCheck %s < %t/paths.ptx
; RUN: not gmprof-instrument clone --profile cache --arch sm_90 %t/number.ll 2>&1 | FileCheck %s --check-prefix=NUMBER
; RUN: not gmprof-instrument clone --profile cache --arch sm_90 %t/merge.ll 2>&1 | FileCheck %s --check-prefix=MERGE
; RUN: not gmprof-instrument clone --profile cache --arch sm_90 %t/holder.ll 2>&1 | FileCheck %s --check-prefix=HOLDER
; RUN: not gmprof-instrument clone --profile cache %t/number.ll 2>&1 | FileCheck %s --check-prefix=ARCH
; RUN: not gmprof-instrument clone --profile cache --arch sm_90 %t/host.ll 2>&1 | FileCheck %s --check-prefix=HOST
; RUN: not gmprof-instrument clone --profile cache --arch sm_90 %t/twice.ll 2>&1 | FileCheck %s --check-prefix=TWICE
; RUN: not gmprof-instrument clone --profile cache --arch sm_90 %t/text.ll 2>&1 | FileCheck %s --check-prefix=TEXT

; NUMBER: the kernel uses the address of the constant variable 'c' in an instruction that cannot access global memory: ptrtoint
; MERGE: the kernel selects between a constant variable and an address of unknown origin in constant memory
; HOLDER: the constant 'holder' holds the address of the variable 'g'
; ARCH: error: the module states no architecture: pass --arch
; HOST: host.ll: the module is for x86_64-unknown-linux-gnu, not for nvptx64
; TWICE: twice.ll: the module is instrumented already
; TEXT: text.ll:1:1: expected PTX, LLVM IR or bitcode: expected top-level entity

; A constant that nothing can write to stays.
; CHECK: .global .align 4 .b8 table[8]
; CHECK: .visible .const .align 8 .b8 __gm_variables[24];
; CHECK: .visible .entry paths__gm_cache(
; CHECK-NOT: cvta.const
; CHECK: // __gm_variables[0] = a
; CHECK-NEXT: // __gm_variables[1] = b
; CHECK-NEXT: // __gm_variables[2] = out
; CHECK-NOT: __gm_variables

;--- paths.ll
target triple = "nvptx64-nvidia-cuda"
@a = addrspace(4) externally_initialized global [4 x float] zeroinitializer, align 4
@b = internal addrspace(4) externally_initialized constant [4 x float] zeroinitializer, align 4
@out = addrspace(1) externally_initialized global [64 x float] zeroinitializer, align 4
@table = internal addrspace(1) constant [2 x float] [float 1.0, float 2.0], align 4
define ptx_kernel void @paths(i1 %which, i32 %n) {
entry:
  %chosen = select i1 %which, ptr addrspace(4) @a, ptr addrspace(4) @b
  %generic = addrspacecast ptr addrspace(4) %chosen to ptr
  br label %loop
loop:
  %p = phi ptr addrspace(4) [ %chosen, %entry ], [ %next, %loop ]
  %i = phi i32 [ 0, %entry ], [ %more, %loop ]
  %x = load float, ptr addrspace(4) %p
  %y = load float, ptr %generic
  %at = getelementptr float, ptr addrspace(1) @table, i32 %i
  %z = load float, ptr addrspace(1) %at
  %xy = fadd float %x, %y
  %sum = fadd float %xy, %z
  %to = getelementptr float, ptr addrspace(1) @out, i32 %i
  store float %sum, ptr addrspace(1) %to
  %next = getelementptr float, ptr addrspace(4) %p, i32 1
  %more = add i32 %i, 1
  %again = icmp slt i32 %more, %n
  br i1 %again, label %loop, label %end
end:
  ret void
}
;--- number.ll
target triple = "nvptx64-nvidia-cuda"
@c = addrspace(4) externally_initialized global i32 0
define ptx_kernel void @k(ptr addrspace(1) %to) {
  %number = ptrtoint ptr addrspace(4) @c to i64
  store i64 %number, ptr addrspace(1) %to
  ret void
}
;--- merge.ll
target triple = "nvptx64-nvidia-cuda"
@c = addrspace(4) externally_initialized global i32 0
define ptx_kernel void @k(ptr addrspace(1) %to, i1 %which, i64 %number) {
  %other = inttoptr i64 %number to ptr addrspace(4)
  %p = select i1 %which, ptr addrspace(4) @c, ptr addrspace(4) %other
  %x = load i32, ptr addrspace(4) %p
  store i32 %x, ptr addrspace(1) %to
  ret void
}
;--- holder.ll
target triple = "nvptx64-nvidia-cuda"
@g = addrspace(1) externally_initialized global i32 0
@holder = addrspace(1) constant [1 x ptr addrspace(1)] [ptr addrspace(1) @g]
define ptx_kernel void @k(i32 %i) {
  %at = getelementptr [1 x ptr addrspace(1)], ptr addrspace(1) @holder, i32 0, i32 %i
  %p = load ptr addrspace(1), ptr addrspace(1) %at
  store i32 1, ptr addrspace(1) %p
  ret void
}
;--- host.ll
target triple = "x86_64-unknown-linux-gnu"
define void @f() {
  ret void
}
;--- twice.ll
target triple = "nvptx64-nvidia-cuda"
define ptx_kernel void @k() {
  ret void
}
!llvm.module.flags = !{!0}
!0 = !{i32 7, !"gmprof", i32 18}
;--- text.ll
int main() {}
