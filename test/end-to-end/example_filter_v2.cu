// The weights are words of global memory, side by side: 4 sectors per request.
// EXAMPLE: heat/filter_v2.cu
// BUILD: -O2 -g
// OPTIONS: profile=heat
// EXPECT: kernel("weigh").data["machine_memory"] is None
// EXPECT: heat_findings() == []
// EXPECT: [(l.requests, l.sectors) for l in heat_lines("weigh", "weights")] == [(8, 32)]
// EXPECT-OUTPUT: filter v2: 64 rows, the first ends with 765: PASSED
