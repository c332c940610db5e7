// Each of 10 waits follows its launch directly, and the host uses the kernel's result after its own
// work.
// EXAMPLE: sync/early_v1.cu
// BUILD: -O2 -g
// OPTIONS: profile=sync
// EXPECT: [(s["api"], s["waits"], s["needed"], s["misplaced"], s["unnecessary"])
//     for s in summary["sync"]["sites"] if s["api"] == "cudaDeviceSynchronize"]
//     == [("cudaDeviceSynchronize", 10, 10, 10, 0)]
// EXPECT-OUTPUT: early: 3799856097 PASSED
