//===- LayerTrace.h - A trace of poor locality ------------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Launch 1, layer(in, out): four blocks of 32 x 32 threads, each on its own SM, with 128 KB of
// shared memory, which leaves 124 KB of L1, 992 lines. Thread (x, y) of block b reads word y + 32 k
// of row 32 b + x, for k from 0 to 63; a row has 2048 words. A warp reads one word of each of 32
// rows at a time, and finishes all k before the next warp starts: 2048 lines, more than L1 holds,
// and the most that NotedLines.h keeps without sampling. The first two blocks then write 4 KB, a
// line per warp.
//   in:  4 * 32 * 64 requests of 32 sectors, 262144; an SM fetches each of 32768 sectors 8 times,
//        as 8 warps each read a word of it: 229376 repeated fetches.
//   out: 64 requests of 4 sectors, 256.
// Launch 2, copy(out, result), of two blocks: 64 requests that read 4 sectors, and 64 that write
// them.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_TEST_UNIT_CACHE_LAYERTRACE_H
#define GMPROF_TEST_UNIT_CACHE_LAYERTRACE_H

#include "cache/TraceWriter.h"

namespace gmprof::test {

inline constexpr uint64_t LayerIn = 0x100000, LayerOut = 0x300000, LayerResult = 0x400000;
inline constexpr uint64_t LayerInBytes = 128 * 2048 * 4, LayerOutBytes = 64 * 128;

inline void addLine(cache::TraceWriter &W, uint32_t Site, cache::AccessKind Kind, uint32_t Block,
                    uint16_t Warp, uint64_t Base, int64_t Stride = 4) {
  cache::Request R;
  R.Site = Site;
  R.Kind = Kind;
  R.Block = Block;
  R.Warp = Warp;
  R.Affine = true;
  R.Addresses[0] = Base;
  R.Stride = Stride;
  W.add(Block, {&R, 1});
}

/// Writes the trace; returns false on failure. `End` belongs to the first launch.
inline bool writeLayerTrace(const std::string &Path, const cache::TraceLaunchEnd &End = {}) {
  using enum cache::AccessKind;
  auto Opened = cache::TraceWriter::create(Path, {"sm_90", "Test GPU", 132, 64, 0});
  if (!Opened)
    return false;
  cache::TraceWriter &W = **Opened;
  W.addKernel({"_Z5layerPKfPf", false});
  W.addKernel({"_Z4copyPKfPf", false});
  W.addSite({0, "/src/layer.cu", 7, "", {}});
  W.addSite({0, "/src/layer.cu", 8, "", {}});
  W.addSite({1, "/src/layer.cu", 14, "", {}});
  W.addSite({1, "/src/layer.cu", 14, "", {}});
  W.allocate({1, "", LayerIn, LayerInBytes}); // the log has its name
  W.allocate({2, "out", LayerOut, LayerOutBytes});
  W.allocate({3, "result", LayerResult, LayerOutBytes});
  cache::TraceLaunch Launch;
  Launch.Number = 1;
  Launch.Grid = {4, 1, 1};
  Launch.Block = {32, 32, 1};
  Launch.SharedBytes = 128 << 10;
  Launch.BlocksPerSm = 1;
  W.beginLaunch(Launch);
  for (uint32_t Block = 0; Block < 4; ++Block)
    for (uint16_t Warp = 0; Warp < 32; ++Warp) {
      for (uint64_t K = 0; K < 64; ++K)
        addLine(W, 0, Load, Block, Warp, LayerIn + (32 * Block * 2048 + Warp + 32 * K) * 4,
                2048 * 4);
      if (Block < 2)
        addLine(W, 1, Store, Block, Warp, LayerOut + (Block * 32U + Warp) * 128);
    }
  W.endLaunch(End);
  Launch.Number = 2;
  Launch.Kernel = 1;
  Launch.Grid = {2, 1, 1};
  Launch.Block = {1024, 1, 1};
  Launch.SharedBytes = 0;
  W.beginLaunch(Launch);
  for (uint32_t Block = 0; Block < 2; ++Block)
    for (uint16_t Warp = 0; Warp < 32; ++Warp) {
      addLine(W, 2, Load, Block, Warp, LayerOut + (Block * 32U + Warp) * 128);
      addLine(W, 3, Store, Block, Warp, LayerResult + (Block * 32U + Warp) * 128);
    }
  W.endLaunch();
  return bool(W.finish());
}

} // namespace gmprof::test

#endif // GMPROF_TEST_UNIT_CACHE_LAYERTRACE_H
