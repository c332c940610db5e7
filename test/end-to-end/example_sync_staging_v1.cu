// Each step copies from pageable memory, and allocates and frees page-locked memory.
// EXAMPLE: sync/staging_v1.cu
// BUILD: -O2 -g
// OPTIONS: profile=sync
// EXPECT: sorted((f["pattern"], f["source"]["line"], f["evidence"].get("pageable"),
//     f["evidence"].get("repeated")) for f in summary["findings"]
//     if f["pattern"] in ("pageable_transfer", "repeated_allocation"))
//     == [("pageable_transfer", 24, 10, None), ("repeated_allocation", 26, None, 9)]
