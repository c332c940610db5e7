// The sparse matrix example: 64 warps, 4 in each of 16 blocks, share 512 rows, 8 for each. For a
// row, its 2 bounds are stored once and loaded by all 32 lanes. Each lane stores its sum; at
// distances 16, 8, … 1, lanes below the distance load the word that far above theirs and store
// their own. Therefore word w is stored once and then at the 5 - bit_length(w) distances above w;
// all words except 0 are loaded once.
// EXAMPLE: spmv/spmv.cu
// BUILD: -O2 -g
// BUILD: -O2 --gmprof-level=basic
// EXPECT: shared("spmv", "bounds").counts == [16 * 8 * (1 + 32)] * (4 * 2)
// EXPECT: shared("spmv", "sums").counts ==
//     [16 * 8 * (1 + 5 - w.bit_length() + (w > 0)) for warp in range(4) for w in range(32)]
// EXPECT: summary["findings"] == []
