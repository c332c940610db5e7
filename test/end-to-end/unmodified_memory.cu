// Each kind of memory and way to copy it, of programs that GMProf's compiler has not seen.
// DEVICE: gpu
// BUILD-NVCC: -O2
// BUILD-NVCC: -O2 -cudart=shared
// OPTIONS: profile=objects:clones=compiled
// EXPECT: [(o["kind"], o["bytes"], o["released"]) for o in summary["objects"] if o["alloc"]] == [
//     ("device", 1024, True), ("async-pool", 2048, True), ("async-pool", 3072, True),
//     ("device", 4096, True), ("managed", 5120, True), ("pinned", 6144, True),
//     ("pinned", 65536, True), ("array", 1024, True)]
// EXPECT: [(summary["objects"][use["object"]]["bytes"], use["reads"], use["writes"], use["known"])
//     for use in kernel("use").data["object_accesses"]]
//     == [(2048, 1, 1, "inferred"), (5120, 1, 1, "inferred")]
// EXPECT: [(o["bytes"], o["first_access"]["kind"], o["last_access"]["kind"])
//     for o in summary["objects"] if o["alloc"] and o["first_access"]] == [
//     (1024, "copy", "copy"), (2048, "copy", "copy"), (3072, "set", "set"), (4096, "copy", "copy"),
//     (5120, "launch", "launch"), (6144, "copy", "copy"), (1024, "copy", "copy")]
// EXPECT: coverage["gaps"] == []
// EXPECT-OUTPUT: 5 2
#include "common.h"
#include <cstring>

__device__ int Variable[16];
__constant__ int Constant[16];
__global__ void use(int *Out) { Out[threadIdx.x % 16] += Variable[threadIdx.x % 16] + Constant[0]; }

int main() {
  int Host[256] = {1, 2, 3}, *Device, *Async, *FromPool, *Pitched, *Managed, *Pinned, *Mapped;
  cudaStream_t Stream;
  size_t Pitch;
  CHECK(cudaStreamCreate(&Stream));
  CHECK(cudaMalloc(&Device, 1024));
  CHECK(cudaMallocAsync(&Async, 2048, Stream));
  cudaMemPool_t Pool;
  cudaMemPoolProps Props = {};
  Props.allocType = cudaMemAllocationTypePinned;
  Props.location.type = cudaMemLocationTypeDevice;
  CHECK(cudaMemPoolCreate(&Pool, &Props));
  CHECK(cudaMallocFromPoolAsync(&FromPool, 3072, Pool, Stream));
  CHECK(cudaMallocPitch(&Pitched, &Pitch, 100, 8));
  CHECK(cudaMallocManaged(&Managed, 5120));
  CHECK(cudaMallocHost(&Pinned, 6144));
  Mapped = static_cast<int *>(std::malloc(65536));
  CHECK(cudaHostRegister(Mapped, 65536, cudaHostRegisterMapped));
  cudaArray_t Array;
  cudaChannelFormatDesc Format = cudaCreateChannelDesc<int>();
  CHECK(cudaMallocArray(&Array, &Format, 16, 16));

  CHECK(cudaMemcpyToSymbol(Variable, Host, sizeof(Variable)));
  CHECK(cudaMemcpyToSymbol(Constant, Host, sizeof(Constant)));
  CHECK(cudaMemcpy(Device, Host, 1024, cudaMemcpyHostToDevice));
  CHECK(cudaMemcpyAsync(Async, Device, 1024, cudaMemcpyDeviceToDevice, Stream));
  CHECK(cudaMemsetAsync(FromPool, 0, 3072, Stream));
  CHECK(cudaMemcpy2D(Pitched, Pitch, Host, 100, 100, 8, cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy2DToArray(Array, 0, 0, Host, 64, 64, 4, cudaMemcpyHostToDevice));
  std::memset(Managed, 0, 5120);
  use<<<1, 16, 0, Stream>>>(Async);
  use<<<1, 16, 0, Stream>>>(Managed);
  CHECK(cudaMemcpyAsync(Pinned, Async, 2048, cudaMemcpyDeviceToHost, Stream));
  CHECK(cudaStreamSynchronize(Stream));
  std::printf("%d %d\n", Pinned[1], Managed[0]);

  CHECK(cudaFree(Device));
  CHECK(cudaFreeAsync(Async, Stream));
  CHECK(cudaFreeAsync(FromPool, Stream));
  CHECK(cudaStreamSynchronize(Stream));
  CHECK(cudaMemPoolDestroy(Pool));
  CHECK(cudaFree(Pitched));
  CHECK(cudaFree(Managed));
  CHECK(cudaFreeHost(Pinned));
  CHECK(cudaHostUnregister(Mapped));
  std::free(Mapped);
  CHECK(cudaFreeArray(Array));
}
