; How counters of global memory are updated at each level.
; RUN: %opt -passes=gm-instrument,verify -gm-level=basic -S %s | FileCheck %s --check-prefixes=ALL,BASIC
; RUN: %opt -passes=gm-instrument,verify -gm-level=sa -S %s | FileCheck %s --check-prefixes=FORM,ATOMIC
; RUN: %opt -passes=gm-instrument,verify -gm-level=sa-na -S %s | FileCheck %s --check-prefixes=FORM,PLAIN
; RUN: %opt -passes=gm-instrument,verify -gm-level=sa-na-sm -S %s | FileCheck %s --check-prefixes=FORM,PLAIN
; RUN: %opt -passes=gm-instrument,verify -S %s | FileCheck %s --check-prefixes=FORM,CELL
; RUN: %opt -passes=gm-instrument,verify -gm-global-counter-bits=16 -S %s | FileCheck %s --check-prefixes=FORM,HALF
; RUN: %opt -passes=gm-instrument,verify -gm-global-counter-bits=32 -S %s | FileCheck %s --check-prefixes=FORM,WIDE
; RUN: %opt -passes=gm-instrument,verify -gm-global-threshold=9 -S %s | FileCheck %s --check-prefixes=FORM,NINE

target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()

; Level basic counts the load as well, and has no closed forms: modes 12.
; ALL:  @__gm_kernel_k = {{.*}} i32 12, i32 0, i32 0, i32 32, i32 0, i32 0, i32 32, i32 -67108865, i32 0, i32 3,
; FORM: @__gm_kernel_k = {{.*}} i32 28, i32 {{[08]}}, i32 [[LEVEL:[1-4]]], i32 32, i32 {{[-0-9]+}}, i32 [[LEVEL]],
; ATOMIC-SAME: i32 32, i32 -67108865, i32 0, i32 3,
; PLAIN-SAME:  i32 32, i32 -67108865, i32 0, i32 3,
; CELL-SAME:   i32 8, i32 255, i32 0, i32 3,
; HALF-SAME:   i32 16, i32 65535, i32 0, i32 3,
; WIDE-SAME:   i32 32, i32 -67108865, i32 0, i32 3,
; NINE-SAME:   i32 8, i32 9, i32 0, i32 3,

; ALL-LABEL:  define ptx_kernel void @k__gm_global(
; FORM-LABEL: define ptx_kernel void @k__gm_global(
; BASIC: store i32 1, ptr addrspace(1)
; BASIC: atomicrmw add ptr addrspace(1) %{{.+}}, i32 1 monotonic
; BASIC: atomicrmw add ptr addrspace(1) %{{.+}}, i32 1 monotonic
; BASIC-NOT: match
; BASIC: gm.plain:
; BASIC-NOT: k__gm_global_all

; ATOMIC: store i32 1, ptr addrspace(1)
; ATOMIC-NOT: match
; ATOMIC: atomicrmw add ptr addrspace(1) %{{.+}}, i32 1 monotonic
; ATOMIC-NOT: atomicrmw
; ATOMIC: gm.plain:

; PLAIN: store i32 1, ptr addrspace(1)
; PLAIN-NOT: atomicrmw
; PLAIN: load volatile i32, ptr addrspace(1)
; PLAIN-NOT: atomicrmw
; PLAIN: store volatile i32 %{{.+}}, ptr addrspace(1)
; PLAIN-NOT: atomicrmw
; PLAIN: gm.plain:

; Eight counters in 64 bits, and as many ballots.
; CELL: store i32 1, ptr addrspace(1)
; CELL: match.any.sync.i64
; CELL-COUNT-8: vote.ballot.sync
; CELL-NOT: ballot
; CELL: cmpxchg ptr addrspace(1) %{{.+}}, i64
; CELL: gm.plain:
; HALF: match.any.sync.i64
; HALF-COUNT-4: vote.ballot.sync
; HALF-NOT: ballot
; HALF: cmpxchg ptr addrspace(1) %{{.+}}, i64
; HALF: gm.plain:

; One addition for lanes with one address, else one by each.
; WIDE: store i32 1, ptr addrspace(1)
; WIDE-NOT: match
; WIDE: vote.all.sync
; WIDE: atomicrmw add ptr addrspace(1)
; WIDE: gm.plain:
define ptx_kernel void @k(ptr %p, ptr %q) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %a = getelementptr i32, ptr %p, i32 %t
  %i = load i32, ptr %a
  %b = getelementptr i32, ptr %q, i32 %i
  store i32 1, ptr %b
  ret void
}
