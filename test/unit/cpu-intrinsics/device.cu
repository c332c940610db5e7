//===- device.cu - Warp matrix operations and functions of headers --------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include <cstdint>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <mma.h>

using namespace nvcuda;

template <typename In, typename Out, typename LayoutB, int M, int N, int K>
__device__ void multiply(const In *A, const In *B, const Out *C, Out *D, int LeadingB) {
  wmma::fragment<wmma::matrix_a, M, N, K, In, wmma::row_major> FA;
  wmma::fragment<wmma::matrix_b, M, N, K, In, LayoutB> FB;
  wmma::fragment<wmma::accumulator, M, N, K, Out> FC;
  wmma::load_matrix_sync(FA, A, K);
  wmma::load_matrix_sync(FB, B, LeadingB);
  wmma::load_matrix_sync(FC, C, N, wmma::mem_row_major);
  wmma::mma_sync(FC, FA, FB, FC);
  for (int I = 0; I < FC.num_elements; ++I)
    FC.x[I] = FC.x[I] + FC.x[I];
  wmma::store_matrix_sync(D, FC, N, wmma::mem_row_major);
}

extern "C" __global__ void wmmaHalf(const half *A, const half *B, const float *C, float *D) {
  multiply<half, float, wmma::col_major, 16, 16, 16>(A, B, C, D, 16);
}

extern "C" __global__ void wmmaHalfWide(const half *A, const half *B, const float *C, float *D) {
  multiply<half, float, wmma::row_major, 8, 32, 16>(A, B, C, D, 32);
}

extern "C" __global__ void wmmaBytes(const signed char *A, const signed char *B, const int *C,
                                     int *D) {
  multiply<signed char, int, wmma::row_major, 16, 16, 16>(A, B, C, D, 16);
}

// Each lane passes its registers in memory order: A, B, C, then D.
extern "C" __global__ void mmaHalf(const uint32_t *A, const uint32_t *B, const float *C, float *D) {
  int L = threadIdx.x;
  A += L * 4, B += L * 2, C += L * 4, D += L * 4;
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
               "{%8,%9}, {%10,%11,%12,%13};"
               : "=f"(D[0]), "=f"(D[1]), "=f"(D[2]), "=f"(D[3])
               : "r"(A[0]), "r"(A[1]), "r"(A[2]), "r"(A[3]), "r"(B[0]), "r"(B[1]), "f"(C[0]),
                 "f"(C[1]), "f"(C[2]), "f"(C[3]));
}

extern "C" __global__ void mmaBytes(const uint32_t *A, const uint32_t *B, const int *C, int *D) {
  int L = threadIdx.x;
  A += L * 4, B += L * 2, C += L * 4, D += L * 4;
  asm volatile("mma.sync.aligned.m16n8k32.row.col.s32.s8.u8.s32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
               "{%8,%9}, {%10,%11,%12,%13};"
               : "=r"(D[0]), "=r"(D[1]), "=r"(D[2]), "=r"(D[3])
               : "r"(A[0]), "r"(A[1]), "r"(A[2]), "r"(A[3]), "r"(B[0]), "r"(B[1]), "r"(C[0]),
                 "r"(C[1]), "r"(C[2]), "r"(C[3]));
}

extern "C" __global__ void mmaTF32(const uint32_t *A, const uint32_t *B, const float *C, float *D) {
  int L = threadIdx.x;
  A += L * 4, B += L * 2, C += L * 4, D += L * 4;
  asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3}, "
               "{%4,%5,%6,%7}, {%8,%9}, {%10,%11,%12,%13};"
               : "=f"(D[0]), "=f"(D[1]), "=f"(D[2]), "=f"(D[3])
               : "r"(A[0]), "r"(A[1]), "r"(A[2]), "r"(A[3]), "r"(B[0]), "r"(B[1]), "f"(C[0]),
                 "f"(C[1]), "f"(C[2]), "f"(C[3]));
}

extern "C" __global__ void mmaDouble(const double *A, const double *B, const double *C, double *D) {
  int L = threadIdx.x;
  asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1}, {%2}, {%3}, {%4,%5};"
               : "=d"(D[L * 2]), "=d"(D[L * 2 + 1])
               : "d"(A[L]), "d"(B[L]), "d"(C[L * 2]), "d"(C[L * 2 + 1]));
}

// Loads four 8 x 8 matrices, stores them transposed, then loads them transposed.
extern "C" __global__ void matrixRows(const uint16_t *In, uint16_t *Transposed, uint32_t *Loaded) {
  __shared__ __align__(16) uint16_t Tile[256], Out[256];
  int L = threadIdx.x;
  for (int I = L; I < 256; I += 32)
    Tile[I] = In[I];
  __syncthreads();
  uint32_t R[4], From = __cvta_generic_to_shared(Tile + L * 8),
                 To = __cvta_generic_to_shared(Out + L * 8);
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(R[0]), "=r"(R[1]), "=r"(R[2]), "=r"(R[3])
               : "r"(From));
  asm volatile("stmatrix.sync.aligned.m8n8.x4.trans.shared.b16 [%0], {%1,%2,%3,%4};" ::"r"(To),
               "r"(R[0]), "r"(R[1]), "r"(R[2]), "r"(R[3])
               : "memory");
  __syncthreads();
  for (int I = L; I < 256; I += 32)
    Transposed[I] = Out[I];
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0,%1}, [%2];"
               : "=r"(R[0]), "=r"(R[1])
               : "r"(From));
  Loaded[L * 2] = R[0];
  Loaded[L * 2 + 1] = R[1];
}

