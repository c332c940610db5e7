// A bulk copy counts for each word at both of its ends, including an end in another block, and for
// each of its additions to global memory. Live ranges are known for copies by the cluster's
// instruction to the own block.
// BUILD: -O2 -g
// BUILD: -O0 -g
// OPTIONS: profile=shared
// EXPECT: shared("turn", "tile").counts == [4 * 2 + 2 * 2] * 80 + [4 * 2] * 176
// EXPECT: shared("turn", "turned").counts == [4 * 2 + 2 * 2] * 80 + [4 * 2] * 176
// EXPECT: shared("turn", "row").counts == [4 * 2 + 2 * 2] * 32
// EXPECT: shared("give", "mine").counts == [4 * 2] * 64
// EXPECT: shared("give", "got").counts == [4 * 2] * 64
// EXPECT: shared("give", "barrier").counts == [4 * (2 + 64)]
// EXPECT: coverage["accesses"]["lost"] == 0
// EXPECT: coverage["accesses"]["skipped"] == []
// EXPECT-OUTPUT: whole: 8104130539754864128
// EXPECT-OUTPUT: parts: 16887132475883052544
// EXPECT-OUTPUT: sums: 9835264975746384464
// EXPECT-OUTPUT: given: 12396801248953565312
#include "bulk_copies.h"

int main() { runCopies(); }
