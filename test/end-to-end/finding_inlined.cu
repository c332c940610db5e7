// A finding about a line of an inlined function names the calls: `second` calls it through another
// function.
// BUILD: -O2 -g
// BUILD: -O1 -gline-tables-only
// OPTIONS: profile=heat
// EXPECT: sorted((f["kernel"]["name"].split("(")[0], f["source"]["line"],
//     [[(call["function"], call["source"]["line"]) for call in path] for path in f["inlined_at"]])
//     for f in summary["findings"] if f["pattern"] == "strided_access") == [
//     ("first", 14, [[("everyEighth", 19)]]),
//     ("second", 14, [[("everyEighth", 16), ("twice", 23)]])]
// EXPECT: all(f["inlined_omitted"] == 0 for f in summary["findings"])
#include "common.h"

__device__ __forceinline__ int everyEighth(const int *p, int i) { return p[8 * i]; }

__device__ __forceinline__ int twice(const int *p, int i) { return 2 * everyEighth(p, i); }

__global__ void first(const int *in, int *out) {
  out[threadIdx.x] = everyEighth(in, static_cast<int>(threadIdx.x));
}

__global__ void second(const int *in, int *out) {
  out[threadIdx.x] = twice(in, static_cast<int>(threadIdx.x));
}

int main() {
  int *In = deviceInts(8 * 256), *Out = deviceInts(2 * 256);
  first<<<1, 256>>>(In, Out);
  second<<<1, 256>>>(In, Out + 256);
  printResult("both", Out, 512);
}
