// The second file of heat_units.cu. Its function calls one that only this file can call.
#include "heat_units.h"

static __device__ __noinline__ int second(const volatile int *p, int i) { return p[i]; }

__device__ __noinline__ int theirs(const volatile int *p, int i) {
  return p[2 * i] + second(p, i) + both(p, i);
}
