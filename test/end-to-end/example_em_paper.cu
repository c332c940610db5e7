// Version 2 of the EM example: 4 blocks of 128 threads process 4096 points in 8 passes
// each, in each of 5 launches. Means and inverse variances are stored once by a block, and
// loaded by each thread for each of its points: 1 + 128 * 8. The tile is the same as in
// version 1.
// EXAMPLE: em/em_paper.cu
// BUILD: -O2 -g
// BUILD: -O2 --gmprof-level=basic
// EXPECT: [a.name for a in kernel("expectation").arrays] == ["mean", "inverseVariance", "tile"]
// EXPECT: shared("expectation", "mean").counts == [5 * 4 * (1 + 128 * 8)] * (16 * 4)
// EXPECT: shared("expectation", "inverseVariance").counts == [5 * 4 * (1 + 128 * 8)] * (16 * 4)
// EXPECT: shared("expectation", "tile").counts == [5 * 4 * 8 * 17] * (4 * 128)
// EXPECT: summary["findings"] == []
