//===- AccessSums.h - Accesses to elements, added up ------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What is said of the elements of an object together (GlobalMemoryUse.h). Some of them are added
// up by one thread, and the sums of elements that follow each other are then made one.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_ANALYSIS_ACCESSSUMS_H
#define GMPROF_ANALYSIS_ACCESSSUMS_H

#include "analysis/GlobalMemoryUse.h"
#include "analysis/ValueCounts.h"
#include <map>
#include <optional>

namespace gmprof::analysis {

/// Spreads elements over powers of two.
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

/// Accesses of one kind to each of some elements: by closed forms and in all.
struct EqualCounts {
  double ByForms = 0;
  CountedValue All;
};
using EqualCountsByKind = std::array<EqualCounts, GMPROF_COUNTER_KINDS>;

class AccessSums {
public:
  AccessSums() = default;
  /// To elements of an object of which is known how many launches may access it.
  explicit AccessSums(const GlobalObjectUse &Of);

  /// Elements, wherever they are, with so many accesses of a possible kind each.
  void addValue(unsigned Kind, const CountedValue &Accesses, uint64_t Elements);
  /// What else there is of elements, wherever they are, that are accessed equally often.
  void addTouched(uint64_t Elements, const EqualCountsByKind &Counts);
  /// Elements behind all others, which are accessed equally often: that they are side by side.
  void addRun(uint64_t First, uint64_t Count, const EqualCountsByKind &Counts);
  /// Whether there is no room for more runs, or, as those before have filled it, for any.
  bool areRunsOmitted() const { return RunsOmitted; }
  void omitRuns() { RunsOmitted = true; }

  /// Adds those of elements that are behind all of these.
  void add(const AccessSums &Behind);
  /// Thresholds: of counters, by kind. What of Use is made of sums is all there but Uncounted.
  void finish(GlobalObjectUse &Use, const std::array<unsigned, GMPROF_COUNTER_KINDS> &Thresholds);

private:
  struct OfKind {
    uint64_t Launches = 0; ///< 0: not possible
    double Total = 0, ByForms = 0;
    uint64_t Touched = 0, AtThreshold = 0;
    HistogramBuilder Histogram;
    std::optional<Bound> Least, Most; ///< per launch

    void addExtremes(const Bound &Low, const Bound &High);
  };

  void addRun(const EqualElements &Run);

  std::array<OfKind, GMPROF_COUNTER_KINDS> Kinds;
  uint64_t Touched = 0;
  std::vector<EqualElements> Runs; ///< of those accessed
  bool RunsOmitted = false;
};

} // namespace gmprof::analysis

#endif // GMPROF_ANALYSIS_ACCESSSUMS_H
