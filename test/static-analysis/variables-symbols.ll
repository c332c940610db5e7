; Names of variables without debug info come from their symbols.
; RUN: %opt -passes='print<gm-variables>' -disable-output %s | FileCheck %s

target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

%struct.P = type { float, float }

@_ZZ1kPfiE4tile = internal addrspace(3) global [16 x [17 x float]] undef, align 4
@_ZZ1kIfEvPT_iE4tile = linkonce_odr addrspace(3) global [8 x double] undef, align 8
@_ZZ1kIdEvPT_iE1s_0 = linkonce_odr addrspace(3) global float undef, align 4
@_ZZN2ns3Foo3runEvE3buf = internal addrspace(3) global [4 x %struct.P] undef, align 4
@_ZZZ1kPfiENKUlvE_clEvE3lam = internal addrspace(3) global i16 undef, align 4
@_ZZNK3Bar3getEvE5cache = internal addrspace(3) global i8 undef, align 4
@_ZN2ns5tableE = addrspace(1) global [10 x i64] zeroinitializer
@_ZL5limit__static__1a2b3c = addrspace(4) constant i32 7
@_ZN12_GLOBAL__N_15countE = internal addrspace(1) global i32 0
@plain = addrspace(1) global i32 0
@raw = external addrspace(3) global [0 x i8], align 16
@words = internal addrspace(3) global [64 x i8] undef, align 4
@bytes = internal addrspace(3) global [64 x i8] undef, align 4
@odd = internal addrspace(3) global [6 x i8] undef, align 4
@floats = external addrspace(3) global [0 x float], align 16

; CHECK-LABEL: variables of k:
; CHECK-NEXT: shared tile type=- bytes=1088 element=4 -
; CHECK-NEXT: shared tile type=- bytes=64 element=8 -
; CHECK-NEXT: shared s type=- bytes=4 element=4 -
; CHECK-NEXT: shared buf type=- bytes=32 element=8 -
; CHECK-NEXT: shared lam type=- bytes=2 element=2 -
; CHECK-NEXT: shared cache type=- bytes=1 element=1 -
; CHECK-NEXT: global ns::table type=- bytes=80 element=8 -
; CHECK-NEXT: constant limit type=- bytes=4 element=4 -
; CHECK-NEXT: global (anonymous namespace)::count type=- bytes=4 element=4 -
; CHECK-NEXT: global plain type=- bytes=4 element=4 -
; Bytes without a type are elements of the narrowest access.
; CHECK-NEXT: dynamic-shared raw type=- bytes=0 element=4 -
; CHECK-NEXT: dynamic-shared floats type=- bytes=0 element=4 -
; CHECK-NEXT: shared words type=- bytes=64 element=4 -
; CHECK-NEXT: shared bytes type=- bytes=64 element=1 -
; CHECK-NEXT: shared odd type=- bytes=6 element=1 -
; CHECK-NEXT: parameter argument 1 type=- bytes=0 element=8 -
; CHECK-NOT: element=
define ptx_kernel void @k(ptr %0) {
  %a = load i32, ptr addrspace(3) @_ZZ1kPfiE4tile
  %b = load i32, ptr addrspace(3) @_ZZ1kIfEvPT_iE4tile
  %c = load i32, ptr addrspace(3) @_ZZ1kIdEvPT_iE1s_0
  %d = load i32, ptr addrspace(3) @_ZZN2ns3Foo3runEvE3buf
  %e = load i16, ptr addrspace(3) @_ZZZ1kPfiENKUlvE_clEvE3lam
  %f = load i8, ptr addrspace(3) @_ZZNK3Bar3getEvE5cache
  %g = load i64, ptr addrspace(1) @_ZN2ns5tableE
  %h = load i32, ptr addrspace(4) @_ZL5limit__static__1a2b3c
  %i = load i32, ptr addrspace(1) @_ZN12_GLOBAL__N_15countE
  %j = load i32, ptr addrspace(1) @plain
  %l = load <4 x float>, ptr addrspace(3) @raw
  %m = load i32, ptr addrspace(3) @raw
  %n = load <4 x float>, ptr addrspace(3) @floats
  %q = load i64, ptr addrspace(3) @words
  %r = load i32, ptr addrspace(3) @words
  %s = load i32, ptr addrspace(3) @bytes
  %t = load i8, ptr addrspace(3) @bytes
  %u = load i32, ptr addrspace(3) @odd
  %o = load i64, ptr %0
  %p = load i64, ptr %0
  ret void
}
