// clang compiles the copy of a float4 by one assignment to two accesses of 8 bytes. Copied member
// by member, they are one of 16.
// BUILD: -O2 -g
// OPTIONS: profile=heat
// EXPECT: [(l.access, l.requests) for l in heat_lines("members", "in")] == [("load", 4)]
// EXPECT: [(l.access, l.requests) for l in heat_lines("members", "out")] == [("store", 4)]
// EXPECT: [(l.access, l.requests) for l in heat_lines("whole", "in")] == [("copy_from", 8)]
// EXPECT: heat_findings() == [("bank_conflict", "store", "tile", 32),
//     ("strided_access", "per_thread", "from", 43), ("strided_access", "per_thread", "in", 25),
//     ("strided_access", "per_thread", "out", 25), ("strided_access", "per_thread", "out", 32),
//     ("strided_access", "per_thread", "to", 43)]
// EXPECT: all("clang splits this copy of 16 bytes into 2 accesses of 8 bytes; nvcc makes one."
//     in f["message"] and f["suggestion"].startswith("Copy the members one by one")
//     for f in summary["findings"] if f["object"]["name"] != "tile")
// EXPECT: [(f["pattern"], f["severity"], f["message"].split(": ")[0], f["suggestion"][:27])
//     for f in summary["findings"] if f["object"]["name"] == "tile"] == [("bank_conflict", "low",
//     "4 wavefronts/request (ideal 2)", "Copy the members one by one")]
#include "common.h"

__global__ void members(const float4 *in, float4 *out) {
  const float4 V = in[threadIdx.x];
  out[threadIdx.x] = make_float4(V.x, V.y, V.z, V.w);
}

__global__ void whole(const float4 *in, float4 *out) { out[threadIdx.x] = in[threadIdx.x]; }

// Reverses the elements through shared memory; exchanged copies member by member. The copy of one
// of two variables is split.
__global__ void staged(float4 *out, int n) {
  __shared__ float4 tile[128];
  const float4 Zero = make_float4(0, 0, 0, 0);
  tile[threadIdx.x] = threadIdx.x < n ? out[threadIdx.x] : Zero;
  __syncthreads();
  const float4 V = tile[127 - threadIdx.x];
  out[threadIdx.x] = make_float4(V.x, V.y, V.z, V.w);
}

// A copy of a structure that the program defines.
struct alignas(16) Cell {
  int State, Row, Column, Age;
};

__global__ void cells(const Cell *from, Cell *to) { to[threadIdx.x] = from[threadIdx.x]; }

__global__ void exchanged(float4 *out) {
  __shared__ float4 slots[128];
  const float4 V = out[threadIdx.x];
  slots[threadIdx.x] = make_float4(V.x, V.y, V.z, V.w);
  __syncthreads();
  const float4 W = slots[127 - threadIdx.x];
  out[threadIdx.x] = make_float4(W.x, W.y, W.z, W.w);
}

int main() {
  auto *In = reinterpret_cast<float4 *>(deviceInts(512));
  auto *Out = reinterpret_cast<float4 *>(deviceInts(512));
  members<<<1, 128>>>(In, Out);
  whole<<<1, 128>>>(In, Out);
  staged<<<1, 128>>>(Out, 128);
  exchanged<<<1, 128>>>(Out);
  cells<<<1, 128>>>(reinterpret_cast<Cell *>(Out), reinterpret_cast<Cell *>(In));
  printResult("out", reinterpret_cast<int *>(Out), 512);
}
