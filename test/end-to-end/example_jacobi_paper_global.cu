// Device memory of version 2 of the Jacobi example: a point of `in` is read once for
// each tile of 16 x 16 that holds it or one of its four neighbours: once inside a
// tile. Each point of `out` is written once. The two buffers change places after each
// of 10 launches.
// EXAMPLE: jacobi/jacobi_paper.cu
// OPTIONS: profile=global
// BUILD: -O2 -g
// EXPECT: [m.reads for m in kernel("jacobi").memory] == [[
//     5 * len({((v - 1) // 16, (u - 1) // 16)
//              for v, u in [(y, x), (y - 1, x), (y + 1, x), (y, x - 1), (y, x + 1)]
//              if 1 <= v <= 256 and 1 <= u <= 256})
//     for y in range(258) for x in range(258)]] * 2
// EXPECT: [m.writes for m in kernel("jacobi").memory] == [[
//     5 * (1 <= y <= 256 and 1 <= x <= 256) for y in range(258) for x in range(258)]] * 2
