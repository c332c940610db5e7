; Device functions that are not inlined are cloned with the counters' state as
; further parameters, under a name that says all that caller and callee agree on.
; RUN: %opt -passes=gm-instrument,verify -S %s | FileCheck %s

target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()

@tile = internal addrspace(3) global [64 x i32] undef, align 4

; The clone of the kernel calls clones; its uninstrumented half the originals.
; CHECK-LABEL: define ptx_kernel void @k__gm_shared(
; CHECK:         call void @helper__gm_shared_u32_atomic_4227858431(ptr %g, ptr {{.*}}%gm.launch, i32 %gm.base, i32 %gm.first, i32 %{{.+}})
; CHECK-NEXT:    call void @elsewhere__gm_shared_u32_atomic_4227858431(ptr %g, ptr {{.*}}%gm.launch, i32 %gm.base, i32 %gm.first, i32 %{{.+}})
; CHECK:         call void @pure(ptr %p)
; CHECK-NEXT:    call void %f(ptr %g)
; CHECK:       gm.plain:
; CHECK:         call void @helper(
; CHECK:         call void @elsewhere(
define ptx_kernel void @k(ptr %p) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %at = getelementptr i32, ptr %p, i32 %t
  %i = load i32, ptr %at
  %a = getelementptr i32, ptr addrspace(3) @tile, i32 %i
  %g = addrspacecast ptr addrspace(3) %a to ptr
  %f = load ptr, ptr %p
  call void @helper(ptr %g)
  call void @elsewhere(ptr %g)
  call void @pure(ptr %p)
  call void %f(ptr %g)
  ret void
}

; It calls itself: so does its clone.
; CHECK-LABEL: define internal void @helper__gm_shared_u32_atomic_4227858431(ptr %p, ptr %gm.launch, i32 %0, i32 %1, i32 %2)
; CHECK:         store i32 1, ptr %p
; CHECK:         call i1 @llvm.nvvm.isspacep.shared(ptr %p)
; CHECK:         atomicrmw add ptr addrspace(3)
; CHECK:         call void @helper__gm_shared_u32_atomic_4227858431(ptr {{.*}}%q, ptr %gm.launch, i32 %0, i32 %1, i32 %2)
define internal void @helper(ptr %p) noinline {
  store i32 1, ptr %p
  %q = load ptr, ptr %p
  %c = icmp eq ptr %q, null
  br i1 %c, label %done, label %more
more:
  call void @helper(ptr %q)
  br label %done
done:
  ret void
}

; Nothing to count in it: not cloned.
; CHECK-NOT: @pure__gm
define internal void @pure(ptr %p) noinline {
  ret void
}

; What another unit defines has a weak clone here, which notes that its accesses
; were not counted. The linker prefers the real one.
; CHECK-LABEL: define weak void @elsewhere__gm_shared_u32_atomic_4227858431(ptr %0, ptr %1, i32 %2, i32 %3, i32 %4)
; CHECK:         atomicrmw add ptr addrspace(1) %{{.+}}, i64 1 monotonic
; CHECK:         call void @elsewhere(ptr %0)
declare void @elsewhere(ptr)

; Other units find a clone of what they can call, whether it counts or not.
; CHECK-LABEL: define i32 @visible__gm_shared_u32_atomic_4227858431(i32 %0, ptr %1, i32 %2, i32 %3, i32 %4)
; CHECK-NEXT:    call i32 @visible(i32 %0)
; CHECK-LABEL: define i32 @visible__gm_shared_device_atomic(
define i32 @visible(i32 %x) noinline {
  %y = mul i32 %x, 3
  ret i32 %y
}
