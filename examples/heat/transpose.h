// Input, check and result of both versions of the transposition.

#ifndef TRANSPOSE_H
#define TRANSPOSE_H

#include "../example.h"

constexpr int Tile = 32; // rows and columns of a block's tile: a warp's lanes

/// Runs a version: Launch(blocks, threads, in, out, rows) launches it.
template <typename LaunchFn>
int runTranspose(const char *Name, int Argc, char **Argv, LaunchFn Launch) {
  const int N = problemSize(Argc, Argv, 128, Tile);
  std::vector<float> In(size_t(N) * N);
  for (size_t I = 0; I < In.size(); ++I)
    In[I] = float(I);
  const DeviceArray<float> DeviceIn(In), DeviceOut(In.size());
  launch("transpose",
         [&] { Launch(dim3(N / Tile, N / Tile), dim3(Tile, Tile), DeviceIn, DeviceOut, N); });

  const std::vector<float> Out = DeviceOut.download();
  bool Passed = true;
  for (int Row = 0; Row < N; ++Row)
    for (int Column = 0; Column < N; ++Column)
      Passed = Passed && Out[size_t(Column) * N + Row] == In[size_t(Row) * N + Column];
  std::printf("%s: %d rows, first column ends with %.0f: %s\n", Name, N, Out[size_t(N) * (N - 1)],
              Passed ? "PASSED" : "FAILED");
  return Passed ? 0 : 1;
}

#endif // TRANSPOSE_H
