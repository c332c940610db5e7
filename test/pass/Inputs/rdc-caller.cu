__device__ int twice(int *Element);
__global__ void kernel(int *Out) {
  __shared__ int Tile[64];
  Tile[threadIdx.x] = threadIdx.x;
  __syncthreads();
  Out[threadIdx.x] = twice(&Tile[63 - threadIdx.x]);
}
