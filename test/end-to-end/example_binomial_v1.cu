// Version 1 of the binomial options example: each payoff is stored and loaded
// once, in each of 8 blocks.
// EXAMPLE: binomial/binomial_v1.cu
// BUILD: -O2 -g
// EXPECT: shared("price", "payoff").counts == [2 * 8] * 257
// EXPECT: [(f["pattern"], f["kind"]) for f in summary["findings"]] ==
//     [("underused_shared_memory", "no_reuse")]
