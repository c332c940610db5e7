// One of two sources that are linked as relocatable device code.
extern __device__ int SharedCounter;
extern __device__ int addThree(int);
static __device__ int Private = 10;

extern "C" __global__ void acrossFiles(int *Out) {
  Out[threadIdx.x] = addThree(threadIdx.x) + Private;
  atomicAdd(&SharedCounter, 1);
}
