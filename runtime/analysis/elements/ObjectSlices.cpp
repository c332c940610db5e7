//===- ObjectSlices.cpp - Slices of an object over time -------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "analysis/elements/ObjectSlices.h"
#include "analysis/elements/AccessFrequencies.h"
#include "analysis/elements/ObjectAccesses.h"
#include "profile/Parallel.h"
#include <algorithm>
#include <map>

namespace gmprof::analysis {

using namespace profile;

/// The most steps for finding the slices of an object.
static constexpr uint64_t SliceSteps = uint64_t(1) << 30;

namespace {

/// The accesses to an object, with their times and streams.
class TimedAccesses {
public:
  explicit TimedAccesses(ObjectAccesses &Of) : Of(Of) {
    for (const RecordUse &R : Of.records())
      Parts += R.Runs;
  }

  /// Add accesses, and return false if launches are not in the trace, or if there are too
  /// many accesses.
  bool addContexts();
  bool addRecordsOfAllContexts();
  void addCopiesAndSets();

  /// Returns the slices; none if they are unknown.
  std::vector<AccessSlice> slices() const;

private:
  template <typename Launches> TimedAccess &add(const Launches &Each);
  void addRuns(TimedAccess &To, const RecordUses &Records) const;

  ObjectAccesses &Of;
  std::vector<TimedAccess> Accesses;
  std::set<uint64_t> Streams;
  uint64_t Parts = 0; ///< progressions and runs
};

} // namespace

/// Adds an access by the launches of a CountedContext or CountedKernel.
template <typename Launches> TimedAccess &TimedAccesses::add(const Launches &Each) {
  Streams.insert(Each.Streams.begin(), Each.Streams.end());
  return Accesses.emplace_back(TimedAccess{Each.First, Each.Last, {}, {}});
}

/// Adds the runs of all records, merged across kinds of accesses.
void TimedAccesses::addRuns(TimedAccess &To, const RecordUses &Records) const {
  for (const RecordUse *R : Records)
    if (R->Few.size() == R->Runs)
      To.Runs.insert(To.Runs.end(), R->Few.begin(), R->Few.end());
    else if (const std::optional<CountedRun> Counted = Of.read(*R->Of))
      Counted->forEachRun([&](ElementRun Run) { To.Runs.push_back(Run); });
  const auto IsBefore = [](const ElementRun &A, const ElementRun &B) { return A.First < B.First; };
  if (!std::is_sorted(To.Runs.begin(), To.Runs.end(), IsBefore))
    std::sort(To.Runs.begin(), To.Runs.end(), IsBefore);
  uint64_t End = 0;
  for (ElementRun &R : To.Runs) {
    const uint64_t Last = std::max(R.end(), End);
    R.First = std::max(R.First, End);
    R.Count = Last - R.First;
    End = Last;
  }
}

bool TimedAccesses::addContexts() {
  for (uint32_t I : Of.contexts()) {
    const CountedContext &C = Of.launches().context(I);
    if (C.Launches == 0)
      continue;
    if (C.First == None || Parts > MostProgressions)
      return false;
    TimedAccess &To = add(C);
    Of.progressions(C, [&](const Progression &Each, unsigned Bytes) {
      if (++Parts <= MostProgressions)
        To.Progressions.emplace_back(Each, Bytes, Of.shift());
    });
    addRuns(To, Of.records(C.Of->Kernel, C.Of->Context));
  }
  return true;
}

bool TimedAccesses::addRecordsOfAllContexts() {
  std::set<uint32_t> Kernels;
  for (const RecordUse &R : Of.records())
    if (R.Of->Context == 0)
      Kernels.insert(R.Of->Kernel);
  for (uint32_t Kernel : Kernels) {
    const CountedKernel &K = Of.launches().kernels()[Kernel];
    if (K.First == None || Parts > MostProgressions)
      return false;
    addRuns(add(K), Of.records(Kernel, 0));
  }
  return true;
}

void TimedAccesses::addCopiesAndSets() {
  for (uint32_t I : Of.history().uses(Of.object())) {
    const Api &A = Of.history().trace().Apis[I];
    if (A.Kind != ApiKind::Copy && A.Kind != ApiKind::Set)
      continue;
    const uint32_t Time = Of.history().timestamp(I);
    Streams.insert(A.Stream);
    for (const ApiAccess &Access : A.Accesses)
      if (Access.Object == Of.object())
        Accesses.push_back({Time, Time, {}, {Of.runOf(Access)}});
  }
}

std::vector<AccessSlice> TimedAccesses::slices() const {
  // Accesses to different elements from several streams may run concurrently, whatever the
  // dependency graph says of the whole object.
  if (Parts > MostProgressions || Streams.size() != 1)
    return {};
  uint64_t Work = SliceSteps;
  return accessSlices(Accesses, Of.elements(), Work).value_or(std::vector<AccessSlice>());
}

std::vector<AccessSlice> objectSlices(ObjectAccesses &Accesses) {
  TimedAccesses Timed(Accesses);
  if (!Timed.addContexts() || !Timed.addRecordsOfAllContexts())
    return {};
  Timed.addCopiesAndSets();
  return Timed.slices();
}

/// Returns the number of accesses by kernel and time of the context's first launch.
static std::map<std::pair<uint32_t, uint32_t>, Bound> accessesByTime(ObjectAccesses &Of) {
  const CountedLaunches &All = Of.launches();
  const std::vector<RecordUse> &Records = Of.records();
  std::vector<uint64_t> Totals(Records.size());
  inParallel(
      Records.size(),
      [&](size_t I) {
        if (const std::optional<CountedRun> Counted = Of.read(*Records[I].Of))
          Totals[I] = Counted->Counts.Sums.total();
      },
      Of.threads());
  std::map<std::pair<uint32_t, uint32_t>, Bound> Number;
  for (uint32_t I : Of.contexts()) {
    const CountedContext &C = All.context(I);
    if (C.Launches == 0)
      continue;
    Bound &Sum = Number[{C.Of->Kernel, C.First}];
    Of.progressions(C, [&](const Progression &Each, unsigned) {
      double Points = static_cast<double>(Each.Times) * static_cast<double>(C.Launches);
      for (const Progression::Dimension &D : Each.Dimensions)
        Points *= static_cast<double>(D.Extent);
      Sum.Value += Points;
    });
  }
  for (size_t I = 0; I < Records.size(); ++I) {
    const GlobalCounts &R = *Records[I].Of;
    const std::optional<uint32_t> Context = All.indexOf(R.Context);
    const uint32_t Time = R.Context == 0 ? All.kernels()[R.Kernel].First
                          : Context      ? All.context(*Context).First
                                         : None;
    Bound &Sum = Number[{R.Kernel, Time}];
    Sum.Value += static_cast<double>(Totals[I]);
    Sum.AtLeast |= R.ThresholdReached;
  }
  return Number;
}

std::vector<SliceFrequencies> sliceFrequencies(ObjectAccesses &Accesses,
                                               std::span<const AccessSlice> Slices) {
  std::map<uint32_t, std::map<size_t, Bound>> BySlice; ///< per kernel
  for (const auto &[Key, Sum] : accessesByTime(Accesses)) {
    const auto [Kernel, Time] = Key;
    const auto Slice = std::ranges::lower_bound(Slices, Time, {}, &AccessSlice::Last);
    if (Slice == Slices.end() || Sum.Value == 0)
      continue;
    Bound &To = BySlice[Kernel][static_cast<size_t>(Slice - Slices.begin())];
    To.Value += Sum.Value;
    To.AtLeast |= Sum.AtLeast;
  }
  std::vector<SliceFrequencies> All;
  for (const auto &[Kernel, Sums] : BySlice) {
    if (Sums.size() < 2)
      continue;
    AccessFrequencies Frequencies;
    for (const auto &[Slice, Sum] : Sums)
      Frequencies.add(Sum.Value, 1, Sum.AtLeast);
    SliceFrequencies Of = {Kernel, None, Sums.size(), Frequencies.variation()};
    for (uint32_t I : Accesses.launches().contextsOf(Accesses.id()))
      if (const CountedContext &C = Accesses.launches().context(I);
          C.Of->Kernel == Kernel && Accesses.mayAccess(C))
        Of.Api = std::min(Of.Api, C.firstApi());
    if (Of.Api != None)
      All.push_back(Of);
  }
  return All;
}

} // namespace gmprof::analysis
