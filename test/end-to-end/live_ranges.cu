// Live ranges: accesses to data in shared memory between the moves that bring it
// there and back. Each block takes several pieces of data one after the other, so
// that counts per block say nothing of them.
//
// in_and_used: 64 words are moved in; then thread t loads words t and t ^ 1.
// EXPECT: shared("in_and_used", "tile").ranges == {2: 64 * 12}
// EXPECT: shared("in_and_used", "tile").counts == [12 * 3] * 64
// EXPECT: shared("in_and_used", "tile").range_records == [(c, c + 1, 2, True) for c in (1, 2)] +
//     [(3, 3, 2, True)]
// in_place: moved in, loaded, stored again by the thread, loaded to be moved out.
// EXPECT: shared("in_place", "tile").ranges == {3: 64 * 12}
// EXPECT: shared("in_place", "tile").range_records == [(1, 2, 3, True), (3, 4, 3, True),
//     (5, 6, 3, True)]
// out: a result is stored, loaded by a neighbour, and loaded to be moved out; then
// loaded once more, before the next result: that is still the same data.
// EXPECT: shared("out", "tile").ranges == {4: 64 * 12}
// through: moved in, and out again by another thread.
// EXPECT: shared("through", "tile").ranges == {1: 64 * 12}
// never: half of what is moved in is not used: one range for each word and block.
// EXPECT: shared("never", "tile").ranges == {0: 32 * 4, 1: 32 * 12}
// by_helpers: the same as in_and_used, by functions that are not inlined.
// EXPECT: shared("by_helpers", "tile").ranges == {2: 64 * 12}
// asynchronous: by cp.async, 16 bytes a thread of the first 16.
// EXPECT: shared("asynchronous", "tile").ranges == {1: 64 * 12}
// dynamic: the second half of dynamic shared memory, beside results that are kept
// for the whole block in the first half: stored, and added to for each piece, with a
// load and a store, and moved out at last.
// EXPECT: shared("dynamic", "pool").ranges == {1: 64 * 12, 2 + 2 * 3: 64 * 4}
// early: as in_and_used, but half of the threads have left, and the other half
// moves and loads all words.
// EXPECT: shared("early", "tile").ranges == {1: 64 * 12}
// bytes: 4 threads move in each word, a byte each; 4 load theirs.
// EXPECT: shared("bytes", "tile").ranges == {4: 16 * 12}
// accumulate: no data is moved in or out again and again.
// EXPECT: not shared("accumulate", "histogram").live_ranges["counted"]
// EXPECT: sorted((f["kernel"]["name"].split("(")[0], f["kind"]) for f in summary["findings"]
//                if f["pattern"] == "no_reuse_in_live_range") == []
// BUILD: -O2 -g
// BUILD: -O2 --gmprof-counter-bits=16
// BUILD: -O2 -g -mllvm -gm-inline-budget=0
// BUILD: -O2 -g -mllvm -gm-shared-closed-forms=false
#include "common.h"
#include <cuda_pipeline_primitives.h>

constexpr int Pieces = 12; // of 64 words, for 4 blocks

__global__ void in_and_used(const int *in, int *out) {
  __shared__ int tile[64];
  const int T = threadIdx.x;
  int Sum = 0;
#pragma unroll 1
  for (int P = blockIdx.x; P < Pieces; P += gridDim.x) {
    tile[T] = in[64 * P + T];
    __syncthreads();
    Sum += tile[T] * 3 + tile[T ^ 1];
    __syncthreads();
  }
  out[64 * blockIdx.x + T] = Sum;
}

__global__ void in_place(const int *in, int *out) {
  __shared__ int tile[64];
  const int T = threadIdx.x;
#pragma unroll 1
  for (int P = blockIdx.x; P < Pieces; P += gridDim.x) {
    tile[T] = in[64 * P + T];
    __syncthreads();
    tile[T ^ 1] = tile[T ^ 1] * 5;
    __syncthreads();
    out[64 * P + T] = tile[T];
    __syncthreads();
  }
}

__global__ void out(int *in, int *out) {
  __shared__ int tile[64];
  const int T = threadIdx.x;
  int Sum = 0;
#pragma unroll 1
  for (int P = blockIdx.x; P < Pieces; P += gridDim.x) {
    tile[T] = 64 * P + T;
    __syncthreads();
    Sum += tile[T ^ 1];
    __syncthreads();
    out[64 * P + T] = tile[T];
    __syncthreads();
    Sum += tile[T ^ 2];
    __syncthreads();
  }
  in[64 * blockIdx.x + T] = Sum;
}

__global__ void through(const int *in, int *out) {
  __shared__ int tile[64];
  const int T = threadIdx.x;
#pragma unroll 1
  for (int P = blockIdx.x; P < Pieces; P += gridDim.x) {
    tile[T] = in[64 * P + T];
    __syncthreads();
    out[64 * P + T] = tile[63 - T];
    __syncthreads();
  }
}