// Warp operations by inline PTX, one result per lane and operation.
extern "C" __global__ void warpPtx(const uint32_t *In, uint32_t *Out) {
  uint32_t L = threadIdx.x, V = In[L], *O = Out + L * 16;
  asm volatile("shfl.sync.bfly.b32 %0, %1, 1, 0x1f, 0xffffffff;" : "=r"(O[0]) : "r"(V));
  asm volatile("{ .reg .pred p; shfl.sync.up.b32 %0|p, %2, 4, 0, 0xffffffff; "
               "selp.u32 %1, 1, 0, p; }"
               : "=r"(O[1]), "=r"(O[2])
               : "r"(V));
  asm volatile("{ .reg .pred p; setp.gt.u32 p, %1, 100; vote.sync.ballot.b32 %0, p, -1; }"
               : "=r"(O[3])
               : "r"(V));
  asm volatile("match.any.sync.b32 %0, %1, 0xffffffff;" : "=r"(O[4]) : "r"(V % 3));
  asm volatile("redux.sync.add.s32 %0, %1, 0xffffffff;" : "=r"(O[5]) : "r"(V));
  asm volatile("redux.sync.max.u32 %0, %1, 0xffffffff;" : "=r"(O[6]) : "r"(V));
  asm volatile("mov.u32 %0, %%laneid;" : "=r"(O[7]));
  asm volatile("mov.u32 %0, %%lanemask_lt;" : "=r"(O[8]));
  asm volatile("mov.u32 %0, %%tid.x;" : "=r"(O[9]));
  asm volatile("mov.u32 %0, %%ntid.x;" : "=r"(O[10]));
  asm volatile("{ .reg .pred p; setp.lt.u32 p, %1, 16; bar.red.popc.u32 %0, 0, p; }"
               : "=r"(O[11])
               : "r"(L));
  asm volatile("nanosleep.u32 100; bar.sync 0; bar.warp.sync 0xffffffff;");
  asm volatile("activemask.b32 %0;" : "=r"(O[12]));
  // A loop in PTX that sums the numbers up to the lane's.
  asm volatile("{\n"
               ".reg .pred p;\n"
               ".reg .u32 i;\n"
               "mov.u32 i, 0; mov.u32 %0, 0;\n"
               "LOOP_%=: add.u32 %0, %0, i; add.u32 i, i, 1;\n"
               "setp.le.u32 p, i, %1;\n"
               "@p bra LOOP_%=;\n"
               "}"
               : "=&r"(O[13])
               : "r"(L));
  bool All;
  asm volatile("{ .reg .pred p, q; setp.ne.u32 p, %1, 7777; vote.sync.all.pred q, p, -1; "
               "selp.u32 %0, 1, 0, q; }"
               : "=r"(O[14])
               : "r"(V));
  All = O[14];
  O[15] = All;
}

// Odd lanes exit, and lane 30 traps if `Trap` is set.
extern "C" __global__ void leave(uint32_t *Out, int Trap) {
  uint32_t L = threadIdx.x;
  asm volatile(
      "{ .reg .pred p; .reg .u32 t; and.b32 t, %0, 1; setp.eq.u32 p, t, 1; @p exit; }" ::"r"(L));
  Out[L] = L + 1;
  asm volatile(
      "{ .reg .pred p; setp.eq.u32 p, %0, 30; setp.ne.and.u32 p, %1, 0, p; @p trap; }" ::"r"(L),
      "r"(Trap));
}

// Functions that cuda_fp16.h and cuda_bf16.h write in PTX.
extern "C" __global__ void halves(const half *In, float *Out) {
  int L = threadIdx.x;
  half A = In[L], B = In[(L + 1) % 32], C = In[(L + 2) % 32];
  float *O = Out + L * 12;
  O[0] = __half2float(__hfma(A, B, C));
  O[1] = __half2float(__hadd(A, B));
  O[2] = __half2float(__hmul(A, B));
  half2 P = __hfma2(__halves2half2(A, B), __halves2half2(B, C), __halves2half2(C, A));
  O[3] = __low2float(P);
  O[4] = __high2float(P);
  O[5] = __hlt(A, B);
  O[6] = __half2float(__hmax(A, B));
  O[7] = __half2int_rd(A);
  O[8] = __half2float(hfloor(A));
  O[9] = __half2float(__hadd_sat(A, B));
  __nv_bfloat16 X = __float2bfloat16(__half2float(A)), Y = __float2bfloat16(__half2float(B));
  O[10] = __bfloat162float(__hmul(X, Y));
  O[11] = __bfloat162float(__hfma(X, Y, X));
}
