// The bins are in shared memory, a column per thread: no local memory and no bank conflict. Each
// word is of one thread, which only data prevents from being registers.
// EXAMPLE: heat/bins_v2.cu
// BUILD: -O2 -g
// OPTIONS: profile=heat
// EXPECT: kernel("fullest").data["machine_memory"] is None
// EXPECT: [f[:3] for f in heat_findings()] == [("shared_memory_abuse", "thread_local", "bins")]
// EXPECT-OUTPUT: bins v2: 1024 rows, fullest bin of row 2 has 4: PASSED
