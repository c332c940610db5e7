// Version 2: the two arrays that version 1 is said to need.
// EXAMPLE: start/smooth_v2.cu
// BUILD: -O2 -g
// OPTIONS: profile=objects
// EXPECT: [(d["peak_bytes"], d["peak_bytes_after"]) for d in summary["memory"]["devices"]]
//     == [(2 * 262144, 2 * 262144)]
// EXPECT: summary["findings"] == []
// EXPECT-OUTPUT: largest value 741.7
