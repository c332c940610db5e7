//===- CombineRuns.cpp - Runs of one program in one summary ---------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "report/check/CombineRuns.h"
#include "analysis/KernelTimes.h"
#include "analysis/Wording.h"
#include "profile/Saturating.h"
#include "report/model/CallPaths.h"
#include "report/model/Findings.h"
#include "report/model/Patterns.h"
#include "report/model/SummaryNames.h"
#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <tuple>

namespace gmprof {

using namespace summary;

//===----------------------------------------------------------------------===//
// Differences
//===----------------------------------------------------------------------===//

/// Returns the number of launches by kernel (mangled).
static std::map<std::string, uint64_t> launchesOf(const Summary &S) {
  std::map<std::string, uint64_t> Launches;
  for (const Kernel &K : S.kernels)
    Launches[K.name] += K.launch_counts.seen;
  return Launches;
}

/// Returns the number of allocations by size; objects without a call, such as module variables, are
/// recorded in some profiles only.
static std::map<uint64_t, uint64_t> allocationsOf(const Summary &S) {
  std::map<uint64_t, uint64_t> Allocations;
  for (const Object &O : S.objects)
    if (O.alloc && !O.alloc->api.empty())
      ++Allocations[O.bytes];
  return Allocations;
}

/// Returns the number of launches by nodes of graphs whose kernel is unknown: a profile that needs
/// no clones, as sync, has nothing to profile in them.
static uint64_t graphNodes(const Summary &S) {
  uint64_t Known = 0;
  for (const auto &[_, Count] : launchesOf(S))
    Known = addSaturating(Known, Count);
  const LaunchCoverage &L = S.coverage.launches;
  uint64_t Nodes = std::min(L.nothing_to_profile, L.seen - std::min(L.seen, Known));
  for (const ReasonCount &R : S.coverage.launches.reasons)
    if (R.kernel == "graphs")
      Nodes = addSaturating(Nodes, R.count);
  return Nodes;
}

static std::string differenceOfMemory(const Summary &A, const Summary &B) {
  // A profile without objects lists only those that its kernels use.
  const bool BothHaveMemory = A.memory && B.memory;
  return BothHaveMemory && allocationsOf(A) != allocationsOf(B) ? "other allocations" : "";
}

std::string differenceOfRuns(const Summary &A, const Summary &B) {
  if (A.run.exit_status != B.run.exit_status)
    return fmt::format("exit status {} instead of {}", B.run.exit_status.value_or(-1),
                       A.run.exit_status.value_or(-1));
  // The kernels of some nodes of graphs are unknown: their number is known alone.
  if (graphNodes(A) != 0 || graphNodes(B) != 0) {
    if (A.coverage.launches.seen != B.coverage.launches.seen)
      return fmt::format("{} instead of {}", plural(B.coverage.launches.seen, "launch"),
                         grouped(A.coverage.launches.seen));
    return differenceOfMemory(A, B);
  }
  std::map<std::string, uint64_t> Launches = launchesOf(A);
  for (const Kernel &K : B.kernels)
    Launches.try_emplace(K.name, 0);
  const std::map<std::string, uint64_t> Others = launchesOf(B);
  for (const auto &[Name, Count] : Launches) {
    const auto It = Others.find(Name);
    const uint64_t Other = It == Others.end() ? 0 : It->second;
    if (Other == Count)
      continue;
    const auto Named = std::ranges::find(A.kernels, Name, &Kernel::name);
    return fmt::format("{} of `{}` instead of {}", plural(Other, "launch"),
                       Named == A.kernels.end() ? Name : Named->demangled, Count);
  }
  return differenceOfMemory(A, B);
}

//===----------------------------------------------------------------------===//
// Combination
//===----------------------------------------------------------------------===//

namespace {

/// Takes over one summary, with the indices of objects, kernels and call paths changed.
class Combiner {
public:
  Combiner(Summary &To, Summary &From, const std::string &Folder)
      : To(To), From(From), Folder(Folder) {}
  void combine();

private:
  using ObjectKey = std::tuple<std::string, std::string, uint64_t, std::string>;

  ObjectKey keyOf(const Object &O, const Summary &Of) const;
  void mapKernels();
  void mapObjects();
  void mapCallPaths();
  void move(Object &O);
  uint32_t object(uint32_t Id) const { return Objects.at(Id); }
  uint32_t kernel(uint32_t Id) const { return Kernels.at(Id); }
  void change(std::optional<uint32_t> &Object) const {
    if (Object)
      Object = object(*Object);
  }
  void changePath(std::optional<uint32_t> &Path) const {
    if (Path)
      *Path += FirstPath;
  }
  void takeKernels();
  void takeCalls();
  void takeCaches();
  void takeMemory();
  void takeFindings();
  void takeCoverage();
  void takeConfig();
  void takeTrace();

