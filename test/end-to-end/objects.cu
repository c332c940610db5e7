// Every kind of allocation, in order: sizes, lines, who released it and where.
// BUILD: -O2 -g
// BUILD: -O0 -g
// EXPECT: [(o["kind"], o["bytes"], o["alloc"]["api"]) for o in summary["objects"]] == [
//     ("device", 4000, "cudaMalloc"), ("device", 3 * 512, "cudaMallocPitch"),
//     ("device", 2 * 3 * 512, "cudaMalloc3D"), ("managed", 256, "cudaMallocManaged"),
//     ("pinned", 64, "cudaMallocHost"), ("pinned", 128, "cudaHostAlloc"),
//     ("pinned", 4096, "cudaHostRegister"), ("async-pool", 512, "cudaMallocAsync"),
//     ("graph", 1024, "cudaMallocAsync"), ("device", 100, "cudaMalloc")]
// EXPECT: [o["released"] for o in summary["objects"]] == [True] * 8 + [False] * 2
// EXPECT: [o["free"]["api"] for o in summary["objects"][:8]] == ["cudaFree"] * 4
//     + ["cudaFreeHost"] * 2 + ["cudaHostUnregister", "cudaFreeAsync"]
// EXPECT: all(o["address"] and o["device"] == 0 for o in summary["objects"])
// EXPECT: all(o["alloc"]["seconds"] <= o["free"]["seconds"] for o in summary["objects"][:8])
// EXPECT-CPU: [o["source"]["line"] for o in summary["objects"]]
//     == [32, 44, 46, 49, 50, 51, 53, 56, 60, 36]
// EXPECT-CPU: [summary["frames"][f]["function"] for f in summary["call_paths"][
//     summary["objects"][0]["alloc"]["call_path"]]] == ["Grid::allocate(int)", "main"]
// EXPECT-CPU: [summary["frames"][f]["function"] for f in summary["call_paths"][
//     summary["objects"][9]["alloc"]["call_path"]]] == ["leak(void*&)", "main"]
// EXPECT: [(d["peak_bytes"], d["peaks"][0]["objects"], d["bytes_at_end"])
//     for d in summary["memory"]["devices"]]
//     == [(4000 + 3 * 512 + 6 * 512 + 256 + 512, 5, 100)]
// EXPECT: coverage["gaps"] == []
#include "common.h"

__global__ void fill(float *p) { p[threadIdx.x] = 1; }

struct Grid {
  float *Cells = nullptr;
  __attribute__((noinline)) void allocate(int Count) {
    CHECK(cudaMalloc(&Cells, Count * sizeof(float)));
  }
};

__attribute__((noinline)) void leak(void *&Lost) { CHECK(cudaMalloc(&Lost, 100)); }

int main() {
  Grid G;
  G.allocate(1000);
  void *Pitched, *Managed, *Pinned, *Host, *Async, *InGraph, *Lost;
  size_t Pitch;
  cudaPitchedPtr Box;
  CHECK(cudaMallocPitch(&Pitched, &Pitch, 100, 3));
  cudaExtent Extent = {100, 3, 2};
  CHECK(cudaMalloc3D(&Box, Extent));
  // Neither of these is an object.
  CHECK(cudaFree(nullptr));
  CHECK(cudaMallocManaged(&Managed, 256));
  CHECK(cudaMallocHost(&Pinned, 64));
  CHECK(cudaHostAlloc(&Host, 128, cudaHostAllocDefault));
  alignas(4096) static char Registered[4096];
  CHECK(cudaHostRegister(Registered, sizeof(Registered), cudaHostRegisterDefault));
  cudaStream_t Stream;
  CHECK(cudaStreamCreate(&Stream));
  CHECK(cudaMallocAsync(&Async, 512, Stream));
  cudaGraph_t Graph;
  CHECK(cudaStreamSynchronize(Stream));
  CHECK(cudaStreamBeginCapture(Stream, cudaStreamCaptureModeThreadLocal));
  CHECK(cudaMallocAsync(&InGraph, 1024, Stream));
  CHECK(cudaStreamEndCapture(Stream, &Graph));
  fill<<<1, 32>>>(G.Cells);
  CHECK(cudaDeviceSynchronize());

  CHECK(cudaFree(G.Cells));
  CHECK(cudaFree(Pitched));
  CHECK(cudaFree(Box.ptr));
  CHECK(cudaFree(Managed));
  CHECK(cudaFreeHost(Pinned));
  CHECK(cudaFreeHost(Host));
  CHECK(cudaHostUnregister(Registered));
  CHECK(cudaFreeAsync(Async, Stream));
  leak(Lost);
  CHECK(cudaDeviceSynchronize());
}
