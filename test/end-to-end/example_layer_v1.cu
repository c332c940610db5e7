// 65536 threads load 16 channels for each of 4 features: 131072 requests, each of 32 rows, a
// sector of each. The two warps of a block that have the same rows share their sectors: half of
// them hit in L1. Of the others, 128 blocks * 16 channels * 256 rows = 524288 are fetched for the
// first time, and again for each of the 3 features that follow, as a block's 4096 lines exceed L1.
// 2 words of 8 in a sector are used. With x and y swapped a block reads 2 rows of 32 sectors of
// each channel, 131072 in all, which are fetched once. Stores, 8192 requests, access 32 sectors,
// then 4. On a GPU the number of L1 hits differs by a few sectors, as the order of its warps
// varies.
// EXAMPLE: cache/layer_v1.cu
// BUILD: -O2 -g
// OPTIONS: profile=cache
// EXPECT: [(f["pattern"], f["kind"], f["object"]["name"], f["source"]["line"])
//     for f in summary["findings"]] == [("poor_cache_locality", "lost_in_l1", "Neurons", 12)]
// EXPECT: round(finding("poor_cache_locality", "Neurons")["bytes_used_of_fetched"], 3) == 0.25
// EXPECT-CPU: finding("poor_cache_locality", "Neurons")["bytes_used_of_fetched"] == 0.25
// EXPECT-CPU: [finding("poor_cache_locality", "Neurons")[n] for n in ["l1_hit_rate",
//     "l1_hit_rate_possible", "sectors_fetched", "sectors_fetched_again",
//     "sectors_fetched_again_by_block"]] == [0.5, 0.875, 4 * 524288, 3 * 524288, 3 * 524288]
// EXPECT-CPU: [finding("poor_cache_locality", "Neurons")[n] for n in
//     ["swap_grid_l2_bytes_before", "swap_grid_l2_bytes_after"]] ==
//     [(4 * 524288 + 8192 * 32) * 32, (131072 + 8192 * 4) * 32]
// EXPECT-CPU: "if x and y of the threads' indices were swapped, a launch moves 5 MiB "
//     "instead of 72 MiB (-93 %)" in summary["findings"][0]["suggestion"]
// EXPECT-OUTPUT: layer v1: 4 features of 256 x 256 points, sum 10029268: PASSED
