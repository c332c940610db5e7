// For each pattern of objects a program that is as close to it as can be, and in which there
// is nothing to find.
// BUILD: -O2 -g
// BUILD: -O0 -g
// OPTIONS: profile=objects
// EXPECT: summary["findings"] == []
// EXPECT: coverage["objects"] == {"launches_inferred": 0, "objects_uncertain": 0,
//     "objects_of_host": 0}
// EXPECT: [(d["peak_bytes"], d["peak_bytes_after"], d["bytes_at_end"])
//     for d in summary["memory"]["devices"]] == [(2048, 2048, 0)]
// EXPECT-OUTPUT: halves: 0
#include "common.h"

__global__ void fill(int *p, int value) { p[threadIdx.x] = value; }
__global__ void copy(int *to, const int *from) { to[threadIdx.x] = from[threadIdx.x]; }

// One API, that accesses nothing that is allocated.
__device__ int Ticks;
__global__ void tick() { ++Ticks; }

__device__ int Case = 7;
__global__ void fillIf(int *p) {
  if (Case == 7)
    p[threadIdx.x] = 1;
}

// Between allocation and first use, and between last use and release, the host works and
// waits, and another stream works on something else at the same time.
void allocatedWhileOthersWork(cudaStream_t Other) {
  int *Mine, Host[32];
  cudaEvent_t Event;
  CHECK(cudaEventCreate(&Event));
  CHECK(cudaMalloc(&Mine, 1024));
  tick<<<1, 1, 0, Other>>>();
  CHECK(cudaEventRecord(Event, 0));
  fill<<<1, 32>>>(Mine, 1);
  CHECK(cudaMemcpy(Host, Mine, sizeof(Host), cudaMemcpyDeviceToHost));
  CHECK(cudaEventSynchronize(Event));
  CHECK(cudaEventDestroy(Event));
  CHECK(cudaFree(Mine));
}

// The last use of one is the first use of the other.
void usedTogether() {
  int *First, *Second;
  CHECK(cudaMalloc(&First, 1024));
  fill<<<1, 32>>>(First, 1);
  CHECK(cudaMalloc(&Second, 1024));
  copy<<<1, 32>>>(Second, First);
  CHECK(cudaFree(First));
  fill<<<1, 32>>>(Second, 2);
  CHECK(cudaFree(Second));
}

// Objects used one after the other, each allocated only while it is used.
void oneAfterTheOther() {
  for (int I = 0; I < 2; ++I) {
    int *Each;
    CHECK(cudaMalloc(&Each, 1024));
    fill<<<1, 32>>>(Each, I);
    CHECK(cudaFree(Each));
  }
}

// It depends on data that it is used.
void usedInOneCase() {
  int *Rare;
  CHECK(cudaMalloc(&Rare, 1024));
  fillIf<<<1, 32>>>(Rare);
  CHECK(cudaFree(Rare));
}

// One API between two uses is too few.
void pausedForOne() {
  int *Paused;
  CHECK(cudaMalloc(&Paused, 1024));
  fill<<<1, 32>>>(Paused, 1);
  tick<<<1, 1>>>();
  fill<<<1, 32>>>(Paused, 2);
  CHECK(cudaFree(Paused));
}

// Copies that overwrite half of the bytes set, and a set of bytes that were read before.
void halves() {
  int *Halves, Host[256] = {};
  CHECK(cudaMalloc(&Halves, 1024 + sizeof(Host)));
  CHECK(cudaMemset(Halves, 0, 1024 + sizeof(Host)));
  CHECK(cudaMemcpy(Halves, Host, sizeof(Host), cudaMemcpyHostToDevice));
  printResult("halves", Halves, 512);
  CHECK(cudaMemset(Halves, 0, 1024 + sizeof(Host)));
  fill<<<1, 32>>>(Halves, 1);
  CHECK(cudaFree(Halves));
}

// Released by the end of the program, but not in main.
struct Global {
  int *Kept = nullptr;
  ~Global() { cudaFree(Kept); }
} TheGlobal;

int main() {
  cudaStream_t Other;
  CHECK(cudaStreamCreateWithFlags(&Other, cudaStreamNonBlocking));
  allocatedWhileOthersWork(Other);
  usedTogether();
  oneAfterTheOther();
  usedInOneCase();
  pausedForOne();
  halves();
  CHECK(cudaStreamDestroy(Other));
  CHECK(cudaMalloc(&TheGlobal.Kept, 1024));
  fill<<<1, 32>>>(TheGlobal.Kept, 1);
}
