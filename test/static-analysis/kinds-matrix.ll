; ldmatrix and stmatrix access one row of 16 bytes for each of the lanes whose
; address counts. wmma.load and wmma.store access a tile for the whole warp: its
; rows run along the major dimension of the fragment.
; RUN: %opt -passes='print<gm-accesses>' -disable-output %s | FileCheck %s

target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

@s = addrspace(3) global [4096 x half] undef, align 16

; CHECK-LABEL: accesses of k: 4{{$}}
; CHECK-NEXT: - matrix-read shared 16 s lanes=8 tid-invariant=yes uniform=no (only some lanes access memory)
; CHECK-NEXT: - matrix-read shared 16 s lanes=16 {{.*}}
; CHECK-NEXT: - matrix-read shared 16 s+0 tid-invariant=yes uniform=yes
; CHECK-NEXT: - matrix-write shared 16 s lanes=16 {{.*}}
define ptx_kernel void @k() {
  %a = call i32 @llvm.nvvm.ldmatrix.sync.aligned.m8n8.x1.b16.p3(ptr addrspace(3) @s)
  %b = call {i32, i32} @llvm.nvvm.ldmatrix.sync.aligned.m8n8.x2.trans.b16.p3(ptr addrspace(3) @s)
  %c = call {i32, i32, i32, i32} @llvm.nvvm.ldmatrix.sync.aligned.m8n8.x4.b16.p3(ptr addrspace(3) @s)
  call void @llvm.nvvm.stmatrix.sync.aligned.m8n8.x2.b16.p3(ptr addrspace(3) @s, i32 0, i32 0)
  ret void
}

; a is 32x16 in m32n8k16: by rows 32 rows of 16 halves, by columns 16 of 32.
; b is 16x8: by rows 16 of 8. d is 16x16 floats.
; CHECK-LABEL: accesses of tiles: 4{{$}}
; CHECK-NEXT: - matrix-read shared 32 s tile=32x32 by=4x4 shared-by=1x16 tid-invariant=yes uniform=no (the lanes of a warp access a tile together)
; CHECK-NEXT: - matrix-read shared 64 s tile=16x64
; CHECK-NEXT: - matrix-read shared 16 s tile=16x16
; CHECK-NEXT: - matrix-write global 64 argument 1 tile=16x64
define ptx_kernel void @tiles(ptr %0, i32 %1) {
  %a = call {<2 x half>, <2 x half>, <2 x half>, <2 x half>, <2 x half>, <2 x half>, <2 x half>, <2 x half>} @llvm.nvvm.wmma.m32n8k16.load.a.row.stride.f16.p3(ptr addrspace(3) @s, i32 16)
  %b = call {<2 x half>, <2 x half>, <2 x half>, <2 x half>, <2 x half>, <2 x half>, <2 x half>, <2 x half>} @llvm.nvvm.wmma.m32n8k16.load.a.col.stride.f16.p3(ptr addrspace(3) @s, i32 %1)
  %c = call {<2 x half>, <2 x half>, <2 x half>, <2 x half>, <2 x half>, <2 x half>, <2 x half>, <2 x half>} @llvm.nvvm.wmma.m32n8k16.load.b.row.f16.p3(ptr addrspace(3) @s)
  call void @llvm.nvvm.wmma.m16n16k16.store.d.row.stride.f32.p0(ptr %0, float 0.0, float 0.0, float 0.0, float 0.0, float 0.0, float 0.0, float 0.0, float 0.0, i32 %1)
  ret void
}

; The same tiles in inline assembly, as nvcc's PTX becomes. A stride may be a number. Elements smaller than a byte are packed.
; CHECK-LABEL: accesses of assembly: 4, opaque: 1{{$}}
; CHECK-NEXT: - matrix-read shared 32 s tile=32x32 by=4x4 shared-by=1x16 tid-invariant=yes uniform=no (the lanes of a warp access a tile together)
; CHECK-NEXT: - matrix-read shared 64 s tile=16x64
; CHECK-NEXT: - matrix-write global 64 argument 1 tile=16x64
; CHECK-NEXT: - matrix-read shared 16 s tile=8x16
; CHECK-NEXT: opaque -: matrix access with elements smaller than a byte
define ptx_kernel void @assembly(ptr addrspace(1) %0, i32 %1) {
  %a = call {i32, i32, i32, i32, i32, i32, i32, i32} asm sideeffect "wmma.load.a.sync.aligned.row.m32n8k16.shared.f16 {$0,$1,$2,$3,$4,$5,$6,$7}, [$8], 16;", "=r,=r,=r,=r,=r,=r,=r,=r,r"(ptr addrspace(3) @s) convergent
  %b = call {i32, i32, i32, i32, i32, i32, i32, i32} asm sideeffect "wmma.load.a.sync.aligned.col.m32n8k16.shared.f16 {$0,$1,$2,$3,$4,$5,$6,$7}, [$8], $9;", "=r,=r,=r,=r,=r,=r,=r,=r,r,r"(ptr addrspace(3) @s, i32 %1) convergent
  call void asm sideeffect "wmma.store.d.sync.aligned.row.m16n16k16.global.f32 [$0], {$1,$1,$1,$1,$1,$1,$1,$1}, $2;", "l,f,r"(ptr addrspace(1) %0, float 0.0, i32 %1) convergent
  %c = call i32 asm sideeffect "wmma.load.a.sync.aligned.row.m8n8k32.shared.s4 {$0}, [$1];", "=r,r"(ptr addrspace(3) @s) convergent
  %d = call i32 asm sideeffect "wmma.load.a.sync.aligned.row.m8n8k32.shared.s4 {$0}, [$1], $2;", "=r,r,r"(ptr addrspace(3) @s, i32 %1) convergent
  ret void
}

