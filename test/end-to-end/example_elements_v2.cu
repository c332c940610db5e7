// The memory stated for version 1 suffices, and there are no findings about elements.
// EXAMPLE: objects/elements_v2.cu
// BUILD: -O2 -g
// OPTIONS: profile=elements
// EXPECT: [(d["peak_bytes"], d["peak_bytes_after"]) for d in summary["memory"]["devices"]]
//     == [(65536 + 65536 + 1024 + 4, 65536 + 65536 + 1024 + 4)]
// EXPECT: [f for f in summary["findings"] if f["pattern"] in element_patterns] == []
// EXPECT: elements("Values")["accessed_share"] == 1
// EXPECT: elements("Scratch")["slices"] == 1
// EXPECT-OUTPUT: 46538240
