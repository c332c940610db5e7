// Launches with the same arguments that access what data says: which elements each accesses is
// known of each, and of an object nearby whose slices overlap.
// BUILD: -O2 -g
// OPTIONS: profile=elements
// EXPECT: {f["object"]["name"]: (f["evidence"]["slices"], f["evidence"]["largest_slice_bytes"])
//     for f in summary["findings"] if f["pattern"] == "structured_access"} == {
//     "Sliced": (8, 512)}
// EXPECT: elements("Again")["slices"] == 1
// EXPECT: elements("Overlap")["slices"] == 1
// EXPECT: elements("Sliced")["accessed"] == 1024
// EXPECT: {(f["object"]["name"], f["kernel"]["name"].split("(")[0], f["evidence"]["launches"])
//     for f in summary["findings"] if f["pattern"] == "nonuniform_access_frequency"}
//     == {("Uneven", "gather", 1)}
// EXPECT: abs(finding("nonuniform_access_frequency", "Uneven")["variation"]
//     - ((113**2 + 15) * 16 / 128**2 - 1)**0.5) < 1e-9
// EXPECT: variation("Even", "gather") == 0
#include "common.h"

__device__ int Turn;

// The slice comes from memory, and so do the elements in it.
__global__ void scatter(int *to, const int *index, int step) {
  to[index[threadIdx.x] + step * Turn] = 1;
}

__global__ void next() { ++Turn; }

__global__ void gather(int *out, const int *from, const int *index) {
  out[threadIdx.x] = from[index[128 * Turn + threadIdx.x]];
}

int main() {
  int *Sliced, *Again, *Overlap, *Uneven, *Even, *Index, *Places, *Out, Values[8 * 128];
  CHECK(cudaMalloc(&Sliced, 1024 * sizeof(int)));
  CHECK(cudaMalloc(&Again, 1024 * sizeof(int)));
  CHECK(cudaMalloc(&Overlap, 1024 * sizeof(int)));
  CHECK(cudaMalloc(&Uneven, 16 * sizeof(int)));
  CHECK(cudaMalloc(&Even, 16 * sizeof(int)));
  CHECK(cudaMalloc(&Index, 8 * 128 * sizeof(int)));
  CHECK(cudaMalloc(&Places, 128 * sizeof(int)));
  CHECK(cudaMalloc(&Out, 128 * sizeof(int)));
  for (int I = 0; I < 128; ++I)
    Values[I] = I ^ 31;
  CHECK(cudaMemcpy(Places, Values, 128 * sizeof(int), cudaMemcpyHostToDevice));
  for (int Turns = 0; Turns < 8; ++Turns, next<<<1, 1>>>()) {
    scatter<<<1, 128>>>(Sliced, Places, 128);
    // The last element of a slice is the first of the next.
    scatter<<<1, 128>>>(Overlap, Places, 127);
  }
  // The last launch comes back to where the first one was.
  int Zero = 0;
  CHECK(cudaMemcpyToSymbol(Turn, &Zero, sizeof(int)));
  for (int Turns = 0; Turns < 8; ++Turns, next<<<1, 1>>>())
    scatter<<<1, 128>>>(Again, Places, 128);
  CHECK(cudaMemcpyToSymbol(Turn, &Zero, sizeof(int)));
  scatter<<<1, 128>>>(Again, Places, 128);
  // Each launch accesses one element of Uneven 113 times, and the other 15 once: another one each
  // time, so that all launches together are even.
  for (int L = 0; L < 8; ++L)
    for (int I = 0; I < 128; ++I)
      Values[128 * L + I] = I < 16 ? I : 2 * L;
  CHECK(cudaMemcpy(Index, Values, sizeof(Values), cudaMemcpyHostToDevice));
  for (int L = 0; L < 8; ++L, next<<<1, 1>>>())
    gather<<<1, 128>>>(Out, Uneven, Index);
  CHECK(cudaMemcpyToSymbol(Turn, &Zero, sizeof(int)));
  for (int L = 0; L < 8; ++L)
    for (int I = 0; I < 128; ++I)
      Values[128 * L + I] = (I + L) % 16;
  CHECK(cudaMemcpy(Index, Values, sizeof(Values), cudaMemcpyHostToDevice));
  for (int L = 0; L < 8; ++L, next<<<1, 1>>>())
    gather<<<1, 128>>>(Out, Even, Index);
  CHECK(cudaDeviceSynchronize());
  printf("done\n");
}
