// Helpers of the examples of synchronisation: a kernel that takes a while, the host's work
// meanwhile, and their sizes.

#ifndef STEPS_H
#define STEPS_H

#include "../example.h"
#include <cmath>

/// Arguments: steps, rounds of the kernel in each, and rounds of the host.
struct Sizes {
  int Steps, KernelRounds, HostRounds;
};

inline Sizes sizes(int Argc, char **Argv, Sizes Default) {
  int *const All[] = {&Default.Steps, &Default.KernelRounds, &Default.HostRounds};
  for (int I = 1; I < Argc; ++I) {
    char *End = nullptr;
    const long Value = std::strtol(Argv[I], &End, 10);
    if (I > 3 || *End != '\0' || Value < 1 || Value > 1 << 24) {
      std::fprintf(stderr, "usage: %s [steps [kernel rounds [host rounds]]]\n", Argv[0]);
      std::exit(2);
    }
    *All[I - 1] = int(Value);
  }
  return Default;
}

/// One round, the same for the host and the device.
__host__ __device__ inline unsigned next(unsigned X) { return X * 1664525U + 1013904223U; }

/// The host's work for a step, which does not depend on the device's results.
inline unsigned prepare(unsigned Step, int Rounds) {
  unsigned X = Step;
  for (int R = 0; R < Rounds; ++R)
    X = next(X) ^ (X >> 16);
  return X;
}

/// Prints the result, and whether it has the expected value.
inline int report(const char *Name, unsigned Result, unsigned Expected) {
  std::printf("%s: %u %s\n", Name, Result, Result == Expected ? "PASSED" : "FAILED");
  return Result == Expected ? 0 : 1;
}

#endif // STEPS_H
