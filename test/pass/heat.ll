; K__gm_heat leaves a record of each request behind the access, in the column of each lane that executes it: its address,
; the lanes, and what is accessed, which is one number: the site, in global memory the place of its line, the kind (0: reads, 1: writes, 2: atomics),
; the logarithm of the bytes, and whether it is shared memory. Those of a stretch of code that no lane waits or leaves in are left together, up to eight, behind
; the last. Where the lanes have no room left for them, a function leaves them elsewhere, or notes them at once if there is no room at all: it gets them
; in local memory, with the number of rows.
; RUN: %opt -gm-profile=heat -gm-heat-closed-forms=false -passes=gm-instrument,verify -S %s | FileCheck %s
; RUN: %opt -gm-profile=shared,global,objects -passes=gm-instrument,verify -S %s | FileCheck %s --check-prefix=OTHER
; OTHER-NOT: __gm_heat

target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)
declare { <2 x half>, <2 x half>, <2 x half>, <2 x half>, <2 x half>, <2 x half>, <2 x half>, <2 x half> } @llvm.nvvm.wmma.m16n16k16.load.a.row.stride.f16.p3(ptr addrspace(3), i32)

@tile = internal addrspace(3) global [64 x i32] undef, align 16
@halves = internal addrspace(3) global [512 x half] undef, align 32

