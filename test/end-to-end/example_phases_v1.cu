// A field of 64 KiB and three scratch arrays of 128 KiB, of which one is used at a time while the
// field is not used: version 2 needs the bytes stated here. That they could share memory is no
// finding of its own: they are leaked.
// EXAMPLE: objects/phases_v1.cu
// BUILD: -O2 -g
// OPTIONS: profile=objects
// EXPECT: coverage["objects"]["launches_inferred"] == 0
// EXPECT: [(d["peak_bytes"], d["peak_bytes_after"], d["bytes_at_end"])
//     for d in summary["memory"]["devices"]] == [(458752, 131072, 393216)]
// EXPECT: {(f["pattern"], f["object"]["name"]): f["evidence"].get("bytes_saved_alone",
//     f["bytes_saved"]) for f in summary["findings"]}
//     == {("memory_leak", "Scratch"): 262144, ("temporary_idleness", "Field"): 0,
//     ("dead_write", "Field"): 0}
// EXPECT: [(f["evidence"]["objects"], f["evidence"]["bytes_of_all"]) for f in summary["findings"]
//     if f["pattern"] == "memory_leak"] == [(3, 393216)]
// EXPECT-OUTPUT: 107
