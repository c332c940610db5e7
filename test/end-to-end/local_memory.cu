// Local memory, constants and textures in the machine code. An array with an index of run time is
// in local memory, where LLVM sets it byte by byte; one with constant indices is in registers.
// Lanes of uniform load one constant.
// BUILD: -O3 -g
// OPTIONS: profile=heat
// EXPECT: [f[:3] for f in heat_findings()] == [
//     ("local_memory", "run_time_index", ""), ("serialized_constant_load", "", "Table")]
// EXPECT: kernel("promoted").data["machine_memory"] is None
// EXPECT: kernel("uniform").data["machine_memory"] is None
// EXPECT: kernel("indexed").data["machine_memory"]["frame_bytes"] == 256
// EXPECT: {i["variable"] for i in kernel("indexed").data["machine_memory"]["instructions"]}
//     == {"Counts"}
// EXPECT: sum(i["count"] * i["bytes"]
//     for i in kernel("indexed").data["machine_memory"]["instructions"]
//     if i["instruction"] == "local_store" and i["index"] == "constant") == 256
// EXPECT: [(i["instruction"], i["variable"], i["source"]["line"], i["bytes"], i["count"],
//     i["index"]) for i in kernel("laneIndexed").data["machine_memory"]["instructions"]]
//     == [("constant_load", "Table", 43, 4, 1, "run_time")]
// EXPECT: [(i["instruction"], i["variable"], i["source"]["line"], i["count"])
//     for i in kernel("fetch").data["machine_memory"]["instructions"]]
//     == [("texture_fetch", "Texture", 53, 1)]
#include "common.h"

__constant__ int Table[256];

__global__ void indexed(int *Out, const int *In, int N) {
  int Counts[64] = {};
  for (int I = 0; I < N; ++I)
    ++Counts[In[I * 128 + threadIdx.x] & 63];
  int Most = 0;
  for (int I = 0; I < 64; ++I)
    Most = Counts[I] > Most ? Counts[I] : Most;
  Out[threadIdx.x] = Most;
}

__global__ void promoted(int *Out, const int *In) {
  int Values[4];
  for (int I = 0; I < 4; ++I)
    Values[I] = In[I * 128 + threadIdx.x];
  Out[threadIdx.x] = Values[3] - Values[2] * Values[1] + Values[0];
}

__global__ void laneIndexed(int *Out) { Out[threadIdx.x] = Table[threadIdx.x]; }

__global__ void uniform(int *Out, int N) {
  int Sum = 0;
  for (int I = 0; I < N; ++I)
    Sum += Table[I];
  Out[threadIdx.x] = Sum;
}

__global__ void fetch(int *Out, cudaTextureObject_t Texture) {
  Out[threadIdx.x] = tex1Dfetch<int>(Texture, threadIdx.x);
}

int main() {
  int *In = deviceInts(512), *Out = deviceInts(128);
  CHECK(cudaMemcpyToSymbol(Table, In, sizeof(Table), 0, cudaMemcpyDeviceToDevice));
  indexed<<<1, 128>>>(Out, In, 4);
  printResult("indexed", Out, 128);
  promoted<<<1, 128>>>(Out, In);
  printResult("promoted", Out, 128);
  laneIndexed<<<1, 128>>>(Out);
  printResult("laneIndexed", Out, 128);
  uniform<<<1, 128>>>(Out, 9);
  printResult("uniform", Out, 128);

  cudaResourceDesc Memory = {};
  Memory.resType = cudaResourceTypeLinear;
  Memory.res.linear.devPtr = In;
  Memory.res.linear.sizeInBytes = 512 * sizeof(int);
  Memory.res.linear.desc = cudaCreateChannelDesc<int>();
  cudaTextureDesc Reading = {};
  cudaTextureObject_t Texture;
  CHECK(cudaCreateTextureObject(&Texture, &Memory, &Reading, nullptr));
  fetch<<<1, 128>>>(Out, Texture);
  printResult("fetch", Out, 128);
}
