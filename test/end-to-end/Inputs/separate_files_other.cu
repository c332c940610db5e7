#ifdef RELOCATABLE
__device__ int twice(int I) { return 2 * I; }
#endif

__global__ void there(int *out) {
  __shared__ volatile int words[64];
  words[threadIdx.x] = 3 * threadIdx.x;
  out[threadIdx.x] = words[threadIdx.x] + words[threadIdx.x] - 3 * threadIdx.x;
}

void launchThere(int *Out) { there<<<1, 64>>>(Out); }
