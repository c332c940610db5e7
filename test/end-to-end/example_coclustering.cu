// The co-clustering example, 4 rounds on 512 rows and 64 columns in 8 and 4 groups.
// assignRows: 4 blocks of 64 threads, so each thread takes 2 rows. A row's count is
// stored, and loaded for each row by each thread: 1 + 64 * 2. A column's group is
// loaded for each of the 8 groups as well: 1 + 64 * 2 * 8. The 4 means of a group
// of rows are stored once each, and for each row one is loaded for each of the 64
// columns: which, is data, but all four together it is 4 + 64 * 2 * 64.
// assignColumns: a block of 64 threads for each of 64 columns adds up a tree over 64
// words for each group: stored; loaded and stored at those of the 6 spans above t;
// loaded once as the far operand, and word 0 at the end.
// updateMeans, 5 times: a block for each of 8 * 4 pairs stores and loads the sum; of
// the 4 blocks of a group of rows, each of 64 columns is in one, and added to there.
// EXAMPLE: coclustering/coclustering.cu
// BUILD: -O2 -g
// BUILD: -O2 --gmprof-level=basic
// EXPECT: shared("assignRows", "rowCount").counts == [4 * 4 * (1 + 64 * 2)] * 8
// EXPECT: shared("assignRows", "columnGroup").counts == [4 * 4 * (1 + 64 * 2 * 8)] * 64
// EXPECT: [sum(shared("assignRows", "mean").counts[4 * g:4 * g + 4]) for g in range(8)] ==
//     [4 * 4 * (4 + 64 * 2 * 64)] * 8
// EXPECT: shared("assignColumns", "distance").counts ==
//     [4 * 64 * (1 + 2 * (6 - t.bit_length()) + 1) for group in range(4) for t in range(64)]
// EXPECT: shared("updateMeans", "sum").counts == [5 * (8 * 4 * 2 + 8 * 64)]
// EXPECT: summary["findings"] == []
