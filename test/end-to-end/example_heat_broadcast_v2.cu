// Version 2: shuffles in the place of shared memory.
// EXAMPLE: heat/broadcast_v2.cu
// BUILD: -O2 -g
// OPTIONS: profile=heat
// EXPECT: summary["findings"] == []
// EXPECT: heat("sums", "result").words == [1] * 8192 + [0] * 7 * 8192
