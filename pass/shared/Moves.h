//===- Moves.h - Moves between global and shared memory ---------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_PASS_SHARED_MOVES_H
#define GMPROF_PASS_SHARED_MOVES_H

#include "pass/core/Sites.h"
#include "static-analysis/LiveRanges.h"

namespace gmprof {

/// A move between global and shared memory (static-analysis/LiveRanges.h).
struct MoveSite {
  GmprofMoveKind Kind = GMPROF_MOVE_BEGIN;
  int Shared = -1, Global = -1; ///< variables of the kernel's FunctionSites
  unsigned Bytes = 0;
  SourceLocation Source;
};

/// Returns the descriptions of a kernel's moves, and adds the variables that only they access to
/// Kernel.
std::vector<MoveSite> describeMoves(const LiveRanges &Ranges, FunctionSites &Kernel);

} // namespace gmprof

#endif // GMPROF_PASS_SHARED_MOVES_H
