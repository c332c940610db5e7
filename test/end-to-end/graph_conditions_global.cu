// In a body that runs 300 times in each of two launches of a graph, all accesses are counted,
// including those with closed forms, and beyond the range of 8-bit counters. The body of the second
// condition never runs.
// BUILD: -O2 -g -rdc=true
// BUILD: -O2 -g -rdc=true -mllvm -gm-level=sa
// OPTIONS: profile=global
// EXPECT: memory("step", "data").reads == [600] * 64
// EXPECT: memory("step", "data").writes == [600] * 64
// EXPECT: memory("step", "data").launches == {"reads": 600, "writes": 600}
// EXPECT: memory("step", "left").reads == [600]
// EXPECT: memory("step", "data").capped == [False] * 64
// EXPECT: kernel("never").data["launches"] == []
// EXPECT: coverage["launches"]["seen"] == coverage["launches"]["profiled"] == 600
// EXPECT: coverage["accesses"]["outside"] == 0
// EXPECT: coverage["whole"]
// EXPECT-OUTPUT: 600 663
#include "conditional_loop.h"

int main() { runGraph(); }
