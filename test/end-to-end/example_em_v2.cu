// Version 2 of the EM example: what version 1 has in shared memory, with a padding element in each
// row, and the mixture of the paper's version. A word of `responsibility` has 9 accesses in each
// of 8 passes, as in version 1; rows that begin in different banks have no conflicts.
// EXAMPLE: em/em_v2.cu
// OPTIONS: profile=heat,shared:launch-sampling=every
// BUILD: -O2 -g
// EXPECT: sorted(a.name for a in kernel("expectation").arrays)
//     == ["inverseVariance", "logWeight", "mean", "responsibility", "tile"]
// EXPECT: {f["pattern"] for f in summary["findings"]
//     if f["kernel"] and f["kernel"]["name"].startswith("expectation")} == set()
// EXPECT-OUTPUT: em v2: 16 components fitted to 4096 points, sum of means 237.2: PASSED
