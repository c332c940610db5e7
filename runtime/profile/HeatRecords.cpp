//===- HeatRecords.cpp - Heat maps in the event log -----------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "profile/HeatRecords.h"
#include "profile/HeatRuns.h"
#include <algorithm>
#include <bit>
#include <numeric>
#include <optional>

namespace gmprof {

using profile::HeatContext;
using profile::HeatMap;
using profile::HeatRun;
using profile::SharedWordHeat;
using profile::Temperatures;

static constexpr unsigned WarpThreads = 32, MaxWarps = 32;

/// Upper bound: the number of sectors of a 64-bit address space.
static constexpr uint64_t MaxSectors = uint64_t(1) << 59;

/// Decodes temperatures; returns nothing unless the sector's number is possible for its words.
static std::optional<Temperatures> temperatures(const uint8_t (&From)[9]) {
  Temperatures T;
  std::copy(From, From + profile::WordsPerSector, T.Words.begin());
  T.Sector = From[profile::WordsPerSector];
  const unsigned Sum = std::accumulate(T.Words.begin(), T.Words.end(), 0u);
  if (T.Sector > MaxWarps || T.Sector > Sum ||
      T.Sector < *std::max_element(T.Words.begin(), T.Words.end()))
    return {};
  return T;
}

std::optional<HeatRun> decodeHeatRun(const log::HeatRun &From) {
  if (From.sectors == 0 || From.first > MaxSectors || From.sectors > MaxSectors - From.first ||
      From.severalBlocks > 1 || From.merged > 1)
    return {};
  HeatRun Run;
  Run.First = From.first;
  Run.Sectors = From.sectors;
  Run.SeveralBlocks = From.severalBlocks != 0;
  Run.Merged = From.merged != 0;
  std::copy(From.accesses, From.accesses + GMPROF_COUNTER_KINDS, Run.Accesses.begin());
  Run.Places = From.places;
  std::optional<Temperatures> All = temperatures(From.temperatures[0]);
  if (!All || All->Sector == 0)
    return {};
  Run.All = *All;
  for (int K = 0; K < GMPROF_COUNTER_KINDS; ++K) {
    std::optional<Temperatures> Of = temperatures(From.temperatures[1 + K]);
    if (!Of || Of->Sector > All->Sector ||
        !std::equal(Of->Words.begin(), Of->Words.end(), All->Words.begin(), std::less_equal<>()))
      return {};
    Run.Of[K] = *Of;
  }
  return Run;
}

static bool plausible(const GmprofHeatSite &S) {
  return S.lanes / WarpThreads + (S.lanes % WarpThreads != 0) <= S.requests &&
         S.ideal <= S.transactions && S.misaligned <= S.requests && S.strided <= S.requests;
}

static std::optional<SharedWordHeat> decodeWord(const GmprofHeatWord &From) {
  if ((From.thread == 0) != (From.warps == 0))
    return {};
  const bool One = From.thread != 0 && From.thread != GMPROF_NONE;
  const uint32_t Warp = (From.thread - 1) / WarpThreads;
  if (One && (Warp >= MaxWarps || From.warps != 1u << Warp))
    return {};
  return SharedWordHeat{From.warps, From.accesses, From.thread};
}

bool HeatRecords::context(Payload B) {
  log::HeatRecord R;
  if (!take(B, R))
    return false;
  auto Kernel = Kernels.find(R.kernel);
  if (Kernel == Kernels.end() || R.context == 0 || ContextById.count(R.context) ||
      R.blockStep == 0 || R.firstBlock > R.endBlock || R.threads < R.blocks ||
      R.threads / (WarpThreads * MaxWarps) > R.blocks)
    return false;
  const std::optional<profile::Descriptor> &Desc = P.Kernels[Kernel->second].Desc;
  if (!Desc || R.variableCount != Desc->Variables.size() || R.siteCount != Desc->Sites.size())
    return false;
  HeatContext C;
  std::vector<GmprofHeatWord> Words;
  if (!take(B, C.Sites, size_t(R.siteCount) + 1) ||
      !take(B, C.SharedSites, size_t(R.siteCount) + 1) ||
      !take(B, Words, size_t(R.words) * GMPROF_COUNTER_KINDS) ||
      !take(B, C.Objects, R.variableCount) || !take(B, C.Addresses, R.variableCount) ||
      !B.empty() || !std::ranges::all_of(C.Sites, plausible) ||
      !std::ranges::all_of(C.SharedSites, plausible))
    return false;
  C.SharedWords.resize(R.words);
  for (size_t I = 0; I < Words.size(); ++I) {
    std::optional<SharedWordHeat> Word = decodeWord(Words[I]);
    if (!Word)
      return false;
    C.SharedWords[I / GMPROF_COUNTER_KINDS][I % GMPROF_COUNTER_KINDS] = *Word;
  }
  C.Context = R.context;
  C.Kernel = Kernel->second;
  C.FirstBlock = R.firstBlock;
  C.EndBlock = R.endBlock;
  C.BlockStep = R.blockStep;
  C.Blocks = R.blocks;
  C.Threads = R.threads;
  C.Outside = R.outside;
  C.Lost = R.lost;
  C.OtherBlocks = R.otherBlocks;
  C.BodyLaunches = R.bodyLaunches;
  C.FirstAddress = R.firstAddress;
  C.DynamicAddress = R.dynamicAddress;
  C.DynamicSharedBytes = R.dynamicSharedBytes;
  if (R.heatCase != 0 && !Cases.isJoined(R.heatCase, C))
    return false;
  ContextById[R.context] = P.Heat.size();
  P.Heat.push_back(std::move(C));
  return true;
}

bool HeatRecords::runs(Payload B) {
  log::HeatRunsRecord R;
  if (!take(B, R))
    return false;
  auto It = ContextById.find(R.context);
  if (It == ContextById.end() || R.object == 0)
    return false;
  HeatContext &C = P.Heat[It->second];
  if (std::any_of(C.Maps.begin(), C.Maps.end(),
                  [&](const HeatMap &M) { return M.Object == R.object && M.Address == R.address; }))
    return false;
  std::optional<std::vector<log::HeatRun>> From = decompressHeatRuns(B, R.runs);
  if (!From)
    return false;
  HeatMap M = {R.object, R.address, {}, 0};
  M.Runs.reserve(From->size());
  for (const log::HeatRun &Each : *From) {
    std::optional<HeatRun> Run = decodeHeatRun(Each);
    if (!Run || (!M.Runs.empty() && Run->First < M.Runs.back().end()))
      return false;
    if (Run->Merged)
      M.Merged += Run->Sectors;
    M.Runs.push_back(*Run);
  }
  if (M.Merged != R.merged)
    return false;
  C.Maps.push_back(std::move(M));
  return true;
}

} // namespace gmprof
