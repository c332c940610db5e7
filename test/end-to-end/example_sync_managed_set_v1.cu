// cudaMemset of managed memory waits in each of ten steps for results that the host does not use.
// EXAMPLE: sync/managed_set_v1.cu
// BUILD: -O2 -g
// OPTIONS: profile=sync
// EXPECT: [(s["waits"], s["unnecessary"]) for s in summary["sync"]["sites"]
//     if s["api"] == "cudaMemset"] == [(10, 10)]
// EXPECT-OUTPUT: managed_set: 1544745093 PASSED
