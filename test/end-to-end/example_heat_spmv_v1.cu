// Version 1 of a sparse product with 2048 rows: block 0 has rows 0 to 255, 32 in each of 8 warps. A
// warp loads the offsets of its rows and of the rows after those, in requests for 32 words that
// begin at word 0 and word 1 of a sector: except in warp 0, the first word also has the previous
// warp. Elements of x in the window of columns 0 to 1023 are read at random.
// EXAMPLE: heat/spmv_v1.cu
// BUILD: -O2 -g
// OPTIONS: profile=heat
// EXPECT: [f[:3] for f in heat_findings()] == [
//     ("hot_spot", "random", "x"), ("misaligned_access", "neighbour", "offsets")]
// EXPECT: heat("spmv", "offsets").words == [
//     0 if r > 256 else 2 if r % 32 == 0 and 0 < r < 256 else 1 for r in range(2049)]
// EXPECT: finding("misaligned_access", "offsets")["misaligned_requests"] == 8
// EXPECT: finding("misaligned_access", "offsets")["sectors_per_request"] == 5
// EXPECT: finding("misaligned_access", "offsets")["extra_share"] == 0.25
// EXPECT: finding("hot_spot", "x")["hot_sectors"] == 128
// EXPECT: heat("spmv", "x").words[1024:] == [0] * 1024
// EXPECT: heat("spmv", "y").words == [1] * 256 + [0] * 1792
