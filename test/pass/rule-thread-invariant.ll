; One thread counts for others where the address does not depend on the thread.
; RUN: %opt -gm-shared-closed-forms=false -passes=gm-instrument,verify -S %s | FileCheck %s

target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

@tile = internal addrspace(3) global [64 x i32] undef, align 4
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()

; All threads execute it: the first one adds their number.
; CHECK-LABEL: define ptx_kernel void @uniform__gm_shared(
; CHECK:         %[[T:.+]] = or i32 %{{.+}}, %{{.+}}
; CHECK:         %[[FIRST:.+]] = icmp eq i32 %{{.+}}, 0
; CHECK:         store i32 7, ptr addrspace(3) %a
; CHECK-NEXT:    br i1 %[[ISFIRST:.+]], label
; CHECK:         atomicrmw add ptr addrspace(3) %{{.+}}, i32 %{{.+}} monotonic
define ptx_kernel void @uniform(ptr %p, i32 %n) {
  %a = getelementptr i32, ptr addrspace(3) @tile, i32 %n
  store i32 7, ptr addrspace(3) %a
  ret void
}

; Some do: of those that are here together the first lane adds their number.
; CHECK-LABEL: define ptx_kernel void @divergent__gm_shared(
; CHECK:         store i32 7, ptr addrspace(3) %a
; CHECK:         %[[LANES:.+]] = call {{.*}}i32 @llvm.nvvm.activemask()
; CHECK:         %[[FIRST:.+]] = call {{.*}}i32 @llvm.nvvm.shfl.sync.idx.i32(i32 %[[LANES]],
; CHECK:         %[[SAME:.+]] = call {{.*}}i32 @llvm.nvvm.vote.ballot.sync(i32 %[[LANES]],
; CHECK:         %[[HERE:.+]] = call {{.*}}i32 @llvm.ctpop.i32(i32 %[[SAME]])
; CHECK:         %[[N:.+]] = phi i32 [ %[[HERE]], %{{.+}} ], [ 1, %{{.+}} ]
; CHECK:         atomicrmw add ptr addrspace(3) %{{.+}}, i32 %[[N]] monotonic
define ptx_kernel void @divergent(ptr %p, i32 %n) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %c = icmp ult i32 %t, 5
  br i1 %c, label %then, label %exit
then:
  %a = getelementptr i32, ptr addrspace(3) @tile, i32 %n
  store i32 7, ptr addrspace(3) %a
  br label %exit
exit:
  ret void
}

; In a loop of n iterations as well: n times the number of threads, once.
; CHECK-LABEL: define ptx_kernel void @loop__gm_shared(
; CHECK:       loop:
; CHECK-NOT:     atomicrmw
; CHECK:         br i1 %more, label %loop, label %exit
; CHECK:       exit:
; CHECK:         br i1 %{{.+}}, label
; CHECK:         mul {{.*}}i64
; CHECK:         atomicrmw add ptr addrspace(3)
; CHECK:         ret void
define ptx_kernel void @loop(ptr %p, i32 %n) {
entry:
  %a = getelementptr i32, ptr addrspace(3) @tile, i32 %n
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  store volatile i32 %i, ptr addrspace(3) %a
  %next = add nuw nsw i32 %i, 1
  %more = icmp ult i32 %next, %n
  br i1 %more, label %loop, label %exit
exit:
  ret void
}
