// The device compilation writes its bitcode, by architecture, and the host
// compilation puts it into the object: behind the fat binary, or in a section of
// its own where the linker makes that.
// RUN: rm -f %t.bc
// RUN: %clang-cuda --cuda-gpu-arch=sm_75 --no-offload-new-driver -O2 -mllvm -gm-bitcode=%t.bc -c %s -o %t.o
// RUN: %python %S/Inputs/record.py bitcode %t.bc 90 %t.90.bc
// RUN: llvm-dis < %t.90.bc | FileCheck %s --check-prefix=BITCODE
// BITCODE: define {{.*}}ptx_kernel void @_Z1kPi__gm_shared(
// BITCODE: "target-cpu"="sm_90"
// RUN: %python %S/Inputs/record.py bitcode %t.bc 75 %t.75.bc
// RUN: llvm-dis < %t.75.bc | FileCheck %s --check-prefix=OLDER
// OLDER: "target-cpu"="sm_75"
// RUN: llvm-readelf -SW %t.o | FileCheck %s --check-prefix=FATBIN
// FATBIN: .nv_fatbin
// FATBIN-NOT: gmprof_bitcode
// RUN: llvm-objcopy --dump-section .nv_fatbin=%t.fatbin %t.o
// RUN: %python %S/Inputs/record.py check %t.fatbin %t.bc

// A second compilation to the same file replaces the records.
// RUN: %clang-cuda --cuda-gpu-arch=sm_75 --no-offload-new-driver -O2 -mllvm -gm-bitcode=%t.bc -c %s -o %t.o
// RUN: %python %S/Inputs/record.py bitcode %t.bc 90 %t.again.bc
// RUN: cmp %t.90.bc %t.again.bc

// RUN: rm -f %t.bc
// RUN: %clang-cuda --offload-new-driver -fgpu-rdc -O2 -mllvm -gm-bitcode=%t.bc -c %s -o %t.rdc.o
// RUN: llvm-readelf -SW %t.rdc.o | FileCheck %s --check-prefix=SECTION
// SECTION: gmprof_bitcode PROGBITS {{.*}} AR
// RUN: llvm-objcopy --dump-section gmprof_bitcode=%t.section %t.rdc.o
// RUN: %python %S/Inputs/record.py check %t.section %t.bc

// RUN: not %clang-cuda --cuda-host-only -mllvm -gm-bitcode=%t.none -c %s -o %t.bad.o 2>&1 | FileCheck %s --check-prefix=MISSING
// MISSING: error: GMProf: -gm-bitcode={{.*}}.none: cannot read the device bitcode: No such file or directory

// Clones on demand: the bitcode is what clang compiles, with the options of the clones.
// RUN: rm -f %t.bc
// RUN: %clang-cuda -O2 -mllvm -gm-bitcode=%t.bc -mllvm -gm-clones=demand -mllvm -gm-level=basic \
// RUN:   -mllvm -gm-shared-closed-forms=false -mllvm -gm-counter-bits=16 -c %s -o %t.o
// RUN: %python %S/Inputs/record.py bitcode %t.bc 90 %t.90.bc
// RUN: llvm-dis < %t.90.bc | FileCheck %s --check-prefix=DEMAND
// DEMAND-NOT: __gm_
// DEMAND: define {{.*}}ptx_kernel void @_Z1kPi(
// DEMAND-NOT: __gm_
// DEMAND-DAG: !{!"-gm-level=basic"}
// DEMAND-DAG: !{!"-gm-shared-closed-forms=0"}
// DEMAND-DAG: !{!"-gm-counter-bits=16"}
// DEMAND-NOT: !"-gm-
// RUN: gmprof-instrument clone --profile shared %t.90.bc -o - | FileCheck %s --check-prefix=CLONE
// CLONE: .entry _Z1kPi__gm_shared_dm(

// RUN: not %clang-cuda -O2 -mllvm -gm-clones=demand -c %s -o %t.bad.o 2>&1 | FileCheck %s --check-prefix=NOWHERE
// NOWHERE: error: GMProf: -gm-clones=demand needs -gm-bitcode=<file>: clones are made of the bitcode
// RUN: not %clang-cuda -O2 -mllvm -gm-clones=demand -mllvm -gm-bitcode=%t.bc -mllvm -gm-profile=heat -c %s -o %t.bad.o 2>&1 \
// RUN:   | FileCheck %s --check-prefix=PROFILE
// PROFILE: error: GMProf: -gm-profile needs -gm-clones=compiled: clones on demand are those of the run's profiles

__global__ void k(int *P) {
  __shared__ int Tile[64];
  Tile[threadIdx.x] = P[threadIdx.x];
  __syncthreads();
  P[threadIdx.x] = Tile[63 - threadIdx.x];
}
void launch(int *P) { k<<<1, 64>>>(P); }
