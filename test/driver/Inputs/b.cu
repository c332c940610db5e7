__device__ int other(int I) { return 2 * I; }
