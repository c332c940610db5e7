//===- AccessFrequencies.h - How evenly elements are accessed ---*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// DrGPUM (ASPLOS'23), Definition 3.9: the variation of access frequencies between elements is their
// coefficient of variation, standard deviation over mean.
//
// The frequency of an element that reached the counters' threshold is a lower bound. The
// coefficient then is a lower bound too: the minimum over all admissible frequencies of such
// elements. With the sum S and the sum of squares Q of all frequencies, it falls while a frequency
// approaches Q / S. Elements below Q / S that may be higher are therefore moved there, and all
// others stay.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_ANALYSIS_ELEMENTS_ACCESSFREQUENCIES_H
#define GMPROF_ANALYSIS_ELEMENTS_ACCESSFREQUENCIES_H

#include "analysis/shared/SharedMemoryUse.h"
#include <cstdint>
#include <map>
#include <optional>

namespace gmprof::analysis {

class AccessFrequencies {
public:
  /// Adds elements with this frequency each; with AtLeast it is a lower bound.
  void add(double Frequency, uint64_t Elements = 1, bool AtLeast = false);
  /// Adds the frequencies of other elements.
  void add(const AccessFrequencies &Others);

  uint64_t elements() const { return Elements; }
  Bound mean() const;
  double min() const { return Min; }
  Bound max() const { return {Max, !LowerBounds.empty()}; }
  Bound variation() const;
  /// Returns the share of all accesses that go to the most accessed tenth of the elements; nothing
  /// if frequencies are lower bounds.
  std::optional<double> hottestTenth() const;

private:
  uint64_t Elements = 0;
  double Min = 0, Max = 0, Sum = 0, Squares = 0; ///< sums without LowerBounds
  /// Number of elements by frequency, rounded to ten binary digits to bound the size.
  std::map<double, uint64_t> Known, LowerBounds;
};

} // namespace gmprof::analysis

#endif // GMPROF_ANALYSIS_ELEMENTS_ACCESSFREQUENCIES_H
