// The other file of heat_units.cu. Its function calls one that nobody else can call.
#include "heat_units.h"

static __device__ __noinline__ int second(const volatile int *p, int i) { return p[i]; }

__device__ __noinline__ int theirs(const volatile int *p, int i) {
  return p[2 * i] + second(p, i) + both(p, i);
}
