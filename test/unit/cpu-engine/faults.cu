// Kernels that fail or print.
#include <cassert>
#include <cstdio>

__device__ __noinline__ int deep(int N) {
  volatile int Local[64];
  Local[N & 63] = N;
  return N == 0 ? 0 : deep(N + 1) + Local[(N + 1) & 63];
}

extern "C" {

__global__ void outOfBounds(int *Data, long Index) {
  if (blockIdx.x == 2 && threadIdx.x == 5)
    Data[Index] = 1;
}

__global__ void vectors(const float *In, float4 *Out) {
  Out[threadIdx.x] = ((const float4 *)(In + (threadIdx.x == 3)))[threadIdx.x];
}

__global__ void nullPointer(int *Data) {
  __syncthreads();
  if (threadIdx.x == 33)
    *(volatile int *)nullptr = 1;
}

__global__ void beyondShared(int *Out, int Index) {
  __shared__ int Tile[64];
  Tile[threadIdx.x] = threadIdx.x;
  __syncthreads();
  Out[threadIdx.x] = Tile[threadIdx.x + Index];
}

__global__ void trap(int *Out) {
  Out[blockIdx.x] = 1;
  if (blockIdx.x >= 3)
    __trap();
}

__global__ void failedAssert(int *Out) {
  assert(blockIdx.x != 1 || threadIdx.x != 3);
  Out[blockIdx.x * blockDim.x + threadIdx.x] = 1;
}

__global__ void endlessRecursion(int *Out) { Out[0] = deep(1); }

__global__ void divergentBarrier(int *Out) {
  if (threadIdx.x < 40)
    __nvvm_barrier_sync_cnt(0, 64);
  else
    __nvvm_barrier_sync_cnt(1, 64);
  Out[threadIdx.x] = 1;
}

__global__ void missingLane(int *Out) {
  if (threadIdx.x == 0)
    __syncthreads();
  else
    Out[threadIdx.x] = __shfl_sync(~0u, 1, 0);
}

__global__ void print(const char *Name, double Value) {
  __syncthreads();
  printf("block %d thread %u %s %5.2f %c%%\n", blockIdx.x, threadIdx.x, Name, Value, 'x');
  if (threadIdx.x == 1)
    printf("%lld %hd %p %-4d|%04x|%s\n", 1ll << 40, (short)-3, (void *)16, 7, 255,
           (const char *)nullptr);
}

__global__ void printResult(int *Out) {
  Out[0] = printf("none\n");
  Out[1] = printf("%d %s\n", 1, "two");
}

__global__ void deviceHeap(int **Pointers, int *Out) {
  int T = threadIdx.x;
  Pointers[T] = (int *)malloc((T + 1) * sizeof(int));
  for (int I = 0; I <= T; ++I)
    Pointers[T][I] = 1000 * T + I;
  __syncthreads();
  int Sum = 0;
  for (int I = 0; I <= T; ++I)
    Sum += Pointers[T][I];
  Out[T] = Sum;
  free(Pointers[T]);
}

__global__ void badFree(int *Out) { free(Out); }

__global__ void readStack(int *Out) {
  double Local[1000]; // 8 KB of local memory
  for (int I = 0; I < 1000; ++I)
    Local[I] = I + Out[0];
  __syncthreads();
  double Sum = 0;
  for (int I = 0; I < 1000; ++I)
    Sum += Local[(I * 7) % 1000];
  Out[threadIdx.x + 1] = int(Sum);
}

__global__ void unsupported(int *Out) { asm volatile("no.such.instruction %0;" : : "r"(*Out)); }

__global__ void waitForEver(volatile int *Flag, int *Out) {
  while (*Flag == 0)
    ;
  Out[0] = 1;
}

} // extern "C"

__device__ __noinline__ int readBehind(const int *Place, int Index) { return Place[Index]; }

extern "C" __global__ void beyondSharedByPointer(int *Out, int Index) {
  __shared__ int Tile[64];
  Tile[threadIdx.x] = threadIdx.x;
  __syncthreads();
  Out[threadIdx.x] = readBehind(Tile + threadIdx.x, Index);
}
