// Input, reference and result of both versions of the sums. A warp computes the prefix sums of a
// segment of 1024 numbers, 32 at a time; all lanes need the sum so far.

#ifndef BROADCAST_H
#define BROADCAST_H

#include "../example.h"

constexpr int WarpSize = 32;
constexpr int Warps = 8; // of a block
constexpr int Segment = 1024;

/// Returns the sum of the lanes up to and including this one.
__device__ inline int sumOfLanes(int Value, int Lane) {
  for (int Distance = 1; Distance < WarpSize; Distance *= 2) {
    const int Other = __shfl_up_sync(~0u, Value, Distance);
    Value += Lane >= Distance ? Other : 0;
  }
  return Value;
}

/// Runs a version: Launch(blocks, threads, x, sums) launches it.
template <typename LaunchFn> int runSums(const char *Name, int Argc, char **Argv, LaunchFn Launch) {
  const int Segments = problemSize(Argc, Argv, 64, Warps);
  Random Numbers;
  std::vector<int> X(size_t(Segments) * Segment);
  for (int &Number : X)
    Number = int(Numbers.below(100));
  const DeviceArray<int> DeviceX(X), DeviceSums(X.size());
  launch("sums", [&] { Launch(Segments / Warps, Warps * WarpSize, DeviceX, DeviceSums); });

  const std::vector<int> Sums = DeviceSums.download();
  bool Passed = true;
  int Sum = 0;
  for (size_t I = 0; I < X.size(); ++I) {
    Sum = X[I] + (I % Segment == 0 ? 0 : Sum);
    Passed = Passed && Sums[I] == Sum;
  }
  std::printf("%s: %d segments, last sum %d: %s\n", Name, Segments, Sums.back(),
              Passed ? "PASSED" : "FAILED");
  return Passed ? 0 : 1;
}

#endif // BROADCAST_H
