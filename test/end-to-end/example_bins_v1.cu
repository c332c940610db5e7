// Each thread counts in 64 bins of its own, 256 bytes of local memory, whose index is data.
// EXAMPLE: heat/bins_v1.cu
// BUILD: -O2 -g
// OPTIONS: profile=heat
// EXPECT: [f[:3] for f in heat_findings()] == [("local_memory", "run_time_index", "")]
// EXPECT: [(f["evidence"]["frame_bytes"], f["evidence"]["threads_per_block"], f["source"]["line"])
//     for f in summary["findings"] if f["pattern"] == "local_memory"] == [(256, 128, 8)]
// EXPECT: {i["variable"] for i in kernel("fullest").data["machine_memory"]["instructions"]}
//     == {"bins"}
// EXPECT-OUTPUT: bins v1: 1024 rows, fullest bin of row 2 has 4: PASSED
