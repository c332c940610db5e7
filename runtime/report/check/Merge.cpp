//===- Merge.cpp - Merges summaries of many processes ---------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "report/check/Merge.h"
#include "profile/Progress.h"
#include "profile/Saturating.h"
#include "report/model/Findings.h"
#include "report/model/Measures.h"
#include "report/model/RunProfiles.h"
#include "report/model/SummaryJson.h"
#include "report/model/SummaryNames.h"
#include <algorithm>
#include <cmath>
#include <condition_variable>
#include <filesystem>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <iterator>
#include <map>
#include <mutex>
#include <numeric>
#include <set>
#include <string_view>
#include <thread>
#include <tuple>
#include <unordered_map>
#include <utility>

namespace gmprof {

using namespace summary;

//===----------------------------------------------------------------------===//
// Finding summaries
//===----------------------------------------------------------------------===//

Result<std::vector<std::string>> summariesIn(const std::vector<std::string> &Paths) {
  namespace fs = std::filesystem;
  std::vector<std::string> Found;
  std::set<fs::path> Seen;
  std::error_code Ignored;
  auto Add = [&](const fs::path &File) {
    if (Seen.insert(fs::weakly_canonical(File, Ignored)).second)
      Found.push_back(File.string());
  };
  for (const std::string &Path : Paths) {
    if (!fs::is_directory(Path, Ignored)) {
      Add(Path);
      continue;
    }
    const size_t Before = Seen.size();
    const fs::path Own = fs::path(Path) / "summary.json";
    const bool HasOwn = fs::exists(Own, Ignored);
    if (HasOwn)
      Add(Own);
    // Summaries of forked processes, or of the processes of a job.
    std::vector<fs::path> Below;
    for (const auto &Entry : fs::directory_iterator(Path, Ignored))
      if (Entry.is_directory(Ignored) && fs::exists(Entry.path() / "summary.json", Ignored))
        Below.push_back(Entry.path() / "summary.json");
    std::sort(Below.begin(), Below.end());
    for (const fs::path &File : Below)
      Add(File);
    if (Seen.size() == Before && !HasOwn && Below.empty())
      return Error{"there is no summary.json in '" + Path + "', nor in the folders in it"};
  }
  return Found;
}

//===----------------------------------------------------------------------===//
// Kept parts of a summary
//===----------------------------------------------------------------------===//

namespace {

/// A finding with the objects it refers to.
struct KeptFinding {
  Finding Of;
  std::optional<Object> About;
  std::vector<Frame> Path; ///< call path of the object's allocation
  std::string Kernel;      ///< mangled
  std::optional<SyncSite> Site;
};

struct Part {
  std::string Failure;
  summary::Summary Kept; ///< contains everything that the other members do not
  MergedProcess Process;
  std::vector<Measure> Measures;
  std::vector<KeptFinding> Findings;
  std::vector<Object> Largest; ///< objects listed in memory peaks
};

/// Returns the call path at Index in the same summary; empty if none.
std::vector<Frame> pathOf(const std::optional<uint32_t> &Index, const Summary &S) {
  return Index && *Index < S.call_paths.size() ? S.call_paths[*Index] : std::vector<Frame>();
}

KeptFinding keep(Finding F, const Summary &S, const std::map<uint32_t, const Object *> &Objects,
                 const std::map<uint32_t, const Kernel *> &Kernels) {
  KeptFinding To;
  if (F.object)
    if (const auto It = Objects.find(F.object->id); It != Objects.end()) {
      To.About = *It->second;
      if (To.About->alloc)
        To.Path = pathOf(To.About->alloc->call_path, S);
    }
  if (F.kernel)
    if (const auto It = Kernels.find(F.kernel->id); It != Kernels.end())
      To.Kernel = It->second->name;
  if (F.site && S.sync && *F.site < S.sync->sites.size())
    To.Site = S.sync->sites[*F.site];
  To.Of = std::move(F);
  return To;
}

Part partOf(const std::string &Path) {
  Part To;
  // Keeps all characters, as the summary is written again.
  Result<Summary> Read = readSummary(Path, SummaryText::AsItIs);
  if (!Read) {
    To.Failure = Read.error();
    return To;
  }
  Summary &S = *Read;
  if (S.processes) {
    To.Failure = "'" + Path + "' is a merged summary already: merge those that it is of";
    return To;
  }
  To.Measures = measuresOf(S);
  std::error_code Ignored;
  To.Process = {
      S.run.rank,         S.run.host,
      S.run.pid,          std::filesystem::absolute(Path, Ignored).lexically_normal().string(),
      S.run.wall_seconds, S.run.exit_status,
      S.run.complete,     S.coverage.whole,
      S.findings.size()};
  std::map<uint32_t, const Object *> Objects;
  for (const Object &O : S.objects)
    Objects[O.id] = &O;
  std::map<uint32_t, const Kernel *> Kernels;
  for (const Kernel &K : S.kernels)
    Kernels[K.id] = &K;
  for (Finding &F : S.findings)
    To.Findings.push_back(keep(std::move(F), S, Objects, Kernels));
  if (S.memory)
    for (const DeviceMemory &D : S.memory->devices)
      for (const MemoryPeak &P : D.peaks)
        for (uint32_t Id : P.largest)
          if (const auto It = Objects.find(Id); It != Objects.end())
            To.Largest.push_back(*It->second);
  for (Kernel &K : S.kernels) {
    K.objects.clear();
    K.other_sites.clear();
    K.object_accesses.clear();
    K.global_memory.reset();
    K.heat.reset();
  }
  if (S.sync)
    for (SyncSite &Site : S.sync->sites)
      Site.call_path.reset();
  S.objects.clear();
  S.findings.clear();
  S.call_paths.clear();
  S.files.clear();
  S.cache = {};
  To.Kept = std::move(S);
  return To;
}

//===----------------------------------------------------------------------===//
// Summation
//===----------------------------------------------------------------------===//

/// Adds elements of From to those in To with the same key.
template <typename T, typename KeyOf, typename Add>
void join(std::vector<T> &To, std::vector<T> &&From, KeyOf Key, Add AddTo) {
  std::map<decltype(Key(From.front())), size_t> Index;
  for (size_t I = 0; I < To.size(); ++I)
    Index.try_emplace(Key(To[I]), I);
  for (T &Each : From)
    if (const auto [It, New] = Index.try_emplace(Key(Each), To.size()); New)
      To.push_back(std::move(Each));
    else
      AddTo(To[It->second], Each);
}

void addTo(uint64_t &To, uint64_t N) { To = addSaturating(To, N); }

void addTo(std::vector<LaunchGroup> &To, std::vector<LaunchGroup> &&From) {
  join(
      To, std::move(From),
      [](const LaunchGroup &G) {
        return std::tuple(G.grid, G.block, G.dynamic_shared_bytes, G.mode, G.reason);
      },
      [](LaunchGroup &G, const LaunchGroup &Same) { addTo(G.count, Same.count); });
}

void addTo(std::optional<KernelSeconds> &To, const std::optional<KernelSeconds> &From) {
  if (!To || !From) {
    To = To ? To : From;
    return;
  }
  const auto All = static_cast<double>(To->measured_launches + From->measured_launches);
  To->mean = (To->mean * static_cast<double>(To->measured_launches) +
              From->mean * static_cast<double>(From->measured_launches)) /
             std::max(All, 1.0);
  addTo(To->measured_launches, From->measured_launches);
  To->total += From->total;
  To->instrumented = To->instrumented && From->instrumented;
}

/// Sets the shares of the time of all kernels, as analysis::kernelTimes does.
void setShares(std::vector<Kernel> &Kernels) {
  double OfAll = 0;
  for (const Kernel &K : Kernels)
    if (K.seconds && !K.seconds->instrumented)
      OfAll += K.seconds->total;
  for (Kernel &K : Kernels)
    if (K.seconds && K.seconds->total > 0)
      K.seconds->share =
          K.seconds->total / (OfAll + (K.seconds->instrumented ? K.seconds->total : 0));
}

/// Merges groups across devices, which each process numbers differently.
void withoutDevices(std::vector<LaunchGroup> &Groups) {
  std::vector<LaunchGroup> Joined;
  for (LaunchGroup &G : Groups)
    G.device.reset();
  addTo(Joined, std::move(Groups));
  Groups = std::move(Joined);
}

class Merger {
public:
  /// Returns an error message if the part cannot be merged with the previous ones.
  std::string add(Part &&P, const std::string &Path);
  Summary finish();
  bool empty() const { return List.empty(); }
  void gap(const std::string &Reason, uint64_t Count) {
    To.coverage.gaps.push_back({"processes", Reason, Count});
    To.coverage.whole = false;
  }

private:
  struct Joined {
    KeptFinding Best;
    std::vector<uint32_t> Processes;
  };
  struct Values {
    Quantity::Unit Unit = Quantity::Unit::Number;
    std::vector<uint32_t> Processes;
    std::vector<double> Each;
  };

