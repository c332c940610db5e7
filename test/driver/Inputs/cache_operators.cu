#include <cstdio>
#include <cuda_bf16.h>
#include <cuda_fp16.h>

template <class T> __device__ void all(T *P) {
  T V = __ldca(P);
  __stcs(P + 1, V);
  __stcg(P + 2, __ldcs(P));
  __stwb(P + 3, __ldcg(P));
  __stwt(P + 4, __ldcv(P));
  P[5] = __ldlu(P);
}

struct Pair {
  int A, B;
};
__device__ void __stcs(Pair *P, Pair V) { *P = V; }

// The program's own function, which takes precedence over GMProf's.
__device__ void __stcg(double *P, double V) { *P = V + 40; }

template <class... T> __device__ void each(void *P) { (all(static_cast<T *>(P)), ...); }

__global__ void kernel(void *P, Pair *Q) {
  each<char, signed char, unsigned char, short, unsigned short, int, unsigned int, long,
       unsigned long, long long, unsigned long long>(P);
  each<char2, uchar2, short2, ushort2, int2, uint2, longlong2, ulonglong2>(P);
  each<char4, uchar4, short4, ushort4, int4, uint4>(P);
  each<float, double, float2, float4, double2>(P);
  each<__half, __half2, __nv_bfloat16, __nv_bfloat162>(P);
  __stcs(Q, Pair{1, 2});
  __stcg(static_cast<double *>(P), 1.);
  __stcs(static_cast<float *>(P), 2);
}

int main() {}
