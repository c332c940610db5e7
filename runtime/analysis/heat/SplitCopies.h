//===- SplitCopies.h - Copies of vectors in several parts -------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// clang compiles the assignment of a structure, such as float4, to a copy of memory, and that to
// accesses of 4 or 8 bytes. nvcc makes one access of the whole.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_ANALYSIS_HEAT_SPLITCOPIES_H
#define GMPROF_ANALYSIS_HEAT_SPLITCOPIES_H

#include "analysis/heat/HeatUse.h"
#include <optional>

namespace gmprof::analysis {

/// A copy of the size of a vector, in instructions of PartBytes.
struct SplitCopy {
  unsigned Bytes = 0, PartBytes = 0;

  /// Returns a sentence for a message, with a blank before it.
  std::string sentence() const;
  std::string suggestion() const;

  bool operator==(const SplitCopy &) const = default;
};

/// Returns the copy that an access is, if clang splits it.
std::optional<SplitCopy> splitCopy(const HeatAccess &A);

/// Returns the copy that all of these accesses are, by index in L.Accesses.
std::optional<SplitCopy> splitCopy(const LaunchHeat &L, const std::vector<uint32_t> &Accesses);

} // namespace gmprof::analysis

#endif // GMPROF_ANALYSIS_HEAT_SPLITCOPIES_H
