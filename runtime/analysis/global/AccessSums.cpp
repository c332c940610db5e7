//===- AccessSums.cpp - Sums of accesses to elements ----------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "analysis/global/AccessSums.h"
#include <algorithm>
#include <cmath>

namespace gmprof::analysis {

void HistogramBuilder::add(double PerLaunch, uint64_t Elements) {
  if (PerLaunch == 0)
    Zero += Elements;
  else if (PerLaunch < 1)
    Fraction += Elements;
  else
    ByExponent[std::ilogb(PerLaunch)] += Elements;
}

void HistogramBuilder::add(const HistogramBuilder &Others) {
  Zero += Others.Zero;
  Fraction += Others.Fraction;
  AtThreshold += Others.AtThreshold;
  for (const auto &[Exponent, Elements] : Others.ByExponent)
    ByExponent[Exponent] += Elements;
}

std::vector<Bucket> HistogramBuilder::finish(double Threshold) const {
  std::vector<Bucket> Buckets;
  Buckets.push_back({0, 0, Zero, false});
  if (Fraction != 0)
    Buckets.push_back({0, 1, Fraction, false});
  if (!ByExponent.empty())
    for (int E = ByExponent.begin()->first; E <= ByExponent.rbegin()->first; ++E) {
      const auto It = ByExponent.find(E);
      const uint64_t Elements = It == ByExponent.end() ? 0 : It->second;
      Buckets.push_back({std::ldexp(1.0, E), std::ldexp(1.0, E + 1), Elements, false});
    }
  if (AtThreshold != 0)
    Buckets.push_back({Threshold, HUGE_VAL, AtThreshold, true});
  return Buckets;
}

AccessSums::AccessSums(const GlobalObjectUse &Of) {
  for (unsigned K = 0; K < GMPROF_COUNTER_KINDS; ++K)
    Kinds[K].Launches = Of.Kinds[K].Launches;
}

/// Between equal values, the minimum prefers an exact one and the maximum a lower bound.
void AccessSums::OfKind::addExtremes(const Bound &Low, const Bound &High) {
  if (!Least || Low.Value < Least->Value || (Low.Value == Least->Value && Least->AtLeast))
    Least = Low;
  if (!Most || High.Value > Most->Value || (High.Value == Most->Value && High.AtLeast))
    Most = High;
}

void AccessSums::addValue(unsigned Kind, const CountedValue &Accesses, uint64_t Elements) {
  OfKind &K = Kinds[Kind];
  if (K.Launches == 0)
    return;
  const Bound PerLaunch = {Accesses.Value / static_cast<double>(K.Launches), Accesses.AtLeast};
  K.Total += Accesses.Value * static_cast<double>(Elements);
  K.Touched += Accesses.Value != 0 ? Elements : 0;
  K.AtThreshold += Accesses.AtLeast ? Elements : 0;
  if (Accesses.AtLeast)
    K.Histogram.addAtThreshold(Elements);
  else
    K.Histogram.add(PerLaunch.Value, Elements);
  K.addExtremes(PerLaunch, PerLaunch);
}

static bool isTouched(const EqualCountsByKind &Counts) {
  return std::any_of(Counts.begin(), Counts.end(),
                     [](const EqualCounts &Each) { return Each.All.Value != 0; });
}

void AccessSums::addTouched(uint64_t Elements, const EqualCountsByKind &Counts) {
  for (unsigned K = 0; K < GMPROF_COUNTER_KINDS; ++K)
    Kinds[K].ByForms += Counts[K].ByForms * static_cast<double>(Elements);
  Touched += isTouched(Counts) ? Elements : 0;
}

void AccessSums::addRun(uint64_t First, uint64_t Count, const EqualCountsByKind &Counts) {
  if (RunsOmitted || !isTouched(Counts))
    return;
  EqualElements Run = {First, First + Count - 1, {}, false};
  for (unsigned K = 0; K < GMPROF_COUNTER_KINDS; ++K) {
    Run.Accesses[K] = Counts[K].All.Value;
    Run.AtThreshold |= Counts[K].All.AtLeast;
  }
  addRun(Run);
}

void AccessSums::addRun(const EqualElements &Run) {
  if (!Runs.empty()) {
    EqualElements &Last = Runs.back();
    if (Last.Last + 1 == Run.First && Last.Accesses == Run.Accesses &&
        Last.AtThreshold == Run.AtThreshold) {
      Last.Last = Run.Last;
      return;
    }
  }
  if (Runs.size() < MaxRuns)
    Runs.push_back(Run);
  else
    RunsOmitted = true;
}

void AccessSums::add(const AccessSums &Behind) {
  for (unsigned K = 0; K < GMPROF_COUNTER_KINDS; ++K) {
    OfKind &To = Kinds[K];
    const OfKind &From = Behind.Kinds[K];
    To.Total += From.Total;
    To.ByForms += From.ByForms;
    To.Touched += From.Touched;
    To.AtThreshold += From.AtThreshold;
    To.Histogram.add(From.Histogram);
    if (From.Least)
      To.addExtremes(*From.Least, *From.Most);
  }
  Touched += Behind.Touched;
  for (const EqualElements &Run : Behind.Runs)
    addRun(Run);
  RunsOmitted |= Behind.RunsOmitted;
}

void AccessSums::finish(GlobalObjectUse &Use,
                        const std::array<unsigned, GMPROF_COUNTER_KINDS> &Thresholds) {
  const bool Uncounted = !Use.Uncounted.empty();
  Use.Touched = Touched;
  Use.Counts = std::move(Runs);
  Use.CountsOmitted = RunsOmitted;
  for (unsigned K = 0; K < GMPROF_COUNTER_KINDS; ++K) {
    const OfKind &From = Kinds[K];
    GlobalAccesses &A = Use.Kinds[K];
    A.ByClosedForms = From.ByForms;
    if (From.Launches == 0)
      continue;
    const bool AtLeast = From.AtThreshold != 0 || Uncounted;
    A.Touched = From.Touched;
    A.AtThreshold = From.AtThreshold;
    A.Total = {From.Total, AtLeast};
    A.Min = From.Least.value_or(Bound());
    A.Max = From.Most.value_or(Bound());
    A.Min.AtLeast |= Uncounted;
    // An element at the threshold may be the most accessed one.
    A.Max.AtLeast |= AtLeast;
    const auto Elements = static_cast<double>(std::max<uint64_t>(Use.Elements, 1));
    A.Mean = {A.Total.Value / Elements / static_cast<double>(A.Launches), AtLeast};
    A.Histogram = From.Histogram.finish(Thresholds[K]);
  }
}

} // namespace gmprof::analysis
