// Binomial options, version 2: tiles of the lattice go through shared memory. A block evaluates
// `Depth` levels of a tile before it returns the tile to device memory, so a word of the lattice is
// moved once for every `Depth` levels.
//
// The node a level back needs its own word and the next one, so of `Tile` words
// that are loaded, `Tile - Depth` are known `Depth` levels back: that is how far
// tiles are apart. Tiles go from left to right in place: one writes only words
// that no later one loads.

#include "binomial.h"

constexpr int Depth = 32; // divides Steps; even, so that results end in the first half
constexpr int Apart = 128;
constexpr int Tile = Apart + Depth; // words, and threads

__global__ void price(const Option *options, float *lattice, float *prices) {
  __shared__ float tile[2][Tile];
  const Option O = options[blockIdx.x];
  const int T = threadIdx.x;
  float *Values = lattice + blockIdx.x * 2 * Nodes;
  for (int Node = T; Node < Nodes; Node += Tile)
    Values[Node] = payoffAtExpiry(O, Node);
  __syncthreads();

  for (int Level = Steps; Level > 0; Level -= Depth)
    for (int First = 0; First < Level; First += Apart) {
      const int Last = min(Tile - 1, Level - First); // word of the tile
      if (T <= Last)
        tile[0][T] = Values[First + T];
      __syncthreads();
      for (int Back = 1; Back <= Depth; ++Back) {
        const float *Now = tile[(Back - 1) % 2];
        if (T <= Last - Back)
          tile[Back % 2][T] = O.Up * Now[T + 1] + O.Down * Now[T];
        __syncthreads();
      }
      if (T <= Last - Depth)
        Values[First + T] = tile[0][T];
      __syncthreads();
    }
  if (T == 0)
    prices[blockIdx.x] = Values[0];
}

int main(int Argc, char **Argv) {
  return runBinomial("binomial v2", Argc, Argv,
                     [](const Option *Options, int Count, float *Lattice, float *Prices) {
                       price<<<Count, Tile>>>(Options, Lattice, Prices);
                     });
}
