//===- SharedOptions.h - Options of the profile of shared memory -*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_PASS_SHARED_SHAREDOPTIONS_H
#define GMPROF_PASS_SHARED_SHAREDOPTIONS_H

#include "pass/core/Options.h"

namespace gmprof {

struct SharedOptions {
  unsigned CounterBits = 32;
  /// Counters in shared memory saturate here; 0: counters are in device memory.
  unsigned Threshold = 0;
  /// Counters in shared memory are updated atomically.
  bool AtomicUpdates = true;
  /// If all blocks have equal counts, the first one counts for all (AlikeBlocks.h).
  bool AlikeBlocks = true;
  /// Accesses that a closed form describes are not counted (ClosedFormRule.cpp). Levels below
  /// sa-na-sm have no closed forms, as in the paper.
  bool ClosedForms = true;
  /// Accesses are counted per live range, too (RangeRule.h).
  bool LiveRanges = true;
};

/// Returns the options of the command line, or an error.
llvm::Expected<SharedOptions> sharedOptions(const Options &O);

} // namespace gmprof

#endif // GMPROF_PASS_SHARED_SHAREDOPTIONS_H
