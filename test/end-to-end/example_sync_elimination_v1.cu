// Each of two waits in all of 95 columns protects nothing that the host uses.
// EXAMPLE: sync/elimination_v1.cu
// BUILD: -O2 -g
// OPTIONS: profile=sync
// EXPECT: [(s["waits"], s["unnecessary"]) for s in summary["sync"]["sites"]
//     if s["api"] == "cudaDeviceSynchronize"] == [(95, 95), (95, 95)]
// EXPECT-OUTPUT: elimination: 768192499 PASSED
