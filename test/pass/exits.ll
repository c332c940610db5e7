; Threads tell their block when they leave.
; RUN: %opt -passes=gm-instrument,verify -S %s | FileCheck %s

target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

@tile = internal addrspace(3) global [64 x i32] undef, align 4
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)
declare void @llvm.nvvm.exit()

; All threads come to the only return, and to the barrier: they flush together.
; CHECK-LABEL: define ptx_kernel void @together__gm_shared(
; CHECK-NOT:     @llvm.nvvm.activemask
; CHECK:         store i32 7, ptr addrspace(1)
; CHECK-NOT:     @llvm.nvvm.activemask
; CHECK:         call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
; CHECK:         atomicrmw add ptr addrspace(1) %{{.+}}, i64
; CHECK:       gm.plain:
define ptx_kernel void @together(ptr %p) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %at = getelementptr i32, ptr %p, i32 %t
  %i = load i32, ptr %at
  %a = getelementptr i32, ptr addrspace(3) @tile, i32 %i
  store i32 1, ptr addrspace(3) %a
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  store i32 7, ptr %p
  ret void
}

; Some leave early, before a barrier: each return adds the lanes that are there to
; the exits, and the last flushes. The returns are not shared.
; CHECK-LABEL: define ptx_kernel void @early__gm_shared(
; CHECK:         br i1 %c, label %[[LEAVE:.+]], label %stay
; CHECK:       stay:
; CHECK:         call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
; CHECK-COUNT-2: call {{.*}}i32 @llvm.nvvm.activemask()
; CHECK-NOT:     call {{.*}}i32 @llvm.nvvm.activemask()
; CHECK:       gm.plain:
define ptx_kernel void @early(ptr %p) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %at = getelementptr i32, ptr %p, i32 %t
  %i = load i32, ptr %at
  %a = getelementptr i32, ptr addrspace(3) @tile, i32 %i
  store i32 1, ptr addrspace(3) %a
  %c = icmp ult i32 %t, 5
  br i1 %c, label %done, label %stay
stay:
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  br label %done
done:
  ret void
}

; An exit instruction, also in a device function.
; CHECK-LABEL: define ptx_kernel void @ends__gm_shared(
; CHECK:         call void @ender__gm_shared_u32_atomic_4227858431(
; CHECK-LABEL: define internal void @ender__gm_shared_u32_atomic_4227858431(
; CHECK:         call {{.*}}i32 @llvm.nvvm.activemask()
; CHECK:         atomicrmw add ptr addrspace(3)
; CHECK:         call void @llvm.nvvm.exit()
define ptx_kernel void @ends(ptr %p) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %at = getelementptr i32, ptr %p, i32 %t
  %i = load i32, ptr %at
  %a = getelementptr i32, ptr addrspace(3) @tile, i32 %i
  store i32 1, ptr addrspace(3) %a
  call void @ender(i32 %i)
  ret void
}
define internal void @ender(i32 %i) noinline {
  %c = icmp eq i32 %i, 3
  br i1 %c, label %end, label %go
end:
  call void @llvm.nvvm.exit()
  unreachable
go:
  ret void
}

; Assembly that may end the thread among other things: no clone, and it says why.
; CHECK-NOT: @unclear__gm_shared
define ptx_kernel void @unclear(ptr %p) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %at = getelementptr i32, ptr %p, i32 %t
  %i = load i32, ptr %at
  %a = getelementptr i32, ptr addrspace(3) @tile, i32 %i
  store i32 1, ptr addrspace(3) %a
  call void asm sideeffect "{ .reg .pred q; setp.eq.s32 q, $0, 1; @q exit; }", "r"(i32 %i)
  ret void
}
