// An allocation of a graph is the same object in each launch of the graph, whatever has released
// it: 3, 3 and 2 launches fill 64 elements and add them up.
// BUILD: -O2 -g
// BUILD: -O2 -g -rdc=true
// OPTIONS: profile=global
// EXPECT: [(o["name"], o["bytes"], o["released"]) for o in summary["objects"]] ==
//     [("sum", 256, True), ("kept", 1024, True), ("renewed", 2048, True), ("handed", 4096, True)]
// EXPECT: [memory("fill", o).writes for o in ("kept", "renewed", "handed")] ==
//     [[3] * 64 + [0] * 192, [3] * 64 + [0] * 448, [2] * 64 + [0] * 960]
// EXPECT: [memory("add", o).reads for o in ("kept", "renewed", "handed")] ==
//     [[3] * 64 + [0] * 192, [3] * 64 + [0] * 448, [2] * 64 + [0] * 960]
// EXPECT: memory("add", "sum").writes == [8] * 64
// EXPECT: coverage["whole"]
// EXPECT-OUTPUT: 233 737
#include "graph_memory_again.h"

int main() { runGraphs(); }
