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

// The program's own, which comes before the one that GMProf adds.
__device__ void __stcg(double *P, double V) { *P = V + 40; }

__global__ void kernel(void *P, Pair *Q) {
#define ALL(T) all(static_cast<T *>(P));
  ALL(char)
  ALL(signed char)
  ALL(unsigned char)
  ALL(short) ALL(unsigned short) ALL(int) ALL(unsigned int) ALL(long) ALL(unsigned long)
      ALL(long long) ALL(unsigned long long) ALL(char2) ALL(uchar2) ALL(short2) ALL(ushort2)
          ALL(int2) ALL(uint2) ALL(longlong2) ALL(ulonglong2) ALL(char4) ALL(uchar4) ALL(short4)
              ALL(ushort4) ALL(int4) ALL(uint4) ALL(float) ALL(double) ALL(float2) ALL(float4)
                  ALL(double2) ALL(__half) ALL(__half2) ALL(__nv_bfloat16) ALL(__nv_bfloat162)
                      __stcs(Q, Pair{1, 2});
  __stcg(static_cast<double *>(P), 1.);
  __stcs(static_cast<float *>(P), 2);
}

int main() {}
