; What is a move and what is a computation, value by value.
; RUN: %opt -passes='print<gm-live-ranges>' -disable-output %s | FileCheck %s

target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

@s = addrspace(3) global [64 x i32] undef, align 4
@t = addrspace(3) global [64 x i32] undef, align 4
@g = addrspace(1) global [64 x i32] zeroinitializer, align 4
@c = addrspace(4) constant [64 x i32] zeroinitializer, align 4

; Through registers.
; CHECK-LABEL: live ranges of unchanged: 9{{$}}
; CHECK-NEXT: - begin s 4 from g{{$}}
; CHECK-NEXT: - begin s 4 from -{{$}}
; CHECK-NEXT: - begin s 4 from g{{$}}
; CHECK-NEXT: - begin s 8 from g{{$}}
; CHECK-NEXT: - begin s 1 from g{{$}}
; CHECK-NEXT: - begin s 8 from g{{$}}
; CHECK-NEXT: - begin s 4 from g{{$}}
; CHECK-NEXT: - begin s 4 from g{{$}}
; CHECK-NEXT: - end - 4 to g{{$}}
define ptx_kernel void @unchanged(ptr addrspace(1) %0, i1 %1, i32 %2) {
entry:
  %a = load i32, ptr addrspace(1) @g
  %a.float = bitcast i32 %a to float
  %a.frozen = freeze float %a.float
  store float %a.frozen, ptr addrspace(3) @s
  %b = load i32, ptr addrspace(1) %0
  %either = select i1 %1, i32 %a, i32 %b
  store i32 %either, ptr addrspace(3) @s
  br i1 %1, label %load, label %join
load:
  %d = load i32, ptr addrspace(1) @g
  br label %join
join:
  %padded = phi i32 [ %d, %load ], [ %2, %entry ]
  store i32 %padded, ptr addrspace(3) @s
  %wide = zext i32 %a to i64
  store i64 %wide, ptr addrspace(3) @s
  %shifted = lshr i32 %a, 16
  %byte = trunc i32 %shifted to i8
  store i8 %byte, ptr addrspace(3) @s
  %v0 = insertelement <2 x i32> poison, i32 %a, i32 1
  %v1 = insertelement <2 x i32> %v0, i32 0, i32 0
  store <2 x i32> %v1, ptr addrspace(3) @s
  %mixed0 = insertelement <2 x i32> poison, i32 %a, i32 1
  %sum = add i32 %a, 1
  %mixed1 = insertelement <2 x i32> %mixed0, i32 %sum, i32 0
  %good = extractelement <2 x i32> %mixed1, i32 1
  store i32 %good, ptr addrspace(3) @s
  %lane = call i32 @llvm.nvvm.shfl.sync.idx.i32(i32 -1, i32 %a, i32 0, i32 31)
  store i32 %lane, ptr addrspace(3) @s
  %x = load i32, ptr addrspace(3) @s
  %y = load i32, ptr addrspace(3) @t
  %xy = select i1 %1, i32 %x, i32 %y
  store i32 %xy, ptr addrspace(1) @g
  ret void
}

