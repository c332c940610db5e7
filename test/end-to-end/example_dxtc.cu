// The DXTC example: 32 blocks of 64 threads. Nearly all accesses are in device
// functions that are not inlined, through pointers.
//   texels       stored; loaded by all threads for the axis, and by one thread for
//                its projection and to put it in order: 1 + 64 + 1 + 1
//   projections  stored; each of 16 threads compares its own with all: 1 + 16
//   ordered      stored; loaded to try each of 969 ways, and by all threads to try
//                the best one again: 1 + 969 + 64
//   indices      stored; or-ed into by 16 threads; loaded: 1 + 16 + 1
//   keys         stored and loaded by the own thread; stored at those of the 6 spans
//                32, 16, … 1 that are above its number t, 6 - bit_length(t); loaded
//                once by another thread, but number 0 by all at the end
// EXAMPLE: dxtc/dxtc.cu
// BUILD: -O2 -g
// BUILD: -O2 --gmprof-level=basic
// EXPECT: shared("compress", "texels").counts == [32 * 67] * 48
// EXPECT: shared("compress", "projections").counts == [32 * 17] * 16
// EXPECT: shared("compress", "ordered").counts == [32 * (1 + 969 + 64)] * 48
// EXPECT: shared("compress", "indices").counts == [32 * 18]
// EXPECT: shared("compress", "keys").counts ==
//     [32 * (2 + 6 - t.bit_length() + (1 if t else 64)) for t in range(64)]
// EXPECT: summary["findings"] == []
