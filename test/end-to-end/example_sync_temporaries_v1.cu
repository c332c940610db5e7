// cudaFree of temporary memory waits for what nothing uses. Kernels take 200 microseconds on a GPU,
// so that they are running then whatever else it does.
// EXAMPLE: sync/temporaries_v1.cu
// RUN: 10 100000 200000
// BUILD: -O2 -g
// OPTIONS: profile=sync
// EXPECT: [f["pattern"] for f in summary["findings"]] == ["unnecessary_synchronization"]
// EXPECT: [(e[0], e[1]) for f in summary["findings"] for e in sorted(f["evidence"].items())
//     if e[0] == "conditionally"] == [("conditionally", False)]
// EXPECT: summary["sync"]["functions"][0]["api"] == "cudaFree"
// EXPECT-OUTPUT: temporaries: 929989911 PASSED
