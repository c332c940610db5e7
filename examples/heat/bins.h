// Input, check and result of both versions of bins.

#ifndef BINS_H
#define BINS_H

#include "../example.h"

constexpr int Threads = 128; // of a block, each of which has a row
constexpr int Bins = 64;

/// Runs a version: Launch(blocks, in, out, length) launches it. Element I of row R is
/// in[I * rows + R].
template <typename LaunchFn> int runBins(const char *Name, int Argc, char **Argv, LaunchFn Launch) {
  const int Rows = problemSize(Argc, Argv, 1024, Threads), Length = 100;
  std::vector<int> In(size_t(Rows) * Length), Expected(Rows);
  for (int Row = 0; Row < Rows; ++Row) {
    std::vector<int> Counts(Bins);
    for (int I = 0; I < Length; ++I)
      Expected[Row] = std::max(Expected[Row], ++Counts[In[I * Rows + Row] = Row * I % Bins]);
  }
  const DeviceArray<int> DeviceIn(In), DeviceOut(Rows);
  launch("fullest", [&] { Launch(Rows / Threads, DeviceIn, DeviceOut, Length); });

  const std::vector<int> Out = DeviceOut.download();
  std::printf("%s: %d rows, fullest bin of row 2 has %d: %s\n", Name, Rows, Out[2],
              Out == Expected ? "PASSED" : "FAILED");
  return Out == Expected ? 0 : 1;
}

#endif // BINS_H