; CHECK-LABEL: live ranges of changed: 0{{$}}
define ptx_kernel void @changed(i1 %0, i32 %1) {
  %a = load i32, ptr addrspace(1) @g
  %sum = add i32 %a, 1
  store i32 %sum, ptr addrspace(3) @s
  %float = sitofp i32 %a to float
  store float %float, ptr addrspace(3) @s
  %d = load double, ptr addrspace(1) @g
  %rounded = fptrunc double %d to float
  store float %rounded, ptr addrspace(3) @s
  %nibble.shifted = lshr i32 %a, 4
  %nibble = trunc i32 %nibble.shifted to i8
  store i8 %nibble, ptr addrspace(3) @s
  %either = select i1 %0, i32 %a, i32 %sum
  store i32 %either, ptr addrspace(3) @s
  %v0 = insertelement <2 x i32> poison, i32 %a, i32 1
  %v1 = insertelement <2 x i32> %v0, i32 %sum, i32 0
  store <2 x i32> %v1, ptr addrspace(3) @s
  %old = atomicrmw add ptr addrspace(1) @g, i32 1 monotonic
  store i32 %old, ptr addrspace(3) @s
  %const = load i32, ptr addrspace(4) @c
  store i32 %const, ptr addrspace(3) @s
  store i32 7, ptr addrspace(3) @s
  store i32 %1, ptr addrspace(3) @s
  %x = load i32, ptr addrspace(3) @s
  %ax = select i1 %0, i32 %a, i32 %x
  store i32 %ax, ptr addrspace(3) @t
  store i32 %ax, ptr addrspace(1) @g
  store i32 %x, ptr addrspace(3) @t
  store i32 %a, ptr addrspace(1) @g
  atomicrmw add ptr addrspace(1) @g, i32 %x monotonic
  ret void
}

; CHECK-LABEL: live ranges of copies: 4{{$}}
; CHECK-NEXT: - begin s 64 from g{{$}}
; CHECK-NEXT: - end s ? to g{{$}}
; CHECK-NEXT: - begin s 16 from g{{$}}
; CHECK-NEXT: - end s ? to g{{$}}
define ptx_kernel void @copies(i64 %0, i32 %1) {
  call void @llvm.memcpy.p3.p1.i64(ptr addrspace(3) @s, ptr addrspace(1) @g, i64 64, i1 false)
  call void @llvm.memcpy.p1.p3.i64(ptr addrspace(1) @g, ptr addrspace(3) @s, i64 %0, i1 false)
  call void @llvm.memcpy.p3.p3.i64(ptr addrspace(3) @t, ptr addrspace(3) @s, i64 64, i1 false)
  call void @llvm.memset.p3.i64(ptr addrspace(3) @t, i8 0, i64 64, i1 false)
  call void @llvm.nvvm.cp.async.cg.shared.global.16(ptr addrspace(3) @s, ptr addrspace(1) @g)
  call void @llvm.nvvm.cp.async.bulk.shared.cta.to.global(ptr addrspace(1) @g, ptr addrspace(3) @s, i32 %1, i64 0, i1 false)
  ret void
}

; Helpers of helpers, and helpers that call themselves.
define internal i32 @get(ptr %p) noinline {
  %v = load i32, ptr %p
  ret i32 %v
}
define internal i32 @get.twice(ptr %p, i1 %again) noinline {
  br i1 %again, label %more, label %done
more:
  %r = call i32 @get.twice(ptr %p, i1 false)
  ret i32 %r
done:
  %v = call i32 @get(ptr %p)
  ret i32 %v
}
define internal void @copy(ptr %to, ptr %from) noinline {
  %v = call i32 @get(ptr %from)
  store i32 %v, ptr %to
  ret void
}
declare i32 @unknown(ptr)

; CHECK-LABEL: live ranges of copy: 0{{$}}
; A function that calls itself is followed four calls deep, and what it calls there.
; CHECK-LABEL: live ranges of helpers: 2, calls not followed: 2{{$}}
; CHECK-NEXT: - begin s 4 from g called=-{{$}}
; CHECK-NEXT: - end s 4 to g called=-{{$}}
define ptx_kernel void @helpers() {
  %s = addrspacecast ptr addrspace(3) @s to ptr
  %t = addrspacecast ptr addrspace(3) @t to ptr
  %g = addrspacecast ptr addrspace(1) @g to ptr
  call void @copy(ptr %s, ptr %g)
  call void @copy(ptr %g, ptr %s)
  call void @copy(ptr %t, ptr %s)
  %v = call i32 @get.twice(ptr %g, i1 true)
  store i32 %v, ptr addrspace(3) @s
  %u = call i32 @unknown(ptr %g)
  store i32 %u, ptr addrspace(3) @s
  ret void
}
