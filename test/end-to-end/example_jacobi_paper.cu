// Version 2 of the Jacobi example: of the 18 x 18 words of the tile, the inner
// 16 x 16 are those of the block's threads. All but the corners are stored once.
// A word is loaded once by the thread of each neighbour that is an inner word: 4
// times inside, 3 and 2 times at the inner edges and corners, once in the halo.
// All this in each of 256 tiles and 10 launches; the stores move data in, and so
// belong to no live range.
// EXAMPLE: jacobi/jacobi_paper.cu
// OPTIONS: live-ranges=every
// BUILD: -O2 -g
// EXPECT-OUTPUT: jacobi paper: 10 sweeps over 256 x 256 points, sum 60187.2: PASSED
// EXPECT: shared("jacobi", "tile").counts == [
//     256 * 10 * ((1 <= y <= 16 or 1 <= x <= 16) +
//                 sum(1 <= v <= 16 and 1 <= u <= 16
//                     for v, u in [(y - 1, x), (y + 1, x), (y, x - 1), (y, x + 1)]))
//     for y in range(18) for x in range(18)]
// EXPECT: shared("jacobi", "tile").ranges == {
//     n: 256 * 10 * words for n, words in [(1, 4 * 16), (2, 4), (3, 4 * 14), (4, 14 * 14)]}
// EXPECT: {a for _, a in shared("jacobi", "tile").moves("begins")} == {"in"}
// EXPECT: shared("jacobi", "tile").moves("ends") == []
// EXPECT: summary["findings"] == []
