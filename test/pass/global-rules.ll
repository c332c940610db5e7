; Accesses of global memory, each by the first rule that fits. What the hooks are
; inlined to is recognised by what only they do: of counters of global memory those
; that carry are mended.
; RUN: %opt -gm-profile=shared,global,objects -passes=gm-instrument,verify -S %s | FileCheck %s

target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

@table = addrspace(1) global [64 x i32] zeroinitializer, align 4
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()

; A closed form says all: the kernel itself runs for it. Modes: global, global_all.
; Form: no derived unknowns; address 4 * tid.x (factor 0) + 8; no loops, constraints
; or conditions.
; CHECK: @__gm_kernel_closed = {{.*}} i32 148, i32 0, i32 4, i32 32,
; CHECK-SAME: [1 x { i32, i32, i32, i32 }] [{ i32, i32, i32, i32 } { i32 0, i32 0, i32 0, i32 10 }]
; CHECK-SAME: [10 x i64] [i64 0, i64 2, i64 8, i64 0, i64 4, i64 1, i64 0, i64 0, i64 0, i64 0]

; A variable of the module is found by its symbol, and has a root as well: the
; first one goes to what is counted.
; CHECK: @__gm_kernel_symbol = weak
; CHECK-SAME: { i32 30, i32 0, i32 0, i32 0, i32 4, i32 4, i64 0, i32 0, i32 0, i32 0, i32 1 }
; CHECK-SAME: { i32 32, i32 0, i32 0, i32 0, i32 2, i32 4, i64 256, i32 32, i32 -1, i32 0, i32 0 }
; CHECK-SAME: c"\00symbol\00uses no shared memory\00p\00table\00no closed form: the address depends on data in memory; not before the loop: not in a loop; not by one thread: depends on a load from memory that the kernel may write\00"

; CHECK-NOT: @closed__gm_global(
; CHECK: define ptx_kernel void @closed__gm_global_all(
; CHECK: call {{.+}}mendCarries
; CHECK: }
define ptx_kernel void @closed(ptr %p) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %a = getelementptr i32, ptr %p, i32 %t
  %b = getelementptr i32, ptr %a, i32 2
  store i32 1, ptr %b
  ret void
}

; Each access, by its own thread: after the store, only the index was not counted.
; CHECK-LABEL: define ptx_kernel void @symbol__gm_global(
; CHECK:         call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
; CHECK-NOT:     mendCarries
; CHECK:         store i32 1, ptr addrspace(1)
; CHECK:         call {{.+}}mendCarries
; CHECK-NOT:     mendCarries
; CHECK:       gm.plain:
define ptx_kernel void @symbol(ptr %p) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %a = getelementptr i32, ptr %p, i32 %t
  %i = load i32, ptr %a
  %b = getelementptr i32, ptr addrspace(1) @table, i32 %i
  store i32 1, ptr addrspace(1) %b
  ret void
}

; A sweep is counted in front of the loop, by a call, and not in it.
; CHECK-LABEL: define ptx_kernel void @sweep__gm_global(
; CHECK:       preheader:
; CHECK:         call void @__gm_global_sweep_u8(ptr {{.*}}, i32 192, i32 0, i64 %{{.+}}, i64 %{{.+}}, i64 %{{.+}}, i32 %{{.+}}, i32 %{{.+}}, i64 %{{.+}}, i32 4, i64 4, i64 %{{.+}}, i64 1)
; CHECK:       loop:
; CHECK-NOT:     call void @__gm_
; CHECK-NOT:     mendCarries
; CHECK:         br i1 %more, label %loop, label %exit
define ptx_kernel void @sweep(ptr %p, ptr %q) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %at = getelementptr i32, ptr %q, i32 %t
  %n = load i32, ptr %at
  %any = icmp sgt i32 %n, 0
  br i1 %any, label %preheader, label %end
preheader:
  br label %loop
loop:
  %i = phi i32 [ 0, %preheader ], [ %next, %loop ]
  %a = getelementptr i32, ptr %p, i32 %i
  %v = load volatile i32, ptr %a
  %next = add nuw nsw i32 %i, 1
  %more = icmp ult i32 %next, %n
  br i1 %more, label %loop, label %exit
exit:
  br label %end
end:
  ret void
}

; The same address in each iteration: once, after the loop.
; CHECK-LABEL: define ptx_kernel void @invariant__gm_global(
; CHECK:       loop:
; CHECK-NOT:     mendCarries
; CHECK:         br i1 %c, label %loop, label %exit
; CHECK:       exit:
; CHECK:         call {{.+}}mendCarries
; CHECK:       gm.plain:
define ptx_kernel void @invariant(ptr %p, ptr %q) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %at = getelementptr i32, ptr %q, i32 %t
  %n = load i32, ptr %at
  %a = getelementptr i32, ptr %p, i32 %n
  br label %loop
loop:
  %v = load volatile i32, ptr %a
  %c = icmp eq i32 %v, 1
  br i1 %c, label %loop, label %exit
exit:
  ret void
}

; All threads of the block at one address that is not known before: lane counts are
; added up by ballots, and the first lane counts.
; CHECK-LABEL: define ptx_kernel void @uniform__gm_global(
; CHECK:         atomicrmw add ptr addrspace(1) %{{.+}}, i32 1 monotonic
; CHECK-NOT:     match
; CHECK:         @llvm.nvvm.vote.ballot.sync
; CHECK-NOT:     match
; CHECK:         call {{.+}}mendCarries
; CHECK:       gm.plain:
define ptx_kernel void @uniform(ptr %p, ptr %q) {
  %at = load i64, ptr %q
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = getelementptr i32, ptr %q, i32 %t
  %n = load i32, ptr %i
  %any = icmp sgt i32 %n, 0
  br i1 %any, label %then, label %end
then:
  %a = atomicrmw add ptr %p, i32 1 monotonic
  %o = getelementptr i32, ptr %q, i32 %a
  store i32 1, ptr %o
  br label %end
end:
  ret void
}

; A table of the compiler's (the initial values of a local array) is no object.
; CHECK-NOT: @compilers__gm_global
@values = private unnamed_addr addrspace(1) constant [4 x i32] [i32 1, i32 2, i32 3, i32 4], align 4
define ptx_kernel void @compilers(i32 %i) {
  %a = getelementptr i32, ptr addrspace(1) @values, i32 %i
  %v = load volatile i32, ptr addrspace(1) %a
  ret void
}

; Nor is a table of libdevice's, which sin reads.
; CHECK-NOT: @libdevice__gm_global
@__cudart_i2opi_f = internal addrspace(1) global [6 x i32] zeroinitializer, align 4
define ptx_kernel void @libdevice(i32 %i) {
  %a = getelementptr i32, ptr addrspace(1) @__cudart_i2opi_f, i32 %i
  %v = load volatile i32, ptr addrspace(1) %a
  ret void
}

; Memory that is not global is none of this profile's business.
; CHECK: @tile
@tile = internal addrspace(3) global [64 x i32] undef, align 4
; CHECK-NOT: @shared__gm_global
define ptx_kernel void @shared(i32 %i) {
  %a = getelementptr i32, ptr addrspace(3) @tile, i32 %i
  store i32 1, ptr addrspace(3) %a
  ret void
}
