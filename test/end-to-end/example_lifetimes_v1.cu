// Arrays of 64, 64 and 128 KiB, of which one of 64 KiB is used at a time: version 2 needs the bytes
// stated here.
// EXAMPLE: objects/lifetimes_v1.cu
// BUILD: -O2 -g
// OPTIONS: profile=objects
// EXPECT: coverage["objects"]["launches_inferred"] == 0
// EXPECT: [(d["peak_bytes"], d["peak_bytes_after"]) for d in summary["memory"]["devices"]]
//     == [(262144, 65536)]
// EXPECT: [f["bytes_saved"] for f in summary["findings"]
//     if f["pattern"] == "unused_allocation"] == [131072]
// EXPECT: {"early_allocation", "late_deallocation", "redundant_allocation",
//     "unused_allocation"} <= {f["pattern"] for f in summary["findings"]}
// EXPECT-OUTPUT: 1
// EXPECT-OUTPUT: 16843010