declare i32 @llvm.nvvm.ldmatrix.sync.aligned.m8n8.x1.b16.p3(ptr addrspace(3))
declare {i32, i32} @llvm.nvvm.ldmatrix.sync.aligned.m8n8.x2.trans.b16.p3(ptr addrspace(3))
declare {i32, i32, i32, i32} @llvm.nvvm.ldmatrix.sync.aligned.m8n8.x4.b16.p3(ptr addrspace(3))
declare void @llvm.nvvm.stmatrix.sync.aligned.m8n8.x2.b16.p3(ptr addrspace(3), i32, i32)
declare {<2 x half>, <2 x half>, <2 x half>, <2 x half>, <2 x half>, <2 x half>, <2 x half>, <2 x half>} @llvm.nvvm.wmma.m32n8k16.load.a.row.stride.f16.p3(ptr addrspace(3), i32)
declare {<2 x half>, <2 x half>, <2 x half>, <2 x half>, <2 x half>, <2 x half>, <2 x half>, <2 x half>} @llvm.nvvm.wmma.m32n8k16.load.a.col.stride.f16.p3(ptr addrspace(3), i32)
declare {<2 x half>, <2 x half>, <2 x half>, <2 x half>, <2 x half>, <2 x half>, <2 x half>, <2 x half>} @llvm.nvvm.wmma.m32n8k16.load.b.row.f16.p3(ptr addrspace(3))
declare void @llvm.nvvm.wmma.m16n16k16.store.d.row.stride.f32.p0(ptr, float, float, float, float, float, float, float, float, i32)

; Four lanes share a row of an accumulator, with two elements each (4x8), if it is stored by rows. By columns, eight lanes share one, with an
; element each, and the next ones are two further. m8n32k16 is computed as the transposed matrices. ldmatrix reads operands of 8 and 16 bits
; from shared memory, a row of 16 bytes for each lane; bytes that are no neighbours in a register are read one by one.
; CHECK-LABEL: accesses of lanes: 11{{$}}
; CHECK-NEXT: tile=16x64 by=4x8 tid
; CHECK-NEXT: tile=16x64 by=8x4 step=2 tid
; CHECK-NEXT: tile=16x32 by=4x4 tid
; CHECK-NEXT: tile=8x128 by=8x4 step=2 tid
; CHECK-NEXT: tile=8x64 by=4x16 tid
; CHECK-NEXT: tile=16x32 by=4x4 shared-by=1x16 tid
; CHECK-NEXT: tile=16x16 by=4x4 shared-by=1x16 tid
; CHECK-NEXT: tile=16x16 by=8x1 step=4 tid
; CHECK-NEXT: tile=16x32 by=4x4 tid
; CHECK-NEXT: tile=8x64 by=8x4 tid
; CHECK-NEXT: tile=8x32 by=4x8 tid
define ptx_kernel void @lanes() {
  call void asm sideeffect "wmma.store.d.sync.aligned.row.m16n16k16.shared.f32 [$0], {$1,$1,$1,$1,$1,$1,$1,$1};", "r,f"(ptr addrspace(3) @s, float 0.0) convergent
  call void asm sideeffect "wmma.store.d.sync.aligned.col.m16n16k16.shared.f32 [$0], {$1,$1,$1,$1,$1,$1,$1,$1};", "r,f"(ptr addrspace(3) @s, float 0.0) convergent
  call void asm sideeffect "wmma.store.d.sync.aligned.col.m16n16k16.shared.f16 [$0], {$1,$1,$1,$1};", "r,r"(ptr addrspace(3) @s, i32 0) convergent
  call void asm sideeffect "wmma.store.d.sync.aligned.row.m8n32k16.shared.f32 [$0], {$1,$1,$1,$1,$1,$1,$1,$1};", "r,f"(ptr addrspace(3) @s, float 0.0) convergent
  call void asm sideeffect "wmma.store.d.sync.aligned.row.m8n8k4.shared.f64 [$0], {$1,$1};", "r,d"(ptr addrspace(3) @s, double 0.0) convergent
  %a = call {i32, i32, i32, i32, i32, i32, i32, i32} asm sideeffect "wmma.load.a.sync.aligned.col.m16n16k16.shared.f16 {$0,$1,$2,$3,$4,$5,$6,$7}, [$8];", "=r,=r,=r,=r,=r,=r,=r,=r,r"(ptr addrspace(3) @s) convergent
  %b = call {i32, i32} asm sideeffect "wmma.load.b.sync.aligned.col.m16n16k16.shared.s8 {$0,$1}, [$2];", "=r,=r,r"(ptr addrspace(3) @s) convergent
  %c = call {i32, i32} asm sideeffect "wmma.load.b.sync.aligned.row.m16n16k16.shared.s8 {$0,$1}, [$2];", "=r,=r,r"(ptr addrspace(3) @s) convergent
  %d = call {i32, i32, i32, i32} asm sideeffect "wmma.load.a.sync.aligned.row.m16n16k8.shared.tf32 {$0,$1,$2,$3}, [$4];", "=r,=r,=r,=r,r"(ptr addrspace(3) @s) convergent
  %e = call {i32, i32, i32, i32} asm sideeffect "wmma.load.a.sync.aligned.col.m16n16k8.shared.tf32 {$0,$1,$2,$3}, [$4];", "=r,=r,=r,=r,r"(ptr addrspace(3) @s) convergent
  %f = call double asm sideeffect "wmma.load.a.sync.aligned.row.m8n8k4.shared.f64 {$0}, [$1];", "=d,r"(ptr addrspace(3) @s) convergent
  ret void
}
