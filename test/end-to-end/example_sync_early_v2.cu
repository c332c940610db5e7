// Each wait comes right before the use: none is unnecessary.
// EXAMPLE: sync/early_v2.cu
// BUILD: -O2 -g
// OPTIONS: profile=sync
// EXPECT: [(s["api"], s["waits"], s["unnecessary"]) for s in summary["sync"]["sites"]
//     if s["api"] == "cudaDeviceSynchronize"] == [("cudaDeviceSynchronize", 10, 0)]
// EXPECT-OUTPUT: early: 3799856097 PASSED
