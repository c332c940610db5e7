// The host side of both versions of the binomial options example: prices of European call options
// by a binomial tree, a block for each option.
//
// At expiry, the value of node i of the tree is the option's payoff if the price went up i times.
// One step back, the value of a node is the discounted mean of its two successors, weighted by the
// probabilities of up and down; after `Steps` steps one node remains, today's price. The host
// computes the same in double precision.

#ifndef BINOMIAL_H
#define BINOMIAL_H

#include "../example.h"

#include <cmath>

constexpr int Steps = 256;
constexpr int Nodes = Steps + 1; // at expiry

/// An option, and constants derived from it for all its nodes.
struct Option {
  float Price, Strike; // of the stock, today and agreed
  float LogUp;         // a step multiplies the price by exp(+-LogUp)
  float Up, Down;      // discounted probabilities
};

/// Returns the value of node `Node` at expiry.
__device__ inline float payoffAtExpiry(const Option &O, int Node) {
  return fmaxf(O.Price * expf(O.LogUp * float(2 * Node - Steps)) - O.Strike, 0.0f);
}

inline Option makeOption(Random &Numbers) {
  const double Years = Numbers.between(0.25f, 5.0f), Rate = 0.06, Volatility = 0.1;
  const double StepYears = Years / Steps, LogUp = Volatility * std::sqrt(StepYears);
  const double Probability =
      (std::exp(Rate * StepYears) - std::exp(-LogUp)) / (std::exp(LogUp) - std::exp(-LogUp));
  const double Discount = std::exp(-Rate * StepYears);
  const float Price = Numbers.between(5.0f, 30.0f);
  return {Price, Price * Numbers.between(0.8f, 1.2f), float(LogUp), float(Discount * Probability),
          float(Discount * (1.0 - Probability))};
}

inline double priceOnHost(const Option &O) {
  std::vector<double> Value(Nodes);
  for (int Node = 0; Node < Nodes; ++Node)
    Value[Node] =
        std::fmax(O.Price * std::exp(double(O.LogUp) * (2 * Node - Steps)) - O.Strike, 0.0);
  for (int Level = Steps; Level > 0; --Level)
    for (int Node = 0; Node < Level; ++Node)
      Value[Node] = O.Up * Value[Node + 1] + O.Down * Value[Node];
  return Value[0];
}

// Prices all options with `Launch(Options, Count, Lattice, Prices)`, where Lattice
// has room for 2 * Nodes values for each option, and returns the exit status.
template <typename LaunchFn>
int runBinomial(const char *Name, int Argc, char **Argv, LaunchFn Launch) {
  const int Count = problemSize(Argc, Argv, 8, 1);
  Random Numbers;
  std::vector<Option> Options(Count);
  for (Option &O : Options)
    O = makeOption(Numbers);

  const DeviceArray<Option> DeviceOptions(Options);
  const DeviceArray<float> Lattice(size_t(Count) * 2 * Nodes), Prices(Count);
  launch("price", [&] { Launch(DeviceOptions, Count, Lattice, Prices); });

  const std::vector<float> Result = Prices.download();
  bool Passed = true;
  double Sum = 0.0;
  for (int I = 0; I < Count; ++I) {
    Passed = Passed && std::fabs(Result[I] - priceOnHost(Options[I])) < 1e-3;
    Sum += Result[I];
  }
  std::printf("%s: %d options, %d steps, sum of prices %.2f: %s\n", Name, Count, Steps, Sum,
              Passed ? "PASSED" : "FAILED");
  return Passed ? 0 : 1;
}

#endif // BINOMIAL_H
