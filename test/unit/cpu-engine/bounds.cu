// Kernels that access one element, inside or outside of an object.
struct Triple {
  int X, Y, Z;
};

__device__ int Numbers[33];
__constant__ short Table[5];

extern "C" {

__global__ void storeInt(int *Data, long Index) { Data[Index] = 7; }
__global__ void loadByte(const char *Data, long Index, int *Out) { *Out = Data[Index]; }
__global__ void loadVector(const float4 *Data, long Index, float4 *Out) { *Out = Data[Index]; }
__global__ void addDouble(double *Data, long Index) { atomicAdd(&Data[Index], 1.0); }
__global__ void exchange(int *Data, long Index) { atomicCAS(&Data[Index], 0, 1); }
__global__ void copyTriple(const Triple *Data, long Index, Triple *Out) { *Out = Data[Index]; }

__global__ void sharedArrays(int *Out, int Index) {
  __shared__ int First[33];
  __shared__ int Second[32];
  First[threadIdx.x] = threadIdx.x;
  Second[threadIdx.x] = 100 + threadIdx.x;
  if (threadIdx.x == 0)
    First[32] = 32;
  __syncthreads();
  Out[threadIdx.x] = First[Index - threadIdx.x] + Second[31 - threadIdx.x];
}

__global__ void dynamicShared(int *Out, int Index) {
  extern __shared__ int Dynamic[];
  Dynamic[threadIdx.x] = threadIdx.x;
  __syncthreads();
  Out[threadIdx.x] = Dynamic[Index - threadIdx.x];
}

__global__ void wrappedIndex(int *Out) {
  __shared__ int Backwards[32];
  Backwards[threadIdx.x] = threadIdx.x;
  __syncthreads();
  Out[threadIdx.x] = (Backwards + 32)[~threadIdx.x];
}

__global__ void variable(int Index) { Numbers[Index] = 5; }
__global__ void throughPointer(int **Out) { *Out = Numbers; }
__global__ void table(int *Out, int Index) { *Out = Table[Index]; }

__global__ void local(int *Out, int Index) {
  int Values[8];
  for (int I = 0; I < 8; ++I)
    Values[I] = I * Index;
  *Out = Values[Index & 7];
}
}
