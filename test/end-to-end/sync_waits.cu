// Waits for the GPU are observed, not assumed: of the calls below, made while the legacy default
// stream or a non-blocking stream is busy, the same number waits as was observed on an H200 with
// CUDA 13.0. Waiting calls do so for a kernel that takes a while, the others return while the
// kernel waits for the host.
// BUILD: -O2 -g
// OPTIONS: profile=sync
// EXPECT: {api: sum(s["blocked"] for s in summary["sync"]["sites"] if s["api"] == api)
//     for api in ("cudaMemcpy", "cudaMemcpyAsync", "cudaMemcpyToSymbol", "cudaMemset",
//     "cudaMalloc", "cudaMallocManaged", "cudaFree", "cudaFreeHost")}
//     == {"cudaMemcpy": 2, "cudaMemcpyAsync": 3, "cudaMemcpyToSymbol": 1, "cudaMemset": 2,
//     "cudaMalloc": 0, "cudaMallocManaged": 0, "cudaFree": 2, "cudaFreeHost": 1}
// EXPECT: summary["sync"]["gpu_times_known"]
// EXPECT-OUTPUT: 11 waited, 10 did not
#include "common.h"
#include <vector>

__device__ int Symbol;

__global__ void spin(unsigned long long Nanoseconds) {
  unsigned long long Begin, Now;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(Begin));
  do
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(Now));
  while (Now - Begin < Nanoseconds);
}

__global__ void hold(volatile int *Go) {
  while (*Go == 0)
    ;
}

constexpr size_t Small = 4096, Large = size_t(16) << 20;
constexpr auto H2D = cudaMemcpyHostToDevice;
constexpr auto D2H = cudaMemcpyDeviceToHost;
constexpr auto D2D = cudaMemcpyDeviceToDevice;

static volatile int *Go;
static cudaStream_t NonBlocking;
static int Waited, DidNot;

/// Times 0: nothing is outstanding.
template <typename Call> void waits(int Times, cudaStream_t Busy, Call Made) {
  if (Times != 0)
    spin<<<1, 1, 0, Busy>>>(100'000'000);
  CHECK(Made());
  Waited += Times;
  CHECK(cudaDeviceSynchronize());
}

template <typename Call> void doesNot(int Times, cudaStream_t Busy, Call Made) {
  *Go = 0;
  if (Times != 0)
    hold<<<1, 1, 0, Busy>>>(const_cast<int *>(Go));
  CHECK(Made());
  *Go = 1;
  DidNot += Times;
  CHECK(cudaDeviceSynchronize());
}

static void calls(int Times) {
  std::vector<char> Pageable(Large);
  char *P = Pageable.data(), *Device, *Other, *Pinned, *Managed, *Freed, *FreedToo, *FreedHost;
  void *New = nullptr;
  CHECK(cudaMalloc(&Device, Large));
  CHECK(cudaMalloc(&Other, Small));
  CHECK(cudaMalloc(&Freed, Small));
  CHECK(cudaMalloc(&FreedToo, Small));
  CHECK(cudaMallocHost(&Pinned, Small));
  CHECK(cudaMallocHost(&FreedHost, Small));
  CHECK(cudaMallocManaged(&Managed, Small));
  CHECK(cudaDeviceSynchronize());

  waits(Times, nullptr, [&] { return cudaMemcpy(Device, P, Small, H2D); });
  waits(Times, nullptr, [&] { return cudaMemcpy(P, Device, Small, D2H); });
  waits(Times, nullptr, [&] { return cudaMemset(Pinned, 0, Small); });
  waits(Times, nullptr, [&] { return cudaMemset(Managed, 0, Small); });
  waits(Times, nullptr, [&] { return cudaMemcpyToSymbol(Symbol, P, sizeof(int)); });
  waits(Times, nullptr, [&] { return cudaMemcpyAsync(P, Device, Small, D2H, nullptr); });
  waits(Times, nullptr, [&] { return cudaFreeHost(FreedHost); });
  waits(Times, nullptr, [&] { return cudaFree(Freed); });
  waits(Times, NonBlocking, [&] { return cudaFree(FreedToo); });
  waits(Times, NonBlocking, [&] { return cudaMemcpyAsync(P, Device, Small, D2H, NonBlocking); });
  waits(Times, NonBlocking, [&] { return cudaMemcpyAsync(Device, P, Large, H2D, NonBlocking); });

  doesNot(Times, nullptr, [&] { return cudaMemcpy(Device, Other, Small, D2D); });
  doesNot(Times, nullptr, [&] { return cudaMemset(Device, 0, Small); });
  doesNot(Times, nullptr, [&] { return cudaMalloc(&New, Small); });
  CHECK(cudaFree(New));
  doesNot(Times, nullptr, [&] { return cudaMallocManaged(&New, Small); });
  CHECK(cudaFree(New));
  doesNot(Times, NonBlocking, [&] { return cudaMemcpy(Device, P, Small, H2D); });
  doesNot(Times, NonBlocking, [&] { return cudaMemcpy(P, Device, Small, D2H); });
  doesNot(Times, NonBlocking, [&] { return cudaMemset(Managed, 0, Small); });
  doesNot(Times, NonBlocking, [&] { return cudaMemcpyAsync(Device, P, Small, H2D, NonBlocking); });
  doesNot(Times, NonBlocking,
          [&] { return cudaMemcpyAsync(Device, Pinned, Small, H2D, NonBlocking); });
  doesNot(Times, NonBlocking,
          [&] { return cudaMemcpyAsync(Pinned, Device, Small, D2H, NonBlocking); });

  CHECK(cudaFree(Device));
  CHECK(cudaFree(Other));
  CHECK(cudaFreeHost(Pinned));
  CHECK(cudaFree(Managed));
}

int main() {
  int *Flag;
  CHECK(cudaMallocHost(&Flag, sizeof(int)));
  Go = Flag;
  CHECK(cudaStreamCreateWithFlags(&NonBlocking, cudaStreamNonBlocking));
  // Loading at first use would wait too.
  *Go = 1;
  spin<<<1, 1>>>(1);
  hold<<<1, 1>>>(Flag);
  CHECK(cudaDeviceSynchronize());
  calls(0);
  calls(1);
  std::printf("%d waited, %d did not\n", Waited, DidNot);
}
