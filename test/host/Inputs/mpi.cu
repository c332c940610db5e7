// A job in which rank 5 differs. All ranks have one object of 4096 bytes, filled by one launch;
// that of rank 5 has 32768 bytes, and rank 5 allocates 4096 more that nothing uses. The peaks of 8
// ranks are therefore 4096 bytes, and 36864 of rank 5: (7 * 4096 + 36864) / 8 = 8192 on average.
#include <cstdio>
#include <mpi.h>

__global__ void fill(int *data, int value) { data[blockIdx.x * blockDim.x + threadIdx.x] = value; }

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const int count = rank == 5 ? 8192 : 1024;
  int *data = nullptr, *extra = nullptr, first = 0, sum = 0;
  cudaMalloc(&data, count * sizeof(int));
  if (rank == 5)
    cudaMalloc(&extra, 4096);
  fill<<<count / 256, 256>>>(data, rank);
  cudaMemcpy(&first, data, sizeof(int), cudaMemcpyDeviceToHost);
  cudaFree(data);
  cudaFree(extra);
  MPI_Reduce(&first, &sum, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0)
    std::printf("sum of ranks %d\n", sum);
  MPI_Finalize();
}
