// Prefix sums, version 1: warp w of block 0 takes words 1024 w to 1024 w + 1023 of x and of the
// result, and passes its sum through word w of shared memory: 32 times, a thread stores it and 32
// threads load it.
// EXAMPLE: heat/broadcast_v1.cu
// BUILD: -O2 -g
// OPTIONS: profile=heat
// EXPECT: [f[:3] for f in heat_findings()] == [
//     ("shared_memory_abuse", "warp_local", "sum")]
// EXPECT: heat("sums", "sum").sharers == "W" * 8
// EXPECT: heat("sums", "sum", by="writes").sharers == "T" * 8
// EXPECT: heat("sums", "sum", by="writes").accesses == 8 * 32
// EXPECT: heat("sums", "sum", by="reads").accesses == 8 * 32 * 32
// EXPECT: heat("sums", "x").words == [1] * 8192 + [0] * 7 * 8192
