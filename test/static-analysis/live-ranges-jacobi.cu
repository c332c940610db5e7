// Jacobi of examples/: the first version puts results in the tile and stores them
// from there; the second loads input and its halo to the tile, once for each place.
// RUN: %clang-cuda-plain --cuda-device-only -emit-llvm -S -o - -O2 \
// RUN:     %source/examples/jacobi/jacobi_v1.cu \
// RUN:   | %opt -passes='print<gm-live-ranges>' -disable-output | FileCheck --check-prefix=V1 %s
// RUN: %clang-cuda-plain --cuda-device-only -emit-llvm -S -o - -O2 \
// RUN:     %source/examples/jacobi/jacobi_paper.cu \
// RUN:   | %opt -passes='print<gm-live-ranges>' -disable-output | FileCheck --check-prefix=V2 %s

// V1: live ranges of _Z6jacobiPKfPf: 1{{$}}
// V1-NEXT: - end tile 4 to argument 2{{$}}
// V1-NEXT: several ranges per block

// V2: live ranges of _Z6jacobiPKfPf: 5{{$}}
// V2-COUNT-5: - begin tile 4 from argument 1{{$}}
// V2-NEXT: several ranges per block
