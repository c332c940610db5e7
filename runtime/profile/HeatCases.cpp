//===- HeatCases.cpp - Adds heat of closed forms --------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "profile/HeatCases.h"
#include "profile/HeatPages.h"
#include "profile/LaunchModes.h"
#include "profile/RequestCost.h"
#include "profile/Saturating.h"
#include "profile/SharedCases.h"
#include <algorithm>

namespace gmprof {

using namespace profile;

static constexpr uint64_t MaxThreadsPerBlock = 1024;
/// Maximum number of cases whose results are cached.
static constexpr size_t MostKnown = 64;

static uint64_t product(const std::array<uint32_t, 3> &N) {
  return mulSaturating(mulSaturating<uint64_t>(N[0], N[1]), uint64_t(N[2]));
}

/// Returns true if the ranges are plausible device memory, in order and without overlap.
static bool areSorted(const std::vector<log::HeatRange> &Ranges) {
  constexpr uint64_t Most = uint64_t(1) << 62;
  uint64_t End = 0;
  for (const log::HeatRange &R : Ranges) {
    if (R.object == 0 || R.bytes == 0 || R.address < End || R.address > Most || R.bytes > Most)
      return false;
    End = R.address + R.bytes;
  }
  return true;
}

bool HeatCases::record(Payload B) {
  log::HeatCaseRecord R;
  Case K;
  std::vector<log::HeatRange> Ranges;
  if (!take(B, R) || !take(B, K.Launch.Values, R.valueCount) ||
      !take(B, K.Objects, R.variableCount) || !take(B, K.Launch.Pointers, R.variableCount) ||
      !take(B, Ranges, R.rangeCount) || !B.empty())
    return false;
  auto Kernel = Kernels.find(R.kernel);
  if (Kernel == Kernels.end() || R.context == 0 || Cases.count(R.context) || R.blockStep == 0 ||
      R.firstBlock > R.endBlock ||
      std::count(R.grid, R.grid + 3, 0u) + std::count(R.block, R.block + 3, 0u) != 0 ||
      !areSorted(Ranges))
    return false;
  const std::optional<Descriptor> &Desc = P.Kernels[Kernel->second].Desc;
  if (!Desc || R.valueCount != Desc->ParamCount || R.variableCount != Desc->Variables.size())
    return false;
  K.Kernel = Kernel->second;
  K.DynamicSharedBytes = R.dynamicSharedBytes;
  std::copy_n(R.grid, 3, K.Launch.Grid.begin());
  std::copy_n(R.block, 3, K.Launch.Block.begin());
  if (product(K.Launch.Block) > MaxThreadsPerBlock)
    return false;
  K.Launch.Noted = {R.firstBlock, R.endBlock, R.blockStep};
  for (const log::HeatRange &Each : Ranges)
    K.Launch.Ranges.push_back({Each.object, Each.address, Each.bytes, {}});
  Cases[R.context] = std::move(K);
  return true;
}

bool HeatCases::isJoined(uint64_t Case, const HeatContext &C) {
  auto Known = Cases.find(Case);
  if (Known == Cases.end() || Known->second.Kernel != C.Kernel || Known->second.Context != 0)
    return false;
  Known->second.Context = C.Context;
  return CaseOfContext.try_emplace(C.Context, Case).second;
}

bool HeatCases::pages(Payload B) {
  log::HeatPagesRecord R;
  if (!take(B, R))
    return false;
  auto Of = CaseOfContext.find(R.context);
  if (Of == CaseOfContext.end())
    return false;
  std::vector<HeatRange> &Ranges = Cases.at(Of->second).Launch.Ranges;
  auto Range = std::find_if(Ranges.begin(), Ranges.end(),
                            [&](const HeatRange &Each) { return Each.Address == R.address; });
  if (Range == Ranges.end() || !Range->Noted.Pages.empty())
    return false;
  std::optional<NotedPages> Noted = decompressHeatPages(B, R.pages, R.contents);
  if (!Noted)
    return false;
  Range->Noted = std::move(*Noted);
  return true;
}

/// Returns an empty context for a launch of the program's own kernel. Its shared memory layout is
/// that of another launch of the kernel, or else the variables in sequence.
HeatContext HeatCases::contextOf(const Case &K) const {
  const Kernel &Of = P.Kernels[K.Kernel];
  HeatContext C;
  C.Kernel = K.Kernel;
  C.FirstBlock = K.Launch.Noted.First;
  C.EndBlock = K.Launch.Noted.End;
  C.BlockStep = K.Launch.Noted.Step;
  C.Blocks = mulSaturating(K.Launch.Noted.count(K.Launch.blocks()), K.Launch.Times);
  C.Threads = mulSaturating(C.Blocks, product(K.Launch.Block));
  C.ClosedForms = true;
  C.Sites.resize(Of.Desc->Sites.size() + 1);
  C.SharedSites.resize(C.Sites.size());
  C.Objects = K.Objects;
  C.DynamicSharedBytes = K.DynamicSharedBytes;
  for (const HeatContext &Other : P.Heat)
    if (Other.Kernel == K.Kernel && Other.DynamicSharedBytes == K.DynamicSharedBytes) {
      C.FirstAddress = Other.FirstAddress;
      C.DynamicAddress = Other.DynamicAddress;
      C.Addresses = Other.Addresses;
      C.SharedWords.resize(Other.SharedWords.size());
      return C;
    }
  SharedLayout Layout = layOutShared(*Of.Desc, K.DynamicSharedBytes);
  C.DynamicAddress = Layout.DynamicAddress;
  C.Addresses = std::move(Layout.Addresses);
  C.SharedWords.resize((Layout.Bytes + GMPROF_HEAT_WORD_BYTES - 1) / GMPROF_HEAT_WORD_BYTES);
  return C;
}

/// Returns a context with the layout of C and without counts.
static HeatContext withoutNumbers(const HeatContext &C) {
  HeatContext Empty;
  Empty.Sites.resize(C.Sites.size());
  Empty.SharedSites.resize(C.SharedSites.size());
  Empty.SharedWords.resize(C.SharedWords.size());
  Empty.FirstAddress = C.FirstAddress;
  Empty.DynamicAddress = C.DynamicAddress;
  Empty.Addresses = C.Addresses;
  return Empty;
}

static void join(SharedWordHeat &To, const SharedWordHeat &From) {
  To.Warps |= From.Warps;
  To.Accesses += From.Accesses;
  if (From.Thread != 0)
    To.Thread = To.Thread == 0 || To.Thread == From.Thread ? From.Thread : GMPROF_NONE;
}

/// Adds the counts of a context with the same layout and other objects.
static void join(HeatContext &To, const HeatContext &From) {
  for (size_t S = 0; S < To.Sites.size(); ++S) {
    add(To.Sites[S], From.Sites[S]);
    add(To.SharedSites[S], From.SharedSites[S]);
  }
  for (size_t W = 0; W < To.SharedWords.size(); ++W)
    for (size_t Kind = 0; Kind < GMPROF_COUNTER_KINDS; ++Kind)
      join(To.SharedWords[W][Kind], From.SharedWords[W][Kind]);
  To.Outside = addSaturating(To.Outside, From.Outside);
  To.Lost = addSaturating(To.Lost, From.Lost);
  To.Maps.insert(To.Maps.end(), From.Maps.begin(), From.Maps.end());
}

/// Computes the case's heat into a copy of Empty, which holds the layout and, for launches of the
/// program's own kernel, the number of blocks. Returns null on failure.
std::shared_ptr<const HeatContext> HeatCases::compute(const Case &K, HeatContext Empty) {
  const DescribedLaunch &L = K.Launch;
  std::vector<uint64_t> Key = {K.Kernel,           K.DynamicSharedBytes, L.Noted.First,
                               L.Noted.End,        L.Noted.Step,         L.Times,
                               Empty.FirstAddress, Empty.DynamicAddress, Empty.SharedWords.size(),
                               Empty.ClosedForms};
  for (const auto *Dimensions : {&L.Grid, &L.Block})
    Key.insert(Key.end(), Dimensions->begin(), Dimensions->end());
  Key.insert(Key.end(), Empty.Addresses.begin(), Empty.Addresses.end());
  Key.insert(Key.end(), L.Values.begin(), L.Values.end());
  Key.insert(Key.end(), K.Objects.begin(), K.Objects.end());
  Key.insert(Key.end(), L.Pointers.begin(), L.Pointers.end());
  for (const HeatRange &R : L.Ranges)
    Key.insert(Key.end(), {R.Object, R.Address, R.Bytes});
  if (Known.size() == MostKnown)
    Known.clear();
  auto [At, New] = Known.try_emplace(std::move(Key));
  if (New && addComputedHeat(*P.Kernels[K.Kernel].Desc, L, Empty))
    At->second = std::make_shared<const HeatContext>(std::move(Empty));
  return At->second;
}

static bool accessesNothing(const HeatContext &C) {
  const auto IsZero = [](const GmprofHeatSite &S) { return S.requests == 0; };
  return std::ranges::all_of(C.Sites, IsZero) && std::ranges::all_of(C.SharedSites, IsZero);
}

std::shared_ptr<const HeatContext> HeatCases::computeOriginal(Case K) {
  std::shared_ptr<const HeatContext> C = compute(K, contextOf(K));
  DescribedLaunch &L = K.Launch;
  if (!C || L.Noted.count(L.blocks()) != 1 || !accessesNothing(*C))
    return C;
  const uint64_t Middle =
      L.Grid[0] / 2 + L.Grid[0] * (L.Grid[1] / 2 + L.Grid[1] * uint64_t(L.Grid[2] / 2));
  L.Noted = {Middle, Middle + 1, 1};
  return compute(K, contextOf(K));
}

/// Adds the heat of the closed forms to a clone's context. Returns false if it cannot be computed.
bool HeatCases::complete(const Case &K, HeatContext &Noted) {
  Noted.ClosedForms = true;
  const auto &Ranges = K.Launch.Ranges;
  if (std::ranges::any_of(Ranges, [](const HeatRange &R) { return !R.Noted.Pages.empty(); })) {
    if (!addComputedHeat(*P.Kernels[K.Kernel].Desc, K.Launch, Noted))
      return false;
  } else if (const auto Rest = compute(K, withoutNumbers(Noted))) {
    join(Noted, *Rest);
  } else {
    return false;
  }
  std::ranges::sort(Noted.Maps, {}, &HeatMap::Address);
  return true;
}

uint64_t HeatCases::addToHeat() {
  std::unordered_map<uint64_t, uint64_t> Launches; // by context
  profile::forEachLaunchMode(P, [&](const Launch &L) {
    if (L.Context != 0 && L.Mode == log::LaunchMode::Heat)
      Launches[L.Context] += L.Times;
  });
  uint64_t Failed = 0;
  std::unordered_map<uint64_t, HeatContext *> Noted;
  for (HeatContext &C : P.Heat)
    Noted[C.Context] = &C;
  std::vector<HeatContext> Computed;
  for (auto &[Number, K] : Cases) {
    K.Launch.Times = Launches[K.Context != 0 ? K.Context : Number];
    if (K.Launch.Times == 0)
      continue;
    if (K.Context != 0) {
      Failed += !complete(K, *Noted.at(K.Context));
    } else if (const std::shared_ptr<const HeatContext> C = computeOriginal(K)) {
      Computed.push_back(*C);
      Computed.back().Context = Number;
    } else {
      ++Failed;
    }
  }
  P.Heat.insert(P.Heat.end(), std::make_move_iterator(Computed.begin()),
                std::make_move_iterator(Computed.end()));
  return Failed;
}

} // namespace gmprof
