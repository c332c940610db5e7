// The other of the two linked sources, without a kernel.
__device__ int SharedCounter = 100;
static __device__ int Private = 3;
__device__ int addThree(int X) { return X + Private; }
