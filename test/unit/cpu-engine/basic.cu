// Kernels without synchronisation: parameters, variables, arithmetic.
#include <cstdint>

struct Pair {
  int A[5];
  char C;
  double D;
};

extern "C" {

__device__ int Counter = 5;
__constant__ float Weights[4] = {1, 2, 3, 4};
__device__ int *ToCounter = &Counter;
__device__ const char *Text = "text";
struct Node {
  short Kind;
  const float *Values;
  unsigned char Bytes[3];
};
__device__ Node Table[2] = {{1, &Weights[1], {7, 8, 9}}, {2, nullptr, {}}};

__global__ void indices(int *Out, int Width) {
  int X = blockIdx.x * blockDim.x + threadIdx.x;
  int Y = blockIdx.y * blockDim.y + threadIdx.y;
  int Z = blockIdx.z * blockDim.z + threadIdx.z;
  int Height = gridDim.y * blockDim.y;
  Out[(Z * Height + Y) * Width + X] = X + 100 * Y + 10000 * Z;
}

__global__ void parameters(long *Out, bool Flag, short S, Pair P, float4 V, char Last) {
  P.A[2] += S; // a private copy
  Out[0] = Flag;
  Out[1] = S;
  Out[2] = P.A[2];
  Out[3] = P.C;
  Out[4] = long(P.D);
  Out[5] = long(V.x + V.y * 10 + V.z * 100 + V.w * 1000);
  Out[6] = Last;
}

__global__ void variables(float *Out) {
  atomicAdd(&Counter, 1);
  if (threadIdx.x == 0) {
    Out[0] = *ToCounter >= 6;
    Out[1] = Text[2];
    Out[2] = Table[0].Values[1] + Table[0].Kind + Table[0].Bytes[2] + Table[1].Kind;
    Out[3] = Table[1].Values == nullptr;
  }
}

__global__ void division(const int *N, const int *D, int *Quotient, int *Rest, unsigned *UQuotient,
                         long *LQuotient) {
  int I = threadIdx.x;
  Quotient[I] = N[I] / D[I];
  Rest[I] = N[I] % D[I];
  UQuotient[I] = unsigned(N[I]) / unsigned(D[I]);
  LQuotient[I] = long(N[I]) / D[I];
}

__device__ __noinline__ unsigned fibonacci(unsigned N) {
  return N < 2 ? N : fibonacci(N - 1) + fibonacci(N - 2);
}

__global__ void recursion(unsigned *Out) { Out[threadIdx.x] = fibonacci(threadIdx.x); }

__device__ __noinline__ int twice(int X) { return 2 * X; }
__device__ __noinline__ int square(int X) { return X * X; }
typedef int (*Function)(int);
__device__ Function Functions[2] = {twice, square};

__global__ void pointers(int *Out) {
  Function Local = threadIdx.x & 1 ? twice : square;
  Out[threadIdx.x] = Functions[threadIdx.x & 1](threadIdx.x) + 1000 * Local(threadIdx.x);
}

__global__ void atomics(int *Ints, float *Floats, unsigned long long *Longs) {
  int I = threadIdx.x;
  atomicAdd(&Ints[0], I);
  atomicMax(&Ints[1], I ^ 0x55);
  atomicOr(&Ints[2], 1 << (I & 31));
  atomicAdd(&Floats[0], 0.5f);
  atomicAdd(&Longs[0], 1ull << 33);
  atomicCAS(&Ints[3], 7, 8);
  atomicExch(&Ints[4], 11);
}

__global__ void fused(const double *X, double *Out) { Out[0] = X[0] * X[1] + X[2]; }

__global__ void sumAll(const float *In, float *Out, int N) {
  for (int I = blockIdx.x * blockDim.x + threadIdx.x; I < N; I += gridDim.x * blockDim.x)
    Out[I] = In[I] * 2 + 1;
}

} // extern "C"

struct Shape {
  __device__ virtual int area(int) const = 0;
};
struct Square : Shape {
  __device__ int area(int X) const override { return X * X; }
};
struct Triangle : Shape {
  __device__ int area(int X) const override { return X * X / 2; }
};

extern "C" __global__ void virtualCalls(int *Out) {
  Square S;
  Triangle T;
  const Shape *Shapes[2] = {&S, &T};
  Out[threadIdx.x] = Shapes[threadIdx.x & 1]->area(threadIdx.x);
}
