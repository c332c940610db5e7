// Global memory of bulk copies: reads of `in` and writes of `out`, word by word, and additions to
// `sums`. Copies between blocks do not count.
// BUILD: -O2 -g
// BUILD: -O0 -g
// OPTIONS: profile=global
// EXPECT: memory("turn", "in").reads == [2] * 80 + [1] * 176 + [2] * 80 + [1] * 176 + [1] * 512
// EXPECT: memory("turn", "out").writes == [2] * 80 + [1] * 176 + [2] * 80 + [1] * 176 + [1] * 512
// EXPECT: memory("turn", "sums").atomics == [6] * 32
// EXPECT: memory("give", "given").writes == [1] * 256
// EXPECT: coverage["accesses"]["skipped"] == []
#include "bulk_copies.h"

int main() { runCopies(); }
