; Long hooks are inlined while the budget lasts, in inner loops first. A call is
; no shorter than the shortest hooks: these are inlined in any case.
; RUN: %opt -passes=gm-instrument,verify -gm-inline-budget=0 -S %s | FileCheck %s --check-prefix=NONE
; RUN: %opt -passes=gm-instrument,verify -gm-inline-budget=720 -S %s | FileCheck %s --check-prefix=SOME
; RUN: %opt -passes=gm-instrument,verify -S %s | FileCheck %s --check-prefix=ALL

target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

@tile = internal addrspace(3) global [64 x i32] undef, align 4
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()

; The budget is for four clones: 180 instructions each. Of the global one, the hook
; in the loop fits, and that behind it does not.
; NONE-LABEL: define ptx_kernel void @gather__gm_global(
; NONE:       loop:
; NONE:         call void @__gm_global_one_u8(
; NONE:       exit:
; NONE:         call void @__gm_global_one_u8(
; NONE:       }

; SOME-LABEL: define ptx_kernel void @gather__gm_global(
; SOME:       loop:
; SOME-NOT:     call void @__gm_global_one_u8(
; SOME:       exit:
; SOME:         call void @__gm_global_one_u8(
; SOME:       }

; ALL-LABEL: define ptx_kernel void @gather__gm_global(
; ALL-NOT:     call void @__gm_global_one_u8(
; ALL:       }
define ptx_kernel void @gather(ptr %p, ptr %q, i32 %n) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %s = getelementptr i32, ptr addrspace(3) @tile, i32 %t
  br label %loop

loop:
  %i = phi i32 [ %t, %entry ], [ %next, %loop ]
  %k = phi i32 [ 0, %entry ], [ %k1, %loop ]
  %a = getelementptr i32, ptr %p, i32 %i
  %next = load i32, ptr %a
  store i32 %next, ptr addrspace(3) %s
  %k1 = add i32 %k, 1
  %more = icmp ult i32 %k1, %n
  br i1 %more, label %loop, label %exit

exit:
  %b = getelementptr i32, ptr %q, i32 %next
  store i32 %k, ptr %b
  ret void
}
