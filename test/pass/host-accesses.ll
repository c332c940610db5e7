; Loads and stores of host code look whether their page is watched, unless the memory cannot be
; what the GPU has written.
; RUN: opt -load-pass-plugin=%gmpass -passes=gm-host-accesses,verify -S %s | FileCheck %s
; RUN: opt -load-pass-plugin=%gmpass -passes=gm-host-accesses,gm-host-accesses,verify -S %s | FileCheck %s
target triple = "x86_64-unknown-linux-gnu"

; CHECK: $__gmprof_host_pages = comdat any
; CHECK: @constant = internal constant
; CHECK-DAG: @__gmprof_host_pages = linkonce_odr hidden global [4097 x i8] zeroinitializer, comdat
; CHECK-DAG: private constant ptr @plain, section "gmprof_host_functions", align 8, !associated
; CHECK-DAG: private constant ptr @merged, section "gmprof_host_functions", comdat($merged), align 8, !associated
; CHECK-DAG: @__start_gmprof_host_functions = extern_weak hidden global ptr
; CHECK-DAG: @llvm.global_ctors = {{.*}}{ i32 1, ptr @__gmprof_host_begin, ptr @__gmprof_host_begin }
; CHECK-NOT: ptr @outside, section

@constant = internal constant [4 x i32] [i32 1, i32 2, i32 3, i32 4]
@own = internal global [4 x i32] zeroinitializer
@given = internal global [4 x i32] zeroinitializer
@everybodys = global i32 0
$merged = comdat any

declare void @outside(ptr)
declare void @reader(ptr readonly captures(none))
declare void @nothing(ptr readnone)
declare i32 @cudaMemcpy(ptr, ptr, i64, i32)
declare void @free(ptr)
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)

; CHECK-LABEL: define i32 @plain(ptr %p)
; CHECK-NEXT: [[ADDRESS:%.*]] = ptrtoint ptr %p to i64
; CHECK-NEXT: [[PAGE:%.*]] = lshr i64 [[ADDRESS]], 12
; CHECK-NEXT: [[ENTRY:%.*]] = and i64 [[PAGE]], 4095
; CHECK-NEXT: [[AT:%.*]] = getelementptr inbounds i8, ptr @__gmprof_host_pages, i64 [[ENTRY]]
; CHECK-NEXT: [[BYTE:%.*]] = load i8, ptr [[AT]]
; CHECK-NEXT: [[WATCHED:%.*]] = icmp ne i8 [[BYTE]], 0
; CHECK-NEXT: br i1 [[WATCHED]], label %[[THEN:.*]], label %[[ELSE:[^,]*]], !prof
; CHECK: [[THEN]]:
; CHECK-NEXT: call preserve_mostcc void @__gmprof_host_access(ptr %p, i64 4, i32 0)
; CHECK: [[ELSE]]:
; CHECK-NEXT: %a = load i32, ptr %p
; CHECK-NOT: @__gmprof_host_access(
; CHECK: call preserve_mostcc void @__gmprof_host_access(ptr %p, i64 4, i32 1)
; CHECK-NOT: @__gmprof_host_access(
; CHECK: ret i32
define i32 @plain(ptr %p) {
  %a = load i32, ptr %p
  %b = load i32, ptr %p
  store i32 7, ptr %p
  store i32 8, ptr %p
  %sum = add i32 %a, %b
  ret i32 %sum
}

; After a call memory may be another's.
; CHECK-LABEL: define i32 @again(ptr %p)
; CHECK: call preserve_mostcc void @__gmprof_host_access(ptr %p, i64 4, i32 0)
; CHECK: call i32 @cudaMemcpy
; CHECK: call preserve_mostcc void @__gmprof_host_access(ptr %p, i64 4, i32 0)
; CHECK: ret i32
define i32 @again(ptr %p) {
  %a = load i32, ptr %p
  %c = call i32 @cudaMemcpy(ptr %p, ptr null, i64 4, i32 2)
  %b = load i32, ptr %p
  %sum = add i32 %a, %b
  ret i32 %sum
}

; CHECK-LABEL: define i32 @private()
; CHECK-NOT: @__gmprof_host_access(
; CHECK: ret i32
define i32 @private() {
  %local = alloca [4 x i32]
  store i32 1, ptr %local
  %second = getelementptr [4 x i32], ptr @constant, i64 0, i64 1
  %a = load i32, ptr %second
  %third = getelementptr [4 x i32], ptr @own, i64 0, i64 2
  store i32 %a, ptr %third
  %b = load i32, ptr %local
  ret i32 %b
}

; CHECK-LABEL: define i32 @shared()
; CHECK: call i32 @cudaMemcpy
; CHECK: call preserve_mostcc void @__gmprof_host_access(ptr %local, i64 4, i32 0)
; CHECK: call preserve_mostcc void @__gmprof_host_access(ptr @given, i64 4, i32 0)
; CHECK: call preserve_mostcc void @__gmprof_host_access(ptr @everybodys, i64 4, i32 0)
; CHECK: ret i32
define i32 @shared() {
  %local = alloca i32
  %c = call i32 @cudaMemcpy(ptr %local, ptr @given, i64 4, i32 2)
  %a = load i32, ptr %local
  %b = load i32, ptr @given
  %d = load i32, ptr @everybodys
  %e = add i32 %a, %b
  %sum = add i32 %d, %e
  ret i32 %sum
}

; Pointers given to functions that may be compiled otherwise; with the variable's bytes.
; CHECK-LABEL: define void @calls(ptr %p, ptr %f)
; CHECK: load i8, ptr getelementptr inbounds (i8, ptr @__gmprof_host_pages, i64 4096)
; CHECK: call preserve_mostcc void @__gmprof_host_argument(ptr %p, i64 0, i32 1, ptr @outside)
; CHECK: call void @outside(ptr %p)
; CHECK: call preserve_mostcc void @__gmprof_host_argument(ptr %p, i64 0, i32 0, ptr @reader)
; CHECK: call preserve_mostcc void @__gmprof_host_argument(ptr %local, i64 12, i32 1, ptr %f)
; CHECK-NOT: @__gmprof_host_argument(
; CHECK: ret void
define void @calls(ptr %p, ptr %f) {
  %whole = alloca [4 x i32]
  %local = getelementptr [4 x i32], ptr %whole, i64 0, i64 1
  call void @outside(ptr %p)
  call void @reader(ptr %p)
  call void %f(ptr %local)
  call void @nothing(ptr %p)
  call void @free(ptr %p)
  call void @merged(ptr %p)
  ret void
}

; CHECK-LABEL: define void @copies(ptr %to, ptr %from, i64 %n)
; CHECK: load i8, ptr getelementptr inbounds (i8, ptr @__gmprof_host_pages, i64 4096)
; CHECK: call preserve_mostcc void @__gmprof_host_access(ptr %to, i64 %n, i32 1)
; CHECK: call preserve_mostcc void @__gmprof_host_access(ptr %from, i64 %n, i32 0)
; CHECK: call void @llvm.memcpy
define void @copies(ptr %to, ptr %from, i64 %n) {
  call void @llvm.memcpy.p0.p0.i64(ptr %to, ptr %from, i64 %n, i1 false)
  ret void
}

define linkonce_odr void @merged(ptr %p) comdat {
  ret void
}

; CHECK-LABEL: define linkonce_odr hidden void @__gmprof_host_begin() comdat
; CHECK: icmp ne ptr @__gmprof_host_code, null
; CHECK: call void @__gmprof_host_code(ptr @__gmprof_host_pages, ptr @__start_gmprof_host_functions, ptr @__stop_gmprof_host_functions)
