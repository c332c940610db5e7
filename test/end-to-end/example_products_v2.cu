// The memory stated for version 1 suffices. Remaining findings of the paper's definitions, such as
// A being copied before B for the same kernel, save nothing.
// EXAMPLE: objects/products_v2.cu
// BUILD: -O2 -g
// OPTIONS: profile=objects
// EXPECT: coverage["objects"]["launches_inferred"] == 0
// EXPECT: [(d["peak_bytes"], d["peak_bytes_after"]) for d in summary["memory"]["devices"]]
//     == [(49152, 49152)]
// EXPECT: {(f["severity"], f["bytes_saved"]) for f in summary["findings"]} == {("info", 0)}
// EXPECT-OUTPUT: 24576
