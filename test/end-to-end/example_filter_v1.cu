// Each of the 32 lanes of a warp loads a word of constant memory of its own.
// EXAMPLE: heat/filter_v1.cu
// BUILD: -O2 -g
// OPTIONS: profile=heat
// EXPECT: [f[:3] for f in heat_findings()] == [("serialized_constant_load", "", "weights")]
// EXPECT: finding("serialized_constant_load", "weights")["passes_per_request"] == 32
// EXPECT: finding("serialized_constant_load", "weights")["lane_stride_bytes"] == 4
// EXPECT-OUTPUT: filter v1: 64 rows, the first ends with 765: PASSED
