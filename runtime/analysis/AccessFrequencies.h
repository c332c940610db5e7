//===- AccessFrequencies.h - How evenly elements are accessed ---*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// DrGPUM (ASPLOS'23), Definition 3.9: the variance of access frequencies of different
// elements is their coefficient of variation, standard deviation over mean.
//
// An element that reached the counters' threshold was accessed at least as often as it
// says. The coefficient is then a lower bound: the least that it can be with all such
// elements accessed as often or more. With S the sum of all frequencies and Q that of
// their squares, it falls as long as one of them comes closer to Q / S; so this is where
// those lie that may, and the others stay.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_ANALYSIS_ACCESSFREQUENCIES_H
#define GMPROF_ANALYSIS_ACCESSFREQUENCIES_H

#include "analysis/SharedMemoryUse.h"
#include <cstdint>
#include <map>
#include <optional>

namespace gmprof::analysis {

class AccessFrequencies {
public:
  /// So many elements are accessed so often each, or, AtLeast, as often or more.
  void add(double Frequency, uint64_t Elements = 1, bool AtLeast = false);
  /// Those of other elements.
  void add(const AccessFrequencies &Others);

  uint64_t elements() const { return Elements; }
  Bound mean() const;
  double min() const { return Min; }
  Bound max() const { return {Max, !LowerBounds.empty()}; }
  Bound variation() const;
  /// Of all accesses, those to the tenth of the elements that are accessed most; nothing
  /// where frequencies are lower bounds.
  std::optional<double> hottestTenth() const;

private:
  uint64_t Elements = 0;
  double Min = 0, Max = 0, Sum = 0, Squares = 0; ///< the sums without LowerBounds
  /// Elements by frequency, which is rounded down where there would be very many.
  std::map<double, uint64_t> Known, LowerBounds;
};

} // namespace gmprof::analysis

#endif // GMPROF_ANALYSIS_ACCESSFREQUENCIES_H
