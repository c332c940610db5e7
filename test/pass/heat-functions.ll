; Device functions that are not inlined have clones with the context and the address of the first
; word of shared memory. They ask at their entry which numbers the sites of this translation unit
; have: what they have by themselves is the rest of what a request is, here with the last place (37683200).
; RUN: %opt -gm-profile=heat -gm-heat-closed-forms=false -passes=gm-instrument,verify -S %s | FileCheck %s

; How many registers calls take is known where no other code is linked: then a clone has a limit for as many
; threads as a block can have. Not if a call may be of any function.
; RUN: %opt -gm-profile=heat -gm-heat-closed-forms=false -gm-whole-program -passes=gm-instrument,verify -S -o %t %s
; RUN: FileCheck %s --check-prefix=CALLS --input-file=%t
; RUN: FileCheck %s --check-prefix=ANY --input-file=%t
; CALLS:      define ptx_kernel void @k__gm_heat({{.+}}) [[OF:#[0-9]+]] {
; CALLS:      attributes [[OF]] = { {{.*}}"nvvm.maxntid"="1024"
; ANY:        define ptx_kernel void @any__gm_heat({{.+}}) [[OF:#[0-9]+]] {
; ANY:        attributes [[OF]] = {
; ANY-NOT:    nvvm.maxn
; ANY-SAME:   }
; CHECK-NOT: "nvvm.maxn

target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

; CHECK-LABEL: define ptx_kernel void @k__gm_heat(
; CHECK:         call i32 @helper__gm_heat(ptr %p, ptr %{{.+}}, i32 ptrtoint (ptr addrspace(3) @__gm_dynamic to i32), ptr {{.*}}%gm.cursor)
; CHECK:         call i32 @pure(i32
; CHECK:       gm.plain:
; CHECK:         call i32 @helper(ptr %p)
define ptx_kernel void @k(ptr %p) {
  %x = call i32 @helper(ptr %p)
  %y = call i32 @pure(i32 %x)
  store i32 %y, ptr %p
  ret void
}

; It calls itself: so does its clone.
; CHECK:       define internal i32 @helper__gm_heat(ptr %q, ptr [[C:%.+]], i32 [[FIRST:%.+]], ptr [[CURSOR:%[^)]+]])
; CHECK:         [[UNITS:%.+]] = getelementptr {{.*}}i8, ptr [[C]], i64 128
; CHECK:         [[SITE:%.+]] = phi i32 [ {{.*}}37748735
; CHECK:         [[SHARED:%.+]] = select i1 %{{.+}}, i32 134217728, i32 0
; CHECK:         [[WHAT:%.+]] = or i32 [[SITE]], [[SHARED]]
; CHECK:         zext i32 [[WHAT]] to i64
; CHECK:         call i64 @__gm_heat_next_chunk(i32 {{.*}}%{{.+}}, ptr {{.*}}[[C]], i32 {{.*}}[[FIRST]], i64 {{.*}}%{{.+}}, i32 {{.*}}%{{.+}}, ptr {{.*}}%gm.rows{{[0-9]*}}, i32 {{.*}}1, i32 {{.*}}256)
; CHECK:         call i32 @helper__gm_heat(ptr %at, ptr [[C]], i32 [[FIRST]], ptr {{.*}}[[CURSOR]])
define internal i32 @helper(ptr %q) noinline {
  %x = load i32, ptr %q
  %more = icmp sgt i32 %x, 0
  br i1 %more, label %again, label %done
again:
  %at = getelementptr i32, ptr %q, i32 %x
  %y = call i32 @helper(ptr %at)
  br label %done
done:
  %r = phi i32 [ 0, %0 ], [ %y, %again ]
  ret i32 %r
}

; CHECK-NOT: @pure__gm
define internal i32 @pure(i32 %x) noinline {
  %y = mul i32 %x, %x
  ret i32 %y
}

define ptx_kernel void @any(ptr %p, ptr %f) {
  %x = load i32, ptr %p
  call void %f(i32 %x)
  ret void
}

; So helper is called with pointers to either memory.
@words = internal addrspace(3) global [32 x i32] undef
define ptx_kernel void @other() {
  %x = call i32 @helper(ptr addrspacecast (ptr addrspace(3) @words to ptr))
  ret void
}
