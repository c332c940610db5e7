//===- ElementFrequencies.h - Access frequencies of elements ----*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Computes how often a launch of a kernel accesses each element of an object. Elements without
// accesses are left out. A sample of contexts, spread over the kernel's launches, is examined.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_ANALYSIS_ELEMENTS_ELEMENTFREQUENCIES_H
#define GMPROF_ANALYSIS_ELEMENTS_ELEMENTFREQUENCIES_H

#include "analysis/shared/SharedMemoryUse.h"
#include <optional>
#include <vector>

namespace gmprof::analysis {

class ObjectAccesses;

/// Access frequencies of elements by launches of a kernel that agree in all arguments.
struct ElementFrequencies {
  uint32_t Kernel = 0;   ///< index in Profile::Kernels
  uint32_t Api = 0;      ///< first of the launches
  uint64_t Launches = 0; ///< number of these launches
  uint64_t Elements = 0; ///< number of accessed elements
  double Min = 0;
  Bound Mean, Max, Variation;
  std::optional<double> HottestTenth; ///< see AccessFrequencies.h
};

/// Returns the most uneven frequencies of each kernel of which all accesses are known, in order of
/// kernels. Damaged records are skipped: ObjectAccesses::readRecords() finds them.
std::vector<ElementFrequencies> elementFrequencies(ObjectAccesses &Accesses);

} // namespace gmprof::analysis

#endif // GMPROF_ANALYSIS_ELEMENTS_ELEMENTFREQUENCIES_H
