// Arrays of 256 and 512 KiB, of which 64 KiB each suffice: version 2 needs the bytes stated here.
// The elements of the table are read 3841, 4097 (three of them) and 1 times.
// EXAMPLE: objects/elements_v1.cu
// BUILD: -O2 -g
// OPTIONS: profile=elements
// EXPECT: [(d["peak_bytes"], d["peak_bytes_after"]) for d in summary["memory"]["devices"]]
//     == [(262144 + 524288 + 1024 + 4, 65536 + 65536 + 1024 + 4)]
// EXPECT: {f["object"]["name"]: (f["pattern"], f["kind"], f["bytes_saved"], f["severity"])
//     for f in summary["findings"] if f["pattern"] in element_patterns} == {
//     "Values": ("overallocation", "contiguous", 196608, "high"),
//     "Scratch": ("structured_access", "", 458752, "high"),
//     "Table": ("nonuniform_access_frequency", "elements", 0, "info")}
// EXPECT: finding("overallocation", "Values")["accessed_share"] == 0.25
// EXPECT: finding("structured_access", "Scratch")["slices"] == 8
// EXPECT: finding("nonuniform_access_frequency", "Table")["most_accesses"] == 4097
// EXPECT: not finding("nonuniform_access_frequency", "Table")["lower_bound"]
// EXPECT: abs(finding("nonuniform_access_frequency", "Table")["variation"]
//     - ((3841**2 + 3 * 4097**2 + 252) * 256 / 16384**2 - 1)**0.5) < 1e-9
// EXPECT-OUTPUT: 46538240
