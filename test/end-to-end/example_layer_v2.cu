// A block wants 2 rows of 256 words of each of 16 channels, 256 lines, which stay in L1: for the
// first of 4 features 131072 sectors are fetched, each of which is asked for once; then all hit.
// EXAMPLE: cache/layer_v2.cu
// BUILD: -O2 -g
// OPTIONS: profile=cache
// EXPECT: summary["findings"] == []
// EXPECT-CPU: [(o["name"], o["traffic"]["l1_lookups"], o["traffic"]["l1_hits"],
//     o["traffic"]["fetched_again"]) for o in summary["cache"]["objects"]] ==
//     [("Neurons", 4 * 131072, 3 * 131072, 0), ("Output", 32768, 0, 0)]
// EXPECT-OUTPUT: layer v2: 4 features of 256 x 256 points, sum 10029268: PASSED
