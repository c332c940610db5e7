// Heat maps are of what a block does in its own shared memory: what it does in that of others is
// counted, and a gap. Each of 64 threads of 8 blocks loads 1 + 16 words of another block's row and
// one of its more, and stores one of its flags; in the 6 blocks that are not the first one of their
// cluster it also loads that one's word 5 times. Noted are, of a thread, what it does in its own
// block: stores to row and more, 16 loads of row, one of flags and the store to out, and for one in
// each block that to first; in first ranks also 5 loads of it.
// BUILD: -O2 -g
// BUILD: -O2 -g -mllvm -gm-heat-closed-forms=false
// BUILD: -O2 -g -mllvm -gm-heat-loops=false
// BUILD: -O0 -g
// OPTIONS: profile=heat:heat-blocks=all
// EXPECT: [(g["what"], g["count"]) for g in coverage["gaps"]]
//     == [("accesses", 8 * 64 * (1 + 16 + 1 + 1) + 6 * 64 * 5)]
// EXPECT: coverage["accesses"]["counted"] == 8 * (64 * (1 + 1 + 16 + 1 + 1) + 1) + 2 * 64 * 5
// EXPECT: coverage["accesses"]["lost"] == coverage["accesses"]["outside"] == 0
// EXPECT: not coverage["whole"]
#include "clusters.h"

int main() { runExchange(); }
