// The CPU device ends a launch at the first byte behind an allocation, a variable or an array in
// shared memory, and at no byte before. Each access is made by a process of its own.
// DEVICE: cpu
// BUILD: -O2 -g
// OPTIONS: profile=off
// EXPECT-OUTPUT: cudaMalloc: last 0, next 700
// EXPECT-OUTPUT: cudaMallocAsync: last 0, next 700
// EXPECT-OUTPUT: cudaMallocManaged: last 0, next 700
// EXPECT-OUTPUT: cudaHostAlloc: last 0, next 700
// EXPECT-OUTPUT: __device__: last 0, next 700
// EXPECT-OUTPUT: __constant__: last 0, next 700
// EXPECT-OUTPUT: static __shared__: last 0, next 700
// EXPECT-OUTPUT: dynamic __shared__: last 0, next 700

#include <cstdio>
#include <sys/wait.h>
#include <unistd.h>

constexpr int Elements = 33;

__device__ int variable[Elements];
__constant__ int constants[Elements];
__device__ int result;

__global__ void store(int *to, int index) { to[index] = 1; }
__global__ void storeVariable(int index) { variable[index] = 1; }
__global__ void loadConstant(int index) { result = constants[index]; }

__global__ void exchange(int index) {
  __shared__ int array[Elements];
  __shared__ int neighbour[Elements];
  array[threadIdx.x] = neighbour[threadIdx.x] = threadIdx.x;
  __syncthreads();
  if (threadIdx.x == 0)
    result = array[index] + neighbour[32 - index / 2];
}

__global__ void exchangeDynamic(int index) {
  extern __shared__ int dynamic[];
  dynamic[threadIdx.x] = threadIdx.x;
  __syncthreads();
  if (threadIdx.x == 0)
    result = dynamic[index];
}

static const char *const Kinds[] = {"cudaMalloc",        "cudaMallocAsync",   "cudaMallocManaged",
                                    "cudaHostAlloc",     "__device__",        "__constant__",
                                    "static __shared__", "dynamic __shared__"};

static int access(int kind, int index) {
  constexpr size_t Bytes = Elements * sizeof(int);
  int *data = nullptr;
  switch (kind) {
  case 0:
    cudaMalloc(&data, Bytes);
    break;
  case 1:
    cudaMallocAsync(&data, Bytes, nullptr);
    break;
  case 2:
    cudaMallocManaged(&data, Bytes);
    break;
  case 3:
    cudaHostAlloc(&data, Bytes, cudaHostAllocMapped);
    break;
  case 4:
    storeVariable<<<1, 1>>>(index);
    break;
  case 5:
    loadConstant<<<1, 1>>>(index);
    break;
  case 6:
    exchange<<<1, Elements>>>(index);
    break;
  case 7:
    exchangeDynamic<<<1, Elements, Bytes>>>(index);
    break;
  }
  if (data)
    store<<<1, 1>>>(data, index);
  return cudaDeviceSynchronize();
}

/// Returns the error of an access in a new process.
static int errorOf(int kind, int index) {
  int ends[2], error = -1;
  if (pipe(ends) != 0)
    return -1;
  const pid_t child = fork();
  if (child == 0) {
    error = access(kind, index);
    if (write(ends[1], &error, sizeof error) != sizeof error)
      _exit(1);
    _exit(0);
  }
  if (read(ends[0], &error, sizeof error) != sizeof error)
    error = -1;
  waitpid(child, nullptr, 0);
  close(ends[0]);
  close(ends[1]);
  return error;
}

int main() {
  for (int kind = 0; kind < 8; ++kind)
    printf("%s: last %d, next %d\n", Kinds[kind], errorOf(kind, Elements - 1),
           errorOf(kind, Elements));
}
