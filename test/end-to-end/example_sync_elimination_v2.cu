// Version 2 makes no waits.
// EXAMPLE: sync/elimination_v2.cu
// BUILD: -O2 -g
// OPTIONS: profile=sync
// EXPECT: [(s["api"], s["needed"]) for s in summary["sync"]["sites"] if s["needed"]]
//     == [("cudaMemcpy", 1)]
// EXPECT-OUTPUT: elimination: 768192499 PASSED
