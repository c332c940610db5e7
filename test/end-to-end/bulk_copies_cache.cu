// Bulk copies bypass L1: each request of up to 512 bytes reads its sectors from L2. A block reads
// 32 sectors of `in` in the first launch, in 2 requests, and 10 in the second, in 1; also writes.
// BUILD: -O2 -g
// BUILD: -O2 -g -mllvm -gm-inline-budget=0
// OPTIONS: profile=cache
// EXPECT: {o["name"]: [o["traffic"][n] for n in ("requests", "sectors", "bytes_used", "l1_hits",
//     "l2_reads", "l2_writes", "l2_atomics")] for o in summary["cache"]["objects"]}
//     == {"in": [10, 148, 4736, 0, 148, 0, 0], "out": [10, 148, 4736, 0, 0, 148, 0],
//         "sums": [6, 24, 768, 0, 0, 0, 24], "given": [8, 32, 1024, 0, 0, 32, 0]}
// EXPECT: coverage["gaps"] == []
#include "bulk_copies.h"

int main() { runCopies(); }
