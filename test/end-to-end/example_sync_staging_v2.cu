// Page-locked memory is allocated once, and all copies are from it.
// EXAMPLE: sync/staging_v2.cu
// BUILD: -O2 -g
// OPTIONS: profile=sync
// EXPECT: [f["pattern"] for f in summary["findings"]
//     if f["pattern"] in ("pageable_transfer", "repeated_allocation")] == []
