// Launches a kernel, waits, then ends as its first argument says.
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime.h>
#include <unistd.h>

__global__ void turn(int *Out) {
  __shared__ volatile int Tile[32];
  Tile[threadIdx.x] = threadIdx.x;
  __syncthreads();
  Out[threadIdx.x] = Tile[31 - threadIdx.x];
}

int main(int Argc, char **Argv) {
  const char *How = Argc > 1 ? Argv[1] : "return";
  int *Out, Result[32];
  if (std::strcmp(How, "nothing") == 0)
    return 0;
  cudaMalloc(&Out, sizeof(Result));
  for (int I = 0; I < 3; ++I)
    turn<<<1, 32>>>(Out);
  cudaMemcpy(Result, Out, sizeof(Result), cudaMemcpyDeviceToHost);
  cudaDeviceSynchronize();
  std::printf("%d %d\n", Result[0], Result[31]);
  std::fflush(stdout);
  if (std::strcmp(How, "fault") == 0)
    turn<<<1, 32>>>(nullptr), cudaDeviceSynchronize();
  if (std::strcmp(How, "status") == 0)
    std::exit(3);
  if (std::strcmp(How, "abort") == 0)
    std::abort();
  if (std::strcmp(How, "term") == 0)
    raise(SIGTERM);
  if (std::strcmp(How, "kill") == 0)
    raise(SIGKILL);
  if (std::strcmp(How, "_exit") == 0)
    _exit(4);
  if (std::strcmp(How, "environment") == 0)
    for (const char *Name : {"LD_PRELOAD", "GMPROF_REEXECUTED"})
      std::printf("%s %s\n", Name, getenv(Name) ? getenv(Name) : "is not set");
  return 0;
}
