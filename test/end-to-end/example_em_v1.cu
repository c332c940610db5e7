// Version 1 of the EM example: 4 blocks of 128 threads take 4096 points in 8
// passes each, in each of 5 launches. For each point and component, the log
// density is stored; loaded and stored again as density; and as responsibility;
// then the component's 4 threads, one for each dimension, load it: 1 + 2 + 2 + 4
// in a pass. A coordinate is stored once and loaded by the threads of its
// dimension, one for each of 16 components: 1 + 16.
// EXAMPLE: em/em_v1.cu
// BUILD: -O2 -g
// BUILD: -O2 --gmprof-level=basic
// EXPECT: shared("expectation", "responsibility").counts == [5 * 4 * 8 * 9] * (16 * 128)
// EXPECT: shared("expectation", "tile").counts == [5 * 4 * 8 * 17] * (4 * 128)
// EXPECT: kernel("maximisation").arrays == []
// EXPECT: summary["findings"] == []
