//===- HotAtomics.cpp - Finds words that many lanes update ----------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// L2 executes atomics on one address one after the other: those of the lanes of a warp, of the
// warps of a block, and of all blocks. If they only accumulate, a warp or a block can accumulate
// first (Adinets, CUDA Pro Tip: Optimized Filtering with Warp-Aggregated Atomics, 2014).
//
// Kind "atomics" of hot spots: a block updates an element at least 32 times, the number of lanes of
// a warp, and updates that accumulating in the block saves are 5 % of the kernel's updates and
// sectors. ptxas makes one atomic of the lanes of a warp that accumulate integers at one address
// that it knows, so that those at a single element count once per warp.
//
//===----------------------------------------------------------------------===//

#include "analysis/ParameterTypes.h"
#include "analysis/Wording.h"
#include "analysis/global/AtomicContention.h"
#include "analysis/heat/HeatPatterns.h"
#include "profile/RequestCost.h"
#include <algorithm>
#include <fmt/format.h>

namespace gmprof::analysis {

/// Returns the number of words that atomics of the sampled blocks access.
static uint64_t wordsOfAtomics(const ObjectHeat &O) {
  uint64_t Words = 0;
  for (const profile::HeatRun &R : O.Map->Runs)
    Words += R.Sectors * static_cast<uint64_t>(std::ranges::count_if(
                             R.Of[GMPROF_COUNTER_ATOMICS].Words, [](uint8_t T) { return T != 0; }));
  return Words;
}

/// Returns how to accumulate first. The words of other blocks may be others of the object.
static std::string remedy(const ObjectHeat &O, uint64_t Elements, const std::string &Type,
                          bool IsRead) {
  constexpr uint64_t LargestCopy = uint64_t(32) << 10;
  const char *Condition = IsRead ? ", provided that no thread of the kernel reads it before" : "";
  std::string Fix;
  if (Elements == 1)
    Fix = fmt::format("Let each thread accumulate in a register and the block in shared memory "
                      "(cub::BlockReduce), and update it once per block{}.",
                      Condition);
  else if (O.Bytes <= LargestCopy)
    Fix = fmt::format("Let each block update a copy in shared memory, which begins with the atomic "
                      "operation's neutral value (0 of atomicAdd), and apply the copy to device "
                      "memory by the same operation at its end{}.",
                      Condition);
  else
    Fix = fmt::format("Let the lanes of a warp that update the same element accumulate first "
                      "(__match_any_sync, or a segmented scan by shuffles if such lanes are "
                      "neighbours), and one of them update it{}.",
                      Condition);
  return Fix + orderOfAdditions(Type);
}

std::optional<HeatFinding> hotAtomics(const LaunchHeat &L, const ObjectHeat &O,
                                      const HeatPatternOptions &Options) {
  const std::vector<uint32_t> Atomics =
      accessesWhere(L, O, [](const HeatAccess &A) { return A.Kind == GMPROF_ACCESS_ATOMIC; });
  if (Atomics.empty() || L.Context->Blocks == 0)
    return std::nullopt;
  GmprofHeatSite Sum = {};
  bool Accumulates = true;
  uint64_t ElementBytes = GMPROF_HEAT_WORD_BYTES, Lanes = 0;
  for (uint32_t I : Atomics) {
    const HeatAccess &A = L.Accesses[I];
    add(Sum, A.Requests);
    Accumulates &= A.Reduction;
    ElementBytes = std::max<uint64_t>(ElementBytes, A.Bytes);
    Lanes += A.Bytes == 0 ? 0 : A.Requests.bytes / A.Bytes;
  }
  const uint64_t Elements = wordsOfAtomics(O) * GMPROF_HEAT_WORD_BYTES / ElementBytes;
  if (!Accumulates || Elements == 0)
    return std::nullopt;
  const std::string Type = L.Accesses[Atomics.front()].ElementType;
  const bool IsAggregated = Elements == 1 && isIntegerType(Type);
  const uint64_t Updates = IsAggregated ? Sum.requests : Sum.lanes;
  const uint64_t Needed = std::min(Updates, Elements * L.Context->Blocks);
  const double PerElement = static_cast<double>(Updates) / static_cast<double>(Needed);
  const double Share =
      static_cast<double>(Updates - Needed) / static_cast<double>(Updates + L.Sectors);
  if (PerElement < Options.AtomicUpdates || Share < Options.AtomicShare)
    return std::nullopt;

  HeatFinding F = heatFinding(L, O, "hot_spot", Atomics);
  F.Found.Kind = "atomics";
  F.Found.Level = std::min(severityOf(Share), Severity::Medium);
  F.Found.Evidence = {{"atomics", Updates},
                      {"elements", Elements},
                      {"atomics_per_element_and_block", PerElement},
                      {"share_of_updates_and_sectors", Share}};
  const uint64_t Once = std::min<uint64_t>(Sum.transactions, O.Numbers.Sectors);
  addTraffic(F, L, Atomics,
             static_cast<double>(Sum.transactions - Once) * GMPROF_HEAT_SECTOR_BYTES);
  F.Found.Message = fmt::format("{} atomics of a block update {} of {}, {} times each, one after "
                                "the other.",
                                grouped(Updates / L.Context->Blocks), plural(Elements, "element"),
                                O.describe(), ratioText(PerElement));
  if (const uint64_t Together = Lanes == 0 ? 0 : Sum.lanes / Lanes; !IsAggregated && Together > 1)
    F.Found.Message +=
        fmt::format(" On average, {} of a warp update the same element.", plural(Together, "lane"));
  const bool IsRead = !accessesWhere(L, O, [](const HeatAccess &A) {
                         return A.Kind != GMPROF_ACCESS_ATOMIC;
                       }).empty();
  F.Found.Suggestion = remedy(O, Elements, Type, IsRead);
  return F;
}

} // namespace gmprof::analysis
