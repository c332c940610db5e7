// Objects that only copies and sets write are unused; a call site of which one write is needed
// stays.
// BUILD: -O2 -g
// OPTIONS: profile=objects
// EXPECT: [(f["pattern"], f["object"]["name"], f["severity"], f["message"], f["suggestion"])
//     for f in summary["findings"] if f["pattern"] in ("unused_allocation", "dead_write")] == [
//     ("unused_allocation", "Zero", "high",
//     "cudaMemset (object_never_read.cu:29) writes `Zero`, but no kernel or copy reads it.",
//     "Allocate and write it only if something reads it. Reads by libraries, other processes and "
//     "other devices are not seen."),
//     ("dead_write", "Table", "low",
//     "cudaMemcpy (object_never_read.cu:33) writes `Table`, and overwrites it 7 times before any "
//     "operation reads it.",
//     "Keep the calls whose data is read, and leave out 7 of the 8 calls, for example by a single "
//     "call behind the loop, if the source then holds all of the data.")]
// EXPECT: not any(f["object"]["name"] == "Zero" for f in summary["findings"]
//     if f["pattern"] != "unused_allocation")
// EXPECT-OUTPUT: 7
#include "common.h"

__global__ void draw(const int *Table, int *Image) { Image[threadIdx.x] = Table[threadIdx.x]; }

int main(int Arguments, char **) {
  int *Zero, *Table, *Image, Host[256] = {};
  CHECK(cudaMalloc(&Image, sizeof(Host)));
  CHECK(cudaMalloc(&Table, sizeof(Host)));
  CHECK(cudaMalloc(&Zero, 1 << 16));

  CHECK(cudaMemset(Zero, 0, 1 << 16));

  for (int I = 0; I < 8; ++I) {
    Host[I] = I;
    CHECK(cudaMemcpy(Table, Host, sizeof(Host), cudaMemcpyHostToDevice));
  }
  draw<<<1, 256>>>(Table, Image);
  if (Arguments > 9)
    CHECK(cudaMemcpy(Image, Zero, sizeof(Host), cudaMemcpyDeviceToDevice));
  CHECK(cudaMemcpy(Host, Image, sizeof(Host), cudaMemcpyDeviceToHost));
  printf("%d\n", Host[7]);
  CHECK(cudaFree(Zero));
  CHECK(cudaFree(Table));
  CHECK(cudaFree(Image));
}
