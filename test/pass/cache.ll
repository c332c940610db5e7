; K__gm_cache records each request of global and of local memory right in front of the access. What is accessed is one number: the
; site, and from bit 16 the logarithm of the bytes, from bit 19 the kind, from bit 22 the cache operator (gmprof/abi.h). Threads
; give back what they write to where they end.
; RUN: %opt -gm-profile=cache -passes=gm-instrument,verify -S %s | FileCheck %s
; RUN: %opt -gm-profile=shared,global,objects,heat -passes=gm-instrument,verify -S %s | FileCheck %s --check-prefix=OTHER
; OTHER-NOT: __gm_cache
; OTHER-NOT: __gm_trace

target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.shfl.sync.idx.i32(i32, i32, i32, i32)
declare void @llvm.nvvm.cp.async.cg.shared.global.16(ptr addrspace(3), ptr addrspace(1))
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)

@tile = internal addrspace(3) global [64 x i32] undef, align 16

; Shared memory has no caches. 4 bytes: 2 << 16 = 131072; 8: 196608. Kinds: store 1 << 19 = 524288, atomic 1048576, reduction
; 1572864.
; CHECK-LABEL: define ptx_kernel void @kinds__gm_cache(
; CHECK-SAME:    ptr noundef byval(%struct.GmprofTraceLaunch) align 8 "nvvm.grid_constant" %gm.launch)
; CHECK:         br i1 %{{.+}}, label %gm.begin, label %gm.plain
; CHECK:         [[LANES:%.+]] = call {{.*}}i32 @llvm.nvvm.activemask()
; CHECK:         call void @__gm_trace(i32 {{.*}}[[LANES]], ptr {{.*}}[[C:%.+]], ptr {{.*}}[[CURSOR:%.+]], i32 {{.*}}131072, i64 {{.*}}%{{.+}})
; CHECK-NEXT:    %x = load i32, ptr addrspace(1)
; CHECK-NOT:     call void @__gm_trace
; CHECK:         store i32 %x, ptr addrspace(3)
; CHECK:         call void @__gm_trace({{.+}} [[C]], ptr {{.*}}[[CURSOR]], i32 {{.*}}1245186, i64
; CHECK:         %o = atomicrmw add
; CHECK:         call void @__gm_trace({{.+}}, i32 {{.*}}655363, i64
; CHECK:         store i32
; CHECK:         call void @__gm_trace({{.+}}, i32 {{.*}}1703940, i64
; CHECK:         atomicrmw add
; CHECK:         call void @__gm_trace_leave(ptr {{.*}}%{{.+}}, ptr {{.*}}[[CURSOR]])
; CHECK-NEXT:    ret void
; CHECK:       gm.plain:
; CHECK-NOT:     call void @__gm_trace
; CHECK:         ret void

; The kernel's own code, with its block's SM and times.
; CHECK-LABEL: define ptx_kernel void @kinds__gm_blocks(
; CHECK-SAME:    ptr noundef byval(%struct.GmprofTraceLaunch) align 8 "nvvm.grid_constant" %gm.launch)
; CHECK:         [[BEGIN:%.+]] = {{.*}}call i64 @llvm.nvvm.read.ptx.sreg.clock64()
; CHECK:         store i64 [[BEGIN]], ptr addrspace(1)
; CHECK:         call {{.*}}i32 @llvm.nvvm.read.ptx.sreg.smid()
; CHECK-NOT:     call void @__gm_trace
; CHECK:         atomicrmw add
; CHECK:         [[END:%.+]] = {{.*}}call i64 @llvm.nvvm.read.ptx.sreg.clock64()
; CHECK:         atomicrmw umax ptr addrspace(1) {{.+}}, i64 [[END]] monotonic
; CHECK:         ret void
define ptx_kernel void @kinds(ptr %p, ptr %q) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %a = getelementptr i32, ptr %p, i32 %t
  %x = load i32, ptr %a
  %s = getelementptr i32, ptr addrspace(3) @tile, i32 %t
  store i32 %x, ptr addrspace(3) %s
  %l = getelementptr i64, ptr %q, i32 %t
  %o = atomicrmw add ptr %l, i64 1 monotonic
  %n = trunc i64 %o to i32
  store i32 %n, ptr %a
  %r = atomicrmw add ptr %q, i32 1 monotonic
  ret void
}

; Operators: relaxed goes to L2 (cg: 1 << 22), volatile is cv (4 << 22), what never changes nc (5 << 22). cp.async.cg is kind 6 << 19
; of 16 bytes, 4 << 16.
; CHECK-LABEL: define ptx_kernel void @operators__gm_cache(
; CHECK:         call void @__gm_trace({{.+}}, i32 {{.*}}4325376, i64
; CHECK-NEXT:    load atomic i32
; CHECK:         call void @__gm_trace({{.+}}, i32 {{.*}}16908289, i64
; CHECK-NEXT:    load volatile i32
; CHECK:         call void @__gm_trace({{.+}}, i32 {{.*}}21102594, i64
; CHECK:         call void @__gm_trace({{.+}}, i32 {{.*}}7602180, i64
; CHECK:         call void @llvm.nvvm.cp.async.cg
; CHECK:         call void @__gm_trace({{.+}}, i32 {{.*}}8519685, i64
; CHECK-NEXT:    call i32 asm
define ptx_kernel void @operators(ptr %p, ptr %q) {
  %x = load atomic i32, ptr %p monotonic, align 4
  %y = load volatile i32, ptr %p
  %z = load i32, ptr %p, !invariant.load !0
  %g = addrspacecast ptr %q to ptr addrspace(1)
  call void @llvm.nvvm.cp.async.cg.shared.global.16(ptr addrspace(3) @tile, ptr addrspace(1) %g)
  %w = call i32 asm "ld.global.cs.u32 $0, [$1];", "=r,l"(ptr %p)
  %s = add i32 %x, %y
  %u = add i32 %z, %w
  %v = add i32 %s, %u
  store i32 %v, ptr %q
  ret void
}

; A bulk copy is recorded whole: of 16 bytes a lane, as an asynchronous copy past L1 and as a store past it, 4 << 16 + 6 << 19 + 1 << 22 =
; 28573696 and 4 << 16 + 1 << 19 + 6 << 22 = 25952256, and the sites.
; CHECK-LABEL: define ptx_kernel void @bulk__gm_cache(
; CHECK:         call void @__gm_trace_bulk({{.+}}, i32 {{.*}}28573696, i64 {{.*}}%{{.+}}, i64 {{.*}}%n)
; CHECK:         call void asm sideeffect "cp.async.bulk.shared
; CHECK:         call void @__gm_trace_bulk({{.+}}, i32 {{.*}}25952259, i64 {{.*}}%{{.+}}, i64 {{.*}}256)
; CHECK:         call void asm sideeffect "cp.async.bulk.global
define ptx_kernel void @bulk(ptr %p, i64 %n) {
  %s = ptrtoint ptr addrspace(3) @tile to i32
  call void asm sideeffect "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [$0], [$1], $2, [$0];", "r,l,l"(i32 %s, ptr %p, i64 %n)
  call void asm sideeffect "cp.async.bulk.global.shared::cta.bulk_group [$0], [$1], 256;", "l,r"(ptr %p, i32 %s)
  ret void
}

; A fence is recorded behind what it accesses itself, also in a function that does nothing else.
; CHECK-LABEL: define ptx_kernel void @fences__gm_cache(
; CHECK:         call void @__gm_trace({{.+}}, i32 1703936, i64
; CHECK:         [[AT:%.+]] = call {{.*}}i32 @llvm.nvvm.activemask()
; CHECK-NEXT:    call void @__gm_trace_fence(i32 {{.*}}[[AT]], ptr {{.*}}%{{.+}}, ptr {{.*}}%gm.cursor)
; CHECK-NEXT:    cmpxchg
; CHECK:         call void @only_fence__gm_cache(ptr {{.*}}%{{.+}}, ptr {{.*}}%gm.cursor)
; CHECK:         call void @__gm_trace_leave(
; CHECK-LABEL: define void @only_fence__gm_cache(
; CHECK:         call void @__gm_trace_fence(
; CHECK-NEXT:    call void @llvm.nvvm.membar.gl()
define ptx_kernel void @fences(ptr addrspace(1) %p) {
  %x = cmpxchg ptr addrspace(1) %p, i32 0, i32 1 seq_cst seq_cst
  call void @only_fence()
  ret void
}
define void @only_fence() noinline {
  call void @llvm.nvvm.membar.gl()
  ret void
}
declare void @llvm.nvvm.membar.gl()

; A barrier of clusters is one if there are several blocks.
; CHECK-LABEL: define ptx_kernel void @cluster__gm_cache(
; CHECK:         [[BLOCKS:%.+]] = call {{.*}}i32 @llvm.nvvm.read.ptx.sreg.cluster.nctarank()
; CHECK-NEXT:    [[SEVERAL:%.+]] = icmp ugt i32 [[BLOCKS]], 1
; CHECK-NEXT:    br i1 [[SEVERAL]], label %[[FENCE:.+]], label %[[WAIT:.+]]
; CHECK:       [[FENCE]]:
; CHECK:         call void @__gm_trace_fence(
; CHECK-NEXT:    br label %[[WAIT]]
; CHECK:       [[WAIT]]:
; CHECK-NEXT:    call void @llvm.nvvm.barrier.cluster.wait.aligned()
define ptx_kernel void @cluster() {
  call void @llvm.nvvm.barrier.cluster.wait.aligned()
  ret void
}
declare void @llvm.nvvm.barrier.cluster.wait.aligned()

; What may be in either space is recorded where it is; of local memory as the distance from the cursor.
; CHECK-LABEL: define ptx_kernel void @generic__gm_cache(
; CHECK:         [[GLOBAL:%.+]] = call i1 @llvm.nvvm.isspacep.global(ptr %{{.+}})
; CHECK:         br i1 [[GLOBAL]], label
; CHECK:         call void @__gm_trace({{.+}}, i32 {{.*}}131073, i64
; CHECK:         [[LOCAL:%.+]] = call i1 @llvm.nvvm.isspacep.local(ptr %{{.+}})
; CHECK-NEXT:    br i1 [[LOCAL]], label
; CHECK:         sub i64 %{{.+}}, %{{.+}}
; CHECK:         call void @__gm_trace({{.+}}, i32 {{.*}}2228225, i64
; CHECK:         load i32
; CHECK:       gm.plain:
define ptx_kernel void @generic(ptr %p) {
  %g = load ptr, ptr %p
  %x = load i32, ptr %g
  store i32 %x, ptr %p
  ret void
}

; Both returns give back; the clone of a function has the context and the cursor,
; and finds out the number of its site at its entry.
; CHECK-LABEL: define ptx_kernel void @early__gm_cache(
; CHECK:         call {{.*}}i32 @helper__gm_cache(ptr {{.*}}%p, ptr %{{.+}}, ptr {{.*}}%gm.cursor)
; CHECK:         call void @__gm_trace_leave(
; CHECK-NEXT:    ret void
; CHECK:         call void @__gm_trace_leave(
; CHECK-NEXT:    ret void
; CHECK-LABEL: define i32 @helper__gm_cache(ptr %p, ptr %{{.+}}, ptr %{{.+}})
; CHECK:         [[WHAT:%.+]] = or i32 %{{.+}}, 131072
; CHECK-NEXT:    call void @__gm_trace({{.+}}, i32 {{.*}}[[WHAT]], i64
; CHECK-NOT:     __gm_trace_leave
; CHECK:         ret i32
define ptx_kernel void @early(ptr %p, i32 %n) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %out = icmp sge i32 %t, %n
  br i1 %out, label %exit, label %body
body:
  %x = call i32 @helper(ptr %p)
  store i32 %x, ptr %p
  br label %exit
exit:
  ret void
}
define i32 @helper(ptr %p) noinline {
  %x = load i32, ptr %p
  ret i32 %x
}

; There is nothing to record.
; CHECK-NOT: @nothing__gm_cache
define ptx_kernel void @nothing() {
  store i32 0, ptr addrspace(3) @tile
  ret void
}
!0 = !{}
