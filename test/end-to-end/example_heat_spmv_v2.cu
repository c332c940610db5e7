// Version 2: each row has both offsets, and the window of x is loaded once.
// EXAMPLE: heat/spmv_v2.cu
// BUILD: -O2 -g
// OPTIONS: profile=heat
// EXPECT: summary["findings"] == []
// EXPECT: heat("spmv", "offsets").words == [1] * 512 + [0] * 3584
// EXPECT: heat("spmv", "x").words == [1] * 1024 + [0] * 1024
// EXPECT: heat("spmv", "x").accesses == 1024
// EXPECT: heat("spmv", "y").words == [1] * 256 + [0] * 1792
