//===- Measures.cpp - Named measures of a summary -------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "report/model/Measures.h"
#include "profile/Saturating.h"
#include "report/model/RunProfiles.h"
#include "report/text/TextReport.h"
#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <iterator>
#include <map>
#include <string_view>

namespace gmprof {

using namespace summary;

static constexpr auto Count = Quantity::Unit::Number, Bytes = Quantity::Unit::Bytes,
                      Seconds = Quantity::Unit::Seconds;

double estimatedBenefit(const SyncSite &Site) {
  return Site.unnecessary_benefit_seconds + Site.misplaced_benefit_seconds +
         Site.duplicate_benefit_seconds;
}

double benefit(const SyncSite &Site) {
  const auto Least = [](double Estimate, const std::optional<double> &Replay) {
    return Replay ? std::max(std::min(Estimate, *Replay), 0.0) : Estimate;
  };
  return Least(Site.unnecessary_benefit_seconds + Site.misplaced_benefit_seconds,
               Site.replay_seconds) +
         Least(Site.duplicate_benefit_seconds, Site.duplicate_replay_seconds);
}

const std::vector<MeasureName> &measureNames() {
  static const std::vector<MeasureName> Names = {
      {"peak", "device memory in use at most", Bytes, ""},
      {"peak_needed", "what would do, with all findings followed", Bytes, "objects"},
      {"never_released", "device memory in use at the end", Bytes, ""},
      {"allocations", "objects of device memory", Count, ""},
      {"time", "the program's, without a profile", Seconds, "sync"},
      {"wait_time", "time that calls wait for the GPU", Seconds, "sync"},
      {"waits", "calls that wait for the GPU", Count, "sync"},
      {"could_save", "time that findings are expected to save", Seconds, "sync"},
      {"copies_again", "copies of what was copied before", Count, "sync"},
      {"copied_again", "bytes of these", Bytes, "sync"},
      {"gpu_calls", "calls of GPU APIs", Count, "sync"},
      {"launches", "of kernels", Count, ""},
      {"shared_memory", "arrays in shared memory, per block", Bytes, "shared"},
      {"shared_unused", "of these, never accessed", Bytes, "shared"},
      {"shared_accesses", "of shared memory", Count, "shared"},
      {"reads", "of elements of device memory, by kernels", Count, "global"},
      {"writes", "of elements of device memory, by kernels", Count, "global"},
      {"atomics", "of elements of device memory, by kernels", Count, "global"},
      {"traffic", "bytes that kernels access in device memory", Bytes, "global"},
      {"requests", "of device memory by warps, of the sampled blocks", Count, "heat"},
      {"sectors", "of 32 bytes that these need", Count, "heat"},
      {"sectors_per_request", "1 to 32, 4 where a warp reads 4 bytes each", Count, "heat"},
      {"bytes_used", "share of the bytes in these sectors", Count, "heat"},
      {"wavefronts_per_request", "of shared memory, 1 without bank conflicts", Count, "heat"},
      {"l1_hit", "share of the sectors looked up in L1 that are there", Count, "cache"},
      {"l2_hit", "share of the sectors asked of L2 that are there", Count, "cache"},
      {"l2_bytes", "between L1 and L2", Bytes, "cache"},
      {"l2_bytes_again", "of these, fetched by an L1 that had them before", Bytes, "cache"},
      {"dram_bytes", "between L2 and DRAM", Bytes, "cache"},
      {"findings", "of all severities", Count, ""},
      {"profiled_time", "of the profiled run", Seconds, ""},
  };
  return Names;
}

namespace {

class Collector {
public:
  explicit Collector(const Summary &S) : S(S) {
    for (const Object &O : S.objects)
      Objects[O.id] = &O;
  }
  std::vector<Measure> all();

private:
  /// Adds to the measure of that name.
  void add(const char *Name, double Value, const std::string &Of = {});
  void add(const char *Name, uint64_t Value, const std::string &Of = {}) {
    add(Name, static_cast<double>(Value), Of);
  }
  void memory();
  void sync();
  void sharedMemory(const Kernel &K);
  void globalMemory(const Kernel &K);
  void heat();
  void cache();
  void cache(const CacheTraffic &T, const std::string &Of);
  std::string objectName(const GlobalObjectUse &U) const;

