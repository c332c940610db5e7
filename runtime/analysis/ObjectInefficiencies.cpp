//===- ObjectInefficiencies.cpp - What objects cost in vain ---------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "analysis/ObjectInefficiencies.h"
#include "analysis/DependencyGraph.h"
#include "analysis/ElementPatterns.h"
#include <algorithm>
#include <fmt/format.h>
#include <iterator>
#include <map>
#include <set>
#include <tuple>

namespace gmprof::analysis {

using profile::ApiTrace;

static ObjectInefficiencies allPatterns(const ObjectHistory &H, const std::vector<ElementUse> &Uses,
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
  Add(overallocations(H, Uses, Options));
  Add(nonuniformAccessFrequencies(H, Uses, Options));
  Add(structuredAccesses(H, Uses));
  return All;
}

/// What makes findings one: pattern and kind, where it is allocated and where to change it,
/// name, kernel, and, where there is no call path, size.
using GroupKey = std::tuple<std::string, std::string, std::string, uint32_t, uint32_t, std::string,
                            uint32_t, uint32_t, std::optional<uint32_t>, uint64_t>;

static GroupKey groupKey(const ApiTrace &T, const ObjectInefficiency &I) {
  const profile::ApiObject &O = T.Objects[I.Object];
  const profile::Api &Allocation = T.Apis[O.Allocation];
  const uint32_t Path = T.Apis[I.Api].CallPath;
  return {I.Found.Pattern,
          I.Found.Kind,
          Allocation.Name,
          Allocation.CallPath,
          Path,
          O.Name,
          I.Found.Kernel,
          O.Device,
          O.Parent,
          Allocation.CallPath == profile::None ? O.Bytes : 0};
}

/// One finding for all of a group, beginning with the first object.
static ObjectInefficiency merged(const ApiTrace &T, std::vector<ObjectInefficiency *> &Group) {
  ObjectInefficiency One = std::move(*Group.front());
  if (Group.size() == 1)
    return One;
  std::map<uint32_t, uint32_t> Reuses;
  std::set<uint32_t> Objects = {One.Object};
  if (One.Reuses)
    Reuses[One.Object] = *One.Reuses;
  for (ObjectInefficiency *I : Group) {
    if (I == Group.front())
      continue;
    if (I->Reuses)
      Reuses[I->Object] = *I->Reuses;
    if (Objects.insert(I->Object).second)
      One.Others.push_back(I->Object);
    One.Instead.merge(I->Instead);
  }
  if (!Reuses.empty())
    One.Instead = sharedMemory(T, Reuses);
  uint64_t Bytes = 0;
  for (uint32_t Object : Objects)
    Bytes += T.Objects[Object].Bytes;
  if (One.Others.empty())
    return One;
  One.Found.Evidence.emplace_back("objects", uint64_t(Objects.size()));
  One.Found.Evidence.emplace_back("bytes_of_all", Bytes);
  One.Found.Message += fmt::format(
      " The same is true of {} more from the same call, {} bytes in all.",
      One.Others.size() == 1 ? "one object" : fmt::format("{} objects", One.Others.size()), Bytes);
  return One;
}

/// In the order of the first object of each.
static ObjectInefficiencies grouped(const ApiTrace &T, ObjectInefficiencies All) {
  std::map<GroupKey, size_t> Index;
  std::vector<std::vector<ObjectInefficiency *>> Groups;
  for (ObjectInefficiency &I : All) {
    auto [It, New] = Index.try_emplace(groupKey(T, I), Groups.size());
    if (New)
      Groups.emplace_back();
    Groups[It->second].push_back(&I);
  }
  ObjectInefficiencies Result;
  for (std::vector<ObjectInefficiency *> &Group : Groups) {
    std::string &Message = Result.emplace_back(merged(T, Group)).Found.Message;
    if (Message.starts_with("an object ") || Message.starts_with("the object "))
      Message[0] = Message[0] == 'a' ? 'A' : 'T';
  }
  return Result;
}

/// The times that both have, of one object.
static std::vector<Residency> common(const std::vector<Residency> &A,
                                     const std::vector<Residency> &B) {
  std::vector<Residency> Both;
  for (const Residency &One : A)
    for (const Residency &Other : B) {
      uint32_t From = std::max(One.From, Other.From), To = std::min(One.To, Other.To);
      if (From < To)
        Both.push_back({From, To, std::min(One.Bytes, Other.Bytes)});
    }
  return Both;
}

/// Each object in memory only when all of its findings say so. Objects that share
/// memory are then not in memory at the same time: redundant allocations add
/// nothing. What rests on a sample is no promise.
static ResidencyChange allTogether(const ObjectInefficiencies &Found) {
  ResidencyChange All;
  for (const ObjectInefficiency &I : Found) {
    if (I.Found.Pattern == "redundant_allocation" || I.Sampled)
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
  if (I.Sampled)
    return Severity::Low;
  if (I.Found.BytesSaved != 0)
    return static_cast<double>(I.Found.BytesSaved) >= HighShare * static_cast<double>(Peak)
               ? Severity::High
               : Severity::Medium;
  bool NeedsNoTradeOff = I.Found.Pattern == "unused_allocation" ||
                         I.Found.Pattern == "memory_leak" || I.Found.Pattern == "dead_write";
  return NeedsNoTradeOff ? Severity::Low : Severity::Info;
}

/// Sets what each of some findings saves. Returns the peak that remains with all of them done.
template <typename Predicate>
static uint64_t judge(ObjectInefficiencies &Found, const ResidencyChange &All, const MemoryUse &Use,
                      const ObjectMemoryOptions &Options, Predicate IsOfIt) {
  const uint64_t Peak = Use.peakBytes();
  uint64_t After = std::min(Peak, Use.peakAfter(All));
  for (ObjectInefficiency &I : Found) {
    if (!IsOfIt(I))
      continue;
    I.Found.BytesSaved = Peak - std::min(Peak, Use.peakAfter(I.Instead));
    I.Found.Level = severity(I, Peak, Options.HighShare);
    // All together save at least as much as one of them does.
    if (!I.Sampled)
      After = std::min(After, Peak - I.Found.BytesSaved);
  }
  return After;
}

ObjectMemory objectMemory(const ApiTrace &Trace, const ObjectMemoryOptions &Options,
                          const ElementsOf &Elements) {
  ObjectMemory Result;
  Result.Timestamps = topologicalTimestamps(Trace.Apis.size(), dependencies(Trace));
  const ObjectHistory History(Trace, Result.Timestamps, Options.Complete);
  if (Elements)
    Result.Elements = Elements(History);
  Result.Found = grouped(Trace, allPatterns(History, Result.Elements, Options.Patterns));
  Result.InferredLaunches = History.inferredLaunches();
  for (uint32_t Object = 0; Object < Trace.Objects.size(); ++Object) {
    const log::ObjectKind Kind = Trace.Objects[Object].Kind;
    if (!History.isAllocated(Object))
      continue;
    if (Kind == log::ObjectKind::Managed || Kind == log::ObjectKind::Pinned)
      ++Result.HostObjects;
    else if (History.mayBeUsedByLaunch(Object))
      ++Result.UncertainObjects;
  }
  ResidencyChange All = allTogether(Result.Found);

  std::set<uint32_t> Devices;
  std::map<uint32_t, PoolMemory> Pools;
  for (const profile::ApiObject &O : Trace.Objects) {
    Devices.insert(O.Device);
    if (O.Parent)
      ++Pools[*O.Parent].Objects;
  }
  for (uint32_t Device : Devices) {
    MemoryUse Use(Trace, Device);
    const uint64_t Peak = Use.peakBytes();
    const uint64_t After = judge(Result.Found, All, Use, Options, [&](const ObjectInefficiency &I) {
      const profile::ApiObject &O = Trace.Objects[I.Object];
      return O.Device == Device && !O.Parent;
    });
    Result.Devices.push_back({Device, Peak, After, Use.peaks(Options.Peaks)});
  }
  for (auto &[Slab, Pool] : Pools) {
    MemoryUse Use(Trace, Trace.Objects[Slab].Device, Slab);
    Pool.Slab = Slab;
    Pool.PeakBytes = Use.peakBytes();
    Pool.PeakBytesAfter =
        judge(Result.Found, All, Use, Options, [&, Of = Slab](const ObjectInefficiency &I) {
          return Trace.Objects[I.Object].Parent == Of;
        });
    Result.Pools.push_back(Pool);
  }
  return Result;
}

} // namespace gmprof::analysis
