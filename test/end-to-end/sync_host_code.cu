// Results on stacks and beside other data in a page: the program's own code reports its uses.
// BUILD: -O2 -g --gmprof-host-accesses
// BUILD: -O0 -g --gmprof-host-accesses
// FILES: outside.cu
// OPTIONS: profile=sync
// EXPECT-CPU: coverage["gaps"] == []
// EXPECT: [summary["sync"][k] for k in ("uses_instrumented", "uses_page", "uses_assumed")]
//     == [11, 1, 0]
// EXPECT: [sum(s[k] for s in summary["sync"]["sites"]) for k in ("unnecessary",
//     "unnecessary_instrumented", "needed")] == [6, 5, 12]
// EXPECT-CPU: {s["source"]["line"]: (s["unnecessary"], s["needed"], s["first_use_seen"],
//     s["first_use"] and s["first_use"]["line"]) for s in summary["sync"]["sites"] if s["waits"]}
//     == {50: (0, 1, "instrumented", 51), 55: (1, 0, "", None), 60: (0, 1, "instrumented", 61),
//     65: (1, 0, "", None), 70: (0, 1, "instrumented", 71), 75: (0, 1, "instrumented", 77),
//     81: (0, 1, "instrumented", 82), 86: (1, 0, "", None), 91: (0, 1, "instrumented", 93),
//     97: (1, 0, "", None), 102: (0, 1, "instrumented", 2), 108: (0, 2, "instrumented", 110),
//     116: (0, 1, "instrumented", 117), 121: (1, 0, "", None), 127: (0, 1, "instrumented", 34),
//     134: (1, 0, "", None), 137: (0, 1, "page", 138)}
// EXPECT-OUTPUT: 5 5 5 5 10 5 5 10 5 12 5
#include "common.h"
#include <cstring>

int fifth(const int *Values); // outside.cu

__global__ void fill(int *Out) {
  for (int I = threadIdx.x; I < 1 << 14; I += blockDim.x)
    Out[I] = 5;
}

static int *Device;
static int Sums[11];

static int comparison(const void *A, const void *B) {
  return *static_cast<const int *>(A) - *static_cast<const int *>(B);
}

struct Result {
  int Before, Values[6], After;
};

__attribute__((noinline)) static void toStack(Result &Other) {
  int One = 0, Many[6] = {};
  Result Whole = {};
  // Uses of data around the result do not count.
  Whole.Before = Other.Before;
  CHECK(cudaMalloc(&Device, sizeof(int) << 14));
  fill<<<1, 64>>>(Device);

  // Used.
  CHECK(cudaMemcpy(&One, Device, sizeof(int), cudaMemcpyDeviceToHost));
  Sums[0] = One;
  fill<<<1, 64>>>(Device);

  // The result is not used.
  CHECK(cudaMemcpy(&One, Device, sizeof(int), cudaMemcpyDeviceToHost));
  Whole.After = 3;
  fill<<<1, 64>>>(Device);

  // The host uses one element.
  CHECK(cudaMemcpy(Many, Device, sizeof(Many), cudaMemcpyDeviceToHost));
  Sums[1] = Many[Other.After];
  fill<<<1, 64>>>(Device);

  // The result is not used, only the data around it.
  CHECK(cudaMemcpy(Whole.Values, Device, sizeof(Whole.Values), cudaMemcpyDeviceToHost));
  Other.After = Whole.After + Whole.Before - 3;
  fill<<<1, 64>>>(Device);

  // A copy uses the result.
  CHECK(cudaMemcpy(Whole.Values, Device, sizeof(Whole.Values), cudaMemcpyDeviceToHost));
  std::memcpy(Other.Values, Whole.Values, sizeof(Other.Values));
  fill<<<1, 64>>>(Device);
  Sums[2] = Other.Values[3];
  // A function of the C library uses the result.
  CHECK(cudaMemcpy(Many, Device, sizeof(Many), cudaMemcpyDeviceToHost));
  static int Order = 5;
  Sums[3] = std::memcmp(Many, &Order, sizeof(int)) == 0 ? 5 : 0;
  fill<<<1, 64>>>(Device);

  // A function that calls back uses the result: from the call on.
  CHECK(cudaMemcpy(Many, Device, sizeof(Many), cudaMemcpyDeviceToHost));
  std::qsort(Many, 6, sizeof(int), comparison);
  fill<<<1, 64>>>(Device);

  // Overwritten by the next one: not used.
  CHECK(cudaMemcpy(&One, Device, sizeof(int), cudaMemcpyDeviceToHost));
  Sums[4] = Many[0] + Many[5];
  fill<<<1, 64>>>(Device);

  // A store is a use.
  CHECK(cudaMemcpy(&One, Device, sizeof(int), cudaMemcpyDeviceToHost));
  if (Other.Before == 0)
    One = 4;
  fill<<<1, 64>>>(Device);

  // Given to a function of the program that does not look: not used.
  CHECK(cudaMemcpy(Many, Device, sizeof(int), cudaMemcpyDeviceToHost));
  Sums[5] = Many[2] + fifth(nullptr);
  fill<<<1, 64>>>(Device);

  // Used by a function in another file, there.
  CHECK(cudaMemcpy(Many, Device, sizeof(Many), cudaMemcpyDeviceToHost));
  Sums[6] = fifth(Many);
  fill<<<1, 64>>>(Device);

  // One use, two waits for it.
  for (volatile int I = 0; I < 2; I = I + 1) {
    CHECK(cudaMemcpy(&One, Device, sizeof(int), cudaMemcpyDeviceToHost));
    fill<<<1, 64>>>(Device);
    Sums[7] += One;
  }

  // In the heap, beside others: first the others are used.
  int *Block = static_cast<int *>(std::aligned_alloc(256, 64 * sizeof(int)));
  Block[1] = 0;
  CHECK(cudaMemcpy(Block + 8, Device, 4 * sizeof(int), cudaMemcpyDeviceToHost));
  Sums[8] = Block[1] + Block[10];
  fill<<<1, 64>>>(Device);

  // Uses only other elements.
  CHECK(cudaMemcpy(Block + 8, Device, 4 * sizeof(int), cudaMemcpyDeviceToHost));
  Block[1] = 1;
  Block[20] = Block[1];
  fill<<<1, 64>>>(Device);

  // A function of the program uses the result, after a use beside it.
  CHECK(cudaMemcpy(Block + 8, Device, 4 * sizeof(int), cudaMemcpyDeviceToHost));
  Block[1] = 2;
  Sums[9] = 3 * (comparison(Block + 8, Block + 1) + 1);
  fill<<<1, 64>>>(Device);

  // In pages of its own, as ever.
  char *Pages = static_cast<char *>(std::aligned_alloc(4096, 1 << 16));
  CHECK(cudaMemcpy(Pages, Device, 1 << 16, cudaMemcpyDeviceToHost));
  fill<<<1, 64>>>(Device);
  // Used.
  CHECK(cudaMemcpy(Pages, Device, 1 << 16, cudaMemcpyDeviceToHost));
  Sums[10] = Pages[1 << 15];
  std::free(Block);
}

int main() {
  Result Other = {};
  toStack(Other);
  for (int I = 0; I < 11; ++I)
    std::printf("%d%c", Sums[I], I == 10 ? '\n' : ' ');
}
