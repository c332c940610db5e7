// Version 1 of the product of matrices of 128 rows: 32 warps of block 0 process 32 rows of A; each
// row is read by every warp, so all 32 * 128 words have 32 warps. Warp w reads column w of B, and
// reads and writes column w of 32 rows of C: a word has 1 warp, a sector 8.
// EXAMPLE: heat/gemm_v1.cu
// BUILD: -O2 -g
// OPTIONS: profile=heat
// EXPECT: [f[:3] for f in heat_findings()] == [
//     ("false_sharing", "", "b"), ("uncoalesced_access", "load", "a"),
//     ("uncoalesced_access", "load_and_store", "c")]
// EXPECT: heat("gemm", "a").words == [32] * (32 * 128) + [0] * (96 * 128)
// EXPECT: heat("gemm", "a").sectors == [32] * (32 * 16) + [0] * (96 * 16)
// EXPECT: heat("gemm", "b").words == ([1] * 32 + [0] * 96) * 128
// EXPECT: heat("gemm", "b").sectors == ([8] * 4 + [0] * 12) * 128
// EXPECT: heat("gemm", "c").words == ([1] * 32 + [0] * 96) * 32 + [0] * (96 * 128)
// EXPECT: heat("gemm", "c", by="writes").sectors == ([8] * 4 + [0] * 12) * 32 + [0] * (96 * 16)
// EXPECT: finding("uncoalesced_access", "a")["stride_bytes"] == 128 * 4
// EXPECT: finding("uncoalesced_access", "a")["sectors_per_request"] == 32
// EXPECT: finding("false_sharing", "b")["falsely_shared_sectors"] == 128 * 4
// EXPECT: finding("uncoalesced_access", "c")["stride_bytes"] == 128 * 4
// EXPECT: finding("uncoalesced_access", "c")["sectors_per_request"] == 32
// EXPECT: coverage["launches"]["profiled"] == 1 and coverage["gaps"] == []
