; LLVM IR as Triton makes it: no target, 32-bit pointers to shared memory, which inline assembly
; takes in 32-bit registers, and accesses under a predicate. Accesses that the PTX reader models are
; counted like those of LLVM IR; other inline assembly stays.
; RUN: gmprof-instrument clone --profile shared --arch sm_90a %s -o %t.ptx
; RUN: FileCheck %s < %t.ptx
; RUN: gmprof-instrument clone --profile global --arch sm_90a %s | FileCheck %s --check-prefix=GLOBAL
; RUN: sed 's/store i32 %number/store ptr addrspace(3) @smem/' %s > %t.ll
; RUN: not gmprof-instrument clone --profile shared --arch sm_90a %t.ll 2>&1 | FileCheck %s --check-prefix=MEMORY
; RUN: sed 's/i32 %loaded, i1/i1 %inside, i1/' %s > %t.ll
; RUN: not gmprof-instrument clone --profile shared --arch sm_90a %t.ll 2>&1 | FileCheck %s --check-prefix=OPERAND

; CHECK: .version 8.3
; CHECK: .target sm_90a
; CHECK: .extern .shared .align 16 .b8 smem[];
; CHECK: .visible .entry triton__gm_shared_dm(
; CHECK: mov.b64 %[[SMEM:rd[0-9]+]], smem;
; CHECK: ld.global.b32 %[[LOADED:r[0-9]+]], [%{{rd[0-9]+}}+4];
; CHECK: st.shared.b32 [%{{rd[0-9]+}}], %[[LOADED]];
; CHECK: cvt.u32.u64 %[[SHORT:r[0-9]+]], %{{rd[0-9]+}};
; CHECK: @%p{{[0-9]+}} st.shared::cluster.b32 [%[[SHORT]]], %{{r[0-9]+}};
; The load and the store of %number.
; GLOBAL: .visible .entry triton__gm_global_all(
; GLOBAL-COUNT-2: call.uni {{.*}}findAndCount
; GLOBAL-NOT: findAndCount
; MEMORY: the module keeps 32-bit pointers in memory
; OPERAND: inline assembly '@%2 st.shared.b32 [ %0 + 0 ], %1': expected a value, found the predicate '%1'

target datalayout = "e-p3:32:32-p4:32:32-p5:32:32-p6:32:32-p7:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
@smem = external addrspace(3) global [0 x i8], align 16
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
define ptx_kernel void @triton(ptr addrspace(1) %to, i32 %n) "nvvm.reqntid"="128" {
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %inside = icmp slt i32 %tid, %n
  %at = getelementptr float, ptr addrspace(3) @smem, i32 %tid
  %from = getelementptr i32, ptr addrspace(1) %to, i32 %tid
  %loaded = tail call i32 asm sideeffect "mov.u32 $0, $1;\0A\09@$3 ld.global.b32 { $0 }, [ $2 + 4 ];", "=r,r,l,b"(i32 7, ptr addrspace(1) %from, i1 %inside)
  call void asm sideeffect "@$2 st.shared.b32 [ $0 + 0 ], $1;", "r,r,b"(ptr addrspace(3) nonnull %at, i32 %loaded, i1 %inside)
  call void asm sideeffect "@$2 st.shared::cluster.b32 [$0], $1;", "r,r,b"(ptr addrspace(3) nonnull %at, i32 %tid, i1 %inside)
  %number = ptrtoint ptr addrspace(3) %at to i32
  store i32 %number, ptr addrspace(1) %to
  ret void
}
