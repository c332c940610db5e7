// The device compilation writes its bitcode, of the highest architecture, and the
// host compilation puts it into the object: behind the fat binary, or in a section
// of its own where the linker makes that.
// RUN: rm -f %t.bc
// RUN: %clang-cuda --cuda-gpu-arch=sm_75 --no-offload-new-driver -O2 -mllvm -gm-bitcode=%t.bc -c %s -o %t.o
// RUN: llvm-dis < %t.bc | FileCheck %s --check-prefix=BITCODE
// BITCODE: define {{.*}}ptx_kernel void @_Z1kPi__gm_shared(
// BITCODE: "target-cpu"="sm_90"
// RUN: llvm-readelf -SW %t.o | FileCheck %s --check-prefix=FATBIN
// FATBIN: .nv_fatbin
// FATBIN-NOT: gmprof_bitcode
// RUN: llvm-objcopy --dump-section .nv_fatbin=%t.fatbin %t.o
// RUN: %python %S/Inputs/record.py %t.fatbin %t.bc

// RUN: rm -f %t.bc
// RUN: %clang-cuda --offload-new-driver -fgpu-rdc -O2 -mllvm -gm-bitcode=%t.bc -c %s -o %t.rdc.o
// RUN: llvm-readelf -SW %t.rdc.o | FileCheck %s --check-prefix=SECTION
// SECTION: gmprof_bitcode PROGBITS {{.*}} AR
// RUN: llvm-objcopy --dump-section gmprof_bitcode=%t.section %t.rdc.o
// RUN: %python %S/Inputs/record.py %t.section %t.bc

// RUN: not %clang-cuda --cuda-host-only -mllvm -gm-bitcode=%t.none -c %s -o %t.bad.o 2>&1 | FileCheck %s --check-prefix=MISSING
// MISSING: error: GMProf: -gm-bitcode={{.*}}.none: cannot read the device bitcode: No such file or directory

__global__ void k(int *P) {
  __shared__ int Tile[64];
  Tile[threadIdx.x] = P[threadIdx.x];
  __syncthreads();
  P[threadIdx.x] = Tile[63 - threadIdx.x];
}
void launch(int *P) { k<<<1, 64>>>(P); }
