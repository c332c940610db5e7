//===- AccessSums.h - Sums of accesses to elements --------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Statistics over an object's elements (GlobalMemoryUse.h). Each thread sums some of the elements;
// the sums of consecutive elements are then merged.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_ANALYSIS_GLOBAL_ACCESSSUMS_H
#define GMPROF_ANALYSIS_GLOBAL_ACCESSSUMS_H

#include "analysis/global/GlobalMemoryUse.h"
#include "analysis/global/ValueCounts.h"
#include <map>
#include <optional>

namespace gmprof::analysis {

/// Histogram of elements with buckets at powers of two.
class HistogramBuilder {
public:
  void add(double PerLaunch, uint64_t Elements);
  void addAtThreshold(uint64_t Elements) { AtThreshold += Elements; }
  void add(const HistogramBuilder &Others);
  std::vector<Bucket> finish(double Threshold) const;

private:
  uint64_t Zero = 0, Fraction = 0, AtThreshold = 0;
  std::map<int, uint64_t> ByExponent;
};

/// Accesses of one kind to each of some elements: by closed forms, and in total.
struct EqualCounts {
  double ByForms = 0;
  CountedValue All;
};
using EqualCountsByKind = std::array<EqualCounts, GMPROF_COUNTER_KINDS>;

class AccessSums {
public:
  AccessSums() = default;
  /// Starts with no elements of an object whose GlobalAccesses::Launches are set.
  explicit AccessSums(const GlobalObjectUse &Of);

  /// Adds elements, at any position, with this many accesses of a kind each; ignored for impossible
  /// kinds.
  void addValue(unsigned Kind, const CountedValue &Accesses, uint64_t Elements);
  /// Adds the other statistics of elements, at any position, that are accessed equally often.
  void addTouched(uint64_t Elements, const EqualCountsByKind &Counts);
  /// Adds the run of consecutive, equally accessed elements, which must lie behind all earlier
  /// runs.
  void addRun(uint64_t First, uint64_t Count, const EqualCountsByKind &Counts);
  /// Returns true if runs are not kept, because there are too many in this part or in front of it.
  bool areRunsOmitted() const { return RunsOmitted; }
  void omitRuns() { RunsOmitted = true; }

  /// Adds the sums of elements that lie behind all of these.
  void add(const AccessSums &Behind);
  /// Sets all statistics of Use except Uncounted. Thresholds are those of the counters, by kind.
  void finish(GlobalObjectUse &Use, const std::array<unsigned, GMPROF_COUNTER_KINDS> &Thresholds);

private:
  struct OfKind {
    uint64_t Launches = 0; ///< 0: impossible
    double Total = 0, ByForms = 0;
    uint64_t Touched = 0, AtThreshold = 0;
    HistogramBuilder Histogram;
    std::optional<Bound> Least, Most; ///< per launch

    void addExtremes(const Bound &Low, const Bound &High);
  };

  void addRun(const EqualElements &Run);

  std::array<OfKind, GMPROF_COUNTER_KINDS> Kinds;
  uint64_t Touched = 0;
  std::vector<EqualElements> Runs; ///< runs of accessed elements
  bool RunsOmitted = false;
};

} // namespace gmprof::analysis

#endif // GMPROF_ANALYSIS_GLOBAL_ACCESSSUMS_H
