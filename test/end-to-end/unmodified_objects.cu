// Programs of compilers that know nothing of GMProf, with the CUDA runtime linked in (nvcc's
// default) or shared: what kernels access is inferred from their parameters. The loop that makes
// two allocations of 1,792 bytes is unrolled: without lines, each is a call of its own.
// DEVICE: gpu
// BUILD-NVCC: -O2
// BUILD-NVCC: -O2 -cudart=shared
// OPTIONS: profile=objects:clones=compiled
// EXPECT: sorted((f["evidence"]["bytes"], f["pattern"]) for f in summary["findings"]) == [
//     (16, "late_deallocation"), (1024, "early_allocation"), (1152, "late_deallocation"),
//     (1280, "unused_allocation"), (1536, "temporary_idleness"), (1792, "early_allocation"),
//     (1792, "early_allocation"), (1792, "late_deallocation"),
//     (1792, "late_deallocation"), (2560, "dead_write"), (3072, "late_deallocation"),
//     (3200, "late_deallocation"), (4000, "redundant_allocation"), (4096, "late_deallocation"),
//     (8192, "memory_leak")]
// EXPECT: {f["evidence"]["bytes"]: f["evidence"].get("launches_inferred", 0)
//     for f in summary["findings"]} == {16: 1, 1024: 2, 1152: 2, 1280: 1, 1536: 4, 1792: 1,
//     2560: 0, 3072: 1, 3200: 1, 4000: 1, 4096: 2, 8192: 7}
// EXPECT: [(summary["objects"][use["object"]]["bytes"], use["reads"], use["writes"], use["known"])
//     for kernel in summary["kernels"] for use in kernel["object_accesses"]] == [
//     (1536, 2, 2, "inferred"), (1024, 1, 1, "inferred"), (1152, 1, 1, "inferred"),
//     (4096, 1, 1, "inferred"), (4000, 1, 1, "inferred"), (8192, 1, 1, "inferred"),
//     (3072, 1, 1, "inferred"), (3200, 1, 1, "inferred"), (1792, 1, 1, "inferred"),
//     (1792, 1, 1, "inferred"), (16, 1, 1, "inferred")]
// EXPECT: coverage["objects"]
//     == {"launches_inferred": 14, "objects_uncertain": 0, "objects_of_host": 0}
// EXPECT: coverage["gaps"] == []
// EXPECT-OUTPUT: dead: 6727
#include "common.h"

__global__ void fill(int *p, int value) { p[threadIdx.x] = value; }

// One API, that accesses nothing that is allocated.
__device__ int Ticks;
__global__ void tick() { ++Ticks; }

struct Pair {
  int Count;
  const int *From;
  int *To;
};

__global__ void copyPair(Pair P) {
  if (threadIdx.x < P.Count)
    P.To[threadIdx.x] = P.From[threadIdx.x];
}

__global__ void fillAll(int **Tables, int value) { Tables[blockIdx.x][threadIdx.x] = value; }

void earlyAllocation() {
  int *Early;
  CHECK(cudaMalloc(&Early, 1024));
  tick<<<1, 1>>>();
  fill<<<1, 32>>>(Early, 1);
  CHECK(cudaFree(Early));
}

void lateDeallocation() {
  int *Late;
  CHECK(cudaMalloc(&Late, 1152));
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
  CHECK(cudaMalloc(&Unused, 1280));
  tick<<<1, 1>>>();
  CHECK(cudaFree(Unused));
}

void memoryLeak() {
  int *Leaked;
  CHECK(cudaMalloc(&Leaked, 8192));
  fill<<<1, 32>>>(Leaked, 1);
}

void temporaryIdleness() {
  int *Idle;
  CHECK(cudaMalloc(&Idle, 1536));
  fill<<<1, 32>>>(Idle, 1);
  tick<<<1, 1>>>();
  tick<<<1, 1>>>();
  fill<<<1, 32>>>(Idle, 2);
  CHECK(cudaFree(Idle));
}

void deadWrite() {
  int *Dead, Host[640] = {7};
  CHECK(cudaMalloc(&Dead, sizeof(Host)));
  CHECK(cudaMemset(Dead, 0, sizeof(Host)));
  CHECK(cudaMemcpy(Dead, Host, sizeof(Host), cudaMemcpyHostToDevice));
  printResult("dead", Dead, 3);
  CHECK(cudaFree(Dead));
}

// Addresses within a structure that is passed by value.
void passedInStructure() {
  int *From = deviceInts(768), *To;
  CHECK(cudaMalloc(&To, 3200));
  copyPair<<<1, 768>>>({700, From, To});
  printResult("pair", To, 700);
  CHECK(cudaFree(From));
  CHECK(cudaFree(To));
}

// Addresses that a copy brings: no parameter points to these objects, and they are used.
void passedInMemory() {
  int *Rows[2], **Tables;
  for (int *&Row : Rows)
    CHECK(cudaMalloc(&Row, 1792));
  CHECK(cudaMalloc(&Tables, sizeof(Rows)));
  CHECK(cudaMemcpy(Tables, Rows, sizeof(Rows), cudaMemcpyHostToDevice));
  fillAll<<<2, 448>>>(Tables, 5);
  printResult("rows", Rows[1], 448);
  for (int *Row : Rows)
    CHECK(cudaFree(Row));
  CHECK(cudaFree(Tables));
}

int main() {
  earlyAllocation();
  lateDeallocation();
  redundantAllocation();
  unusedAllocation();
  memoryLeak();
  temporaryIdleness();
  deadWrite();
  passedInStructure();
  passedInMemory();
}
