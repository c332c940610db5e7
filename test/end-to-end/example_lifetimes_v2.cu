// The memory stated for version 1 suffices, and there are no findings.
// EXAMPLE: objects/lifetimes_v2.cu
// BUILD: -O2 -g
// OPTIONS: profile=objects
// EXPECT: coverage["objects"]["launches_inferred"] == 0
// EXPECT: [(d["peak_bytes"], d["peak_bytes_after"]) for d in summary["memory"]["devices"]]
//     == [(65536, 65536)]
// EXPECT: summary["findings"] == []
// EXPECT-OUTPUT: 1
// EXPECT-OUTPUT: 16843010
