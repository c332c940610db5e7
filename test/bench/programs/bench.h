// Helpers of the benchmark's further programs, in addition to those of the examples. Programs print
// a sum, so that builds can be compared.

#ifndef GMPROF_BENCH_H
#define GMPROF_BENCH_H

#include "../../../examples/example.h"

/// N values from 0 to 1 in device memory.
template <typename T> DeviceArray<T> deviceValues(size_t N) {
  Random Numbers;
  std::vector<T> Host(N);
  for (T &Value : Host)
    Value = Numbers.between(0.0f, 1.0f);
  return DeviceArray<T>(Host);
}

template <typename T> void printSum(const char *Name, const DeviceArray<T> &Device) {
  double Sum = 0.0;
  for (const T Value : Device.download())
    Sum += double(Value);
  std::printf("%s: sum %.6g\n", Name, Sum);
}

#endif // GMPROF_BENCH_H
