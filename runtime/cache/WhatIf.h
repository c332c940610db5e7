//===- WhatIf.h - Trace of a modified program -------------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Rewrites a trace as a modified program would produce it. Supported modifications:
//
// Padding of an object's rows: only addresses change. Refused if an access would straddle two rows
// or lose its alignment.
//
// Swapping x and y of thread indices (as von Buelow et al. did for ResNet by hand): in a block of X
// x Y threads turned into Y x X, thread (x, y) does the work of thread (y, x). The requests of a
// block's warps are split into threads and recombined into the new warps. Swapping is valid only if
// a thread's work depends neither on its warp nor on the order of threads, so it is refused for
// kernels that use shuffles, votes and the like, or the results of atomics. It must also be known
// which accesses of different threads are the same execution of an instruction, so it is refused
// unless all warps of a block that access memory execute the same instructions in the same order.
// Requests keep their positions in an SM: the I-th request of a warp becomes the I-th request of
// the new warp with its number.
//
// Another block shape: thread (x, y, z) of the grid does the same work in another block. All of the
// above must hold for the whole launch, and blocks must not use shared memory. Residency is
// modelled: block n runs on SM n modulo the number of SMs, as many at a time as threads fit, and
// their warps take turns. The trace to compare with has to be rewritten in the same way with the
// original shape.
//
// Swapping x and y of the whole grid, as a program that exchanges them where it computes them from
// block and thread: thread (x, y) of the grid does the work of thread (y, x), in blocks of the
// original shape, so that a block processes another part of the data. Modelled as another block
// shape.
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
  std::string Object; ///< name
  uint64_t RowBytes = 0, PadBytes = 0;
};

struct WhatIf {
  std::optional<Padding> Pad;
  bool SwapThreads = false; ///< in each block
  bool SwapGrid = false;    ///< in the whole grid
  /// New block shape; 0, 0, 0: the original one, for comparison.
  std::optional<std::array<uint32_t, 3>> Block;
  std::string Kernel;             ///< regular expression that selects kernels; empty: all
  std::optional<uint32_t> Launch; ///< the only launch to keep, from 0
  bool AcceptsIncomplete = false; ///< accepts a trace without its end
  ObjectNames Names;              ///< names of objects that the trace does not name
};

/// Rewrites a trace and returns the number of changed requests. Fails if changes are requested and
/// none apply.
Result<uint64_t> rewriteTrace(const std::string &From, const std::string &To, const WhatIf &What);

} // namespace gmprof::cache

#endif // GMPROF_CACHE_WHATIF_H
