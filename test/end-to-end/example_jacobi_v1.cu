// Version 1 of the Jacobi example: each word of the tile is stored and loaded
// once, in each of 256 blocks and 10 launches.
// EXAMPLE: jacobi/jacobi_v1.cu
// BUILD: -O2 -g
// EXPECT-OUTPUT: jacobi v1: 10 sweeps over 256 x 256 points, sum 60187.2: PASSED
// EXPECT: shared("jacobi", "tile").counts == [2 * 256 * 10] * 256
// EXPECT: [(f["pattern"], f["kind"]) for f in summary["findings"]] ==
//     [("underused_shared_memory", "no_reuse")]
