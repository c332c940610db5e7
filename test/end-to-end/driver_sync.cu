// Waits of driver functions are recorded like the runtime's: which calls wait, and whether the host
// needs the awaited results.
// BUILD: -O2 -g
// OPTIONS: profile=sync
// EXPECT: sorted((s["api"], s["calls"], s["blocked"], s["unnecessary"])
//     for s in summary["sync"]["sites"] if s["blocked"]) == [("cuCtxSynchronize", 1, 1, 1),
//     ("cuEventSynchronize", 1, 1, 1), ("cuMemFree", 1, 1, 1), ("cuStreamSynchronize", 1, 1, 0)]
// EXPECT: sorted({s["api"] for s in summary["sync"]["sites"] if not s["blocked"]}) == [
//     "cuEventRecord", "cuLaunchKernel", "cuMemAlloc", "cuMemFreeHost", "cuMemHostAlloc",
//     "cuMemcpyDtoHAsync", "cuStreamCreate", "cuStreamWaitEvent"]
// EXPECT-CPU: coverage["gaps"] == []
// EXPECT-OUTPUT: 2
#include "driver.h"

__global__ void spin(int *Out, unsigned long long Nanoseconds) {
  unsigned long long Begin, Now;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(Begin));
  do
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(Now));
  while (Now - Begin < Nanoseconds);
  *Out = 2;
}

DRIVER(cuMemAlloc, 3020);
DRIVER(cuMemFree, 3020);
DRIVER(cuMemcpyDtoH, 3020);
DRIVER(cuMemcpyDtoHAsync, 3020);
DRIVER(cuMemHostAlloc, 2020);
DRIVER(cuMemFreeHost, 2000);
DRIVER(cuLaunchKernel, 4000);
DRIVER(cuCtxSynchronize, 2000);
DRIVER(cuStreamCreate, 2000);
DRIVER(cuStreamSynchronize, 2000);
DRIVER(cuStreamWaitEvent, 3020);
DRIVER(cuEventCreate, 2000);
DRIVER(cuEventRecord, 2000);
DRIVER(cuEventSynchronize, 2000);

int main() {
  cudaFunction_t Spin;
  CHECK(cudaGetFuncBySymbol(&Spin, reinterpret_cast<const void *>(spin)));
  CUdeviceptr Out;
  CUstream First, Second;
  CUevent Event;
  void *Host;
  CHECK_DRIVER(cuMemAllocOf(&Out, 4096));
  CHECK_DRIVER(cuMemHostAllocOf(&Host, 4096, 0));
  CHECK_DRIVER(cuStreamCreateOf(&First, CU_STREAM_NON_BLOCKING));
  CHECK_DRIVER(cuStreamCreateOf(&Second, CU_STREAM_NON_BLOCKING));
  CHECK_DRIVER(cuEventCreateOf(&Event, CU_EVENT_DISABLE_TIMING));
  unsigned long long Nanoseconds = 50'000'000;
  void *Args[] = {&Out, &Nanoseconds};
  auto Launch = [&] {
    CHECK_DRIVER(cuLaunchKernelOf(Spin, 1, 1, 1, 1, 1, 1, 0, First, Args, nullptr));
  };
  // A wait that the host does not need.
  Launch();
  CHECK_DRIVER(cuCtxSynchronizeOf());
  // A wait for an event that the host does not need.
  Launch();
  CHECK_DRIVER(cuEventRecordOf(Event, First));
  CHECK_DRIVER(cuEventSynchronizeOf(Event));
  // This is needed: the copy is in another stream, behind the event.
  Launch();
  CHECK_DRIVER(cuEventRecordOf(Event, First));
  CHECK_DRIVER(cuStreamWaitEventOf(Second, Event, 0));
  CHECK_DRIVER(cuMemcpyDtoHAsyncOf(Host, Out, sizeof(int), Second));
  CHECK_DRIVER(cuStreamSynchronizeOf(Second));
  std::printf("%d\n", *static_cast<int *>(Host));
  Launch();
  CHECK_DRIVER(cuMemFreeOf(Out));
  CHECK_DRIVER(cuMemFreeHostOf(Host));
}
