; The grid barrier of cooperative groups: memory of the driver, at the address in %envreg1 and %envreg2.
; RUN: %opt -passes='print<gm-accesses>' -disable-output %s | FileCheck %s

target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

; CHECK-LABEL: accesses of barrier: 1{{$}}
; CHECK-NEXT: - load global 4 - {{.*}}
define void @barrier(ptr addrspace(1) %p) {
  %high = call i32 asm "mov.u32 $0, %envreg1;", "=r"()
  %low = call i32 asm "mov.u32 $0, %envreg2;", "=r"()
  %high64 = zext i32 %high to i64
  %shifted = shl i64 %high64, 32
  %low64 = zext i32 %low to i64
  %address = or i64 %shifted, %low64
  %workspace = inttoptr i64 %address to ptr
  %arrived = getelementptr i8, ptr %workspace, i64 4
  %old = atomicrmw add ptr %arrived, i32 1 monotonic
  %own = load i32, ptr addrspace(1) %p
  ret void
}

; Another special register is no address of the driver's memory.
; CHECK-LABEL: accesses of other: 1{{$}}
; CHECK-NEXT: - atomic {{.*}}
define void @other() {
  %clock = call i64 asm "mov.u64 $0, %globaltimer;", "=l"()
  %pointer = inttoptr i64 %clock to ptr
  %old = atomicrmw add ptr %pointer, i32 1 monotonic
  ret void
}
