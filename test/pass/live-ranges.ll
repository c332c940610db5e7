; Live ranges are counted where a word may have several in one block: k moves data
; in, in a loop. It has a further clone for that, where the store is counted by the
; hook that begins a range, at once; the loads as ever, but in place. once moves data
; in a single time, and has no such clone.
; RUN: %opt -gm-shared-closed-forms=false -passes=gm-instrument,verify -gm-verify -gm-profile=shared -S %s | FileCheck %s
; RUN: %opt -gm-shared-closed-forms=false -passes=gm-instrument,verify -gm-profile=shared -gm-live-ranges=false -S %s | FileCheck %s --check-prefix=OFF
; RUN: %opt -gm-shared-closed-forms=false -passes=gm-instrument,verify -gm-profile=shared -gm-level=basic -S %s | FileCheck %s --check-prefix=OFF

target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)

@tile = internal addrspace(3) global [64 x i32] undef, align 4

; One move: begin (0) of variable 1 from variable 0, 4 bytes; and the list of
; variables whose ranges are counted, padded.
; CHECK: @__gm_kernel_k = {{.*}}{ i32 0, i32 1, i32 0, i32 4, i32 0, i32 0, i32 0, i32 0, i32 -1, i32 0 }{{.*}}[2 x i32] [i32 1, i32 -1]
; once has the move, but no such list.
; CHECK: @__gm_kernel_once = {{.*}}{ i32 0, i32 1, i32 0, i32 4, i32 0, i32 0, i32 0, i32 0, i32 -1, i32 0 }{{.*}}[0 x i32] zeroinitializer
; OFF: @__gm_kernel_k = {{.*}}{ i32 0, i32 1, i32 0, i32 4, i32 0, i32 0, i32 0, i32 0, i32 -1, i32 0 }{{.*}}[0 x i32] zeroinitializer

; The kernel itself is not marked.
; CHECK-LABEL: define ptx_kernel void @k(
; CHECK-NOT: !gm
; CHECK: ret void

; CHECK-LABEL: define ptx_kernel void @k__gm_shared(
; CHECK-NOT: atomicrmw xchg ptr addrspace(3)
; CHECK-LABEL: define ptx_kernel void @k__gm_shared_all(
; CHECK: gm.begin:
; the first thread writes the bounds of tile if live ranges are counted: field 13
; CHECK: %struct.GmprofSharedLaunch, ptr %gm.launch, i32 0, i32 13
; the mark is replaced, and the difference is the number of accesses
; CHECK: store i32 %v, ptr addrspace(3) %at
; CHECK-NOT: store i32 %v
; CHECK: atomicrmw xchg ptr addrspace(3)
; CHECK: call void @llvm.nvvm.barrier.cta.sync.aligned.all
; OFF-NOT: atomicrmw xchg ptr addrspace(3)
define ptx_kernel void @k(ptr addrspace(1) %in, ptr addrspace(1) %out, i32 %n) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %at = getelementptr i32, ptr addrspace(3) @tile, i32 %t
  br label %loop
loop:
  %i = phi i32 [ %t, %entry ], [ %next, %loop ]
  %from = getelementptr i32, ptr addrspace(1) %in, i32 %i
  %v = load i32, ptr addrspace(1) %from
  store i32 %v, ptr addrspace(3) %at
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %w = load i32, ptr addrspace(3) %at
  %twice = shl i32 %w, 1
  %to = getelementptr i32, ptr addrspace(1) %out, i32 %i
  store i32 %twice, ptr addrspace(1) %to
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %next = add i32 %i, 64
  %more = icmp slt i32 %next, %n
  br i1 %more, label %loop, label %done
done:
  ret void
}

; CHECK-LABEL: define ptx_kernel void @once__gm_shared(
; CHECK-NOT: atomicrmw xchg ptr addrspace(3)
; CHECK-NOT: @once__gm_shared_all
; OFF-NOT: __gm_shared_all
define ptx_kernel void @once(ptr addrspace(1) %in, ptr addrspace(1) %out) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %at = getelementptr i32, ptr addrspace(3) @tile, i32 %t
  %from = getelementptr i32, ptr addrspace(1) %in, i32 %t
  %v = load i32, ptr addrspace(1) %from
  store i32 %v, ptr addrspace(3) %at
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %w = load i32, ptr addrspace(3) %at
  %twice = shl i32 %w, 1
  %to = getelementptr i32, ptr addrspace(1) %out, i32 %t
  store i32 %twice, ptr addrspace(1) %to
  ret void
}
