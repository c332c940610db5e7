// The memory stated for version 1 suffices, and there are no findings.
// EXAMPLE: objects/phases_v2.cu
// BUILD: -O2 -g
// OPTIONS: profile=objects
// EXPECT: coverage["objects"]["launches_inferred"] == 0
// EXPECT: [(d["peak_bytes"], d["peak_bytes_after"], d["bytes_at_end"])
//     for d in summary["memory"]["devices"]] == [(131072, 131072, 0)]
// EXPECT: summary["findings"] == []
// EXPECT-OUTPUT: 107
