// The co-clustering kernel of the paper (GMProf, CCGrid'12, Figure 2): rowCS is
// read at an address that depends on the loop rc alone, so it is tid-invariant.
// RUN: %clang-cuda-plain --cuda-device-only -emit-llvm -S -o - -O2 -g %s \
// RUN:   | %opt -passes='loop-simplify,print<gm-accesses>' -disable-output | FileCheck %s

// CHECK-LABEL: accesses of _Z11RClusterCntPKfiPKiS2_S0_iiPf: 7{{$}}
__global__ void RClusterCnt(const float *data, int nRowCL, const int *colCL, const int *rowCount,
                            const float *Acomp, int nRow, int nCol, float *result) {
  __shared__ int rowCS[64];
  // CHECK-NEXT: :[[#@LINE+2]]:{{[0-9]+}} load global 4 argument 4
  // CHECK-NEXT: :[[#@LINE+1]]:{{[0-9]+}} store shared 4 rowCS tid-invariant=no (depends on threadIdx) uniform=yes
  rowCS[threadIdx.x] = rowCount[threadIdx.x];
  __syncthreads();
  float tempDistance = 0;
#pragma unroll 1
  for (int r = 0; r < nRow; r += 128)
#pragma unroll 1
    for (int rc = 0; rc < nRowCL; rc++)
      // CHECK-NEXT: :[[#@LINE+1]]:{{[0-9]+}} load shared 4 rowCS tid-invariant=yes uniform=yes loops=[] (the address changes in the loop)
      if (rowCS[rc] > 0)
#pragma unroll 1
        for (int c = 0; c < nCol; c++)
          // rowCS is not written any more, so all threads come here or none. colCL
          // might be what another block writes its result to.
          // CHECK-NEXT: :[[#@LINE+3]]:{{[0-9]+}} load global 4 argument 1 tid-invariant=no (depends on threadIdx) uniform=yes
          // CHECK-NEXT: :[[#@LINE+3]]:{{[0-9]+}} load global 4 argument 3 tid-invariant=yes uniform=yes
          // CHECK-NEXT: :[[#@LINE+2]]:{{[0-9]+}} load global 4 argument 5 tid-invariant=no (depends on a load from memory that the kernel may write) uniform=yes
          tempDistance += data[(r + threadIdx.x) * nCol + c] *
                          Acomp[rc * nRowCL + colCL[c]];
  // CHECK-NEXT: :[[#@LINE+1]]:{{[0-9]+}} store global 4 argument 8
  result[blockIdx.x * blockDim.x + threadIdx.x] = tempDistance;
}
