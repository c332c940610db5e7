// Version 2: warp w of block 0 loads row w of each tile of A, and stores row w of C; it loads row w
// of each tile of B. No word is accessed by two warps, and there are no findings.
// EXAMPLE: heat/gemm_v2.cu
// BUILD: -O2 -g
// BUILD: -O2 -g -mllvm -gm-heat-closed-forms=false
// EXPECT-SAME-HEAT:
// OPTIONS: profile=heat
// EXPECT: summary["findings"] == []
// EXPECT: heat("gemm", "a").words == [1] * (32 * 128) + [0] * (96 * 128)
// EXPECT: heat("gemm", "a").sectors == [1] * (32 * 16) + [0] * (96 * 16)
// EXPECT: heat("gemm", "b").words == ([1] * 32 + [0] * 96) * 128
// EXPECT: heat("gemm", "b").sectors == ([1] * 4 + [0] * 12) * 128
// EXPECT: heat("gemm", "c").sectors == ([1] * 4 + [0] * 12) * 32 + [0] * (96 * 16)
// EXPECT: heat("gemm", "tileA").sharers == "W" * 1024
// EXPECT: heat("gemm", "tileB").sharers == "S" * 1024