  void addRun(const Summary &S);
  void addCoverage(Coverage &&C, const std::map<uint32_t, std::string> &KernelNames);
  void addKernels(std::vector<Kernel> &&Kernels);
  void addMemory(Part &P);
  void addSync(Sync &&Of);
  uint32_t device(const Device &D);
  void order();
  void finishFindings();
  void finishMeasures();

  Summary To;
  std::string Kind, FirstPath;
  std::vector<MergedProcess> List;
  std::map<std::string, uint32_t> KernelIds; ///< key: mangled name
  std::map<std::pair<std::string, std::string>, uint32_t> DeviceIds;
  std::unordered_map<std::string, Joined> ByFingerprint;
  std::map<std::pair<std::string, std::string>, size_t> MeasureIndex;
  std::vector<std::pair<Measure, Values>> Measures;
  uint64_t Fullest = 0; ///< highest peak so far
  std::vector<Object> Largest;
  std::set<std::string> Hosts;
  uint32_t NextObject = 0;
};

} // namespace

uint32_t Merger::device(const Device &D) {
  const auto [It, New] = DeviceIds.try_emplace({D.name, D.compute_capability},
                                               static_cast<uint32_t>(To.devices.size()));
  if (New) {
    To.devices.push_back(D);
    To.devices.back().id = It->second;
  }
  return It->second;
}

void Merger::addRun(const Summary &S) {
  Run &R = To.run;
  Hosts.insert(S.run.host);
  if (List.empty()) {
    To.schema = S.schema;
    To.tool = S.tool;
    To.config = S.config;
    R = S.run;
    R.rank.reset();
    R.pid = R.ppid = 0;
    return;
  }
  if (S.run.start < R.start)
    R.start = S.run.start;
  if (S.run.wall_seconds)
    R.wall_seconds = std::max(R.wall_seconds.value_or(0), *S.run.wall_seconds);
  // Keeps the exit status of the first process that failed.
  if (!R.exit_status || *R.exit_status == 0)
    R.exit_status = S.run.exit_status.value_or(0) != 0 || !S.run.exit_status ? S.run.exit_status
                                                                             : R.exit_status;
  R.complete = R.complete && S.run.complete;
}

void Merger::addCoverage(Coverage &&C, const std::map<uint32_t, std::string> &KernelNames) {
  Coverage &Sum = To.coverage;
  Sum.whole = Sum.whole && C.whole;
  for (NotInstrumented &N : C.kernels.not_instrumented)
    if (const auto It = KernelNames.find(N.kernel); It != KernelNames.end())
      N.kernel = KernelIds[It->second];
  join(
      Sum.kernels.not_instrumented, std::move(C.kernels.not_instrumented),
      [](const NotInstrumented &N) { return std::pair(N.name, N.reason); },
      [](NotInstrumented &, const NotInstrumented &) {});
  auto &L = Sum.launches;
  for (auto Each :
       {&LaunchCoverage::seen, &LaunchCoverage::profiled, &LaunchCoverage::nothing_to_profile,
        &LaunchCoverage::not_selected, &LaunchCoverage::refused, &LaunchCoverage::without_counts})
    addTo(L.*Each, C.launches.*Each);
  join(
      L.reasons, std::move(C.launches.reasons),
      [](const ReasonCount &R) { return std::pair(R.kernel, R.reason); },
      [](ReasonCount &R, const ReasonCount &Same) { addTo(R.count, Same.count); });
  join(
      Sum.profiles, std::move(C.profiles), [](const ProfileCoverage &P) { return P.profile; },
      [](ProfileCoverage &P, ProfileCoverage &Same) {
        addTo(P.launches, Same.launches);
        addTo(P.of, Same.of);
        join(
            P.never_counted, std::move(Same.never_counted),
            [](const ReasonCount &R) { return std::pair(R.kernel, R.reason); },
            [](ReasonCount &R, const ReasonCount &Also) { addTo(R.count, Also.count); });
      });
  for (auto Each : {&BlockCoverage::launched, &BlockCoverage::selected, &BlockCoverage::counted})
    addTo(Sum.blocks.*Each, C.blocks.*Each);
  for (auto Each : {&AccessCoverage::counted, &AccessCoverage::lost, &AccessCoverage::unattributed,
                    &AccessCoverage::outside})
    addTo(Sum.accesses.*Each, C.accesses.*Each);
  join(
      Sum.accesses.skipped, std::move(C.accesses.skipped),
      [](const SkippedSite &Site) {
        return std::tuple(Site.kernel, Site.access, Site.source ? Site.source->file : "",
                          Site.source ? Site.source->line : 0, Site.reason);
      },
      [](SkippedSite &, const SkippedSite &) {});
  if (C.objects) {
    ObjectCoverage &O = Sum.objects ? *Sum.objects : Sum.objects.emplace();
    for (auto Each : {&ObjectCoverage::launches_inferred, &ObjectCoverage::objects_uncertain,
                      &ObjectCoverage::objects_of_host})
      addTo(O.*Each, (*C.objects).*Each);
  }
  addTo(Sum.records_dropped, C.records_dropped);
  join(
      Sum.gaps, std::move(C.gaps), [](const Gap &G) { return std::pair(G.what, G.reason); },
      [](Gap &G, const Gap &Same) { addTo(G.count, Same.count); });
}

void Merger::addKernels(std::vector<Kernel> &&Kernels) {
  for (Kernel &K : Kernels) {
    const auto [It, New] = KernelIds.try_emplace(K.name, static_cast<uint32_t>(To.kernels.size()));
    K.devices.clear();
    withoutDevices(K.launches);
    if (New) {
      K.id = It->second;
      To.kernels.push_back(std::move(K));
      continue;
    }
    Kernel &Sum = To.kernels[It->second];
    for (auto Each : {&LaunchCounts::seen, &LaunchCounts::profiled, &LaunchCounts::not_selected,
                      &LaunchCounts::refused})
      addTo(Sum.launch_counts.*Each, K.launch_counts.*Each);
    addTo(Sum.seconds, K.seconds);
    addTo(Sum.launches, std::move(K.launches));
    addTo(Sum.launch_groups_omitted, K.launch_groups_omitted);
    if (Sum.launches.size() > MaxInline) {
      addTo(Sum.launch_groups_omitted, Sum.launches.size() - MaxInline);
      Sum.launches.resize(MaxInline);
    }
    addTo(Sum.accesses_lost, K.accesses_lost);
    addTo(Sum.accesses_unattributed, K.accesses_unattributed);
  }
}

/// Keeps the memory of the process with the highest peak.
void Merger::addMemory(Part &P) {
  if (!P.Kept.memory)
    return;
  uint64_t Peak = 0;
  for (const DeviceMemory &D : P.Kept.memory->devices)
    Peak = std::max(Peak, D.peak_bytes);
  if (To.memory && Peak <= Fullest)
    return;
  Fullest = Peak;
  To.memory = std::move(P.Kept.memory);
  To.memory->pools.clear();
  Largest = std::move(P.Largest);
}

void Merger::addSync(Sync &&Of) {
  if (!To.sync)
    To.sync.emplace();
  Sync &Sum = *To.sync;
  if (Of.wall_seconds)
    Sum.wall_seconds = Sum.wall_seconds.value_or(0) + *Of.wall_seconds;
  Sum.gpu_times_known = (List.empty() || Sum.gpu_times_known) && Of.gpu_times_known;
  for (auto Each : {&Sync::calls, &Sync::uses_seen, &Sync::uses_page, &Sync::uses_instrumented,
                    &Sync::uses_assumed, &Sync::sites_omitted})
    addTo(Sum.*Each, Of.*Each);
  join(
      Sum.sites, std::move(Of.sites),
      [](const SyncSite &Site) {
        return std::tuple(Site.api, Site.source ? Site.source->file : "",
                          Site.source ? Site.source->line : 0);
      },
      [](SyncSite &Site, const SyncSite &Same) {
        for (auto Each :
             {&SyncSite::calls, &SyncSite::waits, &SyncSite::blocked, &SyncSite::migrated_bytes,
              &SyncSite::unnecessary, &SyncSite::misplaced, &SyncSite::needed,
              &SyncSite::assumed_needed, &SyncSite::orders_streams, &SyncSite::not_seen,
              &SyncSite::unnecessary_instrumented, &SyncSite::copies, &SyncSite::copied_bytes,
              &SyncSite::duplicates, &SyncSite::duplicate_bytes, &SyncSite::destination_unchanged})
          addTo(Site.*Each, Same.*Each);
        for (auto Each :
             {&SyncSite::call_seconds, &SyncSite::wait_seconds,
              &SyncSite::unnecessary_benefit_seconds, &SyncSite::misplaced_benefit_seconds,
              &SyncSite::duplicate_benefit_seconds})
          Site.*Each += Same.*Each;
        for (auto Each : {&SyncSite::replay_seconds, &SyncSite::duplicate_replay_seconds})
          if (Same.*Each)
            Site.*Each = (Site.*Each).value_or(0) + *(Same.*Each);
      });
}

/// Returns true if A saves more than B.
static bool savesMore(const Finding &A, const Finding &B) {
  return std::pair(A.seconds_saved.value_or(0), A.bytes_saved) >
         std::pair(B.seconds_saved.value_or(0), B.bytes_saved);
}

std::string Merger::add(Part &&P, const std::string &Path) {
  const std::string ItsKind = RunProfiles(P.Kept).text();
  if (List.empty()) {
    Kind = ItsKind;
    FirstPath = Path;
    To.coverage.whole = true;
  } else if (Kind != ItsKind) {
    return fmt::format(
        "'{}' is of --profile {}, '{}' of --profile {}: merge what was profiled alike", FirstPath,
        Kind, Path, ItsKind);
  }
  const auto Index = static_cast<uint32_t>(List.size());
  addRun(P.Kept);
  std::map<uint32_t, uint32_t> Devices;
  for (const Device &D : P.Kept.devices)
    Devices[D.id] = device(D);
  auto Renumber = [&](std::optional<uint32_t> &Device) {
    if (const auto It = Device ? Devices.find(*Device) : Devices.end(); It != Devices.end())
      Device = It->second;
  };
  for (Object &O : P.Largest)
    Renumber(O.device);
  for (KeptFinding &F : P.Findings)
    if (F.About)
      Renumber(F.About->device);
  if (P.Kept.memory)
    for (DeviceMemory &D : P.Kept.memory->devices)
      if (const auto It = Devices.find(D.device); It != Devices.end())
        D.device = It->second;
  std::map<uint32_t, std::string> KernelNames;
  for (const Kernel &K : P.Kept.kernels)
    KernelNames[K.id] = K.name;
  addKernels(std::move(P.Kept.kernels));
  addCoverage(std::move(P.Kept.coverage), KernelNames);
  addMemory(P);
  if (P.Kept.sync)
    addSync(std::move(*P.Kept.sync));
  for (const Measure &M : P.Measures) {
    const auto [It, New] = MeasureIndex.try_emplace({M.Name, M.Of}, Measures.size());
    if (New)
      Measures.push_back({M, {M.Unit, {}, {}}});
    Values &V = Measures[It->second].second;
    V.Processes.push_back(Index);
    V.Each.push_back(M.Value);
  }
  for (KeptFinding &F : P.Findings) {
    auto [It, New] = ByFingerprint.try_emplace(F.Of.fingerprint);
    if (New || savesMore(F.Of, It->second.Best.Of))
      It->second.Best = std::move(F);
    if (It->second.Processes.empty() || It->second.Processes.back() != Index)
      It->second.Processes.push_back(Index);
  }
  List.push_back(std::move(P.Process));
  return "";
}

//===----------------------------------------------------------------------===//
// Completing the merged summary
//===----------------------------------------------------------------------===//

static double medianOf(std::vector<double> Values) {
  const size_t Middle = Values.size() / 2;
  std::nth_element(Values.begin(), Values.begin() + static_cast<std::ptrdiff_t>(Middle),
                   Values.end());
  const double Upper = Values[Middle];
  if (Values.size() % 2)
    return Upper;
  return (*std::max_element(Values.begin(), Values.begin() + static_cast<std::ptrdiff_t>(Middle)) +
          Upper) /
         2;
}

std::vector<uint32_t> outliersOf(const std::vector<double> &Values) {
  std::vector<uint32_t> Found;
  if (Values.size() < 4)
    return Found;
  const double Median = medianOf(Values);
  std::vector<double> Distances;
  for (double V : Values)
    Distances.push_back(std::fabs(V - Median));
  // The median absolute deviation divided by 0.6745 estimates the standard deviation. It is 0 if
  // more than half of the values are equal; then 1.2533 times the mean deviation is used.
  double Usual = medianOf(Distances) / 0.6745;
  if (Usual == 0)
    Usual = 1.253314 * std::accumulate(Distances.begin(), Distances.end(), 0.0) /
            static_cast<double>(Distances.size());
  for (size_t I = 0; I < Values.size(); ++I)
    if (Distances[I] > 3.5 * Usual && Distances[I] > 0.01 * std::fabs(Median))
      Found.push_back(static_cast<uint32_t>(I));
  return Found;
}

/// Sorts processes by rank, host and process id, and updates their indices.
void Merger::order() {
  std::vector<uint32_t> Order(List.size()), NewIndex(List.size());
  std::iota(Order.begin(), Order.end(), 0);
  auto Key = [&](uint32_t I) {
    const MergedProcess &P = List[I];
    return std::tuple(!P.rank, P.rank.value_or(0), std::string_view(P.host), P.pid, I);
  };
  std::sort(Order.begin(), Order.end(), [&](uint32_t A, uint32_t B) { return Key(A) < Key(B); });
  std::vector<MergedProcess> Sorted;
  for (uint32_t I : Order) {
    NewIndex[I] = static_cast<uint32_t>(Sorted.size());
    Sorted.push_back(std::move(List[I]));
  }
  List = std::move(Sorted);
  for (auto &[Fingerprint, F] : ByFingerprint) {
    for (uint32_t &P : F.Processes)
      P = NewIndex[P];
    std::sort(F.Processes.begin(), F.Processes.end());
  }
  for (auto &[M, V] : Measures) {
    std::vector<std::pair<uint32_t, double>> Pairs;
    for (size_t I = 0; I < V.Each.size(); ++I)
      Pairs.emplace_back(NewIndex[V.Processes[I]], V.Each[I]);
    std::sort(Pairs.begin(), Pairs.end());
    for (size_t I = 0; I < Pairs.size(); ++I)
      std::tie(V.Processes[I], V.Each[I]) = Pairs[I];
  }
}

static const char *unitName(Quantity::Unit Unit) {
  return Unit == Quantity::Unit::Bytes ? "bytes" : Unit == Quantity::Unit::Seconds ? "seconds" : "";
}

void Merger::finishMeasures() {
  // Puts measures of the whole run first, as in every list of measures.
  std::vector<std::pair<Measure, Values>> Sorted;
  for (const bool OfRun : {true, false})
    std::copy_if(Measures.begin(), Measures.end(), std::back_inserter(Sorted),
                 [&](const auto &Each) { return Each.first.Of.empty() == OfRun; });
  for (const auto &[M, V] : Sorted) {
    Spread S;
    S.name = M.Name;
    S.of = M.Of;
    S.unit = unitName(V.Unit);
    S.processes = V.Each.size();
    const auto [Least, Most] = std::minmax_element(V.Each.begin(), V.Each.end());
    // minmax_element returns the last maximum; the first is wanted.
    const auto First = std::find(V.Each.begin(), V.Each.end(), *Most);
    S.min = *Least;
    S.min_process = V.Processes[static_cast<size_t>(Least - V.Each.begin())];
    S.max = *Most;
    S.max_process = V.Processes[static_cast<size_t>(First - V.Each.begin())];
    const auto N = static_cast<double>(V.Each.size());
    S.mean = std::accumulate(V.Each.begin(), V.Each.end(), 0.0) / N;
    double Squares = 0;
    for (double X : V.Each)
      Squares += (X - S.mean) * (X - S.mean);
    S.deviation = std::sqrt(Squares / N);
    for (uint32_t I : outliersOf(V.Each))
      S.outliers.push_back(V.Processes[I]);
    To.processes->measures.push_back(std::move(S));
  }
}

void Merger::finishFindings() {
  std::vector<Joined *> All;
  for (auto &[Fingerprint, F] : ByFingerprint)
    All.push_back(&F);
  std::ranges::sort(
      All, [](const Joined *A, const Joined *B) { return ranksBefore(A->Best.Of, B->Best.Of); });
  for (Joined *J : All) {
    Finding F = std::move(J->Best.Of);
    F.id = To.findings.size() + 1;
    if (F.object && !J->Best.About)
      F.object->id = NextObject++; // the object is not in the merged summary
    if (F.object && J->Best.About) {
      Object O = std::move(*J->Best.About);
      F.object->id = O.id = NextObject++;
      O.parent.reset();
      O.kernel.reset();
      if (O.alloc) {
        O.alloc->call_path.reset();
        if (!J->Best.Path.empty()) {
          O.alloc->call_path = static_cast<uint32_t>(To.call_paths.size());
          To.call_paths.push_back(std::move(J->Best.Path));
        }
      }
      for (auto *Each : {&O.first_access, &O.last_access})
        if (*Each)
          (*Each)->call_path.reset();
      if (O.free)
        O.free->call_path.reset();
      if (O.elements)
        O.elements->frequencies.clear();
      To.objects.push_back(std::move(O));
    }
    if (F.kernel)
      if (const auto It = KernelIds.find(J->Best.Kernel); It != KernelIds.end())
        F.kernel->id = It->second;
    F.site.reset();
    if (J->Best.Site && To.sync)
      for (size_t I = 0; I < To.sync->sites.size(); ++I) {
        const SyncSite &Site = To.sync->sites[I];
        auto Where = [](const std::optional<Source> &S) {
          return std::pair(S ? S->file : std::string(), S ? S->line : 0);
        };
        if (Site.api == J->Best.Site->api && Where(Site.source) == Where(J->Best.Site->source))
          F.site = static_cast<uint32_t>(I);
      }
    To.processes->findings.push_back({F.fingerprint, std::move(J->Processes)});
    To.findings.push_back(std::move(F));
  }
}

Summary Merger::finish() {
  To.processes.emplace();
  order();
  // Renumbers objects listed in peaks.
  std::map<uint32_t, uint32_t> Ids;
  for (Object &O : Largest)
    if (const auto [It, New] = Ids.try_emplace(O.id, NextObject); New) {
      O.id = NextObject++;
      O.parent.reset();
      O.kernel.reset();
      for (auto *Each : {&O.alloc, &O.free})
        if (*Each)
          (*Each)->call_path.reset();
      for (auto *Each : {&O.first_access, &O.last_access})
        if (*Each)
          (*Each)->call_path.reset();
      if (O.elements)
        O.elements->frequencies.clear();
      To.objects.push_back(std::move(O));
    }
  if (To.memory)
    for (DeviceMemory &D : To.memory->devices)
      for (MemoryPeak &P : D.peaks) {
        std::erase_if(P.largest, [&](uint32_t Id) { return !Ids.contains(Id); });
        for (uint32_t &Id : P.largest)
          Id = Ids.at(Id);
      }
  finishFindings();
  finishMeasures();
  setShares(To.kernels);
  To.coverage.kernels.seen = To.kernels.size();
  To.coverage.kernels.instrumented = static_cast<uint64_t>(std::count_if(
      To.kernels.begin(), To.kernels.end(), [](const Kernel &K) { return K.instrumented; }));
  To.coverage.kernels.nothing_to_profile =
      To.coverage.kernels.seen -
      std::min<uint64_t>(To.coverage.kernels.seen, To.coverage.kernels.instrumented +
                                                       To.coverage.kernels.not_instrumented.size());
  To.run.host = Hosts.size() == 1 ? *Hosts.begin() : fmt::format("{} hosts", Hosts.size());
  To.processes->list = std::move(List);
  return std::move(To);
}

//===----------------------------------------------------------------------===//
// Parallel reading
//===----------------------------------------------------------------------===//

namespace {

/// Reads summaries in several threads, and returns them in order. Limits the number of read
/// summaries, and so memory.
class Readers {
public:
  Readers(const std::vector<std::string> &Paths, unsigned Count) : Paths(Paths), Ahead(2 * Count) {
    for (size_t I = 0; I < std::min<size_t>(Count, Paths.size()); ++I)
      Threads.emplace_back([this] { read(); });
  }
  ~Readers() {
    {
      std::lock_guard<std::mutex> Guard(Lock);
      Next = Paths.size();
    }
    Changed.notify_all();
    for (std::thread &T : Threads)
      T.join();
  }
  Readers(const Readers &) = delete;
  Readers &operator=(const Readers &) = delete;

