; The descriptor names the function that an indirect call is in as one that could
; not be followed, and the kernel's clones and flags.
; RUN: %opt -passes=gm-instrument,verify -S %s | FileCheck %s

target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()

@tile = internal addrspace(3) global [64 x i32] undef, align 4
@dynamic = external addrspace(3) global [0 x float], align 4

; parameters 2, modes shared, shared_dm, global, global_all, objects, heat and its two clones, cache, flags dynamic
; shared and opaque calls; counters of 32 and 8 bits; closed forms of 8 and 5 words; no machine code
; CHECK: @__gm_kernel_k = weak addrspace(1) constant
; CHECK-SAME: { i32 827018567, i32 21, i32 {{[0-9]+}}, i32 2, i32 1, i32 0, i32 0, i32 0, i32 16023, i32 3, i32 4, i32 32, i32 -67108865, i32 4, i32 8, i32 192, i32 0, i32 0, i32 192, i32 3, i32 336, i32 4, i32 592, i32 0, i32 592, i32 1, i32 608, i32 13, i32 712, i32 0, i32 712, i32 0, i32 712, i32 1, i32 736, i32 1, i32 768, i32 0, i32 768, i32 0, i32 768, i32 0, i32 0, i32 0, i32 768, i32 {{[0-9]+}}, i64 {{-?[0-9]+}} }
; variables: parameter 0, the first root; 256 bytes of shared memory; dynamic
; shared memory
; CHECK-SAME: { i32 3, i32 0, i32 0, i32 0, i32 4, i32 4, i64 0, i32 0, i32 0, i32 0, i32 0 }
; CHECK-SAME: { i32 5, i32 0, i32 0, i32 0, i32 0, i32 4, i64 256, i32 5, i32 -1, i32 0, i32 -1 }
; CHECK-SAME: { i32 10, i32 0, i32 0, i32 0, i32 1, i32 4, i64 0, i32 10, i32 -1, i32 0, i32 -1 }
; sites: a load of global memory, not counted (0) in one profile and described by a
; closed form (7) in the other; two stores (1) to shared memory (2), counted by each
; thread (6); the call, skipped (1) in both; nothing was inlined, and all is in the kernel itself (-1)
; CHECK-SAME: { i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 1, i32 4, i32 0, i32 0, i32 7, i32 0, i32 -1, i32 -1, i32 0, i32 0 }
; CHECK-SAME: { i32 1, i32 0, i32 0, i32 0, i32 0, i32 1, i32 2, i32 4, i32 6, i32 {{[0-9]+}}, i32 0, i32 0, i32 -1, i32 -1, i32 0, i32 0 }
; CHECK-SAME: { i32 2, i32 0, i32 0, i32 0, i32 0, i32 1, i32 2, i32 4, i32 6, i32 {{[0-9]+}}, i32 0, i32 0, i32 -1, i32 -1, i32 0, i32 0 }
; CHECK-SAME: { i32 -1, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 1, i32 [[CALL:[0-9]+]], i32 1, i32 [[CALL]], i32 -1, i32 -1, i32 0, i32 0 }
; the form: of site 0 and variable 0; no derived unknowns; address 4 * tid.x; no
; loops, constraints, conditions
; CHECK-SAME: { i32 0, i32 0, i32 0, i32 8 }
; CHECK-SAME: [13 x i64] [i64 0, i64 1, i64 4, i64 1, i64 0, i64 0, i64 0, i64 0, i64 0, i64 0, i64 0, i64 0, i64 0]
; the touch: reads (1) of variable 0, which the launch determines (1): words 8 to 12
; CHECK-SAME: { i32 0, i32 1, i32 1, i32 0, i32 8, i32 5 }
; the same form of heat: site 0, variable 0, no loops, 4 bytes, at a time
; CHECK-SAME: { i32 0, i32 0, i32 0, i32 8, i32 0, i32 0, i32 4, i32 4 }
; CHECK-SAME: c"\00k\00p\00tile\00dynamic\00{{.*}}\00indirect call\00" }, align 8
; It is kept, and so is the kernel.
; CHECK: @llvm.compiler.used = {{.*}}@__gm_kernel_k
; CHECK: define ptx_kernel void @k__gm_shared(
; CHECK: define ptx_kernel void @k__gm_shared_dm(
; CHECK: define ptx_kernel void @k__gm_global_all(
define ptx_kernel void @k(ptr %p, ptr %f) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %at = getelementptr i32, ptr %p, i32 %t
  %i = load i32, ptr %at
  %a = getelementptr i32, ptr addrspace(3) @tile, i32 %i
  store i32 1, ptr addrspace(3) %a
  %b = getelementptr i32, ptr addrspace(3) @dynamic, i32 %i
  store i32 1, ptr addrspace(3) %b
  call void %f()
  ret void
}
