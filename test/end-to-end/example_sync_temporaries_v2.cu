// The temporary memory is kept, so only the copy of the result waits: needed, or
// assumed so where other data share its page.
// EXAMPLE: sync/temporaries_v2.cu
// BUILD: -O2 -g
// OPTIONS: profile=sync
// EXPECT: "unnecessary_synchronization" not in {f["pattern"] for f in summary["findings"]}
// EXPECT: [(s["api"], s["needed"] + s["assumed_needed"])
//     for s in summary["sync"]["sites"] if s["waits"]] == [("cudaMemcpy", 1)]
// EXPECT-OUTPUT: temporaries: 2330507719 PASSED
