// A program for each pattern of objects, and its findings. Sizes differ by more than 10 % if
// objects must not share memory.
// BUILD: -O2 -g
// BUILD: -O0 -g
// OPTIONS: profile=objects
// EXPECT: sorted((f["object"]["name"], f["pattern"]) for f in summary["findings"]) == [
//     ("Dead", "dead_write"), ("Early", "early_allocation"), ("First", "late_deallocation"),
//     ("Idle", "temporary_idleness"), ("Input", "early_allocation"), ("Late", "late_deallocation"),
//     ("Leaked", "memory_leak"), ("Second", "redundant_allocation"),
//     ("Unused", "unused_allocation")]
// EXPECT: {f["object"]["name"]: f["evidence"]["operations_between"] for f in summary["findings"]
//     if "operations_between" in f["evidence"]} == {"Early": 1, "First": 3, "Input": 2, "Late": 1}
// EXPECT: {f["object"]["name"]: f["evidence"]["copies_to_move"] for f in summary["findings"]
//     if "copies_to_move" in f["evidence"]} == {"Input": 1}
// EXPECT: [(f["evidence"]["idle_ranges"], f["evidence"]["most_operations_between"],
//     f["evidence"]["idle_from"], f["evidence"]["idle_to"]) for f in summary["findings"]
//     if f["pattern"] == "temporary_idleness"] == [(1, 2, "fill", "fill")]
// EXPECT: [(f["evidence"]["dead_writes"], f["evidence"]["dead_bytes"],
//     f["evidence"]["overwritten_by"]) for f in summary["findings"]
//     if f["pattern"] == "dead_write"] == [(1, 4096, "cudaMemcpy")]
// EXPECT: [(f["evidence"]["reuses"], f["evidence"]["first_use"]) for f in summary["findings"]
//     if f["pattern"] == "redundant_allocation"] == [("First", "fill")]
// EXPECT-CPU: {f["object"]["name"]: f["source"]["line"] for f in summary["findings"]}
//     == {"Early": 38, "Input": 47, "Late": 61, "First": 71, "Second": 68,
//     "Unused": 76, "Leaked": 82, "Idle": 88, "Dead": 99}
// EXPECT: coverage["objects"]["launches_inferred"] == 0
// EXPECT-OUTPUT: dead: 6727
#include "common.h"

__global__ void fill(int *p, int value) { p[threadIdx.x] = value; }

// One API, that accesses nothing that is allocated.
__device__ int Ticks;
__global__ void tick() { ++Ticks; }

void earlyAllocation() {
  int *Early;
  CHECK(cudaMalloc(&Early, 1024));
  tick<<<1, 1>>>();
  fill<<<1, 32>>>(Early, 1);
  CHECK(cudaFree(Early));
}

// Only the last kernel needs the set.
void earlySet() {
  int *Input;
  CHECK(cudaMalloc(&Input, 2048));
  tick<<<1, 1>>>();
  tick<<<1, 1>>>();
  CHECK(cudaMemset(Input, 0, 2048));
  tick<<<1, 1>>>();
  fill<<<1, 32>>>(Input, 1);
  CHECK(cudaFree(Input));
}

void lateDeallocation() {
  int *Late;
  CHECK(cudaMalloc(&Late, 1024));
  fill<<<1, 32>>>(Late, 1);
  tick<<<1, 1>>>();
  CHECK(cudaFree(Late));
}

void redundantAllocation() {
  int *First, *Second;
  CHECK(cudaMalloc(&First, 4096));
  fill<<<1, 32>>>(First, 1);
  CHECK(cudaMalloc(&Second, 4000));
  fill<<<1, 32>>>(Second, 1);
  CHECK(cudaFree(Second));
  CHECK(cudaFree(First));
}

void unusedAllocation() {
  int *Unused;
  CHECK(cudaMalloc(&Unused, 1024));
  CHECK(cudaFree(Unused));
}

void memoryLeak() {
  int *Leaked;
  CHECK(cudaMalloc(&Leaked, 8192));
  fill<<<1, 32>>>(Leaked, 1);
}

void temporaryIdleness() {
  int *Idle;
  CHECK(cudaMalloc(&Idle, 1024));
  fill<<<1, 32>>>(Idle, 1);
  tick<<<1, 1>>>();
  tick<<<1, 1>>>();
  fill<<<1, 32>>>(Idle, 2);
  CHECK(cudaFree(Idle));
}

void deadWrite() {
  int *Dead, Host[1024] = {7};
  CHECK(cudaMalloc(&Dead, sizeof(Host)));
  CHECK(cudaMemset(Dead, 0, sizeof(Host)));
  CHECK(cudaMemcpy(Dead, Host, sizeof(Host), cudaMemcpyHostToDevice));
  printResult("dead", Dead, 3);
  CHECK(cudaFree(Dead));
}

int main() {
  earlyAllocation();
  earlySet();
  lateDeallocation();
  redundantAllocation();
  unusedAllocation();
  memoryLeak();
  temporaryIdleness();
  deadWrite();
}
