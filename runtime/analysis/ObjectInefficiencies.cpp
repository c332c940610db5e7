//===- ObjectInefficiencies.cpp - What objects cost in vain ---------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "analysis/ObjectInefficiencies.h"
#include "analysis/DependencyGraph.h"
#include <algorithm>
#include <iterator>
#include <set>

namespace gmprof::analysis {

using profile::ApiTrace;

static ObjectInefficiencies allPatterns(const ObjectHistory &H,
                                        const ObjectPatternOptions &Options) {
  ObjectInefficiencies All;
  auto Add = [&](ObjectInefficiencies Some) { std::ranges::move(Some, std::back_inserter(All)); };
  Add(earlyAllocations(H));
  Add(lateDeallocations(H));
  Add(redundantAllocations(H, Options));
  Add(unusedAllocations(H));
  Add(memoryLeaks(H));
  Add(temporaryIdleness(H, Options));
  Add(deadWrites(H));
  return All;
}

/// The times that both have, of one object.
static std::vector<Residency> common(const std::vector<Residency> &A,
                                     const std::vector<Residency> &B) {
  std::vector<Residency> Both;
  for (const Residency &One : A)
    for (const Residency &Other : B) {
      uint32_t From = std::max(One.From, Other.From), To = std::min(One.To, Other.To);
      if (From < To)
        Both.push_back({From, To, One.Bytes});
    }
  return Both;
}

/// Each object in memory only when all of its findings say so. Objects that share
/// memory are then not in memory at the same time: redundant allocations add
/// nothing.
static ResidencyChange allTogether(const ObjectInefficiencies &Found) {
  ResidencyChange All;
  for (const ObjectInefficiency &I : Found) {
    if (I.Found.Pattern == "redundant_allocation")
      continue;
    for (const auto &[Object, Instead] : I.Instead) {
      auto [Place, New] = All.try_emplace(Object, Instead);
      if (!New)
        Place->second = common(Place->second, Instead);
    }
  }
  return All;
}

static Severity severity(const ObjectInefficiency &I, uint64_t Peak, double HighShare) {
  if (I.Found.BytesSaved != 0)
    return static_cast<double>(I.Found.BytesSaved) >= HighShare * static_cast<double>(Peak)
               ? Severity::High
               : Severity::Medium;
  bool NeedsNoTradeOff = I.Found.Pattern == "unused_allocation" ||
                         I.Found.Pattern == "memory_leak" || I.Found.Pattern == "dead_write";
  return NeedsNoTradeOff ? Severity::Low : Severity::Info;
}

ObjectMemory objectMemory(const ApiTrace &Trace, const ObjectMemoryOptions &Options) {
  ObjectMemory Result;
  Result.Timestamps = topologicalTimestamps(Trace.Apis.size(), dependencies(Trace));
  Result.Found = allPatterns(ObjectHistory(Trace, Result.Timestamps), Options.Patterns);
  ResidencyChange All = allTogether(Result.Found);

  std::set<uint32_t> Devices;
  for (const profile::ApiObject &O : Trace.Objects)
    Devices.insert(O.Device);
  for (uint32_t Device : Devices) {
    MemoryUse Use(Trace, Device);
    uint64_t Peak = Use.peakBytes();
    Result.Devices.push_back(
        {Device, Peak, std::min(Peak, Use.peakAfter(All)), Use.peaks(Options.Peaks)});
    for (ObjectInefficiency &I : Result.Found) {
      if (Trace.Objects[I.Object].Device != Device)
        continue;
      I.Found.BytesSaved = Peak - std::min(Peak, Use.peakAfter(I.Instead));
      I.Found.Level = severity(I, Peak, Options.HighShare);
    }
  }
  return Result;
}

} // namespace gmprof::analysis
