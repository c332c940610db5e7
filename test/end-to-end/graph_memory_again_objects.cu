// Memory that a graph allocates is live from each of its launches to its release: by the program,
// the next launch, or another graph. It is therefore no leak, and peak memory occurs while the
// memory that is passed on is live.
// BUILD: -O2 -g
// BUILD: -O2 -g -mllvm -gm-profile=objects
// OPTIONS: profile=objects
// EXPECT: accesses("fill") == [("kept", 0, 3, "exact"), ("renewed", 0, 3, "exact"),
//     ("handed", 0, 2, "exact")]
// EXPECT: accesses("add") == [("sum", 8, 8, "exact"), ("kept", 3, 0, "exact"),
//     ("renewed", 3, 0, "exact"), ("handed", 2, 0, "exact")]
// EXPECT: [(o["name"], o["free"]["api"], o["released"]) for o in summary["objects"]] ==
//     [("sum", "cudaFree", True), ("kept", "cudaFreeAsync", True), ("renewed", "cudaFree", True),
//      ("handed", "cudaGraphAddMemFreeNode", True)]
// EXPECT: summary["memory"]["devices"][0]["peak_bytes"] == 256 + 4096
// EXPECT: summary["memory"]["devices"][0]["bytes_at_end"] == 0
// EXPECT: [f for f in summary["findings"] if f["pattern"] == "memory_leak"] == []
// EXPECT: coverage["objects"]["launches_inferred"] == 0
// EXPECT: coverage["gaps"] == []
#include "graph_memory_again.h"

int main() { runGraphs(); }
