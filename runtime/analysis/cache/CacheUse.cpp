//===- CacheUse.cpp - Cache use by kernel and object ----------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "analysis/cache/CacheUse.h"
#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <unordered_map>

namespace gmprof::analysis {

using namespace cache;

std::vector<uint32_t> kernelsOfLaunches(const profile::Profile &P, const SimulationResults &R) {
  std::unordered_map<uint64_t, uint32_t> ByNumber;
  for (const profile::Launch &L : P.Launches)
    ByNumber.emplace(L.Id, L.Kernel);
  std::unordered_map<std::string, uint32_t> ByName;
  for (uint32_t K = 0; K < P.Kernels.size(); ++K) {
    ByName.emplace(P.Kernels[K].Name, K);
    ByName.emplace(P.Kernels[K].Demangled, K);
  }
  std::vector<uint32_t> Kernels;
  for (const LaunchResult &L : R.Launches) {
    uint32_t Kernel = profile::None;
    if (const auto It = ByNumber.find(L.Launch.Number); It != ByNumber.end())
      Kernel = It->second;
    else if (const auto Named = ByName.find(R.Kernels[L.Launch.Kernel].Name); Named != ByName.end())
      Kernel = Named->second;
    Kernels.push_back(Kernel);
  }
  return Kernels;
}

/// Returns true for the kinds of loads that L1 caches.
static bool isCachedLoad(AccessKind Kind) {
  return Kind == AccessKind::Load || Kind == AccessKind::AsyncCopy;
}

namespace {

struct ObjectSum {
  CacheObjectUse Use;
  std::set<uint64_t> Ids;
  std::map<std::tuple<std::string, unsigned, AccessKind>, AccessCounts> Lines;
};

struct KernelSum {
  KernelCacheUse Use;
  std::set<uint32_t> Launches;
  std::map<uint32_t, uint64_t> FetchedAgain;                                ///< by launch
  std::map<std::tuple<uint32_t, uint64_t, std::string>, ObjectSum> Objects; ///< see add()
};

class Builder {
  const SimulationResults &R;
  std::unordered_map<uint64_t, profile::Object> Known;
  std::map<uint32_t, KernelSum> Kernels;

  void add(KernelSum &To, const Cell &C);

public:
  Builder(const profile::Profile &P, const SimulationResults &R) : R(R) {
    std::set<uint64_t> Wanted;
    for (const TraceObject &O : R.Objects)
      Wanted.insert(O.Id);
    for (const profile::Object &O : P.Objects)
      if (Wanted.contains(O.Id))
        Known.emplace(O.Id, O);
  }
  void add(uint32_t Kernel, const Cell &C) {
    KernelSum &To = Kernels[Kernel];
    To.Use.Kernel = Kernel;
    To.Launches.insert(C.Launch);
    To.FetchedAgain[C.Launch] +=
        C.Counts.FetchedAgain + C.Counts.DramReadsAgain + C.Counts.FetchedSplit;
    To.Use.Counts += C.Counts;
    add(To, C);
  }
  std::vector<KernelCacheUse> finish();
};

} // namespace

/// Adds a cell. Objects with the same name and a known allocating call path are merged.
void Builder::add(KernelSum &To, const Cell &C) {
  if (C.Object < 0)
    return;
  const TraceObject &Traced = R.Objects[static_cast<size_t>(C.Object)];
  const auto It = Known.find(Traced.Id);
  const uint32_t CallPath = It == Known.end() ? profile::None : It->second.Made.CallPath;
  // The program may have named the object after the trace recorded it.
  const std::string Name =
      Traced.Name.empty() && It != Known.end() ? It->second.Name.str() : Traced.Name;
  ObjectSum &Sum = To.Objects[{CallPath, CallPath == profile::None ? Traced.Id : 0, Name}];
  if (Sum.Ids.empty()) {
    Sum.Use.Id = It == Known.end() ? 0 : Traced.Id;
    Sum.Use.Name = Name;
    Sum.Use.Bytes = Traced.Bytes;
  }
  Sum.Ids.insert(Traced.Id);
  Sum.Use.Counts += C.Counts;
  if (isCachedLoad(C.Kind))
    Sum.Use.Loads += C.Counts;
  const bool HasSite = C.Site < R.Sites.size();
  Sum.Lines[{HasSite ? R.Sites[C.Site].File : "", HasSite ? R.Sites[C.Site].Line : 0, C.Kind}] +=
      C.Counts;
}

std::vector<KernelCacheUse> Builder::finish() {
  std::vector<KernelCacheUse> Uses;
  for (auto &[Index, K] : Kernels) {
    K.Use.Launches = K.Launches.size();
    K.Use.HeaviestLaunch =
        std::max_element(K.FetchedAgain.begin(), K.FetchedAgain.end(),
                         [](const auto &A, const auto &B) { return A.second < B.second; })
            ->first;
    for (auto &[Key, O] : K.Objects) {
      O.Use.Objects = O.Ids.size();
      for (auto &[Place, Counts] : O.Lines) {
        const auto &[File, Line, Kind] = Place;
        O.Use.Lines.push_back({{File, Line, 0}, Kind, Counts});
      }
      K.Use.Objects.push_back(std::move(O.Use));
    }
    Uses.push_back(std::move(K.Use));
  }
  return Uses;
}

std::vector<KernelCacheUse> cacheUse(const profile::Profile &P, const SimulationResults &R) {
  const std::vector<uint32_t> Kernels = kernelsOfLaunches(P, R);
  Builder B(P, R);
  for (const Cell &C : R.Cells)
    if (Kernels[C.Launch] != profile::None)
      B.add(Kernels[C.Launch], C);
  return B.finish();
}

} // namespace gmprof::analysis
