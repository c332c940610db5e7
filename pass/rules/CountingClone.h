//===- CountingClone.h - A clone that counts accesses -----------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_PASS_RULES_COUNTINGCLONE_H
#define GMPROF_PASS_RULES_COUNTINGCLONE_H

#include "pass/core/Clone.h"
#include <string>

namespace llvm {
class GlobalVariable;
} // namespace llvm

namespace gmprof {

struct CountingClone : Clone {
  CountingClone(Clone C) : Clone(std::move(C)) {}

  /// Suffix of the names of the counting hooks (runtime/device/Count.cu, CountGlobal.cu): u8,
  /// u32_atomic, device, ...
  std::string CounterName;
  /// Kernels only, in the entry block: whether this is the block's first thread, and the number of
  /// threads in the block.
  llvm::Value *IsFirstThread = nullptr, *Threads = nullptr;
  /// Kernels only: all blocks have equal counts (AlikeBlocks.h), so that the first one counts for
  /// all.
  bool BlocksAlike = false;
  /// The number of blocks, if they have equal counts and counters are in device memory.
  llvm::Value *Blocks = nullptr;
  /// Kernels only: a word may have several live ranges.
  bool HasRanges = false;
  /// This clone counts live ranges (RangeRule.h), of these variables.
  bool CountsRanges = false;
  llvm::SmallVector<llvm::GlobalVariable *, 4> RangeVariables;
};

} // namespace gmprof

#endif // GMPROF_PASS_RULES_COUNTINGCLONE_H
