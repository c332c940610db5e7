//===- PeakMemory.cpp - Memory in use over time ---------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "analysis/objects/PeakMemory.h"
#include "profile/SumByKey.h"
#include <algorithm>
#include <iterator>
#include <utility>

namespace gmprof::analysis {

using profile::ApiObject;
using profile::ApiTrace;

/// Excludes pinned memory, which is the host's, module variables, which always exist, and parts of
/// pools, which lie in their slab.
static bool takesDeviceMemory(log::ObjectKind Kind) {
  return Kind != log::ObjectKind::Pinned && Kind != log::ObjectKind::Pool &&
         Kind != log::ObjectKind::GlobalVariable && Kind != log::ObjectKind::Constant;
}

namespace {

/// Changes of memory in use by time.
class Changes {
public:
  using Entry = std::pair<uint32_t, int64_t>;

  void add(const Residency &R, int64_t Sign) {
    All.emplace_back(R.From, Sign * static_cast<int64_t>(R.Bytes));
    All.emplace_back(R.To, -Sign * static_cast<int64_t>(R.Bytes));
  }
  /// Returns the changes, sorted and summed by time.
  const std::vector<Entry> &inOrder() {
    sumByKey(All);
    return All;
  }

private:
  std::vector<Entry> All;
};

} // namespace

/// Returns the maximum of the elements First to Last - 1; 0 if there are none.
static uint64_t maximumOf(const std::vector<uint64_t> &Of, size_t First, size_t Last) {
  uint64_t Largest = 0;
  for (size_t I = First; I < Last; ++I)
    Largest = std::max(Largest, Of[I]);
  return Largest;
}

MemoryUse::MemoryUse(const ApiTrace &Trace, uint32_t Device,
                     std::function<bool(const ApiObject &)> IsPart)
    : Trace(Trace), Device(Device), IsPart(std::move(IsPart)),
      End(static_cast<uint32_t>(Trace.Apis.size())) {
  Changes All;
  All.add({0, 0, 0}, 1);
  for (uint32_t I = 0; I < Trace.Objects.size(); ++I)
    if (Residency R = residency(I); R.Bytes != 0)
      All.add(R, 1);
  uint64_t InUse = 0;
  for (auto [Time, Change] : All.inOrder()) {
    InUse += static_cast<uint64_t>(Change);
    Times.push_back(Time);
    Bytes.push_back(InUse);
    Peak = std::max(Peak, InUse);
  }
  for (size_t Begin = 0; Begin < Bytes.size(); Begin += BlockSize)
    Maxima.push_back(maximumOf(Bytes, Begin, std::min(Begin + BlockSize, Bytes.size())));
}

Residency MemoryUse::residency(uint32_t Object) const {
  const ApiObject &O = Trace.Objects[Object];
  const bool Counts =
      IsPart ? O.Parent && IsPart(O) : O.Device == Device && takesDeviceMemory(O.Kind);
  uint64_t Taken = Counts ? O.Bytes : 0;
  return {O.Allocation, Trace.endOf(O), Taken};
}

/// Returns the maximum of memory in use at times From to To - 1.
uint64_t MemoryUse::maximum(uint32_t From, uint32_t To) const {
  if (From >= To)
    return 0;
  auto After = [&](uint32_t Time) {
    return size_t(std::upper_bound(Times.begin(), Times.end(), Time) - Times.begin());
  };
  const size_t First = After(From) - 1, Last = After(To - 1);
  const size_t FirstBlock = (First + BlockSize - 1) / BlockSize, LastBlock = Last / BlockSize;
  if (FirstBlock >= LastBlock)
    return maximumOf(Bytes, First, Last);
  return std::max({maximumOf(Bytes, First, FirstBlock * BlockSize),
                   maximumOf(Maxima, FirstBlock, LastBlock),
                   maximumOf(Bytes, LastBlock * BlockSize, Last)});
}

uint64_t MemoryUse::peakAfter(const ResidencyChange &Change) const {
  Changes All;
  All.add({0, End, 0}, 1);
  auto Add = [&](const Residency &R, int64_t Sign) {
    if (R.From < R.To)
      All.add(R, Sign);
  };
  for (const auto &[Object, Instead] : Change) {
    if (residency(Object).Bytes == 0)
      continue;
    Add(residency(Object), -1);
    for (const Residency &R : Instead)
      Add(R, 1);
  }
  uint64_t Result = 0;
  int64_t Difference = 0;
  const auto &Differences = All.inOrder();
  for (auto It = Differences.begin(); std::next(It) != Differences.end(); ++It) {
    Difference += It->second;
    uint64_t Before = maximum(It->first, std::next(It)->first);
    Result = std::max(Result, Before + static_cast<uint64_t>(Difference));
  }
  return Result;
}

std::vector<MemoryPeak> MemoryUse::peaks(unsigned Number) const {
  std::vector<size_t> Local;
  for (size_t I = 0; I < Bytes.size(); ++I) {
    bool Rises = Bytes[I] != 0 && (I == 0 || Bytes[I - 1] < Bytes[I]);
    bool Falls = I + 1 == Bytes.size() || Bytes[I + 1] < Bytes[I];
    if (Rises && Falls && Times[I] < End)
      Local.push_back(I);
  }
  std::sort(Local.begin(), Local.end(),
            [&](size_t A, size_t B) { return Bytes[A] != Bytes[B] ? Bytes[A] > Bytes[B] : A < B; });
  Local.resize(std::min<size_t>(Local.size(), Number));

  std::vector<MemoryPeak> Peaks;
  for (size_t I : Local) {
    MemoryPeak P = {Times[I], Bytes[I], {}};
    for (uint32_t Object = 0; Object < Trace.Objects.size(); ++Object) {
      Residency R = residency(Object);
      if (R.Bytes != 0 && R.From <= P.Time && P.Time < R.To)
        P.Objects.push_back(Object);
    }
    std::sort(P.Objects.begin(), P.Objects.end(), [&](uint32_t A, uint32_t B) {
      uint64_t BytesA = Trace.Objects[A].Bytes, BytesB = Trace.Objects[B].Bytes;
      return BytesA != BytesB ? BytesA > BytesB : A < B;
    });
    Peaks.push_back(std::move(P));
  }
  return Peaks;
}

} // namespace gmprof::analysis
