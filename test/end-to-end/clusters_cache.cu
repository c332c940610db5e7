// Accesses to shared memory of other blocks bypass all caches: the trace contains the stores to
// `out`, of 4 sectors by each of 2 warps of 8 blocks.
// BUILD: -O2 -g
// BUILD: -O2 -g -mllvm -gm-inline-budget=0
// OPTIONS: profile=cache
// EXPECT: [(o["name"], o["traffic"]["l1_lookups"]) for o in summary["cache"]["objects"]]
//     == [("out", 4 * 2 * 8)]
// EXPECT: coverage["gaps"] == []
#include "clusters.h"

int main() { runExchange(); }
