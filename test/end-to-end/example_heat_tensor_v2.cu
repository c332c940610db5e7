// Version 2: the same without shared memory.
// EXAMPLE: heat/tensor_v2.cu
// BUILD: -O2 -g
// OPTIONS: profile=heat
// EXPECT: summary["findings"] == []
// EXPECT: heat("multiply", "y").words == ([1] * 256 + [0] * 7 * 256) * 4
