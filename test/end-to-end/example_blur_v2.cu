// Rows of the tile have 34 elements. Each of the 16 blocks
// stores an element once, and loads it once for each point that it is a neighbour of.
// EXAMPLE: shared/blur_v2.cu
// BUILD: -O2 -g
// EXPECT: shared("blur", "tile").counts == [16 * (1 + rows * columns) if columns else 0
//     for rows in [1, 2] + [3] * 6 + [2, 1]
//     for columns in [1, 2] + [3] * 30 + [2, 1] + [0] * (34 - 34)]
// EXPECT: [(f["pattern"], f["kind"], f["bytes_saved"]) for f in summary["findings"]]
//     == []
// EXPECT-OUTPUT: blur v2: 64 x 64 points, sum of 9 points each 4755620: PASSED
