// Version 2 of the binomial options example. Each of 8 blocks evaluates its
// tree from level 256 to 0, 32 levels at a time, in tiles that are 128 words
// apart. The last word of a tile is 159, or the end of the level, if that is
// less: at the levels 256, 224, … 32 these are 159 128, 159 96, 159 64, 159 32,
// 128, 96, 64, 32. With last word L, word y of the first half is stored if y <=
// L. To go back the k-th level, each thread t <= L - k stores word t of one
// half, and loads words t and t + 1 of the other: it stores into the second
// half if k is odd. At the end the words y <= L - 32 of the first half are
// loaded.
// EXAMPLE: binomial/binomial_v2.cu
// BUILD: -O2 -g
// BUILD: -O2 --gmprof-level=basic
// EXPECT: shared("price", "tile").counts == [
//     8 * sum((h == 0) * ((y <= L) + (y <= L - 32)) +
//             sum(y <= L - k if k % 2 == h else (y <= L - k) + (1 <= y <= L - k + 1)
//                 for k in range(1, 33))
//             for L in [159] * 4 + [128, 96, 64, 32] * 2)
//     for h in range(2) for y in range(160)]
// EXPECT: summary["findings"] == []