  Summary &To;
  Summary &From;
  const std::string &Folder;
  std::map<uint32_t, uint32_t> Objects, Kernels; ///< ids of To by those of From
  uint32_t FirstPath = 0;
};

} // namespace

/// Returns what equal objects of two runs have in common; the n-th of a key is the n-th of the
/// other run.
Combiner::ObjectKey Combiner::keyOf(const Object &O, const Summary &Of) const {
  std::string Kernel;
  if (O.kernel)
    if (const auto It = std::ranges::find(Of.kernels, *O.kernel, &Kernel::id);
        It != Of.kernels.end())
      Kernel = It->name;
  return {O.kind, O.name, O.bytes, std::move(Kernel)};
}

void Combiner::mapKernels() {
  for (const Kernel &K : From.kernels)
    if (const auto It = std::ranges::find(To.kernels, K.name, &Kernel::name);
        It != To.kernels.end())
      Kernels[K.id] = It->id;
}

void Combiner::mapCallPaths() {
  FirstPath = static_cast<uint32_t>(To.call_paths.size());
  CallPathTable Paths(To);
  for (uint32_t Path = 0; Path < From.call_paths.size(); ++Path)
    Paths.add(callPath(From, Path));
}

/// Appends an object that To does not have.
void Combiner::move(Object &O) {
  const auto Id = static_cast<uint32_t>(To.objects.size());
  Objects[O.id] = Id;
  O.id = Id;
  if (O.kernel)
    O.kernel = kernel(*O.kernel);
  for (std::optional<ObjectEvent> *Event : {&O.alloc, &O.free})
    if (*Event)
      changePath((*Event)->call_path);
  for (std::optional<Access> *Event : {&O.first_access, &O.last_access})
    if (*Event)
      changePath((*Event)->call_path);
  To.objects.push_back(std::move(O));
}

void Combiner::mapObjects() {
  std::map<ObjectKey, std::vector<uint32_t>> Known;
  for (const Object &O : To.objects)
    Known[keyOf(O, To)].push_back(O.id);
  std::map<ObjectKey, size_t> Seen;
  std::vector<uint32_t> WithParent;
  for (Object &O : From.objects) {
    const ObjectKey Key = keyOf(O, From);
    const std::vector<uint32_t> &Same = Known[Key];
    const size_t Number = Seen[Key]++;
    if (Number >= Same.size()) {
      if (O.parent)
        WithParent.push_back(static_cast<uint32_t>(To.objects.size()));
      move(O);
      continue;
    }
    Objects[O.id] = Same[Number];
    Object &Into = To.objects[Same[Number]];
    if (O.elements && !Into.elements) {
      for (ElementFrequencies &F : O.elements->frequencies)
        F.kernel = kernel(F.kernel);
      Into.elements = std::move(O.elements);
    }
  }
  for (uint32_t Id : WithParent)
    change(To.objects[Id].parent);
}

void Combiner::takeKernels() {
  for (Kernel &K : From.kernels) {
    Kernel &Into = To.kernels[kernel(K.id)];
    if (K.global_memory && !Into.global_memory) {
      for (GlobalObjectUse &Use : K.global_memory->objects)
        Use.object = object(Use.object);
      Into.global_memory = std::move(K.global_memory);
    }
    if (!K.objects.empty() && Into.objects.empty()) {
      for (ObjectUse &Use : K.objects)
        Use.object = object(Use.object);
      Into.objects = std::move(K.objects);
      Into.other_sites = std::move(K.other_sites);
      Into.level = K.level;
      Into.counter_bits = K.counter_bits;
      Into.threshold = K.threshold;
      Into.counts_exact = K.counts_exact;
      Into.blocks_alike = K.blocks_alike;
      Into.counters_in = K.counters_in;
      Into.block_sample = K.block_sample;
    }
  }
}

/// Takes over the calls if they were recorded in full.
void Combiner::takeCalls() {
  if (!From.sync || From.sync->stages.empty())
    return;
  for (SyncSite &Site : From.sync->sites)
    changePath(Site.call_path);
  if (From.sync->migrations)
    for (SyncMigration &M : *From.sync->migrations)
      change(M.object);
  // Findings at first sight refer to the calls that these replace; From has them, too.
  std::erase_if(To.findings, [](const Finding &F) { return F.site.has_value(); });
  To.sync = std::move(From.sync);
}

void Combiner::takeCaches() {
  if (!From.cache || To.cache)
    return;
  const auto Change = [&](std::vector<CacheObject> &Of) {
    for (CacheObject &O : Of)
      change(O.object);
  };
  Change(From.cache->objects);
  for (CacheKernel &K : From.cache->kernels) {
    if (K.kernel)
      K.kernel = kernel(*K.kernel);
    Change(K.objects);
  }
  for (CacheLaunch &L : From.cache->launches)
    if (L.kernel)
      L.kernel = kernel(*L.kernel);
  To.cache = std::move(From.cache);
}

/// Takes over the peak with all fixes if the other run knows more of them.
void Combiner::takeMemory() {
  if (!To.memory || !From.memory)
    return;
  for (DeviceMemory &D : To.memory->devices)
    for (const DeviceMemory &Other : From.memory->devices)
      if (Other.device == D.device && Other.peak_bytes == D.peak_bytes)
        D.peak_bytes_after = std::min(D.peak_bytes_after.value_or(D.peak_bytes),
                                      Other.peak_bytes_after.value_or(D.peak_bytes));
}

/// Limits the severity by the kernel's time, which was measured in another run. See
/// analysis::weighByKernelTime. The share of all instances of a template is unknown.
static void weighByKernelTime(Finding &F, const Kernel &K) {
  const bool IsJoined =
      std::ranges::any_of(F.evidence, [](const auto &E) { return E.first == "instances"; });
  if (!K.seconds || IsJoined || F.origin == "drgpum" || kernelTimeShare(F) != 0)
    return;
  const double Share = K.seconds->share;
  const char *Highest = severityName(analysis::highestSeverity(Share));
  if (severityRank(F.severity) > severityRank(Highest))
    F.severity = Highest;
  F.evidence.emplace_back("kernel_time_share", Share);
  if (!K.seconds->instrumented || Share < 1)
    F.message += ' ' + analysis::shareSentence(quotedName(briefName(K.demangled)) + " takes", Share,
                                               K.seconds->instrumented);
}

/// Adds the findings that To does not have, and joins and ranks all findings again.
void Combiner::takeFindings() {
  std::set<std::string> Known;
  for (const Finding &F : To.findings)
    Known.insert(F.fingerprint);
  for (Finding &F : From.findings) {
    if (!Known.insert(F.fingerprint).second)
      continue;
    if (F.object)
      F.object->id = object(F.object->id);
    if (F.kernel)
      F.kernel->id = kernel(F.kernel->id);
    if (F.kernel)
      weighByKernelTime(F, To.kernels[F.kernel->id]);
    To.findings.push_back(std::move(F));
  }
  joinPatterns(To.findings);
  rank(To.findings);
}

void Combiner::takeCoverage() {
  for (ProfileCoverage &P : From.coverage.profiles) {
    const auto Known =
        std::ranges::find(To.coverage.profiles, P.profile, &ProfileCoverage::profile);
    if (Known == To.coverage.profiles.end())
      To.coverage.profiles.push_back(std::move(P));
    else if (P.never_counted.size() < Known->never_counted.size())
      *Known = std::move(P);
  }
  for (Gap &G : From.coverage.gaps)
    if (std::ranges::none_of(To.coverage.gaps, [&](const Gap &Known) {
          return Known.what == G.what && Known.reason == G.reason;
        }))
      To.coverage.gaps.push_back(std::move(G));
  To.coverage.whole = To.coverage.whole && From.coverage.whole;
  To.coverage.records_dropped =
      addSaturating(To.coverage.records_dropped, From.coverage.records_dropped);
}

/// Adds the profiles of From to those of config.
void Combiner::takeConfig() {
  nlohmann::json Config = nlohmann::json::parse(To.config.text, nullptr, false);
  const nlohmann::json Other = nlohmann::json::parse(From.config.text, nullptr, false);
  if (!Config.is_object() || !Other.is_object())
    return;
  nlohmann::json &Profiles = Config["profiles"];
  const auto More = Other.find("profiles");
  if (!Profiles.is_array() || More == Other.end() || !More->is_array())
    return;
  for (const nlohmann::json &Each : *More)
    if (std::ranges::find(Profiles, Each) == Profiles.end())
      Profiles.push_back(Each);
  Config["profile"] = "full";
  // The stage says that calls were recorded at first sight only.
  if (From.sync || To.sync)
    if (const auto Stage = Other.find("sync_stage"); Stage != Other.end())
      Config["sync_stage"] = *Stage;
  To.config.text = Config.dump();
}

void Combiner::takeTrace() {
  for (File &F : From.files)
    if (F.format == "gmtrace") {
      F.path = Folder + "/" + F.path;
      To.files.push_back(std::move(F));
    }
}

void Combiner::combine() {
  mapKernels();
  mapCallPaths();
  mapObjects();
  takeKernels();
  takeConfig();
  takeCalls();
  takeCaches();
  takeMemory();
  takeFindings();
  takeCoverage();
  takeTrace();
}

void combineRuns(Summary &To, Summary Other, const std::string &Folder) {
  Combiner(To, Other, Folder).combine();
}

} // namespace gmprof
