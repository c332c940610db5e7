// Five arrays of 16 KiB; D can be copied after the first kernel, so that three suffice: version 2
// needs the bytes stated here.
// EXAMPLE: objects/products_v1.cu
// BUILD: -O2 -g
// OPTIONS: profile=objects
// EXPECT: coverage["objects"]["launches_inferred"] == 0
// EXPECT: [(d["peak_bytes"], d["peak_bytes_after"]) for d in summary["memory"]["devices"]]
//     == [(81920, 49152)]
// EXPECT: sorted((f["object"]["name"], f["evidence"]["reuses"]) for f in summary["findings"]
//     if f["pattern"] == "redundant_allocation") == [("D", "A"), ("E", "B")]
// EXPECT: [(f["evidence"]["copies_to_move"], f["bytes_saved"], f["suggestion"])
//     for f in summary["findings"]
//     if (f["pattern"], f["object"]["name"]) == ("redundant_allocation", "D")] == [(1, 16384,
//     "Reuse the memory of `A` for `D`, and move cudaMemcpy to right before `multiply` "
//     "(products_v1.cu:29), provided that the host buffer still holds the same data.")]
// EXPECT-OUTPUT: 24576
