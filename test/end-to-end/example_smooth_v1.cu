// Version 1 of the example of docs/getting-started.md: 11 arrays of 256 KiB, one for each step and
// the first; two suffice.
// EXAMPLE: start/smooth_v1.cu
// BUILD: -O2 -g
// OPTIONS: profile=objects
// EXPECT: [(d["peak_bytes"], d["peak_bytes_after"]) for d in summary["memory"]["devices"]]
//     == [(11 * 262144, 2 * 262144)]
// EXPECT: sorted((f["pattern"], f["evidence"].get("bytes_saved_alone", f["bytes_saved"])) for f in
//     summary["findings"])
//     == [("memory_leak", 262144), ("memory_leak", 8 * 262144),
//         ("redundant_allocation", 9 * 262144)]
// EXPECT-OUTPUT: largest value 741.7
