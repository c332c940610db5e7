//===- TestTrace.cpp - Writes a trace for gmreport's tests ----------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// gmprof-test-trace FILE: two launches of a kernel that copies a matrix of 64 rows of 64 words to
// its transpose, one block of two warps on each of two SMs. Warp w of block b reads rows 32 b to 32
// b + 31, columns 32 w to 32 w + 31, a line at a time. It writes each row r as column r: one word
// in each of 32 sectors.
//
//===----------------------------------------------------------------------===//

#include "cache/TraceWriter.h"

using namespace gmprof::cache;

int main(int Argc, char **Argv) {
  auto Opened = TraceWriter::create(Argc > 1 ? Argv[1] : "", {"sm_90", "NVIDIA H200", 132, 64, 0});
  if (!Opened) {
    std::fprintf(stderr, "%s\n", Opened.error().c_str());
    return 1;
  }
  TraceWriter &W = **Opened;
  W.addKernel({"transpose(float const*, float*)", false});
  W.addSite({0, "/src/transpose.cu", 3, "", {}});
  W.addSite({0, "/src/transpose.cu", 4, "", {}});
  W.allocate({1, "in", 0x10000, 64 * 64 * 4});
  W.allocate({2, "out", 0x20000, 64 * 64 * 4});
  TraceLaunch Launch;
  Launch.Grid = {2, 1, 1};
  Launch.Block = {64, 1, 1};
  Launch.BlocksPerSm = 1;
  for (unsigned L = 0; L < 2; ++L) {
    W.beginLaunch(Launch);
    for (uint32_t Block = 0; Block < 2; ++Block)
      for (uint32_t Row = 32 * Block; Row < 32 * Block + 32; ++Row)
        for (uint16_t Warp = 0; Warp < 2; ++Warp) {
          Request R;
          R.Block = Block;
          R.Warp = Warp;
          R.Affine = true;
          R.Addresses[0] = 0x10000 + (Row * 64 + 32U * Warp) * 4;
          R.Stride = 4;
          W.add(Block, {&R, 1});
          R.Site = 1;
          R.Kind = AccessKind::Store;
          R.Addresses[0] = 0x20000 + (32U * Warp * 64 + Row) * 4;
          R.Stride = 64 * 4;
          W.add(Block, {&R, 1});
        }
    W.endLaunch();
  }
  return W.finish() ? 0 : 1;
}