  const Summary &S;
  std::map<uint32_t, const Object *> Objects;
  std::vector<Measure> Found;
  std::map<std::pair<std::string, std::string>, size_t> Index; ///< key: name and subject
};

} // namespace

void Collector::add(const char *Name, double Value, const std::string &Of) {
  const auto [At, IsNew] = Index.try_emplace({Name, Of}, Found.size());
  if (!IsNew) {
    Found[At->second].Value += Value;
    return;
  }
  const auto &Names = measureNames();
  const auto Known = std::find_if(Names.begin(), Names.end(), [&](const MeasureName &Each) {
    return std::string_view(Each.Name) == Name;
  });
  Found.push_back({Name, Of, Known->Unit, Value});
}

void Collector::memory() {
  if (!S.memory || S.memory->devices.empty())
    return;
  const DeviceMemory *Fullest = nullptr;
  for (const DeviceMemory &D : S.memory->devices)
    if (!Fullest || D.peak_bytes > Fullest->peak_bytes)
      Fullest = &D;
  add("peak", Fullest->peak_bytes);
  if (Fullest->peak_bytes_after)
    add("peak_needed", *Fullest->peak_bytes_after);
  for (const DeviceMemory &D : S.memory->devices)
    add("never_released", D.bytes_at_end);
  add("allocations", S.memory->objects);
  if (S.memory->devices.size() > 1)
    for (const DeviceMemory &D : S.memory->devices) {
      const std::string Device = std::to_string(D.device);
      add("peak", D.peak_bytes, Device);
      if (D.peak_bytes_after)
        add("peak_needed", *D.peak_bytes_after, Device);
    }
}

void Collector::sync() {
  if (!S.sync)
    return;
  if (S.sync->wall_seconds)
    add("time", *S.sync->wall_seconds);
  add("gpu_calls", S.sync->calls);
  for (const char *Sum : {"waits", "wait_time"})
    add(Sum, 0.0);
  for (const SyncSite &Site : S.sync->sites) {
    add("waits", Site.waits);
    add("wait_time", Site.wait_seconds);
  }
  if (RunProfiles(S).syncAtFirstSight())
    return; // what could be saved is unknown
  for (const char *Sum : {"could_save", "copies_again", "copied_again"})
    add(Sum, 0.0);
  for (const SyncSite &Site : S.sync->sites) {
    add("could_save", benefit(Site));
    add("copies_again", Site.duplicates);
    add("copied_again", Site.duplicate_bytes);
  }
}

void Collector::sharedMemory(const Kernel &K) {
  const std::string Name = shortName(K.demangled);
  for (const ObjectUse &U : K.objects) {
    const auto Object = Objects.find(U.object);
    for (const std::string &Of : {std::string(), Name}) {
      if (Object != Objects.end())
        add("shared_memory", Object->second->bytes, Of);
      add("shared_unused", U.never_touched.bytes, Of);
      add("shared_accesses", U.accesses_estimated.value, Of);
    }
    if (Object != Objects.end() && !Object->second->name.empty())
      add("shared_accesses", U.accesses_estimated.value, Name + "." + Object->second->name);
  }
}

/// Returns the variable's name, or those of the parameters that point to it.
std::string Collector::objectName(const GlobalObjectUse &U) const {
  const auto Known = Objects.find(U.object);
  if (Known != Objects.end() && !Known->second->name.empty())
    return Known->second->name;
  return fmt::format("{}", fmt::join(U.names, ","));
}

void Collector::globalMemory(const Kernel &K) {
  if (!K.global_memory)
    return;
  const std::string Name = shortName(K.demangled);
  for (const GlobalObjectUse &U : K.global_memory->objects) {
    const std::pair<const char *, const std::optional<GlobalAccesses> &> Kinds[] = {
        {"reads", U.reads}, {"writes", U.writes}, {"atomics", U.atomics}};
    const std::string Object = objectName(U);
    for (const auto &[Kind, Accesses] : Kinds) {
      const double Value = Accesses ? Accesses->accesses_estimated.value : 0;
      for (const std::string &Of : {std::string(), Name, Name + "." + Object}) {
        if (Of.ends_with('.'))
          continue;
        add(Kind, Value, Of);
        add("traffic", Value * U.element_bytes, Of);
      }
    }
  }
}

void Collector::heat() {
  HeatUse All;
  auto Add = [&](const HeatUse &H, const std::string &Of) {
    if (H.requests) {
      const auto Requests = static_cast<double>(H.requests),
                 Sectors = static_cast<double>(H.sectors);
      add("requests", Requests, Of);
      add("sectors", Sectors, Of);
      add("sectors_per_request", Sectors / Requests, Of);
      if (H.sectors)
        add("bytes_used", static_cast<double>(H.bytes_used) / (32 * Sectors), Of);
    }
    if (H.shared_requests)
      add("wavefronts_per_request",
          static_cast<double>(H.wavefronts) / static_cast<double>(H.shared_requests), Of);
  };
  std::map<std::string, HeatUse> Kernels;
  for (const Kernel &K : S.kernels) {
    if (!K.heat)
      continue;
    for (HeatUse *To : {&All, &Kernels[shortName(K.demangled)]}) {
      To->requests += K.heat->requests;
      To->sectors += K.heat->sectors;
      To->bytes_used += K.heat->bytes_used;
      To->shared_requests += K.heat->shared_requests;
      To->wavefronts += K.heat->wavefronts;
    }
  }
  Add(All, "");
  for (const auto &[Name, Use] : Kernels)
    Add(Use, Name);
}

void Collector::cache(const CacheTraffic &T, const std::string &Of) {
  const uint64_t ToL2 = T.l2_reads + T.l2_writes + T.l2_atomics;
  if (T.l1_lookups != 0)
    add("l1_hit", static_cast<double>(T.l1_hits) / static_cast<double>(T.l1_lookups), Of);
  if (ToL2 != 0)
    add("l2_hit", static_cast<double>(T.l2_hits) / static_cast<double>(ToL2), Of);
  add("l2_bytes", T.l2_bytes, Of);
  add("l2_bytes_again",
      32.0 * static_cast<double>(S.cache->sampled) * static_cast<double>(T.fetched_again), Of);
  add("dram_bytes", T.dram_bytes, Of);
}

/// Computes rates from sums, as several kernels and objects may have the same name.
void Collector::cache() {
  if (!S.cache)
    return;
  cache(S.cache->total, "");
  std::map<std::string, CacheTraffic> Parts;
  auto Add = [&](const std::string &Of, const CacheTraffic &T) {
    CacheTraffic &To = Parts[Of];
    for (const auto Member :
         {&CacheTraffic::l1_lookups, &CacheTraffic::l1_hits, &CacheTraffic::l2_reads,
          &CacheTraffic::l2_writes, &CacheTraffic::l2_atomics, &CacheTraffic::l2_hits,
          &CacheTraffic::l2_bytes, &CacheTraffic::fetched_again, &CacheTraffic::dram_bytes})
      To.*Member = addSaturating(To.*Member, T.*Member);
  };
  for (const CacheKernel &K : S.cache->kernels) {
    const std::string Name = shortName(K.name);
    Add(Name, K.traffic);
    for (const CacheObject &O : K.objects)
      Add(Name + "." + O.name, O.traffic);
  }
  for (const auto &[Of, Traffic] : Parts)
    cache(Traffic, Of);
}

std::vector<Measure> Collector::all() {
  memory();
  sync();
  add("launches", S.coverage.launches.seen);
  for (const Kernel &K : S.kernels) {
    if (K.launch_counts.seen)
      add("launches", K.launch_counts.seen, shortName(K.demangled));
    sharedMemory(K);
    globalMemory(K);
  }
  heat();
  cache();
  add("findings", static_cast<uint64_t>(S.findings.size()));
  if (S.run.wall_seconds)
    add("profiled_time", *S.run.wall_seconds);
  std::vector<Measure> Sorted;
  for (const bool OfRun : {true, false})
    std::copy_if(Found.begin(), Found.end(), std::back_inserter(Sorted),
                 [&](const Measure &M) { return M.Of.empty() == OfRun; });
  return Sorted;
}

std::vector<Measure> memoryMeasures(const Summary &S) {
  std::map<std::string, double> ByOwner;
  if (S.memory)
    for (const DeviceMemory &D : S.memory->devices)
      for (const MemoryAccount &A : D.accounts)
        if (A.moment == "peak")
          for (const MemoryRow &Row : A.rows)
            ByOwner[Row.owner == "library" ? Row.name : Row.owner] +=
                static_cast<double>(Row.bytes);
  std::vector<Measure> Found;
  for (const auto &[Owner, Sum] : ByOwner)
    Found.push_back({MemoryMeasure, Owner, Bytes, Sum});
  return Found;
}

/// Returns the maximum over the processes of each measure.
static std::vector<Measure> measuresOf(const Processes &All) {
  std::vector<Measure> Found;
  for (const Spread &Each : All.measures)
    for (const MeasureName &Known : measureNames())
      if (Each.name == Known.Name)
        Found.push_back({Each.name, Each.of, Known.Unit, Each.max});
  return Found;
}

std::vector<Measure> measuresOf(const Summary &S) {
  return S.processes ? measuresOf(*S.processes) : Collector(S).all();
}

} // namespace gmprof
