// Closed forms give the same result as recording: rows of threads, partial warps, guards, loops
// that lanes leave one by one, triangles, negative strides, accesses of 1 to 16 bytes, and bank
// conflicts; together with accesses that depend on data, of the same objects. The first variant
// computes all but "mixed"; the second records everything.
// BUILD: -O2 -g
// BUILD: -O2 -g -mllvm -gm-heat-closed-forms=false
// OPTIONS: profile=heat:heat-blocks=all
// EXPECT-SAME-HEAT:
// EXPECT: coverage["gaps"] == [{"what": "requests", "reason": "counted as in the PTX: "
//     "the machine code has other instructions at their lines", "count": 8}]
// EXPECT: [l.requests for l in heat_lines("triangle", "p") if l.access == "load"] == [96]
// EXPECT: [(l.requests, l.lanes) for l in heat_lines("strides", "p")] == [(9, 267)]
#include "common.h"

/// Threads in rows of 12: no warp is a row.
__global__ void rows(const float *p, float *q, int n) {
  const int X = blockIdx.x * blockDim.x + threadIdx.x, Y = blockIdx.y * blockDim.y + threadIdx.y;
  if (X > 0 && X < n - 1 && Y < n)
    q[Y * n + X] = p[Y * n + X - 1] + p[Y * n + X + 1];
}

/// Thread t of a warp adds words 0 to t: 32 requests of 32, 31, … lanes, for each of three warps.
__global__ void triangle(const volatile int *p, int *q) {
  int Sum = 0;
#pragma unroll 1
  for (int I = 0; I <= threadIdx.x % 32; ++I)
    Sum += p[I];
  q[blockIdx.x * blockDim.x + threadIdx.x] = Sum;
}

/// Nine warps of 32 lanes, but for the last, which has 11.
__global__ void strides(const volatile int *p, int *q, int n) {
  int Sum = 0;
#pragma unroll 1
  for (int I = blockIdx.x * blockDim.x + threadIdx.x; I < n; I += gridDim.x * blockDim.x)
    Sum += p[3 * (n - 1 - I)];
  q[blockIdx.x * blockDim.x + threadIdx.x] = Sum;
}

struct Record {
  char Tag;
  short Size;
  int Id;
  double Value;
};

__global__ void sizes(const Record *r, const int4 *fours, char *c, double *d) {
  const int T = blockIdx.x * blockDim.x + threadIdx.x;
  const int4 Four = fours[T];
  c[T] = r[T].Tag;
  d[T] = r[T].Value + r[T].Size + Four.x + Four.y + Four.z + Four.w;
}

__global__ void banks(float *p) {
  __shared__ float tile[32][32], padded[32][33];
  __shared__ double wide[64];
  const int X = threadIdx.x, Y = threadIdx.y;
  for (int J = Y; J < 32; J += 8)
    tile[J][X] = padded[J][X] = p[J * 32 + X];
  if (Y < 2)
    wide[X * 2 + Y] = X;
  __syncthreads();
  for (int J = Y; J < 32; J += 8)
    p[J * 32 + X] = tile[X][J] + padded[X][J] + (float)wide[X];
}

/// Even words of p are read in order, odd ones written in the order of data.
__global__ void mixed(const int *order, int *p, int *q, int n) {
  const int T = blockIdx.x * blockDim.x + threadIdx.x;
  if (T >= n)
    return;
  p[2 * (order[T] * 7 % n) + 1] = p[2 * T];
  atomicAdd(&q[T / 4], 1);
}

int main() {
  const int N = 40;
  float *P = (float *)deviceInts(N * N), *Q = (float *)deviceInts(N * N);
  rows<<<dim3(4, 9), dim3(12, 5)>>>(P, Q, N);
  int *I = deviceInts(1024), *J = deviceInts(1024);
  triangle<<<1, 96>>>(I, J);
  strides<<<2, 32>>>(I, J, 267);
  Record *R = (Record *)deviceInts(48 * sizeof(Record) / 4);
  char *C = (char *)deviceInts(48);
  double *D = (double *)deviceInts(96);
  sizes<<<2, 24>>>(R, (const int4 *)I, C, D);
  banks<<<1, dim3(32, 8)>>>(P);
  mixed<<<3, 64>>>((const int *)deviceInts(170), I, J, 170);
  printResult("rows", (int *)Q, N * N);
  printResult("lists", J, 1024);
  printResult("sizes", (int *)D, 96);
  printResult("banks", (int *)P, N * N);
}
