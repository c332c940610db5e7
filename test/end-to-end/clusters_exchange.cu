// An access to shared memory of another block of the cluster counts as an access to the word at the
// same offset, however the address is computed: 8 blocks store their words of `row` and of `more`
// once and load another block's once, and each of 64 threads loads the first 16 words of another
// block's row and of its own; `first` is stored by a thread and loaded by all, 5 times; `flags` is
// stored to in another block and loaded in the own block.
// BUILD: -O2 -g
// BUILD: -O2 -g -mllvm -gm-shared-closed-forms=false
// BUILD: -O2 -g -mllvm -gm-inline-budget=0
// BUILD: -O2 -rdc=true
// BUILD: -O2 -mllvm -gm-level=basic
// BUILD: -O2 -mllvm -gm-counter-bits=16
// BUILD: -O0 -g
// OPTIONS: profile=shared
// EXPECT: shared("exchange", "row").counts == [8 + 8 + 8 * 64 * 2] * 16 + [8 + 8] * 48
// EXPECT: shared("exchange", "more").counts == [8 + 8] * 64
// EXPECT: shared("exchange", "first").counts == [8 + 8 * 64 * 5]
// EXPECT: shared("exchange", "flags").counts == [8 + 8] * 64
// EXPECT: coverage["whole"]
#include "clusters.h"

int main() { runExchange(); }
