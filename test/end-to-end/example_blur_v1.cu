// Rows of the tile have 64 elements, of which the last 30 are never accessed. Each of the 16 blocks
// stores an element once, and loads it once for each point that it is a neighbour of.
// EXAMPLE: shared/blur_v1.cu
// BUILD: -O2 -g
// EXPECT: shared("blur", "tile").counts == [16 * (1 + rows * columns) if columns else 0
//     for rows in [1, 2] + [3] * 6 + [2, 1]
//     for columns in [1, 2] + [3] * 30 + [2, 1] + [0] * (64 - 34)]
// EXPECT: [(f["pattern"], f["kind"], f["bytes_saved"]) for f in summary["findings"]]
//     == [("underused_shared_memory", "partly_touched", 10 * 30 * 4)]
// EXPECT-OUTPUT: blur v1: 64 x 64 points, sum of 9 points each 4755620: PASSED
