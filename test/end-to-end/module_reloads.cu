// A library that loads the same module for each use, as cuDNN does: the samples are of all launches
// of its code, which are launches 1, 2, 4 and 8 of eight loads.
// BUILD: -O2 -g
// OPTIONS: profile=heat
// EXPECT: sorted(l.mode for l in kernel("scatter").launches) == ["heat"] * 4 + ["plain"] * 4
// EXPECT: kernel("scatter").data["heat"]["requests"] == 4 * 4
// EXPECT: coverage["kernels"]["not_instrumented"] == []
// EXPECT-OUTPUT: 512
#include "scatter_modules.h"

int main() { scatterWith({1, 1, 1, 1, 1, 1, 1, 1}); }
