// Kernels whose accesses to global memory are counted (GlobalCloneTest.cpp).

struct Pair {
  int *first;
  const float4 *second;
};

__device__ __noinline__ int addTo(int *p, int value) { return *p += value; }

// All lanes read the same row from its end, every Stride-th element.
template <int Stride> __device__ void readRow(const int *bounds, const int *values, int *sums) {
  int Sum = 0;
#pragma unroll 1
  for (int I = bounds[1]; I > bounds[0]; I -= Stride)
    Sum += values[I];
  sums[threadIdx.x] = Sum;
}

extern "C" {

__global__ void dense(const float *in, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = in[i] + out[i];
}

// Addresses that are unknown at compile time, often the same for several lanes.
__global__ void scatter(const int *index, int *out) {
  atomicAdd(&out[index[blockIdx.x * blockDim.x + threadIdx.x]], 1);
}

// A thread's four floats are four elements; one parameter holds two pointers.
__global__ void wide(Pair p, const int *index) {
  float4 v = p.second[index[threadIdx.x]];
  p.first[threadIdx.x] = int(v.x + v.y + v.z + v.w);
}

// Unaligned copies of 7 bytes.
__global__ void copies(const unsigned char *from, unsigned char *to, const int *at) {
  __builtin_memcpy(to + 16 * threadIdx.x, from + at[threadIdx.x], 7);
}

// Each thread reads a row of individual length.
__global__ void rows(const int *begin, const int *values, int *sums) {
  int Sum = 0;
  for (int I = begin[threadIdx.x]; I < begin[threadIdx.x + 1]; ++I)
    Sum += values[I];
  sums[threadIdx.x] = Sum;
}

// Each warp reads a row, lanes side by side (SpMV).
__global__ void warpRows(const int *begin, const int *values, int *sums) {
  int Row = threadIdx.x / 32, Sum = 0;
#pragma unroll 1
  for (int I = begin[Row] + threadIdx.x % 32; I < begin[Row + 1]; I += 32)
    Sum += values[I];
  atomicAdd(&sums[Row], Sum);
}

__global__ void sameRow(const int *bounds, const int *values, int *sums) {
  readRow<1>(bounds, values, sums);
}
__global__ void sameRowWithGaps(const int *bounds, const int *values, int *sums) {
  readRow<3>(bounds, values, sums);
}

// Each thread reads a column of a matrix of 10 columns, from an individual row on.
__global__ void columns(const int *first, const int *values, int *sums, int rows) {
  int Sum = 0;
#pragma unroll 1
  for (int Row = first[threadIdx.x]; Row < rows; ++Row)
    Sum += values[Row * 10 + threadIdx.x];
  sums[threadIdx.x] = Sum;
}

// Each turn accesses the same element; the number of turns differs between threads.
__global__ void accumulate(const int *turns, volatile int *sums) {
  for (int I = 0; I < turns[threadIdx.x]; ++I)
    sums[threadIdx.x] = I;
}

// All threads access one element, under a condition that differs between them.
__global__ void sameElement(const int *in, volatile int *out) {
  if (in[threadIdx.x] > 0)
    out[1] = 7;
}

// Loads pointers from memory.
__global__ void pointers(int *const *rows, int column) { ++rows[threadIdx.x][column]; }

// Passes pointers to shared and to global memory to a function that is not inlined.
__global__ void generic(int *data, int *out) {
  __shared__ int Tile[32];
  Tile[threadIdx.x] = 0;
  out[threadIdx.x] = addTo(threadIdx.x % 2 ? &Tile[threadIdx.x] : &data[threadIdx.x], 3);
}
}
