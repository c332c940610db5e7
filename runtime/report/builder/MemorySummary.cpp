//===- MemorySummary.cpp - Memory in use in summary.json ------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "report/builder/MemorySummary.h"
#include "analysis/Wording.h"
#include "report/model/SummaryNames.h"
#include "report/views/AccountView.h"
#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <tuple>
#include <utility>

namespace gmprof {

using analysis::effectNs;
using profile::Api;
using profile::ApiObject;
using profile::None;

static summary::Elements elements(const analysis::ElementUse &Use) {
  summary::Elements To;
  To.element_bytes = Use.ElementBytes;
  To.elements = Use.Elements;
  To.accessed = Use.Accessed;
  To.accessed_share = Use.accessedShare();
  To.fragmentation = Use.fragmentation();
  To.gaps = Use.Gaps;
  if (Use.Gaps != 0)
    To.largest_gap = {Use.LargestGap.First, Use.LargestGap.end() - 1};
  To.launches = Use.Launches;
  To.launches_profiled = Use.LaunchesProfiled;
  To.sampled = Use.Sampled;
  To.unseen_reason = Use.Unseen;
  if (!Use.Slices.empty())
    To.slices = Use.Slices.size();
  if (Use.Slices.size() > 1)
    for (const analysis::AccessSlice &Slice : Use.Slices)
      To.largest_slice = std::max(To.largest_slice.value_or(0), Slice.Elements);
  for (const analysis::ElementFrequencies &F : Use.Frequencies)
    To.frequencies.push_back({F.Kernel, F.Launches, F.Elements, F.Min, number(F.Mean),
                              number(F.Max), number(F.Variation)});
  return To;
}

/// Determines which allocations of graphs remain at exit: those not released after their last
/// launch.
void MemorySummary::addEndsOfGraphMemory(summary::Summary &S, const ObjectsSummary &Objects) const {
  for (const ApiObject &O : Trace.Objects) { // ordered by lifetime
    if (O.Kind != log::ObjectKind::Graph)
      continue;
    if (auto Index = Objects.find(O.Id))
      S.objects[*Index].released = O.Release.has_value();
  }
  for (summary::Object &O : S.objects)
    if (O.released == false)
      O.free.reset();
}

void MemorySummary::addTo(summary::Summary &S, ObjectsSummary &Objects) const {
  if (!S.memory && !P.FailedAllocations.empty())
    S.memory.emplace();
  if (!S.memory)
    return;
  addEndsOfGraphMemory(S, Objects);
  const bool Known = analysis::profilesObjects(P.TheRun);
  for (const analysis::DeviceMemory &D : Memory.Devices) {
    if (D.PeakBytes == 0)
      continue; // host memory and variables
    summary::DeviceMemory &To = S.memory->devices.emplace_back();
    To.device = D.Device;
    To.peak_bytes = D.PeakBytes;
    if (Known)
      To.peak_bytes_after = D.PeakBytesAfter;
    const analysis::MemoryUse Use(Trace, D.Device);
    for (uint32_t Object = 0; Object < Trace.Objects.size(); ++Object)
      if (!Trace.Objects[Object].Release)
        To.bytes_at_end += Use.residency(Object).Bytes;
    for (const analysis::MemoryPeak &Peak : D.Peaks) {
      summary::MemoryPeak &P = To.peaks.emplace_back();
      P.bytes = Peak.Bytes;
      P.seconds = Objects.seconds(effectNs(Trace.Apis[Peak.Time]));
      P.api = Peak.Time;
      P.topological_time = Memory.Timestamps[Peak.Time];
      P.objects = Peak.Objects.size();
      for (uint32_t Object : Peak.Objects) {
        if (P.largest.size() == MaxInline)
          break;
        P.largest.push_back(Objects.indexOf(Trace.Objects[Object].Id));
      }
    }
  }
  for (const analysis::PoolMemory &Pool : Memory.Pools) {
    const uint64_t Bytes = Trace.Objects[Pool.Slab].Bytes;
    summary::PoolMemory &To = S.memory->pools.emplace_back();
    To.object = Objects.indexOf(Trace.Objects[Pool.Slab].Id);
    To.bytes = Bytes;
    To.parts = Pool.Objects;
    To.peak_bytes = Pool.PeakBytes;
    To.wasted_bytes = Bytes - std::min(Bytes, Pool.PeakBytes);
    if (Known)
      To.peak_bytes_after = Pool.PeakBytesAfter;
  }
  addAccounts(*S.memory);
  if (Known)
    addAccesses(S, Objects);
  for (const analysis::ElementUse &Use : Memory.Elements)
    if (auto Index = Objects.find(Trace.Objects[Use.Object].Id))
      S.objects[*Index].elements = elements(Use);
}

/// Adds the owners of each device's memory; of a device without memory, if an allocation failed.
void MemorySummary::addAccounts(summary::Memory &To) const {
  for (const profile::FailedAllocation &F : P.FailedAllocations)
    if (std::ranges::find(To.devices, F.Device, &summary::DeviceMemory::device) == To.devices.end())
      To.devices.emplace_back().device = F.Device;
  for (summary::DeviceMemory &D : To.devices) {
    const analysis::MemoryAccounts Accounts(P, Trace, D.device);
    D.failed_allocations = Accounts.failures();
    for (const analysis::MemoryAccount &A : Accounts.all())
      D.accounts.push_back(accountView(P, Trace, A));
  }
}

summary::Access MemorySummary::access(uint32_t Index, ObjectsSummary &Objects) const {
  const Api &A = Trace.Apis[Index];
  summary::Access To;
  To.kind = apiKindName(A.Kind);
  To.api =
      A.Launch == None ? A.Name.str() : shortName(P.Kernels[P.Launches[A.Launch].Kernel].Demangled);
  To.seconds = Objects.seconds(A.TimeNs);
  To.topological_time = Memory.Timestamps[Index];
  To.call_path = Objects.callPath(A.CallPath);
  if (A.CallPath != None)
    To.source = sourceOf(P.CallPaths[A.CallPath]);
  return To;
}

/// Uses topological time. An object of a graph has several lives, from which the first and the last
/// event are taken.
void MemorySummary::addAccesses(summary::Summary &S, ObjectsSummary &Objects) const {
  struct Life {
    uint32_t Alloc = None, Free = None, First = None, Last = None;
  };
  std::map<uint32_t, Life> Lives; ///< key: index in objects[]
  auto Before = [&](uint32_t A, uint32_t B) {
    return std::pair(Memory.Timestamps[A], A) < std::pair(Memory.Timestamps[B], B);
  };
  auto Add = [&](uint64_t Id, auto Change) {
    if (auto Index = Objects.find(Id))
      Change(Lives[*Index]);
  };
  for (const ApiObject &O : Trace.Objects)
    if (O.Kind != log::ObjectKind::GlobalVariable && O.Kind != log::ObjectKind::Constant)
      Add(O.Id, [&](Life &L) {
        L.Alloc = std::min(L.Alloc, O.Allocation);
        if (O.Release)
          L.Free = *O.Release;
      });
  uint32_t I = 0;
  for (const Api &Each : Trace.Apis) {
    for (const profile::ApiAccess &A : Each.Accesses)
      Add(Trace.Objects[A.Object].Id, [&](Life &L) {
        if (L.First == None || Before(I, L.First))
          L.First = I;
        if (L.Last == None || Before(L.Last, I))
          L.Last = I;
      });
    ++I;
  }
  for (const auto &[Index, L] : Lives) {
    summary::Object &O = S.objects[Index];
    if (O.alloc && L.Alloc != None)
      O.alloc->topological_time = Memory.Timestamps[L.Alloc];
    if (O.free && L.Free != None)
      O.free->topological_time = Memory.Timestamps[L.Free];
    if (L.First == None)
      continue;
    O.first_access = access(L.First, Objects);
    O.last_access = access(L.Last, Objects);
  }
}

std::optional<summary::ObjectCoverage> MemorySummary::coverage() const {
  if (!analysis::profilesObjects(P.TheRun))
    return std::nullopt;
  return summary::ObjectCoverage{Memory.InferredLaunches, Memory.UncertainObjects,
                                 Memory.HostObjects};
}

std::string MemorySummary::overTime(const ObjectsSummary &Objects) const {
  std::string Lines;
  for (const analysis::DeviceMemory &D : Memory.Devices) {
    if (D.PeakBytes == 0)
      continue;
    const analysis::MemoryUse Use(Trace, D.Device);
    // The last change is at the end of the run, which is not a call.
    size_t Changes = Use.times().size();
    while (Changes != 0 && Use.times()[Changes - 1] >= Trace.Apis.size())
      --Changes;
    const size_t Step = (Changes + MaxTimes - 1) / MaxTimes;
    for (size_t Begin = 0; Begin < Changes; Begin += Step) {
      auto First = Use.bytes().begin() + static_cast<std::ptrdiff_t>(Begin);
      auto End = Use.bytes().begin() + static_cast<std::ptrdiff_t>(std::min(Changes, Begin + Step));
      auto Highest = std::max_element(First, End);
      const uint32_t Time = Use.times()[static_cast<size_t>(Highest - Use.bytes().begin())];
      fmt::format_to(std::back_inserter(Lines), "{},{},{:.9f},{}\n", D.Device, Time,
                     Objects.seconds(effectNs(Trace.Apis[Time])), *Highest);
    }
  }
  return Lines;
}

} // namespace gmprof
