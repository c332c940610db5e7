// Elements of a column are in 32 banks, for each of
// the 32 warps of block 0. Rows are stored without conflicts.
// EXAMPLE: heat/transpose_v2.cu
// BUILD: -O2 -g
// OPTIONS: profile=heat
// EXPECT: [(l.access, l.requests, l.lanes, l.wavefronts, l.ideal_wavefronts)
//     for l in heat_lines("transpose", "tile")] == [("store", 32, 1024, 32, 32),
//     ("load", 32, 1024, 32, 32)]
// EXPECT: [f[:3] for f in heat_findings()] == []
// EXPECT-OUTPUT: transpose v2: 128 rows, first column ends with 127: PASSED
