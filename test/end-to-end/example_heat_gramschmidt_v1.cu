// A step of Gram-Schmidt with 256 columns, version 1, k = 0: all 8 warps of the block read column 0
// of q, of which each row has 256 words. In rows of a, and row 0 of r, word 0 is not accessed.
// EXAMPLE: heat/gramschmidt_v1.cu
// BUILD: -O2 -g
// OPTIONS: profile=heat
// EXPECT: [f[:3] for f in heat_findings()] == [("strided_access", "across_iterations", "q")]
// EXPECT: heat("project", "q").words == ([8] + [0] * 255) * 256
// EXPECT: heat("project", "q").sectors == ([8] + [0] * 31) * 256
// EXPECT: heat("project", "a").words == ([0] + [1] * 255) * 256
// EXPECT: heat("project", "a").accesses == 255 * 256 * 3
// EXPECT: heat("project", "r", by="writes").words == ([0] + [1] * 255) + [0] * (255 * 256)
// EXPECT: finding("strided_access", "q")["stride_bytes"] == 1024
// EXPECT: finding("strided_access", "q")["sparse_sectors"] == 256
// EXPECT: finding("strided_access", "q")["wasted_share"] == 7 / 8
