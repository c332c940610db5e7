// A library that compiles a module for each shape: of ten kernels with one name, eight get clones;
// a shape that comes back has them.
// BUILD: -O2 -g
// OPTIONS: profile=heat:launch-sampling=every
// EXPECT: sorted(l["mode"] for k in summary["kernels"] for l in k["launches"]
//     for _ in range(l["count"])) == ["heat"] * 9 + ["plain"] * 2
// EXPECT: [(k["reason"], k["name"]) for k in coverage["kernels"]["not_instrumented"]]
//     == [("no clones were made: kernels of 8 other modules have its name and clones",
//          "scatter")]
// EXPECT-OUTPUT: 704
#include "scatter_modules.h"

int main() { scatterWith({1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 1}); }
