// A load through L1 that stays: one that is made twice would be kept in a register.
#ifndef GMPROF_TEST_CACHED_LOAD_H
#define GMPROF_TEST_CACHED_LOAD_H

__device__ __forceinline__ int load(const int *data) {
  int value = 0;
#ifdef __CUDA_ARCH__
  asm volatile("ld.global.ca.b32 %0, [%1];"
               : "=r"(value)
               : "l"(__cvta_generic_to_global(data))
               : "memory");
#endif
  return value;
}

#endif
