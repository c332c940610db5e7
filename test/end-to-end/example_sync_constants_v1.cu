// Ten copies of the same bytes to the same place: nine of them again.
// EXAMPLE: sync/constants_v1.cu
// BUILD: -O2 -g
// OPTIONS: profile=sync
// EXPECT: [(f["evidence"]["copies"], f["evidence"]["duplicates"], f["evidence"]["duplicate_bytes"])
//     for f in summary["findings"] if f["pattern"] == "duplicate_transfer"]
//     == [(10, 9, 9 * 4 * 2**18)]
// EXPECT-OUTPUT: constants: 2667289751 PASSED
