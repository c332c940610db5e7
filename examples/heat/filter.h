// Input, check and result of both versions of filter.

#ifndef FILTER_H
#define FILTER_H

#include "../example.h"

constexpr int Columns = 256; // of a row, which a block weights

/// Runs a version: Launch(rows, in, out) launches it. Weights: its variable on the device.
template <typename LaunchFn>
int runFilter(const char *Name, int Argc, char **Argv, const float (&Weights)[Columns],
              LaunchFn Launch) {
  const int Rows = problemSize(Argc, Argv, 64, 1);
  std::vector<float> Of(Columns), In(size_t(Rows) * Columns);
  for (int I = 0; I < Columns; ++I)
    Of[I] = float(I % 7);
  for (size_t I = 0; I < In.size(); ++I)
    In[I] = float(I % 1000);
  CHECK(cudaMemcpyToSymbol(Weights, Of.data(), Columns * sizeof(float)));
  const DeviceArray<float> DeviceIn(In), DeviceOut(In.size());
  launch("weigh", [&] { Launch(Rows, DeviceIn, DeviceOut); });

  const std::vector<float> Out = DeviceOut.download();
  bool Passed = true;
  for (size_t I = 0; I < In.size(); ++I)
    Passed = Passed && Out[I] == In[I] * Of[I % Columns];
  std::printf("%s: %d rows, the first ends with %.0f: %s\n", Name, Rows, Out[Columns - 1],
              Passed ? "PASSED" : "FAILED");
  return Passed ? 0 : 1;
}

#endif // FILTER_H
