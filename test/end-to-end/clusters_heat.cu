// Heat maps show a block's accesses to its own shared memory: accesses to other blocks' memory are
// counted as a gap. Each of 64 threads of 8 blocks loads 1 + 16 words of another block's row and
// one of its `more`, and stores one of its `flags`; in the 6 blocks that are not the first of their
// cluster it also loads that block's word 5 times. A thread's recorded accesses are those in its
// own block: stores to `row` and `more`, 16 loads of `row`, one of `flags` and the store to `out`;
// one thread per block also stores `first`; in first ranks, each also loads it 5 times.
// BUILD: -O2 -g
// BUILD: -O2 -g -mllvm -gm-heat-closed-forms=false
// BUILD: -O2 -g -mllvm -gm-heat-loops=false
// BUILD: -O0 -g
// OPTIONS: profile=heat:heat-blocks=all
// EXPECT: [(g["what"], g["count"]) for g in coverage["gaps"] if g["what"] == "accesses"]
//     == [("accesses", 8 * 64 * (1 + 16 + 1 + 1) + 6 * 64 * 5)]
// EXPECT: coverage["accesses"]["counted"] == 8 * (64 * (1 + 1 + 16 + 1 + 1) + 1) + 2 * 64 * 5
// EXPECT: coverage["accesses"]["lost"] == coverage["accesses"]["outside"] == 0
// EXPECT: not coverage["whole"]
#include "clusters.h"

int main() { runExchange(); }
