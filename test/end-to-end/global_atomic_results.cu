// Atomics that a copy per block in shared memory can replace: those that only accumulate. The copy
// would change the result if the kernel uses the atomics' results, or if they do not commute.
// BUILD: -O2 -g
// OPTIONS: profile=global
// EXPECT: sorted((f["object"]["name"], f["pattern"], f["kind"]) for f in summary["findings"]) == [
//     ("counter", "atomic_contention", ""), ("last", "atomic_contention", ""),
//     ("mixed", "atomic_contention", ""), ("total", "shared_memory_candidate", "move_in")]
// EXPECT: finding("atomic_contention", "counter")["atomics"] == 1366
// EXPECT: finding("atomic_contention", "counter")["elements"] == 1
// EXPECT: finding("atomic_contention", "last")["atomics"] == 4096
// EXPECT: finding("atomic_contention", "mixed")["atomics"] == 2 * 4096
// EXPECT: memory("count", "total").atomics == [4096]
// EXPECT: [f["suggestion"] for f in summary["findings"] if f["object"]["name"] == "total"][0]
//     .startswith("Let each thread accumulate in a register and the block in shared memory")
// EXPECT: all("shared memory would change the values" in f["suggestion"]
//     for f in summary["findings"] if f["pattern"] == "atomic_contention")
// EXPECT-OUTPUT: counter: 1366
// EXPECT-OUTPUT: total: 8386560
#include "common.h"

/// The result is the place in the list.
__global__ void push(int *counter, int *list) {
  const int I = blockIdx.x * blockDim.x + threadIdx.x;
  if (I % 3 == 0)
    list[atomicAdd(counter, 1)] = I;
}

__global__ void count(int *total) { atomicAdd(total, blockIdx.x * blockDim.x + threadIdx.x); }

/// The result is not used, but which one comes last counts.
__global__ void exchange(int *last) { atomicExch(last, threadIdx.x); }

/// Some atomics on the object only accumulate.
__global__ void both(int *mixed, int *places) {
  atomicAdd(mixed, 1);
  places[blockIdx.x * blockDim.x + threadIdx.x] = atomicAdd(mixed, 2);
}

/// Each thread has a counter of its own.
__global__ void own(int *counters, int *places) {
  const int I = blockIdx.x * blockDim.x + threadIdx.x;
  places[I] = atomicAdd(&counters[I], 1);
}

int main() {
  int *Counter = deviceInts(1), *Total = deviceInts(1), *Last = deviceInts(1),
      *Mixed = deviceInts(1);
  int *List = deviceInts(4096), *Counters = deviceInts(4096);
  push<<<32, 128>>>(Counter, List);
  count<<<32, 128>>>(Total);
  exchange<<<32, 128>>>(Last);
  both<<<32, 128>>>(Mixed, List);
  own<<<32, 128>>>(Counters, List);
  printResult("counter", Counter, 1);
  printResult("total", Total, 1);
}
