// Binomial options, version 1: payoffs at expiry go through shared memory, each word of it written
// once and read once by the same thread. The lattice, on which all the work is done, stays in
// device memory. Version 2 swaps them.

#include "binomial.h"

constexpr int Threads = 128;

__global__ void price(const Option *options, float *lattice, float *prices) {
  __shared__ float payoff[Nodes];
  const Option O = options[blockIdx.x];
  for (int Node = threadIdx.x; Node < Nodes; Node += Threads)
    payoff[Node] = payoffAtExpiry(O, Node);
  __syncthreads();

  float *Now = lattice + blockIdx.x * 2 * Nodes, *Before = Now + Nodes;
  for (int Node = threadIdx.x; Node < Nodes; Node += Threads)
    Now[Node] = payoff[Node];
  __syncthreads();

  for (int Level = Steps; Level > 0; --Level) {
    for (int Node = threadIdx.x; Node < Level; Node += Threads)
      Before[Node] = O.Up * Now[Node + 1] + O.Down * Now[Node];
    __syncthreads();
    float *Swap = Now;
    Now = Before;
    Before = Swap;
  }
  if (threadIdx.x == 0)
    prices[blockIdx.x] = Now[0];
}

int main(int Argc, char **Argv) {
  return runBinomial("binomial v1", Argc, Argv,
                     [](const Option *Options, int Count, float *Lattice, float *Prices) {
                       price<<<Count, Threads>>>(Options, Lattice, Prices);
                     });
}
