//===- AccessSummary.cpp - Which objects kernels access -------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "report/AccessSummary.h"
#include <algorithm>
#include <map>
#include <utility>

namespace gmprof {

using log::AccessKnowledge;

/// A kernel that accesses more has the others in a number.
static constexpr size_t MaxObjects = 100;

namespace {

struct Launches {
  uint64_t Reads = 0, Writes = 0, All = 0;
  /// The least that is known of any of them.
  AccessKnowledge Knowledge = AccessKnowledge::Exact;
};

} // namespace

static const char *knowledgeName(AccessKnowledge K) {
  switch (K) {
  case AccessKnowledge::Exact:
    return "exact";
  case AccessKnowledge::Inferred:
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

/// How often each launch of the log happened: one that is a graph's node whenever that ran.
static std::vector<uint64_t> countReplays(const profile::Profile &P) {
  std::vector<uint64_t> Times(P.Launches.size());
  for (size_t I = 0; I < P.Launches.size(); ++I)
    Times[I] = P.Launches[I].Graph ? 0 : P.Launches[I].Times;
  for (const profile::GraphLaunch &L : P.GraphLaunches)
    if (L.Nodes != profile::None)
      for (uint32_t Node : P.Graphs[L.Nodes].Nodes)
        if (Node != profile::None && P.Nodes[Node].Launch != profile::None)
          ++Times[P.Nodes[Node].Launch];
  return Times;
}

void addObjectAccesses(const profile::Profile &P, std::vector<summary::Kernel> &Kernels,
                       const std::function<uint32_t(uint64_t)> &IndexOf) {
  // Launches of a kernel mostly have the same set.
  std::map<std::pair<uint32_t, uint32_t>, uint64_t> Times;
  const std::vector<uint64_t> Replays = countReplays(P);
  for (size_t I = 0; I < P.Launches.size(); ++I)
    if (const profile::Launch &L = P.Launches[I]; L.AccessSet != profile::None && Replays[I] != 0)
      Times[{L.Kernel, L.AccessSet}] += Replays[I];
  std::vector<std::map<uint64_t, Launches>> ByKernel(Kernels.size());
  for (const auto &[Key, Count] : Times) {
    const profile::AccessSet &Set = P.AccessSets[Key.second];
    for (const log::ObjectAccess &A : Set.Accesses) {
      Launches &L = ByKernel[Key.first][A.object];
      L.Reads += A.reads ? Count : 0;
      L.Writes += A.writes ? Count : 0;
      L.All += Count;
      L.Knowledge = least(L.Knowledge, Set.Knowledge);
    }
  }
  for (size_t K = 0; K < Kernels.size(); ++K) {
    std::vector<std::pair<uint64_t, Launches>> Found(ByKernel[K].begin(), ByKernel[K].end());
    std::sort(Found.begin(), Found.end(), [](const auto &A, const auto &B) {
      return A.second.All != B.second.All ? A.second.All > B.second.All : A.first < B.first;
    });
    Kernels[K].object_accesses_omitted = Found.size() - std::min(Found.size(), MaxObjects);
    Found.resize(std::min(Found.size(), MaxObjects));
    for (const auto &[Id, L] : Found)
      Kernels[K].object_accesses.push_back(
          {IndexOf(Id), L.All, L.Reads, L.Writes, knowledgeName(L.Knowledge)});
  }
}

} // namespace gmprof