; Blocks that are not noted take the plain half.
; CHECK-LABEL: define ptx_kernel void @kinds__gm_heat(
; CHECK-SAME:    ptr %p, ptr %q, ptr noundef byval(%struct.GmprofHeatLaunch) align 8 "nvvm.grid_constant" %gm.launch) [[ATTRIBUTES:#[0-9]+]]
; CHECK:         br i1 %{{.+}}, label %gm.begin, label %gm.plain
; CHECK:         %x = load i32, ptr addrspace(1) %a
; CHECK:         store i32 %x, ptr addrspace(3) %s
; CHECK:         atomicrmw add ptr addrspace(1) %l
; CHECK:         store i8 1, ptr addrspace(1) %b
; CHECK-DAG:     [[A:%.+]] = ptrtoint ptr addrspace(1) %a to i64
; CHECK-DAG:     [[S:%.+]] = ptrtoint ptr addrspace(3) %s to i64
; CHECK-DAG:     [[L:%.+]] = ptrtoint ptr addrspace(1) %l to i64
; CHECK-DAG:     [[B:%.+]] = ptrtoint ptr addrspace(1) %b to i64
; CHECK:         [[LANES:%.+]] = call {{.*}}i32 @llvm.nvvm.activemask()
; CHECK:         [[OTHERS:%.+]] = and i32 [[LANES]], %{{.+}}
; CHECK-NEXT:    [[IN_ONE:%.+]] = icmp eq i32 [[OTHERS]], 0
; CHECK:         [[ROOM:%.+]] = and i1 [[IN_ONE]], %{{.+}}
; CHECK-NEXT:    [[ALL:%.+]] = call i1 @llvm.nvvm.vote.all.sync(i32 [[LANES]], i1 [[ROOM]])
; CHECK-NEXT:    br i1 [[ALL]]
; CHECK:         insertelement <2 x i64> poison, i64 [[A]], i64 0
; CHECK:         [[WIDE:%.+]] = zext i32 [[LANES]] to i64
; CHECK-NEXT:    or disjoint i64 [[WIDE]], 144115188075855872
; CHECK:         store <2 x i64> %{{.+}}, ptr addrspace(1) %{{.+}}, align 16
; CHECK-COUNT-3: store <2 x i64>
; CHECK:         zext i32 [[LANES]] to i64
; CHECK:         or disjoint i64 %{{.+}}, 144115188075855872
; CHECK:         store i64 [[A]], ptr
; CHECK:         or disjoint i64 %{{.+}}, 738590343183728640
; CHECK:         store i64 %{{.+}}, ptr
; CHECK:         or disjoint i64 %{{.+}}, 252201587722682368
; CHECK:         store i64 [[L]], ptr
; CHECK:         or disjoint i64 %{{.+}}, 18014411394383872
; CHECK:         store i64 [[B]], ptr
; CHECK:         call i64 @__gm_heat_next_chunk(i32 {{.*}}[[LANES]], {{.+}}, ptr {{.*}}%gm.rows{{[0-9]*}}, i32 {{.*}}4, i32 {{.*}}256)
; CHECK-NOT:     call {{.+}} @__gm_heat
; CHECK:       gm.plain:
; CHECK-NOT:     call {{.+}} @__gm_heat
; CHECK:         ret void
define ptx_kernel void @kinds(ptr %p, ptr %q) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %a = getelementptr i32, ptr %p, i32 %t
  %x = load i32, ptr %a
  %s = getelementptr i32, ptr addrspace(3) @tile, i32 %t
  store i32 %x, ptr addrspace(3) %s
  %l = getelementptr i64, ptr %q, i32 %t
  %o = atomicrmw add ptr %l, i64 1 monotonic
  %b = getelementptr i8, ptr %p, i32 %t
  store i8 1, ptr %b
  ret void
}

; Each lane says in which space it is what may be in either: whether it is shared memory, 1 << 27. Lanes
; make a request with those whose is in the same one, and are together again behind it.
; CHECK-LABEL: define ptx_kernel void @generic__gm_heat(
; CHECK:         load i32, ptr %g
; CHECK:         [[LANES:%.+]] = call {{.*}}i32 @llvm.nvvm.activemask()
; CHECK:         [[SHARED:%.+]] = call i1 @llvm.nvvm.isspacep.shared(ptr %g)
; CHECK:         [[GLOBAL:%.+]] = call i1 @llvm.nvvm.isspacep.global(ptr %g)
; CHECK:         [[EITHER:%.+]] = or i1 [[SHARED]], [[GLOBAL]]
; CHECK:         [[WHAT:%.+]] = select i1 [[SHARED]], i32 167772161, i32 33554433
; CHECK:         [[ADDRESS:%.+]] = select i1 [[SHARED]], i64
; CHECK:         [[WHERE:%.+]] = call {{.*}}i32 @llvm.nvvm.vote.ballot.sync(i32 [[LANES]], i1 [[EITHER]])
; CHECK:         [[OF:%.+]] = call {{.*}}i32 @llvm.nvvm.vote.ballot.sync(i32 [[LANES]], i1 [[SHARED]])
; CHECK:         br i1 [[EITHER]], label
; CHECK:         store i64 %{{.+}}, ptr %gm.rows
; CHECK:         zext {{.*}}i32 [[WHAT]] to i64
; CHECK:         select i1 [[EITHER]], i64 %{{.+}}, i64 0
; CHECK:         store i64 [[ADDRESS]], ptr
; CHECK:         call i64 @__gm_heat_next_chunk({{.+}}, i32 {{.*}}3, i32 {{.*}}256)
; CHECK:         call i1 @llvm.nvvm.vote.all.sync(i32 [[LANES]], i1
; CHECK:         label %__gm_bring_together.exit
; CHECK:       gm.plain:
define ptx_kernel void @generic(ptr %p) {
  %g = load ptr, ptr %p
  %x = load i32, ptr %g
  %a = getelementptr i32, ptr %p, i32 %x
  store i32 %x, ptr %a
  ret void
}

; A copy of 20 bytes, aligned to 4, is of words; one of 32 of 8 bytes; a long one of bytes.
; CHECK-LABEL: define ptx_kernel void @copies__gm_heat(
; CHECK:         call void @__gm_heat_global_range({{.+}}, i32 33554432, i64 %{{.+}}, i64 20)
; CHECK:         call void @__gm_heat_global_range({{.+}}, i32 37748737, i64 %{{.+}}, i64 20)
; CHECK:         call void @llvm.memcpy
; CHECK:         call void @__gm_heat_global_range({{.+}}, i32 50331650, i64 %{{.+}}, i64 32)
; CHECK:         call void @__gm_heat_global_range({{.+}}, i32 54525955, i64 %{{.+}}, i64 32)
; CHECK:         call void @llvm.memcpy
; CHECK:         call void @__gm_heat_global_range({{.+}}, i32 4, i64 %{{.+}}, i64 256)
; CHECK:         call void @__gm_heat_global_range({{.+}}, i32 4194309, i64 %{{.+}}, i64 256)
; CHECK:         call void @llvm.memcpy
; CHECK:       gm.plain:
define ptx_kernel void @copies(ptr %p, ptr %q) {
  call void @llvm.memcpy.p0.p0.i64(ptr align 4 %q, ptr align 4 %p, i64 20, i1 false)
  call void @llvm.memcpy.p0.p0.i64(ptr align 16 %q, ptr align 16 %p, i64 32, i1 false)
  call void @llvm.memcpy.p0.p0.i64(ptr align 16 %q, ptr align 16 %p, i64 256, i1 false)
  ret void
}

; A tile of 16 rows of 32 bytes, 64 bytes apart.
; CHECK-LABEL: define ptx_kernel void @tiles__gm_heat(
; CHECK:         call void @__gm_heat_shared_tile(i32 %{{.+}}, ptr %{{.+}}, i32 %{{.+}}, i32 201326592, i32 ptrtoint (ptr addrspace(3) @halves to i32), i32 16, i32 32, i32 64, i32 1, i32 1)
; CHECK:         @llvm.nvvm.wmma.m16n16k16.load.a.row.stride.f16.p3(
; CHECK:       gm.plain:
define ptx_kernel void @tiles(ptr %p) {
  %f = call { <2 x half>, <2 x half>, <2 x half>, <2 x half>, <2 x half>, <2 x half>, <2 x half>, <2 x half> } @llvm.nvvm.wmma.m16n16k16.load.a.row.stride.f16.p3(ptr addrspace(3) @halves, i32 32)
  %v = extractvalue { <2 x half>, <2 x half>, <2 x half>, <2 x half>, <2 x half>, <2 x half>, <2 x half>, <2 x half> } %f, 0
  store <2 x half> %v, ptr %p
  ret void
}

; Eight requests are left together, and those before a barrier, in which lanes wait for others.
; CHECK-LABEL: define ptx_kernel void @stretches__gm_heat(
; CHECK:         store i32 0, ptr addrspace(1)
; CHECK-NOT:     call {{.+}} @__gm_heat
; CHECK:         store i32 7, ptr addrspace(1)
; CHECK:         call i64 @__gm_heat_next_global_chunk({{.+}}, i32 {{.*}}8, i32 {{.*}}256)
; CHECK-NOT:     call {{.+}} @__gm_heat
; CHECK:         store i32 8, ptr addrspace(1)
; CHECK-NOT:     call {{.+}} @__gm_heat
; CHECK:         store i32 9, ptr addrspace(1)
; CHECK:         call i64 @__gm_heat_next_global_chunk({{.+}}, i32 {{.*}}2, i32 {{.*}}256)
; CHECK-NOT:     call {{.+}} @__gm_heat
; CHECK:         call void @llvm.nvvm.barrier
; CHECK-NOT:     call {{.+}} @__gm_heat
; CHECK:         store i32 10, ptr addrspace(1)
; CHECK:         call i64 @__gm_heat_next_global_chunk({{.+}}, i32 {{.*}}1, i32 {{.*}}256)
; CHECK-NOT:     call {{.+}} @__gm_heat
; CHECK:       gm.plain:
define ptx_kernel void @stretches(ptr %p) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %a = getelementptr [11 x [5 x i32]], ptr %p, i32 %t
  %a0 = getelementptr i32, ptr %a, i32 0
  store i32 0, ptr %a0
  %a1 = getelementptr i32, ptr %a, i32 1
  store i32 1, ptr %a1
  %a2 = getelementptr i32, ptr %a, i32 4
  store i32 2, ptr %a2
  %a3 = getelementptr i32, ptr %a, i32 9
  store i32 3, ptr %a3
  %a4 = getelementptr i32, ptr %a, i32 16
  store i32 4, ptr %a4
  %a5 = getelementptr i32, ptr %a, i32 25
  store i32 5, ptr %a5
  %a6 = getelementptr i32, ptr %a, i32 36
  store i32 6, ptr %a6
  %a7 = getelementptr i32, ptr %a, i32 49
  store i32 7, ptr %a7
  %a8 = getelementptr i32, ptr %a, i32 64
  store i32 8, ptr %a8
  %a9 = getelementptr i32, ptr %a, i32 81
  store i32 9, ptr %a9
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %a10 = getelementptr i32, ptr %a, i32 100
  store i32 10, ptr %a10
  ret void
}

; Where the second access is the first one says.
; CHECK-LABEL: define ptx_kernel void @chain__gm_heat(
; CHECK:         %x = load i32, ptr addrspace(1)
; CHECK:         %y = load i32, ptr addrspace(1)
; CHECK:         store i32 %y, ptr addrspace(1)
; CHECK:         call i64 @__gm_heat_next_global_chunk({{.+}}, i32 {{.*}}3, i32 {{.*}}256)
; CHECK-NOT:     call {{.+}} @__gm_heat
; CHECK:       gm.plain:
define ptx_kernel void @chain(ptr %p, ptr %q) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %a = getelementptr i32, ptr %p, i32 %t
  %x = load i32, ptr %a
  %b = getelementptr i32, ptr %p, i32 %x
  %y = load i32, ptr %b
  %c = getelementptr i32, ptr %q, i32 %t
  store i32 %y, ptr %c
  ret void
}

; What only some lanes make in a short branch is left where they meet, with the address that these have.
; The first one's address is there in any case. Lanes that leave it alone are together again behind it. A branch with a barrier is none.
; CHECK-LABEL: define ptx_kernel void @branches__gm_heat(
; CHECK:         load i32, ptr addrspace(1) %a
; CHECK:         br i1 %few, label %first, label %meet
; CHECK:       first:
; CHECK:         store i32 1, ptr addrspace(1) %a
; CHECK-NOT:     call
; CHECK:         store i32 2, ptr addrspace(1) %b
; CHECK:       meet:
; CHECK-NEXT:    [[B:%.+]] = phi i64 [ %{{.+}}, %first ], [ 0, %
; CHECK:         load i32, ptr addrspace(1) %c
; CHECK:         [[LANES:%.+]] = call {{.*}}i32 @llvm.nvvm.activemask()
; CHECK:         [[FEW:%.+]] = call {{.*}}i32 @llvm.nvvm.vote.ballot.sync(i32 [[LANES]], i1 %few)
; CHECK-NEXT:    br i1 %few, label
; CHECK:         zext i32 [[LANES]] to i64
; CHECK:         or disjoint i64 %{{.+}}, 144115188075855872
; CHECK:         select i1 %few, i32 %{{.+}}, i32 0
; CHECK:         or disjoint i64 %{{.+}}, 162129590880305152
; CHECK:         or disjoint i64 %{{.+}}, 162129595175272448
; CHECK:         store i64 [[B]], ptr
; CHECK:         or disjoint i64 %{{.+}}, 144115200960757760
; CHECK:         call i64 @__gm_heat_next_global_chunk(i32 {{.*}}[[LANES]], {{.+}}, i32 {{.*}}4, i32 {{.*}}256)
; CHECK:         call i1 @llvm.nvvm.vote.all.sync(i32 [[LANES]], i1
; CHECK:         label %__gm_bring_together.exit
; CHECK:       second:
; CHECK:         store i32 3, ptr addrspace(1) %a
; CHECK:         call i64 @__gm_heat_next_global_chunk(
; CHECK-NOT:     label %__gm_bring_together.exit
; CHECK:         call void @llvm.nvvm.barrier
; CHECK:       gm.plain:
define ptx_kernel void @branches(ptr %p, ptr %q) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %a = getelementptr [3 x i32], ptr %p, i32 %t
  %x = load i32, ptr %a
  %few = icmp slt i32 %x, 3
  br i1 %few, label %first, label %meet
first:
  store i32 1, ptr %a
  %b = getelementptr [5 x i32], ptr %q, i32 %x
  store i32 2, ptr %b
  br label %meet
meet:
  %c = getelementptr [3 x i32], ptr %q, i32 %t
  %y = load i32, ptr %c
  %none = icmp eq i32 %y, 0
  br i1 %none, label %second, label %end
second:
  store i32 3, ptr %a
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  br label %end
end:
  ret void
}

; Without an access there is nothing to note.
; CHECK-NOT: @empty__gm_heat
define ptx_kernel void @empty(i32 %n) {
  ret void
}

; It runs with as many threads in a block as the kernel does.
; As many blocks run at a time as of the kernel, which takes 32 registers at most; how many of one that divides is not known.
; CHECK-LABEL: define ptx_kernel void @quotients__gm_heat(
; CHECK-SAME:    [[UNKNOWN:#[0-9]+]]
define ptx_kernel void @quotients(ptr %p) {
  %x = load float, ptr %p
  %y = fdiv float 1.0, %x
  store float %y, ptr %p
  ret void
}

; CHECK-DAG:   attributes [[ATTRIBUTES]] = { {{.*}}"nvvm.maxnreg"="32"
; CHECK-DAG:   attributes [[UNKNOWN]] = { {{.*}}"nvvm.maxntid"="1024"
