// Copies to the host that bring the same again are for nothing only if nothing has read the data
// of the copy before.
// BUILD: -O2 -g
// OPTIONS: profile=sync
// EXPECT-CPU: {f["source"]["line"]: (f["kind"], f["evidence"]["direction"],
//     f["evidence"]["duplicates"], f["evidence"]["copies"]) for f in summary["findings"]
//     if f["pattern"] == "duplicate_transfer"}
//     == {34: ("still_there", "device_to_host", 9, 10), 50: ("copied_again", "host_to_device", 4,
//     5)}
// EXPECT: sorted(f["suggestion"] for f in summary["findings"]
//     if f["pattern"] == "duplicate_transfer") == [
//     "Copy once, after the loop or right before the host reads the data, provided that nothing "
//     "reads the host buffer in between.",
//     "Copy once, before the loop or the first use, provided that neither the host writes the "
//     "source nor a kernel the destination in between; declare the source const, so that the "
//     "compiler rejects writes to it."]
// EXPECT-OUTPUT: 1024 5 5 1029
#include "common.h"

__global__ void ones(int *Out) { Out[threadIdx.x] = 1; }

__global__ void countDown(int *Left, int *Busy) { *Busy = --*Left > 0; }

alignas(4096) static int Result[1024], Read[1024], Sum, FromFunction, Flag;
static void CUDART_CB readIt(void *) { FromFunction += Read[0]; }

int main() {
  int *Out = deviceInts(1024), *Left = deviceInts(1), *In = deviceInts(1024);
  int *Busy = deviceInts(1), Steps = 0;

  // The host reads only the last result.
  for (int I = 0; I < 10; ++I) {
    ones<<<1, 1024>>>(Out);
    CHECK(cudaMemcpy(Result, Out, sizeof(Result), cudaMemcpyDeviceToHost));
  }
  for (int Each : Result)
    Sum += Each;

  // The loop ends when the flag that it reads changes, which it does not do for most of the time.
  Flag = 5;
  CHECK(cudaMemcpy(Left, &Flag, sizeof(int), cudaMemcpyHostToDevice));
  do {
    countDown<<<1, 1>>>(Left, Busy);
    CHECK(cudaMemcpy(&Flag, Busy, sizeof(int), cudaMemcpyDeviceToHost));
    ++Steps;
  } while (Flag != 0);

  // Copies the same bytes to the device again, which only reads them.
  for (int I = 0; I < 5; ++I) {
    CHECK(cudaMemcpy(In, Result, sizeof(Result), cudaMemcpyHostToDevice));
    ones<<<1, 1024>>>(Out);
  }

  // A function of the host reads each copy.
  for (int I = 0; I < 5; ++I) {
    CHECK(cudaMemcpyAsync(Read, Out, sizeof(Read), cudaMemcpyDeviceToHost));
    CHECK(cudaLaunchHostFunc(nullptr, readIt, nullptr));
  }
  CHECK(cudaDeviceSynchronize());
  std::printf("%d %d %d %d\n", Sum, Steps, FromFunction, Sum + Steps);
}
