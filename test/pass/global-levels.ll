; How counters of global memory are updated at each level.
; RUN: %opt -gm-profile=shared,global,objects -passes=gm-instrument,verify -gm-level=basic -S %s | FileCheck %s --check-prefixes=ALL,BASIC
; RUN: %opt -gm-profile=shared,global,objects -passes=gm-instrument,verify -gm-level=sa -S %s | FileCheck %s --check-prefixes=FORM,ATOMIC
; RUN: %opt -gm-profile=shared,global,objects -passes=gm-instrument,verify -gm-level=sa-na -S %s | FileCheck %s --check-prefixes=FORM,PLAIN
; RUN: %opt -gm-profile=shared,global,objects -passes=gm-instrument,verify -gm-level=sa-na-sm -S %s | FileCheck %s --check-prefixes=FORM,PLAIN
; RUN: %opt -gm-profile=shared,global,objects -passes=gm-instrument,verify -S %s | FileCheck %s --check-prefixes=FORM,CELL
; RUN: %opt -gm-profile=shared,global,objects -passes=gm-instrument,verify -gm-global-counter-bits=16 -S %s | FileCheck %s --check-prefixes=FORM,HALF
; RUN: %opt -gm-profile=shared,global,objects -passes=gm-instrument,verify -gm-global-counter-bits=32 -S %s | FileCheck %s --check-prefixes=FORM,WIDE
; RUN: %opt -gm-profile=shared,global,objects -passes=gm-instrument,verify -gm-global-threshold=9 -S %s | FileCheck %s --check-prefixes=FORM,NINE

target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()

; Level basic counts the load as well, and has no closed forms: modes 12.
; ALL:  @__gm_kernel_k = {{.*}} i32 140, i32 0, i32 0, i32 32, i32 0, i32 0, i32 32, i32 -67108865, i32 0, i32 3,
; FORM: @__gm_kernel_k = {{.*}} i32 156, i32 {{[08]}}, i32 [[LEVEL:[1-4]]], i32 32, i32 {{[-0-9]+}}, i32 [[LEVEL]],
; ATOMIC-SAME: i32 32, i32 -67108865, i32 0, i32 3,
; PLAIN-SAME:  i32 32, i32 -67108865, i32 0, i32 3,
; CELL-SAME:   i32 8, i32 192, i32 0, i32 3,
; HALF-SAME:   i32 16, i32 49152, i32 0, i32 3,
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

; A word of counters is added to; what carried is mended. Objects with replicas have 64
; bits.
; CELL: store i32 1, ptr addrspace(1)
; CELL: atomicrmw add ptr addrspace(1) %{{.+}}, i64 1 monotonic
; CELL: vote.all.sync
; CELL: [[OLD:%.+]] = atomicrmw add ptr addrspace(1) %{{.+}}, i32 [[ADDEND:%.+]] monotonic
; CELL: and i32 {{.*}}, -2139062144
; CELL: call {{.+}}mendCarriesIh{{.+}}(i64
; CELL: gm.plain:
; HALF: and i32 {{.*}}, -2147450880
; HALF: call {{.+}}mendCarriesIt{{.+}}(i64
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
