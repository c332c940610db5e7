// The host side that both versions of the Jacobi example share: a square grid
// with a hot left edge, some sweeps on the device, the same sweeps on the host,
// and a comparison.

#ifndef JACOBI_H
#define JACOBI_H

#include "../example.h"

#include <cmath>
#include <utility>

#ifndef JACOBI_SIZE
#define JACOBI_SIZE 256
#endif

constexpr int Tile = 16;          // threads of a block: Tile x Tile
constexpr int Size = JACOBI_SIZE; // interior points a side, a multiple of Tile
constexpr int Pitch = Size + 2;   // with the fixed boundary
constexpr int Tiles = Size / Tile;
constexpr int TilesPerBlock = 8; // one below the other; divides Tiles
constexpr int Sweeps = 10;

inline std::vector<float> initialGrid() {
  std::vector<float> Grid(Pitch * Pitch, 0.0f);
  for (int Row = 0; Row < Pitch; ++Row)
    Grid[Row * Pitch] = 100.0f;
  return Grid;
}

inline std::vector<float> sweepOnHost(std::vector<float> In) {
  std::vector<float> Out = In;
  for (int Sweep = 0; Sweep < Sweeps; ++Sweep) {
    for (int Row = 1; Row <= Size; ++Row)
      for (int Col = 1; Col <= Size; ++Col)
        Out[Row * Pitch + Col] =
            0.25f * (In[(Row - 1) * Pitch + Col] + In[(Row + 1) * Pitch + Col] +
                     In[Row * Pitch + Col - 1] + In[Row * Pitch + Col + 1]);
    std::swap(In, Out);
  }
  return In;
}

// Runs the sweeps with `Launch(In, Out)` and returns the exit status.
template <typename LaunchFn> int runJacobi(const char *Name, LaunchFn Launch) {
  std::vector<float> Grid = initialGrid();
  const std::vector<float> Expected = sweepOnHost(Grid);
  const size_t Bytes = Grid.size() * sizeof(float);

  float *In = nullptr, *Out = nullptr;
  CHECK(cudaMalloc(&In, Bytes));
  CHECK(cudaMalloc(&Out, Bytes));
  CHECK(cudaMemcpy(In, Grid.data(), Bytes, cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(Out, Grid.data(), Bytes, cudaMemcpyHostToDevice));
  for (int Sweep = 0; Sweep < Sweeps; ++Sweep) {
    launch("jacobi", [&] { Launch(In, Out); });
    std::swap(In, Out);
  }
  CHECK(cudaMemcpy(Grid.data(), In, Bytes, cudaMemcpyDeviceToHost));
  CHECK(cudaFree(In));
  CHECK(cudaFree(Out));

  double Worst = 0.0, Sum = 0.0;
  for (size_t I = 0; I < Grid.size(); ++I) {
    Worst = std::fmax(Worst, std::fabs(double(Grid[I]) - Expected[I]));
    Sum += Grid[I];
  }
  const bool Passed = Worst < 1e-3;
  std::printf("%s: %d sweeps over %d x %d points, sum %.1f: %s\n", Name, Sweeps, Size, Size, Sum,
              Passed ? "PASSED" : "FAILED");
  return Passed ? 0 : 1;
}

#endif // JACOBI_H
