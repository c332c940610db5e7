// Other blocks' shared memory is no global memory: of that, out is stored to.
// BUILD: -O2 -g
// BUILD: -O2 -g -mllvm -gm-inline-budget=0
// BUILD: -O2 -g -rdc=true
// OPTIONS: profile=elements
// EXPECT: memory("exchange", "out").writes == [1] * 512
// EXPECT: not any(memory("exchange", "out").reads or [])
// EXPECT: accesses("exchange") == [("out", 0, 1, "exact")]
// EXPECT: coverage["accesses"]["outside"] == 0
// EXPECT: coverage["whole"]
#include "clusters.h"

int main() { runExchange(); }
