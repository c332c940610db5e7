__device__ __noinline__ int twice(int *Element) { return *Element * 2; }
