// A program with a memory pool that it declares through gmprof/gmprof.h.
// BUILD: -O2 -g
// BUILD: -O0 -g
// EXPECT: [(o["kind"], o["name"], o["bytes"], o["parent"]) for o in summary["objects"]] == [
//     ("device", "arena", 4096, None), ("device", "named", 100, None), ("pool", "a", 1024, 0),
//     ("pool", "b", 512, 0), ("pool", "", 256, 0)]
// EXPECT: [o["free"]["api"] for o in summary["objects"]]
//     == ["cudaFree", "cudaFree", "gmprof_free", "", "gmprof_pool_destroy"]
// EXPECT: [(p["object"], p["bytes"], p["parts"], p["peak_bytes"], p["wasted_bytes"])
//     for p in summary["memory"]["pools"]] == [(0, 4096, 3, 1536, 4096 - 1536)]
// EXPECT: [(d["peak_bytes"], d["bytes_at_end"]) for d in summary["memory"]["devices"]]
//     == [(4196, 0)]
// EXPECT: sorted((g["what"], g["count"]) for g in coverage["gaps"]) == [
//     ("memory pools", 1), ("names of objects", 1), ("parts of memory pools", 2),
//     ("releases of parts of memory pools", 1)]
// EXPECT-CPU: [o["source"]["line"] for o in summary["objects"]] == [26, 27, 31, 32, 37]
// EXPECT-OUTPUT: 7
#include "common.h"
#include <gmprof/gmprof.h>

__global__ void fill(float *p) { p[threadIdx.x] = 7; }

int main() {
  gmprof_push_region("all");
  char *Slab, *Named;
  CHECK(cudaMalloc(&Slab, 4096));
  CHECK(cudaMalloc(&Named, 100));
  gmprof_name(Named + 5, "named");
  gmprof_pool Pool = gmprof_pool_create(Slab, 4096, "arena");
  gmprof_push_region("parts");
  gmprof_alloc(Pool, Slab, 1024, "a");
  gmprof_alloc(Pool, Slab + 1024, 512, "b");
  fill<<<1, 32>>>(reinterpret_cast<float *>(Slab));
  gmprof_pop_region();
  gmprof_free(Pool, Slab);
  // It overlaps b, which was taken back without a word.
  gmprof_alloc(Pool, Slab + 1280, 256, nullptr);

  // Invalid calls, all of which are counted.
  gmprof_alloc(Pool, Slab + 4000, 97, "beyond the end");
  gmprof_alloc(Pool + 1, Slab, 1, "of no pool");
  gmprof_free(Pool, Slab + 1024);
  gmprof_name(&Pool, "not of the device");
  gmprof_pool_create(Slab + 4000, 97, "larger than its slab");

  float Value;
  CHECK(cudaMemcpy(&Value, Slab, sizeof(Value), cudaMemcpyDeviceToHost));
  printf("%g\n", Value);
  gmprof_pool_destroy(Pool);
  CHECK(cudaFree(Named));
  CHECK(cudaFree(Slab));
}
