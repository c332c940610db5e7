; The annotations of __cluster_dims__ become attributes of their kernels, and of the
; clones of these; other annotations stay.
; RUN: opt -load-pass-plugin=%gmpass -passes=gm-cluster-dims,verify -S %s | FileCheck %s
; RUN: opt -load-pass-plugin=%gmpass -passes=gm-cluster-dims,gm-instrument,verify -S %s | FileCheck %s --check-prefix=CLONE
; RUN: sed '/OTHER$/d; s/\[4 x/[3 x/' %s | opt -load-pass-plugin=%gmpass -passes=gm-cluster-dims,verify -S | FileCheck %s --check-prefix=NONE
; RUN: sed 's/{ i32 } { i32 4 }/{ float } { float 4.0 }/' %s | not opt -load-pass-plugin=%gmpass -passes=gm-cluster-dims -disable-output 2>&1 | FileCheck %s --check-prefix=ERROR

; CHECK: @llvm.global.annotations = appending global [1 x { ptr, ptr, ptr, i32, ptr }] [{ ptr, ptr, ptr, i32, ptr } { ptr @other, ptr @.other, ptr @.file, i32 4, ptr null }], section "llvm.metadata"
; CHECK: define ptx_kernel void @line(ptr %p) [[LINE:#[0-9]+]]
; CHECK: define ptx_kernel void @plane(ptr %p) [[PLANE:#[0-9]+]]
; CHECK: define ptx_kernel void @box(ptr %p) [[BOX:#[0-9]+]]
; CHECK: define ptx_kernel void @other(ptr %p) {
; CHECK: attributes [[LINE]] = { "nvvm.cluster_dim"="4,1,1" }
; CHECK: attributes [[PLANE]] = { "nvvm.cluster_dim"="2,2,1" "nvvm.maxntid"="128" }
; CHECK: attributes [[BOX]] = { "nvvm.cluster_dim"="2,1,2" }
; CLONE: define {{.*}}@plane__gm_heat_all({{.*}} [[CLONE:#[0-9]+]]
; CLONE: attributes [[CLONE]] = {{{.*}}"nvvm.cluster_dim"="2,2,1"
; NONE-NOT: llvm.global.annotations
; ERROR: error: a dimension of __cluster_dims__ of line is not an integer

target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

@.name = private unnamed_addr constant [20 x i8] c"gmprof.cluster_dims\00", section "llvm.metadata"
@.other = private unnamed_addr constant [2 x i8] c"x\00", section "llvm.metadata"
@.file = private unnamed_addr constant [5 x i8] c"a.cu\00", section "llvm.metadata"
@.line = private unnamed_addr constant { i32 } { i32 4 }, section "llvm.metadata"
@.plane = private unnamed_addr constant { i64, i8 } { i64 2, i8 2 }, section "llvm.metadata"
@.box = private unnamed_addr constant { i32, i32, i32 } { i32 2, i32 1, i32 2 }, section "llvm.metadata"
@llvm.global.annotations = appending global [4 x { ptr, ptr, ptr, i32, ptr }] [
  { ptr, ptr, ptr, i32, ptr } { ptr @other, ptr @.other, ptr @.file, i32 4, ptr null }, ; OTHER
  { ptr, ptr, ptr, i32, ptr } { ptr @line, ptr @.name, ptr @.file, i32 1, ptr @.line },
  { ptr, ptr, ptr, i32, ptr } { ptr @plane, ptr @.name, ptr @.file, i32 2, ptr @.plane },
  { ptr, ptr, ptr, i32, ptr } { ptr @box, ptr @.name, ptr @.file, i32 3, ptr @.box }
], section "llvm.metadata"

define ptx_kernel void @line(ptr %p) {
  store i32 1, ptr %p
  ret void
}

define ptx_kernel void @plane(ptr %p) #0 {
  store i32 1, ptr %p
  ret void
}

define ptx_kernel void @box(ptr %p) {
  store i32 1, ptr %p
  ret void
}

define ptx_kernel void @other(ptr %p) {
  store i32 1, ptr %p
  ret void
}

attributes #0 = { "nvvm.maxntid"="128" }
