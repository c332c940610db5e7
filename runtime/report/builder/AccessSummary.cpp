//===- AccessSummary.cpp - Objects that kernels access --------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "report/builder/AccessSummary.h"
#include "profile/SumByKey.h"
#include <algorithm>
#include <span>
#include <utility>
#include <vector>

namespace gmprof {

using log::AccessKnowledge;

/// Maximum number of objects listed for a kernel; the others are only counted.
static constexpr size_t MaxObjects = 100;

namespace {

/// Number of launches of a kernel that access an object.
struct Launches {
  uint32_t Kernel = 0;
  /// the lowest of all launches
  AccessKnowledge Knowledge = AccessKnowledge::Exact;
  uint64_t Object = 0; ///< Object::id
  uint64_t Reads = 0, Writes = 0, All = 0;
};

} // namespace

static const char *knowledgeName(AccessKnowledge K) {
  switch (K) {
  case AccessKnowledge::Exact:
    return "exact";
  case AccessKnowledge::Inferred:
  case AccessKnowledge::FromParameters:
    return "inferred";
  case AccessKnowledge::Possible:
    return "possible";
  }
  return "";
}

static AccessKnowledge least(AccessKnowledge A, AccessKnowledge B) {
  if (A == AccessKnowledge::Inferred || B == AccessKnowledge::Inferred)
    return AccessKnowledge::Inferred;
  return std::max(A, B);
}

/// Returns how often each launch of the log ran; a graph's node runs once per launch of the graph.
static std::vector<uint64_t> countReplays(const profile::Profile &P) {
  std::vector<uint64_t> Times(P.Launches.size());
  size_t Index = 0;
  for (const profile::Launch &L : P.Launches)
    Times[Index++] = L.Graph ? 0 : L.Times;
  for (const profile::GraphLaunch &L : P.GraphLaunches)
    if (L.Nodes != profile::None)
      for (uint32_t Node : P.Graphs[L.Nodes].Nodes)
        if (Node != profile::None && P.Nodes[Node].Launch != profile::None)
          ++Times[P.Nodes[Node].Launch];
  return Times;
}

/// Returns the number of launches per pair of kernel and access set. Most launches of a kernel have
/// the same set.
static std::vector<std::pair<std::pair<uint32_t, uint32_t>, uint64_t>>
launchesOfSets(const profile::Profile &P) {
  std::vector<std::pair<std::pair<uint32_t, uint32_t>, uint64_t>> All;
  size_t Sorted = 1 << 16;
  // Merges equal pairs from time to time, so that memory does not grow with the number of launches.
  auto Unite = [&] {
    sumByKey(All);
    Sorted = std::max(Sorted, 2 * All.size());
  };
  const std::vector<uint64_t> Replays = countReplays(P);
  size_t Index = 0;
  for (const profile::Launch &L : P.Launches) {
    const uint64_t Times = Replays[Index++];
    if (L.AccessSet == profile::None || Times == 0)
      continue;
    if (All.size() == Sorted)
      Unite();
    All.push_back({{L.Kernel, L.AccessSet}, Times});
  }
  Unite();
  return All;
}

/// Returns the number of launches per kernel and object.
static std::vector<Launches> launchesOfObjects(const profile::Profile &P) {
  std::vector<Launches> All;
  for (const auto &[Key, Count] : launchesOfSets(P)) {
    const profile::AccessSet &Set = P.AccessSets[Key.second];
    for (const log::ObjectAccess &A : Set.Accesses)
      All.push_back(
          {Key.first, Set.Knowledge, A.object, A.reads ? Count : 0, A.writes ? Count : 0, Count});
  }
  auto Key = [](const Launches &L) { return std::pair(L.Kernel, L.Object); };
  std::sort(All.begin(), All.end(),
            [&](const Launches &A, const Launches &B) { return Key(A) < Key(B); });
  size_t Count = 0;
  for (const Launches &Each : All) {
    if (Count == 0 || Key(All[Count - 1]) != Key(Each)) {
      All[Count++] = Each;
      continue;
    }
    Launches &To = All[Count - 1];
    To.Reads += Each.Reads;
    To.Writes += Each.Writes;
    To.All += Each.All;
    To.Knowledge = least(To.Knowledge, Each.Knowledge);
  }
  All.resize(Count);
  return All;
}

void addObjectAccesses(const profile::Profile &P, std::vector<summary::Kernel> &Kernels,
                       const std::function<std::optional<uint32_t>(uint64_t)> &IndexOf) {
  std::vector<Launches> All = launchesOfObjects(P);
  for (auto Begin = All.begin(); Begin != All.end();) {
    auto End = std::find_if(Begin, All.end(),
                            [&](const Launches &L) { return L.Kernel != Begin->Kernel; });
    std::sort(Begin, End, [](const Launches &A, const Launches &B) {
      return A.All != B.All ? A.All > B.All : A.Object < B.Object;
    });
    summary::Kernel &To = Kernels[Begin->Kernel];
    for (const Launches &L : std::span(Begin, End)) {
      const std::optional<uint32_t> Index =
          To.object_accesses.size() < MaxObjects ? IndexOf(L.Object) : std::nullopt;
      if (Index)
        To.object_accesses.push_back(
            {*Index, L.All, L.Reads, L.Writes, knowledgeName(L.Knowledge)});
      else
        ++To.object_accesses_omitted;
    }
    Begin = End;
  }
}

} // namespace gmprof