__global__ void never(const int *in, int *out) {
  __shared__ int tile[64];
  const int T = threadIdx.x;
  int Sum = 0;
#pragma unroll 1
  for (int P = blockIdx.x; P < Pieces; P += gridDim.x) {
    tile[T] = in[64 * P + T];
    __syncthreads();
    if (T < 32)
      Sum += tile[T ^ 1];
    __syncthreads();
  }
  out[64 * blockIdx.x + T] = Sum;
}

__device__ __noinline__ void put(int *Where, int What) { *Where = What; }
__device__ __noinline__ int sum(const int *A, const int *B) { return 3 * *A + *B; }

__global__ void by_helpers(const int *in, int *out) {
  __shared__ int tile[64];
  const int T = threadIdx.x;
  int Sum = 0;
#pragma unroll 1
  for (int P = blockIdx.x; P < Pieces; P += gridDim.x) {
    put(tile + T, in[64 * P + T]);
    __syncthreads();
    Sum += sum(tile + T, tile + (T ^ 1));
    __syncthreads();
  }
  out[64 * blockIdx.x + T] = Sum;
}

__global__ void asynchronous(const int *in, int *out) {
  __shared__ alignas(16) int tile[64];
  const int T = threadIdx.x;
  int Sum = 0;
#pragma unroll 1
  for (int P = blockIdx.x; P < Pieces; P += gridDim.x) {
    if (T < 16)
      __pipeline_memcpy_async(tile + 4 * T, in + 64 * P + 4 * T, 16);
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
    Sum += tile[T];
    __syncthreads();
  }
  out[64 * blockIdx.x + T] = Sum;
}

__global__ void dynamic(const int *in, int *out) {
  extern __shared__ int pool[];
  volatile int *Sums = pool;
  int *Piece = pool + 64;
  const int T = threadIdx.x;
  Sums[T] = 0;
#pragma unroll 1
  for (int P = blockIdx.x; P < Pieces; P += gridDim.x) {
    Piece[T] = in[64 * P + T];
    __syncthreads();
    Sums[T] = Sums[T] + Piece[T ^ 1];
    __syncthreads();
  }
  out[64 * blockIdx.x + T] = Sums[T];
}

__global__ void early(const int *in, int *out) {
  __shared__ int tile[64];
  const int T = threadIdx.x;
  if (T >= 32)
    return;
  int Sum = 0;
#pragma unroll 1
  for (int P = blockIdx.x; P < Pieces; P += gridDim.x) {
    tile[T] = in[64 * P + T];
    tile[T + 32] = in[64 * P + T + 32];
    __syncwarp();
    Sum += tile[T ^ 1] + tile[(T ^ 1) + 32];
    __syncwarp();
  }
  out[64 * blockIdx.x + T] = Sum;
}

__global__ void bytes(const unsigned char *in, int *out) {
  __shared__ unsigned char tile[64];
  const int T = threadIdx.x;
  int Sum = 0;
#pragma unroll 1
  for (int P = blockIdx.x; P < Pieces; P += gridDim.x) {
    tile[T] = in[64 * P + T];
    __syncthreads();
    Sum += tile[63 - T];
    __syncthreads();
  }
  out[64 * blockIdx.x + T] = Sum;
}

__global__ void accumulate(const int *in, int *out) {
  __shared__ int histogram[64];
  const int T = threadIdx.x;
  histogram[T] = 0;
  __syncthreads();
#pragma unroll 1
  for (int P = blockIdx.x; P < Pieces; P += gridDim.x)
    atomicAdd(&histogram[in[64 * P + T] & 63], 1);
  __syncthreads();
  out[64 * blockIdx.x + T] = histogram[T];
}

int main() {
  int *In = deviceInts(64 * Pieces), *Out = deviceInts(64 * Pieces);
  in_and_used<<<4, 64>>>(In, Out);
  printResult("in_and_used", Out, 256);
  in_place<<<4, 64>>>(In, Out);
  printResult("in_place", Out, 64 * Pieces);
  out<<<4, 64>>>(In, Out);
  printResult("out", Out, 64 * Pieces);
  through<<<4, 64>>>(In, Out);
  printResult("through", Out, 64 * Pieces);
  never<<<4, 64>>>(In, Out);
  printResult("never", Out, 256);
  by_helpers<<<4, 64>>>(In, Out);
  printResult("by_helpers", Out, 256);
  asynchronous<<<4, 64>>>(In, Out);
  printResult("asynchronous", Out, 256);
  dynamic<<<4, 64, 128 * sizeof(int)>>>(In, Out);
  printResult("dynamic", Out, 256);
  early<<<4, 64>>>(In, Out);
  printResult("early", Out, 256);
  bytes<<<4, 64>>>(reinterpret_cast<unsigned char *>(In), Out);
  printResult("bytes", Out, 256);
  accumulate<<<4, 64>>>(In, Out);
  printResult("accumulate", Out, 256);
}
