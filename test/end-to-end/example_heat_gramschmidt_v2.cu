// Version 2, with q transposed: all 8 warps read row 0 of q.
// EXAMPLE: heat/gramschmidt_v2.cu
// BUILD: -O2 -g
// OPTIONS: profile=heat
// EXPECT: summary["findings"] == []
// EXPECT: heat("project", "q").words == [8] * 256 + [0] * (255 * 256)
// EXPECT: heat("project", "a").words == ([0] + [1] * 255) * 256
