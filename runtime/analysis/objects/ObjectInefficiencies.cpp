//===- ObjectInefficiencies.cpp - Object inefficiencies -------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "analysis/objects/ObjectInefficiencies.h"
#include "analysis/Wording.h"
#include "analysis/elements/ElementPatterns.h"
#include "analysis/objects/DependencyGraph.h"
#include "analysis/objects/TensorMemory.h"
#include <algorithm>
#include <fmt/format.h>
#include <iterator>
#include <map>
#include <set>
#include <tuple>

namespace gmprof::analysis {

using profile::ApiTrace;

/// Completes the message and evidence of an inefficiency of several objects.
static void completeGroup(const ApiTrace &T, ObjectInefficiency &One) {
  if (One.Others.empty())
    return;
  if (One.Reuses) {
    std::map<uint32_t, uint32_t> Reuses = {{One.Object, *One.Reuses}};
    for (size_t I = 0; I < One.Others.size(); ++I)
      Reuses[One.Others[I]] = One.OtherReuses[I];
    One.Instead = sharedMemory(T, Reuses);
  }
  uint64_t Bytes = T.Objects[One.Object].Bytes;
  for (uint32_t Object : One.Others)
    Bytes += T.Objects[Object].Bytes;
  One.Found.Evidence.emplace_back("objects", uint64_t(One.Others.size() + 1));
  One.Found.Evidence.emplace_back("bytes_of_all", Bytes);
  One.Found.Message +=
      fmt::format(" {} of this call site {} the same problem, {} in all.",
                  plural(One.Others.size(), "more allocation"),
                  One.Others.size() == 1 ? "has" : "have", bytesText(static_cast<double>(Bytes)));
}

/// States the condition that launches whose accesses depend on data leave the objects alone for all
/// inputs.
static void noteData(const ObjectHistory &H, ObjectInefficiency &I) {
  // No such launch is between a dead write and the write that overwrites it.
  if (I.Found.Pattern == "dead_write")
    return;
  const ApiTrace &T = H.trace();
  std::vector<uint32_t> Objects = {I.Object};
  if (I.Reuses)
    Objects.push_back(*I.Reuses);
  Objects.insert(Objects.end(), I.Others.begin(), I.Others.end());
  Objects.insert(Objects.end(), I.OtherReuses.begin(), I.OtherReuses.end());
  for (uint32_t Object : Objects) {
    const profile::ApiObject &O = T.Objects[Object];
    const uint32_t Launch = H.skippedBetween(Object, O.Allocation, T.endOf(O));
    if (Launch == profile::None)
      continue;
    I.DependsOnData = true;
    I.Found.Evidence.emplace_back("depends_on_data_of", describeApi(T.Apis[Launch]));
    addCondition(I.Found.Suggestion, fmt::format("{} accesses {} for no other input either",
                                                 apiWithPlace(T, Launch), describeObject(O)));
    return;
  }
}

/// Says that a fix of an allocation is not for the other callers of its line.
static void noteCaller(const ApiTrace &T, ObjectInefficiency &I) {
  const profile::ApiObject &O = T.Objects[I.Object];
  const uint32_t Path =
      I.Api == O.Allocation && !O.Caller.empty() ? T.Apis[I.Api].CallPath : profile::None;
  if (Path < T.Places.size())
    I.Found.Suggestion +=
        fmt::format(" Do so for the call at {} only: {} allocates for other calls, too.",
                    O.Caller.str(), T.Places[Path].str());
}

static ObjectInefficiencies allPatterns(const ObjectHistory &H, const std::vector<ElementUse> &Uses,
                                        const ObjectPatternOptions &Options) {
  ObjectInefficiencies All;
  auto Add = [&](ObjectInefficiencies Some, bool OfElements) {
    for (ObjectInefficiency &I : Some) {
      // The program cannot change what a library does with its own memory.
      const profile::ApiObject &O = H.trace().Objects[I.Object];
      if (!O.Library.empty() || (I.Api == O.Release ? O.ReleasedWithin : O.AllocatedWithin))
        continue;
      completeGroup(H.trace(), I);
      if (!OfElements)
        noteData(H, I);
      noteCaller(H.trace(), I);
      std::string &Message = I.Found.Message;
      if (Message.starts_with("an a") || Message.starts_with("the a"))
        Message[0] = Message[0] == 'a' ? 'A' : 'T';
      All.push_back(std::move(I));
    }
  };
  for (const ObjectPattern Find : ObjectPatterns)
    Add(Find(H, Options), false);
  for (const ElementPattern Find : ElementPatterns)
    Add(Find(H, Uses, Options), true);
  return All;
}

/// Returns the intersection of two residencies of one object.
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

/// Adds a finding to a combination: each object is in memory only when all of its findings agree.
/// Objects that could share memory are then not in memory at the same time, so redundant
/// allocations add nothing. Findings based on a sample are excluded. Returns true if it was added.
static bool combine(ResidencyChange &All, const ObjectInefficiency &I) {
  if (I.Found.Pattern == "redundant_allocation" || I.Sampled)
    return false;
  for (const auto &[Object, Instead] : I.Instead) {
    auto [Place, New] = All.try_emplace(Object, Instead);
    if (!New)
      Place->second = common(Place->second, Instead);
  }
  return true;
}

static ResidencyChange allTogether(const ObjectInefficiencies &Found) {
  ResidencyChange All;
  for (const ObjectInefficiency &I : Found)
    combine(All, I);
  return All;
}

/// States in findings that accesses are known from kernel parameters only.
static void noteParameters(const ObjectHistory &History, ObjectInefficiencies &Found) {
  for (ObjectInefficiency &I : Found) {
    const uint64_t Launches = History.launchesFromParameters(I.Object);
    if (Launches == 0)
      continue;
    I.FromParameters = true;
    I.Found.Evidence.emplace_back("launches_inferred", Launches);
    // The leak is certain, unlike the time when the object could be released.
    if (I.Found.Pattern != "memory_leak")
      I.Found.Message += fmt::format(" The accesses of {} are inferred from {} parameters.",
                                     plural(Launches, "launch"), Launches == 1 ? "its" : "their");
  }
}

static Severity severity(const ObjectInefficiency &I, uint64_t Peak,
                         const ObjectMemoryOptions &Options) {
  if (I.Sampled)
    return Severity::Low;
  if (I.Found.BytesSaved != 0) {
    const double Share = static_cast<double>(I.Found.BytesSaved) / static_cast<double>(Peak);
    const double LowShare = I.TakesTime ? Options.MediumShare : 0.001;
    const bool Certain = !I.FromParameters && !I.TakesTime && !I.DependsOnData;
    const double MediumShare = I.TakesTime ? Options.HighShare : Options.MediumShare;
    return Share >= Options.HighShare && Certain ? Severity::High
           : Share >= MediumShare                ? Severity::Medium
           : Share >= LowShare                   ? Severity::Low
                                                 : Severity::Info;
  }
  bool NeedsNoTradeOff = I.Found.Pattern == "unused_allocation" ||
                         I.Found.Pattern == "memory_leak" || I.Found.Pattern == "dead_write";
  return NeedsNoTradeOff ? Severity::Low : Severity::Info;
}

/// Reduces the savings of the findings to what each adds to those before it, so that the savings of
/// a list add up: two findings about one object save its bytes once. The evidence keeps what a
/// finding saves if it is the only one that is fixed.
/// Objects that share memory are combined with each other only. Returns the remaining peak.
static uint64_t addUp(const ApiTrace &T, std::vector<ObjectInefficiency *> Found,
                      const MemoryUse &Use) {
  // Findings are in one vector: the order of equal ones is that of their addresses.
  std::ranges::sort(Found, [](const ObjectInefficiency *A, const ObjectInefficiency *B) {
    return std::tuple(B->Found.Level, B->Found.BytesSaved, A) <
           std::tuple(A->Found.Level, A->Found.BytesSaved, B);
  });
  const uint64_t Peak = Use.peakBytes();
  uint64_t Remaining = Peak;
  ResidencyChange Together;
  std::map<uint32_t, uint32_t> Reuses;
  for (ObjectInefficiency *I : Found) {
    const uint64_t Alone = I->Found.BytesSaved;
    uint64_t Now = std::min(Remaining, Peak - Alone);
    if (I->Reuses) {
      Reuses.emplace(I->Object, *I->Reuses);
      for (size_t Other = 0; Other < I->Others.size(); ++Other)
        Reuses.emplace(I->Others[Other], I->OtherReuses[Other]);
      Now = std::min(Now, Use.peakAfter(sharedMemory(T, Reuses)));
    } else if (combine(Together, *I)) {
      Now = std::min(Now, Use.peakAfter(Together));
    }
    I->Found.BytesSaved = Remaining - Now;
    if (I->Found.BytesSaved != Alone)
      I->Found.Evidence.emplace_back("bytes_saved_alone", Alone);
    Remaining = Now;
  }
  return Remaining;
}

/// Sets the savings of the selected findings. Returns the peak that remains with all of them fixed.
/// OfDevice: the device's peak, of which savings in a pool must be a noticeable share, too.
template <typename Predicate>
static uint64_t judge(const ApiTrace &T, ObjectInefficiencies &Found, const ResidencyChange &All,
                      const MemoryUse &Use, uint64_t OfDevice, const ObjectMemoryOptions &Options,
                      Predicate IsOfIt) {
  const uint64_t Peak = Use.peakBytes();
  uint64_t After = std::min(Peak, Use.peakAfter(All));
  std::vector<ObjectInefficiency *> Saving;
  for (ObjectInefficiency &I : Found) {
    if (!IsOfIt(I))
      continue;
    I.Found.BytesSaved = Peak - std::min(Peak, Use.peakAfter(I.Instead));
    I.Found.Level = severity(I, OfDevice, Options);
    // All fixes together save at least as much as any single one.
    if (!I.Sampled)
      After = std::min(After, Peak - I.Found.BytesSaved);
    if (!I.Sampled && I.Found.BytesSaved != 0)
      Saving.push_back(&I);
  }
  After = std::min(After, addUp(T, std::move(Saving), Use));
  return After;
}

/// Computes the savings of the findings about a pool, and the peaks of its slabs.
static std::vector<PoolMemory> judgePool(const ApiTrace &T, ObjectInefficiencies &Found,
                                         const ResidencyChange &All, uint32_t Pool,
                                         uint64_t OfDevice, const ObjectMemoryOptions &Options) {
  const uint32_t Device = T.Objects[Pool].Device;
  const auto IsOfPool = [&](const profile::ApiObject &O) { return T.poolOf(O) == Pool; };
  const MemoryUse Use(T, Device, IsOfPool);
  const uint64_t After =
      judge(T, Found, All, Use, OfDevice, Options,
            [&](const ObjectInefficiency &I) { return IsOfPool(T.Objects[I.Object]); });
  for (ObjectInefficiency &I : Found)
    if (I.Found.BytesSaved != 0 && IsOfPool(T.Objects[I.Object]))
      I.Found.Evidence.emplace_back(isTensor(T, T.Objects[I.Object]) ? "tensors_peak_bytes"
                                                                     : "pool_peak_bytes",
                                    Use.peakBytes());

  std::map<uint32_t, PoolMemory> BySlab;
  for (const profile::ApiObject &O : T.Objects)
    if (IsOfPool(O))
      ++BySlab[*O.Parent].Objects;
  std::vector<PoolMemory> Slabs;
  for (auto &[Slab, Memory] : BySlab) {
    const MemoryUse OfSlab(T, Device,
                           [&, Of = Slab](const profile::ApiObject &O) { return O.Parent == Of; });
    Memory.Slab = Slab;
    Memory.PeakBytes = OfSlab.peakBytes();
    Memory.PeakBytesAfter =
        BySlab.size() == 1 ? After : std::min(OfSlab.peakBytes(), OfSlab.peakAfter(All));
    Slabs.push_back(Memory);
  }
  return Slabs;
}

ObjectInefficiencies tensorInefficiencies(const std::vector<TensorMemory> &Devices,
                                          const ObjectMemoryOptions &Options,
                                          const std::function<uint64_t(uint32_t)> &DevicePeak) {
  ObjectInefficiencies All;
  for (const TensorMemory &M : Devices)
    for (const TensorPattern Find : TensorPatterns)
      for (ObjectInefficiency &I : Find(M)) {
        // The replay is a model of the allocator.
        I.Found.Level = std::min(severity(I, DevicePeak(M.device()), Options), Severity::Medium);
        All.push_back(std::move(I));
      }
  return All;
}

/// Adds the findings about PyTorch's slabs, whose savings are those of the device, and computes
/// what the slabs take with the lifetimes of tensors that all findings propose.
static void addTensorFindings(const ApiTrace &Trace, const ObjectMemoryOptions &Options,
                              const ResidencyChange &All, ObjectMemory &To) {
  const auto Of = [&](uint32_t Device) {
    return std::ranges::find(To.Devices, Device, &DeviceMemory::Device);
  };
  const auto Save = [&](uint32_t Device, uint64_t Bytes) {
    DeviceMemory &On = *Of(Device);
    On.PeakBytesAfter = std::min(On.PeakBytesAfter, On.PeakBytes - Bytes);
  };
  const std::vector<TensorMemory> Devices = TensorMemory::of(Trace);
  for (ObjectInefficiency &I :
       tensorInefficiencies(Devices, Options, [&](uint32_t D) { return Of(D)->PeakBytes; })) {
    Save(Trace.Objects[I.Object].Device, I.Found.BytesSaved);
    To.Found.push_back(std::move(I));
  }
  for (const TensorMemory &M : Devices) {
    // The difference of two replays has fewer errors of the model than that of run and replay.
    const uint64_t Now = M.saved(M.replay(M.expandable()));
    const uint64_t Then = M.saved(M.replay(M.expandable(), All));
    Save(M.device(), Then - std::min(Now, Then));
  }
}

ObjectMemory objectMemory(const ApiTrace &Trace, const ObjectMemoryOptions &Options,
                          const ElementsOf &Elements) {
  ObjectMemory Result;
  Result.Timestamps = topologicalTimestamps(Trace);
  const ObjectHistory History(Trace, Result.Timestamps, Options.Complete);
  if (Elements)
    Result.Elements = Elements(History);
  Result.Found = allPatterns(History, Result.Elements, Options.Patterns);
  noteParameters(History, Result.Found);
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

  std::set<uint32_t> Devices, Pools;
  for (const profile::ApiObject &O : Trace.Objects) {
    Devices.insert(O.Device);
    if (const std::optional<uint32_t> Pool = Trace.poolOf(O))
      Pools.insert(*Pool);
  }
  for (uint32_t Device : Devices) {
    MemoryUse Use(Trace, Device);
    const uint64_t Peak = Use.peakBytes();
    const uint64_t After =
        judge(Trace, Result.Found, All, Use, Peak, Options, [&](const ObjectInefficiency &I) {
          const profile::ApiObject &O = Trace.Objects[I.Object];
          return O.Device == Device && !O.Parent;
        });
    Result.Devices.push_back({Device, Peak, After, Use.peaks(Options.Peaks)});
  }
  for (const uint32_t Pool : Pools) {
    const uint64_t OfDevice =
        std::ranges::find(Result.Devices, Trace.Objects[Pool].Device, &DeviceMemory::Device)
            ->PeakBytes;
    std::ranges::copy(judgePool(Trace, Result.Found, All, Pool, OfDevice, Options),
                      std::back_inserter(Result.Pools));
  }
  if (!Options.HasGraphs)
    addTensorFindings(Trace, Options, All, Result);
  return Result;
}

} // namespace gmprof::analysis
