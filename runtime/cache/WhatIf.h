//===- WhatIf.h - A trace of a program that was changed ---------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Writes the trace that a program would make with some changes, where its own trace tells:
//
// Rows of an object that are padded: addresses change, and nothing else. That is refused where
// an access would straddle two rows, or no longer be aligned.
//
// x and y of threads' indices swapped (what von Buelow et al. did to ResNet by hand): in a
// block of X x Y threads made one of Y x X, thread (x, y) does what thread (y, x) did. The
// requests of a block's warps are taken apart into threads and put together as the new warps
// have them. That is sound if what a thread does depends neither on which warp it is in nor on
// the order of threads; so it is refused for kernels that use shuffles, votes and the like, and
// for those that use the results of atomics. And it must be known which accesses of different
// threads are the same execution of an instruction: so it is refused unless all warps of a
// block that access memory execute the same instructions in the same order. The requests of an
// SM keep their places: what the I-th of a warp was, the I-th of the warp with its number is.
//
// Another shape of blocks: thread (x, y, z) of the grid does what it did, in another block. All of
// the above must hold of the whole launch, and blocks may not share memory. Which blocks an SM
// would have at a time is modelled: block n goes to SM n modulo their number, as many at a time
// as threads fit, and their warps take turns. The trace to compare with is to be made the same
// way, with the shape that there is.
//
// x and y of the whole grid swapped, which is what a program does that exchanges them where it
// computes them of block and thread: thread (x, y) of the grid does what thread (y, x) did, in
// blocks of the shape that there is, so that a block has another part of the data. Told in the same
// way.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_CACHE_WHATIF_H
#define GMPROF_CACHE_WHATIF_H

#include "cache/Trace.h"
#include "profile/Result.h"
#include <array>
#include <cstdint>
#include <optional>
#include <string>

namespace gmprof::cache {

struct Padding {
  std::string Object; ///< by its name
  uint64_t RowBytes = 0, PadBytes = 0;
};

struct WhatIf {
  std::optional<Padding> Pad;
  bool SwapThreads = false; ///< of each block
  bool SwapGrid = false;    ///< of the whole grid
  /// 0, 0, 0: as it is, for comparison.
  std::optional<std::array<uint32_t, 3>> Block;
  std::string Kernel;             ///< whose threads: a regular expression; empty: all
  std::optional<uint32_t> Launch; ///< what is to be left of the trace: one launch, from 0
  bool AcceptsIncomplete = false; ///< a trace without its end
  ObjectNames Names;              ///< of objects to which the trace gives none
};

/// Returns how many requests changed: at least one, if any are to.
Result<uint64_t> rewriteTrace(const std::string &From, const std::string &To, const WhatIf &What);

} // namespace gmprof::cache

#endif // GMPROF_CACHE_WHATIF_H
