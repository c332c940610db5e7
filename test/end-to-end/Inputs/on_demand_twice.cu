__device__ int twice(int X) { return 2 * X; }
