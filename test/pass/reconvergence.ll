; Clones that note or record requests wait, where the ways from a branch meet, for the lanes that were together before it, if any
; of them calls a hook. They do not where a lane in between could wait for another one, and where not all of them come.
; RUN: %opt -gm-profile=cache -passes=gm-instrument,verify -S %s | FileCheck %s
; RUN: %opt -gm-profile=heat -gm-heat-closed-forms=false -passes=gm-instrument,verify -S %s | FileCheck %s --check-prefix=HEAT

target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.shfl.sync.idx.i32(i32, i32, i32, i32)

; CHECK-LABEL: define ptx_kernel void @branch__gm_cache(
; CHECK:         [[LANES:%.+]] = call {{.*}}i32 @llvm.nvvm.activemask()
; CHECK-NEXT:    br i1 %odd,
; CHECK:       meet:
; CHECK:         call i1 @llvm.nvvm.vote.all.sync(i32 [[LANES]], i1
; CHECK:         label %__gm_bring_together.exit
; CHECK-NOT:     label %__gm_bring_together.exit
; CHECK:       gm.plain:
; HEAT-LABEL:  define ptx_kernel void @branch__gm_heat(
; HEAT:        meet:
; HEAT:          label %__gm_bring_together.exit
define ptx_kernel void @branch(ptr addrspace(1) %p, i32 %n) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %odd = trunc i32 %t to i1
  br i1 %odd, label %then, label %meet

then:
  %x = load i32, ptr addrspace(1) %p
  br label %meet

meet:
  %y = phi i32 [ %x, %then ], [ 0, %0 ]
  %a = getelementptr i32, ptr addrspace(1) %p, i32 %t
  store i32 %y, ptr addrspace(1) %a
  ret void
}

; All lanes go the same way.
; CHECK-LABEL: define ptx_kernel void @uniform__gm_cache(
; CHECK-NOT:     label %__gm_bring_together.exit
define ptx_kernel void @uniform(ptr addrspace(1) %p, i1 %c) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  br i1 %c, label %then, label %meet

then:
  %x = load i32, ptr addrspace(1) %p
  br label %meet

meet:
  %y = phi i32 [ %x, %then ], [ 0, %0 ]
  %a = getelementptr i32, ptr addrspace(1) %p, i32 %t
  store i32 %y, ptr addrspace(1) %a
  ret void
}

; Lanes leave the loop one after the other: those that were in front of it meet behind it.
; CHECK-LABEL: define ptx_kernel void @loop__gm_cache(
; CHECK:         [[LANES:%.+]] = call {{.*}}i32 @llvm.nvvm.activemask()
; CHECK-NEXT:    br label %turn
; CHECK:       {{^}}behind:
; CHECK:         call i1 @llvm.nvvm.vote.all.sync(i32 [[LANES]], i1
; CHECK:         label %__gm_bring_together.exit
; CHECK-NOT:     label %__gm_bring_together.exit
; CHECK:       gm.plain:
define ptx_kernel void @loop(ptr addrspace(1) %p) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  br label %turn

turn:
  %i = phi i32 [ 0, %entry ], [ %next, %turn ]
  %a = getelementptr i32, ptr addrspace(1) %p, i32 %i
  %x = load i32, ptr addrspace(1) %a
  %next = add i32 %i, %x
  %more = icmp ult i32 %next, %t
  br i1 %more, label %turn, label %behind

behind:
  %b = getelementptr i32, ptr addrspace(1) %p, i32 %t
  store i32 %next, ptr addrspace(1) %b
  ret void
}

; A lane may go on only when another one has stored.
; CHECK-LABEL: define ptx_kernel void @spin__gm_cache(
; CHECK-NOT:     label %__gm_bring_together.exit
define ptx_kernel void @spin(ptr addrspace(1) %p) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %a = getelementptr i32, ptr addrspace(1) %p, i32 %t
  br label %turn

turn:
  %x = load atomic i32, ptr addrspace(1) %a monotonic, align 4
  %wait = icmp eq i32 %x, 0
  br i1 %wait, label %turn, label %behind

behind:
  %next = getelementptr i32, ptr addrspace(1) %a, i32 1
  store i32 %x, ptr addrspace(1) %next
  ret void
}

; How often a lane turns is known when it begins, so that it waits for nothing.
; CHECK-LABEL: define ptx_kernel void @counted__gm_cache(
; CHECK:         [[LANES:%.+]] = call {{.*}}i32 @llvm.nvvm.activemask()
; CHECK-NEXT:    br label %turn
; CHECK:       {{^}}behind:
; CHECK:         call i1 @llvm.nvvm.vote.all.sync(i32 [[LANES]], i1
; CHECK:         label %__gm_bring_together.exit
; CHECK:       gm.plain:
define ptx_kernel void @counted(ptr addrspace(1) %p) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  br label %turn

turn:
  %i = phi i32 [ 0, %entry ], [ %next, %turn ]
  %x = load volatile i32, ptr addrspace(1) %p, align 4
  %next = add nuw i32 %i, 1
  %again = icmp ult i32 %next, %t
  br i1 %again, label %turn, label %behind

behind:
  %a = getelementptr i32, ptr addrspace(1) %p, i32 %t
  store i32 %x, ptr addrspace(1) %a
  ret void
}

; Nothing that is read decides how often, though it is not known when the loop begins.
; CHECK-LABEL: define ptx_kernel void @steps__gm_cache(
; CHECK:       {{^}}behind:
; CHECK:         label %__gm_bring_together.exit
; CHECK:       gm.plain:
define ptx_kernel void @steps(ptr addrspace(1) %p, i32 %step) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  br label %turn

turn:
  %i = phi i32 [ 0, %entry ], [ %next, %turn ]
  %x = load volatile i32, ptr addrspace(1) %p, align 4
  %next = add i32 %i, %step
  %again = icmp ne i32 %next, %t
  br i1 %again, label %turn, label %behind

behind:
  %a = getelementptr i32, ptr addrspace(1) %p, i32 %t
  store i32 %x, ptr addrspace(1) %a
  ret void
}

; A lane tries so often at most, or goes on when another one has stored.
; CHECK-LABEL: define ptx_kernel void @tries__gm_cache(
; CHECK-NOT:     label %__gm_bring_together.exit
define ptx_kernel void @tries(ptr addrspace(1) %p) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %a = getelementptr i32, ptr addrspace(1) %p, i32 %t
  br label %turn

turn:
  %i = phi i32 [ 0, %entry ], [ %next, %again ]
  %x = load atomic i32, ptr addrspace(1) %a monotonic, align 4
  %wait = icmp eq i32 %x, 0
  br i1 %wait, label %again, label %behind

again:
  %next = add nuw i32 %i, 1
  %more = icmp ult i32 %next, 1000
  br i1 %more, label %turn, label %behind

behind:
  %next1 = getelementptr i32, ptr addrspace(1) %a, i32 1
  store i32 %x, ptr addrspace(1) %next1
  ret void
}

; A reduction in inline assembly waits for no lane; a barrier of the warp does.
; CHECK-LABEL: define ptx_kernel void @reduction__gm_cache(
; CHECK:       {{^}}meet:
; CHECK:         label %__gm_bring_together.exit
; CHECK:       gm.plain:
define ptx_kernel void @reduction(ptr addrspace(1) %p) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %odd = trunc i32 %t to i1
  br i1 %odd, label %then, label %meet

then:
  call void asm sideeffect "fence.acq_rel.cta; red.and.release.cta.global.b32 [$0], $1;", "l,r,~{memory}"(ptr addrspace(1) %p, i32 %t) convergent
  br label %meet

meet:
  %a = getelementptr i32, ptr addrspace(1) %p, i32 %t
  store i32 0, ptr addrspace(1) %a
  ret void
}

; CHECK-LABEL: define ptx_kernel void @warp_barrier__gm_cache(
; CHECK-NOT:     label %__gm_bring_together.exit
define ptx_kernel void @warp_barrier(ptr addrspace(1) %p) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %odd = trunc i32 %t to i1
  br i1 %odd, label %then, label %meet

then:
  call void asm sideeffect "red.and.release.cta.global.b32 [$0], $1; bar.warp.sync 0xaaaaaaaa;", "l,r,~{memory}"(ptr addrspace(1) %p, i32 %t) convergent
  br label %meet

meet:
  %a = getelementptr i32, ptr addrspace(1) %p, i32 %t
  store i32 0, ptr addrspace(1) %a
  ret void
}

; Lanes exchange something in between.
; CHECK-LABEL: define ptx_kernel void @shuffle__gm_cache(
; CHECK-NOT:     label %__gm_bring_together.exit
define ptx_kernel void @shuffle(ptr addrspace(1) %p) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %odd = trunc i32 %t to i1
  br i1 %odd, label %then, label %meet

then:
  %x = load i32, ptr addrspace(1) %p
  %s = call i32 @llvm.nvvm.shfl.sync.idx.i32(i32 2863311530, i32 %x, i32 1, i32 31)
  br label %meet

meet:
  %y = phi i32 [ %s, %then ], [ 0, %0 ]
  %a = getelementptr i32, ptr addrspace(1) %p, i32 %t
  store i32 %y, ptr addrspace(1) %a
  ret void
}

; Some lanes return.
; CHECK-LABEL: define ptx_kernel void @returns__gm_cache(
; CHECK-NOT:     label %__gm_bring_together.exit
; CHECK:         ret void
define ptx_kernel void @returns(ptr addrspace(1) %p, i32 %n) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %over = icmp uge i32 %t, %n
  br i1 %over, label %gone, label %stays

gone:
  %x = load i32, ptr addrspace(1) %p
  store i32 %x, ptr addrspace(1) %p
  ret void

stays:
  %a = getelementptr i32, ptr addrspace(1) %p, i32 %t
  store i32 %t, ptr addrspace(1) %a
  ret void
}

; Lanes for which %inb holds leave the inner loop for another turn of the outer one, others for the block behind it, where they would
; wait for the former.
; CHECK-LABEL: define ptx_kernel void @turns__gm_cache(
; CHECK:       {{^}}leave:
; CHECK-NOT:     vote.all.sync
; CHECK:       {{^}}next:
define ptx_kernel void @turns(ptr addrspace(1) %p) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  br label %outer

outer:
  %n = phi i32 [ 0, %entry ], [ %n1, %next ]
  %pn = getelementptr i32, ptr addrspace(1) %p, i32 %n
  %v = load i32, ptr addrspace(1) %pn
  %inb = icmp ult i32 %v, %t
  %ina = icmp ult i32 %n, %t
  br i1 %ina, label %inner, label %leave

inner:
  %i = phi i32 [ %n, %outer ], [ %i1, %again ]
  %pi = getelementptr i32, ptr addrspace(1) %p, i32 %i
  %w = load i32, ptr addrspace(1) %pi
  %i1 = add i32 %i, 1
  %more = icmp ult i32 %w, %t
  br i1 %more, label %again, label %leave

again:
  br i1 %inb, label %next, label %inner

leave:
  br i1 %inb, label %next, label %exit

next:
  %n1 = add i32 %n, 1
  br label %outer

exit:
  %pt = getelementptr i32, ptr addrspace(1) %p, i32 %t
  store i32 %t, ptr addrspace(1) %pt
  ret void
}
