// Version 2 of the Jacobi example: no shared memory, and no finding about accesses.
// EXAMPLE: jacobi/jacobi_v2.cu
// OPTIONS: profile=heat,shared:launch-sampling=every
// BUILD: -O2 -g
// EXPECT: kernel("jacobi").arrays == []
// EXPECT: summary["findings"] == []
// EXPECT-OUTPUT: jacobi v2: 10 sweeps over 256 x 256 points, sum 60187.2: PASSED
