// Used elements of objects: elements accessed by kernels, and by copies that read.
// BUILD: -O2 -g
// BUILD: -O0 -g
// OPTIONS: profile=elements
// EXPECT: {f["object"]["name"]: (f["kind"], f["evidence"].get("bytes_saved_alone",
//     f["bytes_saved"])) for f in summary["findings"]
//     if f["pattern"] == "overallocation"} == {
//     "Part": ("contiguous", 4 * 744), "Sparse": ("scattered", 0), "Middle": ("contiguous", 4 *
//     512)}
// EXPECT: finding("overallocation", "Part")["largest_unaccessed_from"] == 280
// EXPECT: finding("overallocation", "Sparse")["accessed_share"] == 64 / 1024
// EXPECT: finding("overallocation", "Sparse")["fragmentation"] == 1 - 15 / 960
// EXPECT: finding("overallocation", "Middle")["fragmentation"] == 0.5
// EXPECT: elements("All")["accessed_share"] == 1
// EXPECT: elements("Read")["accessed_share"] == 1
// EXPECT: (elements("Most")["accessed"], elements("Most")["elements"]) == (820, 1024)
// EXPECT: elements("Part")["sampled"] is False
// EXPECT: [o["name"] for o in summary["objects"] if o["elements"]]
//     == ["Part", "Sparse", "Middle", "All", "Most", "Read", "Index"]
// EXPECT-OUTPUT: sum 280
#include "common.h"

__global__ void addOne(int *to, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    to[i] += 1;
}

// The accessed elements depend on data.
__global__ void gather(int *to, const int *from, const int *index) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  to[i] += from[index[i]];
}

int main() {
  constexpr int N = 1024;
  int *Part, *Sparse, *Middle, *All, *Most, *Read, *Index, *Unused;
  CHECK(cudaMalloc(&Part, N * sizeof(int)));
  CHECK(cudaMalloc(&Sparse, N * sizeof(int)));
  CHECK(cudaMalloc(&Middle, N * sizeof(int)));
  CHECK(cudaMalloc(&All, N * sizeof(int)));
  CHECK(cudaMalloc(&Most, N * sizeof(int)));
  CHECK(cudaMalloc(&Read, N * sizeof(int)));
  CHECK(cudaMalloc(&Index, 64 * sizeof(int)));
  CHECK(cudaMalloc(&Unused, N * sizeof(int)));
  // Sets and copies to objects are no uses of them.
  for (int *Each : {Part, Sparse, Middle, All, Most, Read, Unused})
    CHECK(cudaMemset(Each, 0, N * sizeof(int)));
  int Values[N];
  for (int I = 0; I < 64; ++I)
    Values[I] = 16 * I;
  CHECK(cudaMemcpy(Index, Values, 64 * sizeof(int), cudaMemcpyHostToDevice));
  addOne<<<4, 256>>>(Part, 280);
  addOne<<<2, 256>>>(Middle + 256, 512);
  addOne<<<4, 256>>>(All, N);
  addOne<<<4, 256>>>(Most, 820);
  gather<<<1, 64>>>(Part, Sparse, Index);
  // The host reads all of it, kernels but a part.
  addOne<<<1, 256>>>(Read, 100);
  CHECK(cudaMemcpy(Values, Read, N * sizeof(int), cudaMemcpyDeviceToHost));
  int Sum = 0;
  CHECK(cudaMemcpy(Values, Part, 280 * sizeof(int), cudaMemcpyDeviceToHost));
  for (int I = 0; I < 280; ++I)
    Sum += Values[I];
  printf("sum %d\n", Sum);
}
