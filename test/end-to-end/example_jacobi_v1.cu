// Version 1 of the Jacobi example: each of 16 x 2 blocks takes 8 tiles of 16 x 16
// points, in 10 launches. For each tile a word is stored and loaded once: 16
// accesses in a block, which looks like reuse, but 2 in a live range. The first launch
// counts live ranges.
// EXAMPLE: jacobi/jacobi_v1.cu
// BUILD: -O2 -g
// EXPECT-OUTPUT: jacobi v1: 10 sweeps over 256 x 256 points, sum 60187.2: PASSED
// EXPECT: shared("jacobi", "tile").counts == [8 * 2 * 32 * 10] * 256
// EXPECT: shared("jacobi", "tile").ranges == {2: 256 * 256}
// EXPECT: shared("jacobi", "tile").range_records[:3] == [(0, 1, 2, False), (1, 2, 2, False),
//     (2, 3, 2, False)]
// EXPECT: [a for _, a in shared("jacobi", "tile").moves("ends")] == ["out"]
// EXPECT: shared("jacobi", "tile").moves("begins") == []
// EXPECT: [(f["pattern"], f["kind"]) for f in summary["findings"]] ==
//     [("no_reuse_in_live_range", "moved_out")]
// EXPECT: summary["findings"][0]["evidence"]["accesses_per_live_range"] == 2
// EXPECT: summary["findings"][0]["bytes_saved"] == 1024
