// Strides between lanes: of two fields of a structure; of indices, once computed and once read from
// memory; of rows of different lengths, which threads or warps read.
// BUILD: -O2 -g
// OPTIONS: profile=heat
// EXPECT: sorted((f["kernel"]["name"].split("(")[0], f["kind"], f["object"]["name"])
//     for f in summary["findings"] if f["pattern"] == "strided_access") == [
//     ("computed", "across_threads", "Table"), ("gathered", "across_threads", "Table"),
//     ("move", "across_threads", "Agents"), ("threadRows", "per_thread", "Values")]
// EXPECT: finding("strided_access", "Agents")["stride_bytes"] == 32
// EXPECT: [f["suggestion"].startswith("If the indices are data, renumber the elements")
//     for name in ["computed", "gathered", "move"] for f in summary["findings"]
//     if f["pattern"] == "strided_access" and f["kernel"]["name"].startswith(name + "(")] == [
//     False, True, False]
// EXPECT-OUTPUT: moved: 1.5
#include "common.h"
#include <vector>

struct Agent {
  float X, Y, VX, VY, Mass;
  int Id, Group, State;
};

__global__ void move(Agent *Agents) {
  const int I = blockIdx.x * blockDim.x + threadIdx.x;
  Agents[I].X += Agents[I].VX * 0.5f;
}

__global__ void computed(const int *Table, int *Out) { Out[threadIdx.x] = Table[8 * threadIdx.x]; }

__global__ void gathered(const int *Index, const int *Table, int *Out) {
  Out[threadIdx.x] = Table[Index[threadIdx.x]];
}

__global__ void threadRows(const int *Begin, const int *Values, int *Out) {
  int Sum = 0;
  for (int I = Begin[threadIdx.x]; I < Begin[threadIdx.x + 1]; ++I)
    Sum += Values[I];
  Out[threadIdx.x] = Sum;
}

__global__ void warpRows(const int *Begin, const int *Values, int *Out) {
  const int Row = threadIdx.x / 32, Lane = threadIdx.x % 32;
  int Sum = 0;
  for (int I = Begin[Row] + Lane; I < Begin[Row + 1]; I += 32)
    Sum += Values[I];
  atomicAdd(&Out[Row], Sum);
}

int main() {
  constexpr int Threads = 256;
  Agent *Agents;
  std::vector<Agent> First(Threads, {1, 0, 1, 0, 1, 0, 0, 0});
  cudaMalloc(&Agents, Threads * sizeof(Agent));
  cudaMemcpy(Agents, First.data(), Threads * sizeof(Agent), cudaMemcpyHostToDevice);
  move<<<1, Threads>>>(Agents);
  cudaMemcpy(First.data(), Agents, Threads * sizeof(Agent), cudaMemcpyDeviceToHost);
  printf("moved: %g\n", First[0].X);

  std::vector<int> Indices, Begins = {0};
  for (int I = 0; I < Threads; ++I) {
    Indices.push_back(8 * I);
    Begins.push_back(Begins.back() + 40 + I * 13 % 17);
  }
  int *Table = deviceInts(8 * Threads), *Out = deviceInts(Threads), *Index = deviceInts(Threads),
      *Begin = deviceInts(Threads + 1), *Values = deviceInts(Begins.back());
  cudaMemcpy(Index, Indices.data(), Threads * sizeof(int), cudaMemcpyHostToDevice);
  cudaMemcpy(Begin, Begins.data(), (Threads + 1) * sizeof(int), cudaMemcpyHostToDevice);
  computed<<<1, Threads>>>(Table, Out);
  gathered<<<1, Threads>>>(Index, Table, Out);
  threadRows<<<1, Threads>>>(Begin, Values, Out);
  warpRows<<<1, Threads>>>(Begin, Values, Out);
  cudaDeviceSynchronize();
}
