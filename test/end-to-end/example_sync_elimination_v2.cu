// Version 2 waits in its last copy only. The copy is into the heap: where other data share its last
// page, the use of the result is assumed.
// EXAMPLE: sync/elimination_v2.cu
// BUILD: -O2 -g
// OPTIONS: profile=sync
// EXPECT: [(s["api"], s["waits"], s["needed"] + s["assumed_needed"])
//     for s in summary["sync"]["sites"] if s["waits"]] == [("cudaMemcpy", 1, 1)]
// EXPECT-OUTPUT: elimination: 768192499 PASSED