  Part take(size_t Index) {
    std::unique_lock<std::mutex> Guard(Lock);
    Taken = Index;
    Changed.notify_all();
    Changed.wait(Guard, [&] { return Ready.contains(Index); });
    Part P = std::move(Ready.extract(Index).mapped());
    Taken = Index + 1;
    Changed.notify_all();
    return P;
  }

private:
  void read() {
    for (;;) {
      size_t Index = 0;
      {
        std::unique_lock<std::mutex> Guard(Lock);
        Changed.wait(Guard, [&] { return Next >= Paths.size() || Next < Taken + Ahead; });
        if (Next >= Paths.size())
          return;
        Index = Next++;
      }
      Part P = partOf(Paths[Index]);
      std::lock_guard<std::mutex> Guard(Lock);
      Ready.emplace(Index, std::move(P));
      Changed.notify_all();
    }
  }

  const std::vector<std::string> &Paths;
  const size_t Ahead;
  std::mutex Lock;
  std::condition_variable Changed;
  size_t Next = 0, Taken = 0;
  std::map<size_t, Part> Ready;
  std::vector<std::thread> Threads;
};

} // namespace

Result<Summary> mergeSummaries(const std::vector<std::string> &Paths, const MergeOptions &Options) {
  Merger M;
  uint64_t Broken = 0;
  std::string FirstFailure;
  Readers Read(Paths, std::max(Options.Threads, 1u));
  for (size_t I = 0; I < Paths.size(); ++I) {
    if (Options.Stop && Options.Stop->load() && !M.empty()) {
      M.gap("merging was interrupted before their summaries were read", Paths.size() - I);
      break;
    }
    Part P = Read.take(I);
    std::string Failure = std::move(P.Failure);
    if (Failure.empty())
      Failure = M.add(std::move(P), Paths[I]);
    if (!Failure.empty() && !Options.SkipBroken)
      return Error{Failure + " (--skip-broken leaves it out)"};
    Broken += !Failure.empty();
    if (FirstFailure.empty())
      FirstFailure = std::move(Failure);
    progress(fmt::format("read {} of {} summaries", I + 1, Paths.size()));
  }
  if (M.empty())
    return Error{FirstFailure.empty() ? "there is no summary to merge" : FirstFailure};
  if (Broken)
    M.gap("their summaries could not be merged, the first because " + FirstFailure, Broken);
  return M.finish();
}

//===----------------------------------------------------------------------===//
// Process names
//===----------------------------------------------------------------------===//

std::string processName(const MergedProcess &P) {
  return P.rank ? fmt::format("rank {}", *P.rank) : fmt::format("{}:{}", P.host, P.pid);
}

/// Formats ranks as 0-5, 7.
static std::string ranges(std::vector<int> Ranks) {
  std::vector<std::string> Parts;
  for (size_t I = 0; I < Ranks.size();) {
    size_t End = I + 1;
    while (End < Ranks.size() && Ranks[End] == Ranks[End - 1] + 1)
      ++End;
    Parts.push_back(End == I + 1   ? fmt::format("{}", Ranks[I])
                    : End == I + 2 ? fmt::format("{}, {}", Ranks[I], Ranks[I + 1])
                                   : fmt::format("{}-{}", Ranks[I], Ranks[End - 1]));
    I = End;
  }
  return fmt::format("{}", fmt::join(Parts, ", "));
}

std::string processNames(const Processes &All, const std::vector<uint32_t> &Which) {
  constexpr size_t Named = 4;
  std::vector<int> Ranks;
  std::vector<std::string> Others;
  for (uint32_t I : Which) {
    if (I >= All.list.size())
      continue;
    if (All.list[I].rank)
      Ranks.push_back(*All.list[I].rank);
    else
      Others.push_back(processName(All.list[I]));
  }
  std::sort(Ranks.begin(), Ranks.end());
  std::vector<std::string> Parts;
  if (!Ranks.empty())
    Parts.push_back((Ranks.size() == 1 ? "rank " : "ranks ") + ranges(Ranks));
  const size_t More = Others.size() - std::min(Others.size(), Named);
  Others.resize(Others.size() - More);
  Parts.insert(Parts.end(), Others.begin(), Others.end());
  if (More)
    Parts.push_back(fmt::format("{} more", More));
  return fmt::format("{}", fmt::join(Parts, ", "));
}

} // namespace gmprof
