//===- BlockRange.h - Some of a launch's blocks -----------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_PROFILE_BLOCKRANGE_H
#define GMPROF_PROFILE_BLOCKRANGE_H

#include <cstdint>

namespace gmprof {

/// Blocks of a launch by linear number: First, First + Step, … below End.
struct BlockRange {
  uint64_t First = 0, End = 1, Step = 1;

  /// Returns the number of blocks in the range, for a launch of `Blocks` blocks.
  uint64_t count(uint64_t Blocks) const {
    const uint64_t Last = End < Blocks ? End : Blocks;
    return First >= Last ? 0 : (Last - First - 1) / Step + 1;
  }
  bool operator==(const BlockRange &) const = default;
};

} // namespace gmprof

#endif // GMPROF_PROFILE_BLOCKRANGE_H
