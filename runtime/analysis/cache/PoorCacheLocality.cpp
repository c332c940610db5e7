//===- PoorCacheLocality.cpp - Finds poor cache locality ------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "analysis/cache/PoorCacheLocality.h"
#include "analysis/Wording.h"
#include "profile/Saturating.h"
#include <algorithm>
#include <fmt/format.h>

namespace gmprof::analysis {

using namespace cache;

static double ratio(uint64_t Part, uint64_t Of) {
  return Of == 0 ? 0 : static_cast<double>(Part) / static_cast<double>(Of);
}

/// Kinds of findings, in the order of KindNames.
enum class Loss : uint8_t { InL1, InL2, Split, ToFences };
static constexpr const char *KindNames[] = {"lost_in_l1", "lost_in_l2", "split_among_l1s",
                                            "lost_to_fences"};

/// Returns the number of needless sectors.
static uint64_t needless(const AccessCounts &C, Loss Of) {
  switch (Of) {
  case Loss::InL1:
    return C.FetchedAgain;
  case Loss::InL2:
    return C.DramReadsAgain;
  case Loss::Split:
    return C.FetchedSplit;
  case Loss::ToFences:
    return C.LostToFences;
  }
  return 0;
}

namespace {

class Rule {
  const KernelCacheUse &Kernel;
  const CacheObjectUse &Object;
  const PoorCacheLocalityOptions &Options;
  const uint64_t ProgramSectors; ///< between L1s and L2, for all kernels
  const AccessCounts &Loads;

  uint64_t bytes(uint64_t Sectors) const {
    return mulSaturating(mulSaturating<uint64_t>(Sectors, Options.Sampled), uint64_t(SectorBytes));
  }
  bool isEnough(uint64_t Sectors) const {
    return bytes(Sectors) >= Options.LeastBytes &&
           (Options.Sampled == 1 || Sectors >= Options.LeastSampled);
  }
  /// Returns the share of the bytes fetched by L1 that loads use.
  double used() const { return ratio(Loads.BytesUsed, bytes(Loads.fetched())); }
  /// Returns true if Sectors are a large part of the loads' L1 lookups and of their fetched
  /// sectors.
  bool isMuch(uint64_t Sectors) const {
    return isEnough(Sectors) && ratio(Sectors, Loads.L1Lookups) >= Options.LostOfLookups &&
           ratio(Sectors, Loads.fetched()) >= Options.AgainOfFetched;
  }
  bool isLostInL1() const {
    return isMuch(Loads.FetchedAgain) && (byBlock() || used() < Options.UsedOfFetched);
  }
  bool byBlock() const {
    return ratio(Loads.FetchedAgainByBlock, Loads.FetchedAgain) >= Options.ByBlockOfAgain;
  }
  bool isLostInL2() const {
    const AccessCounts &All = Object.Counts;
    return isEnough(All.DramReadsAgain) &&
           ratio(All.DramReadsAgain, All.DramReads) >= Options.AgainOfFetched &&
           ratio(All.DramReadsAgain, All.l2Lookups()) >= Options.LostOfLookups;
  }
  /// Returns the share of the bytes fetched by L1 that loads use before L1 evicts them.
  double usedOnce() const {
    return ratio(Loads.BytesOfFetched, Loads.fetched() * uint64_t(SectorBytes));
  }
  bool isSplit() const { return isMuch(Loads.FetchedSplit) && usedOnce() < Options.UsedOfFetched; }
  std::optional<Loss> loss() const {
    return isLostInL2()                 ? std::optional(Loss::InL2)
           : isMuch(Loads.LostToFences) ? std::optional(Loss::ToFences)
           : isLostInL1()               ? std::optional(Loss::InL1)
           : isSplit()                  ? std::optional(Loss::Split)
                                        : std::nullopt;
  }
  /// Returns the share of the kernel's traffic that is needless.
  double share(Loss Of) const {
    const AccessCounts &K = Kernel.Counts;
    return Of == Loss::InL2 ? ratio(Object.Counts.DramReadsAgain, K.DramReads + K.DramWrites)
                            : ratio(needless(Loads, Of), K.l1Traffic());
  }
  Severity severity(Loss Of) const {
    if (ratio(Kernel.Counts.l1Traffic(), ProgramSectors) < Options.SmallKernel)
      return Severity::Low;
    const double Share = share(Of);
    return Share >= Options.HighShare     ? Severity::High
           : Share >= Options.MediumShare ? Severity::Medium
                                          : Severity::Low;
  }
  /// Returns the line with the most needless sectors, or null.
  const CacheLineUse *worstLine(Loss Of) const;
  std::string message(Loss Of, const std::string &Name) const;
  std::string suggestion(Loss Of) const;

public:
  Rule(const KernelCacheUse &Kernel, const CacheObjectUse &Object,
       const PoorCacheLocalityOptions &Options, uint64_t ProgramSectors)
      : Kernel(Kernel), Object(Object), Options(Options), ProgramSectors(ProgramSectors),
        Loads(Object.Loads) {}
  std::optional<Finding> find() const;
};

} // namespace

const CacheLineUse *Rule::worstLine(Loss Of) const {
  const CacheLineUse *Worst = nullptr;
  for (const CacheLineUse &L : Object.Lines)
    if (L.Source.Line != 0 && needless(L.Counts, Of) != 0 &&
        (!Worst || needless(L.Counts, Of) > needless(Worst->Counts, Of)))
      Worst = &L;
  return Worst;
}

static std::string amount(uint64_t Bytes) { return bytesText(static_cast<double>(Bytes)); }

std::string Rule::message(Loss Of, const std::string &Name) const {
  if (Of == Loss::InL2)
    return fmt::format(
        "L2 evicts data of {} before its next use: {} of the sectors read from DRAM were in L2 "
        "earlier in the launch, {} in all (L2 hit rate {}).",
        Name, percentText(ratio(Object.Counts.DramReadsAgain, Object.Counts.DramReads)),
        amount(bytes(Object.Counts.DramReadsAgain)),
        percentText(ratio(Object.Counts.L2Hits, Object.Counts.l2Lookups())));
  if (Of == Loss::Split)
    return fmt::format(
        "SMs fetch the same sectors of {} from L2 for different bytes: {} of the fetched sectors, "
        "{} in all. Each SM uses {} of the fetched bytes before L1 evicts them.",
        Name, percentText(ratio(Loads.FetchedSplit, Loads.fetched())),
        amount(bytes(Loads.FetchedSplit)), percentText(usedOnce()));
  if (Of == Loss::ToFences)
    return fmt::format(
        "Fences empty L1 before the next use of {}: L1 hit rate {} ({} without fences), {} are "
        "fetched again from L2. A fence, or an acquiring load or atomic, empties the whole L1 of "
        "its SM if its scope includes other SMs.",
        Name, percentText(ratio(Loads.L1Hits, Loads.L1Lookups)),
        percentText(ratio(Loads.L1Hits + Loads.LostToFences, Loads.L1Lookups)),
        amount(bytes(Loads.LostToFences)));
  return fmt::format(
      "L1 evicts data of {} before its next use: L1 hit rate {} ({} without evictions), {} are "
      "fetched again from L2. Lanes use {} of the fetched bytes.",
      Name, percentText(ratio(Loads.L1Hits, Loads.L1Lookups)),
      percentText(ratio(Loads.L1Hits + Loads.FetchedAgain, Loads.L1Lookups)),
      amount(bytes(Loads.FetchedAgain)), percentText(std::min(used(), 1.0)));
}

std::string Rule::suggestion(Loss Of) const {
  if (Of == Loss::InL2)
    return "Let blocks that run at the same time work on the same part: traverse the grid in "
           "tiles, or split the work so that reused data fits into L2.";
  if (Of == Loss::Split)
    return "Let a block work on adjacent elements, at least the eight words of a sector: swap "
           "indices, change the block shape, or reorder the data; sort or renumber indices that "
           "are data.";
  if (Of == Loss::ToFences)
    return "Keep in shared memory or registers what a block uses again and no other block writes. "
           "The fences of a barrier of the grid must stay; give others, and atomics, the scope of "
           "the block where they order nothing else (__threadfence_block(), "
           "cuda::thread_scope_block), make atomics relaxed that order nothing at all (as clang "
           "compiles it, atomicCAS() is not), and poll with relaxed loads and one fence behind the "
           "loop.";
  if (ratio(Loads.BytesUsed, Loads.Sectors * SectorBytes) < Options.UsedOfFetched)
    return "Let consecutive threads access consecutive elements: swap indices, transpose the data, "
           "or load tiles to shared memory; sort or renumber indices that are data.";
  return "Reuse it sooner: let a block work on a tile that fits into L1, or keep the tile in "
         "shared "
         "memory.";
}

std::optional<Finding> Rule::find() const {
  const std::optional<Loss> Found = loss();
  if (!Found)
    return std::nullopt;
  const std::string Name = Object.Name.empty()
                               ? fmt::format("an allocation of {}", amount(Object.Bytes))
                               : quotedName(Object.Name);
  Finding F;
  F.Pattern = "poor_cache_locality";
  F.Kind = KindNames[static_cast<size_t>(*Found)];
  F.Origin = "profiner";
  F.Level = severity(*Found);
  F.Kernel = Kernel.Kernel;
  F.Object = Object.Name;
  F.ObjectBytes = Object.Bytes;
  F.ObjectId = Object.Id;
  if (const CacheLineUse *Worst = worstLine(*Found))
    F.Source = Worst->Source;
  const AccessCounts &All = Object.Counts;
  F.BytesSaved = bytes(needless(*Found == Loss::InL2 ? All : Loads, *Found));
  F.Evidence = {{"l1_hit_rate", ratio(Loads.L1Hits, Loads.L1Lookups)},
                {"l1_hit_rate_possible", ratio(Loads.L1Hits + Loads.FetchedAgain, Loads.L1Lookups)},
                {"l2_hit_rate", ratio(All.L2Hits, All.l2Lookups())},
                {"sectors_fetched", Loads.fetched()},
                {"sectors_fetched_again", Loads.FetchedAgain},
                {"sectors_fetched_again_by_block", Loads.FetchedAgainByBlock},
                {"dram_sectors_read", All.DramReads},
                {"dram_sectors_read_again", All.DramReadsAgain},
                {"sectors_fetched_split", Loads.FetchedSplit},
                {"sectors_lost_to_fences", Loads.LostToFences},
                {"bytes_used_of_fetched", used()},
                {"bytes_used_once_of_fetched", usedOnce()},
                {"l2_bytes_again", bytes(Loads.FetchedAgain)},
                {"dram_bytes_again", bytes(All.DramReadsAgain)},
                {"share_of_kernel_traffic", share(*Found)},
                {"launches", Kernel.Launches}};
  if (Object.Objects > 1)
    F.Evidence.emplace_back("objects", Object.Objects);
  if (Options.Sampled > 1)
    F.Evidence.emplace_back("lines_sampled", uint64_t(Options.Sampled));
  if (Options.DramBytesPerSecond > 0 && All.DramReadsAgain != 0) {
    F.SecondsSaved = static_cast<double>(bytes(All.DramReadsAgain)) / Options.DramBytesPerSecond;
    F.Evidence.emplace_back("dram_bytes_per_second", Options.DramBytesPerSecond);
  }
  F.Message = message(*Found, Name);
  F.Suggestion = suggestion(*Found);
  return F;
}

/// Returns "12 MiB instead of 46 MiB (-73 %)".
static std::string change(uint64_t Before, uint64_t After) {
  return fmt::format("{} instead of {} ({:+.0f} %)", amount(After), amount(Before),
                     Before == 0 ? 0 : 100 * (ratio(After, Before) - 1));
}

/// Adds the numbers of all successful predictions; describes the one that lowers traffic most, if
/// any does.
static void addPredictions(Finding &F, const std::vector<CachePrediction> &Predictions) {
  const bool OfDram = F.Kind == "lost_in_l2";
  auto Before = [&](const CachePrediction &P) {
    return OfDram ? P.DramBytesBefore : P.L2BytesBefore;
  };
  auto After = [&](const CachePrediction &P) { return OfDram ? P.DramBytesAfter : P.L2BytesAfter; };
  const CachePrediction *Best = nullptr;
  bool Any = false;
  for (const CachePrediction &P : Predictions) {
    if (P.Kernel != F.Kernel || !P.Refused.empty())
      continue;
    Any = true;
    F.Evidence.emplace_back(P.Name + "_l2_bytes_before", P.L2BytesBefore);
    F.Evidence.emplace_back(P.Name + "_l2_bytes_after", P.L2BytesAfter);
    F.Evidence.emplace_back(P.Name + "_dram_bytes_before", P.DramBytesBefore);
    F.Evidence.emplace_back(P.Name + "_dram_bytes_after", P.DramBytesAfter);
    const double Left = ratio(After(P), Before(P));
    if (Left < 0.9 && (!Best || Left < ratio(After(*Best), Before(*Best))))
      Best = &P;
  }
  if (Best)
    F.Suggestion += fmt::format(" Prediction from the trace: if {}, a launch moves {} {}.",
                                Best->What, change(Before(*Best), After(*Best)),
                                OfDram ? "between L2 and DRAM" : "between L1 and L2");
  else if (Any)
    F.Suggestion +=
        " Simulation: neither swapped thread indices nor another block shape help much on "
        "their own.";
}

std::vector<Finding> poorCacheLocality(const profile::Profile &P,
                                       const std::vector<KernelCacheUse> &Uses,
                                       const std::vector<CachePrediction> &Predictions,
                                       const PoorCacheLocalityOptions &Options) {
  uint64_t ProgramSectors = 0;
  for (const KernelCacheUse &K : Uses)
    ProgramSectors += K.Counts.l1Traffic();
  std::vector<Finding> Found;
  for (const KernelCacheUse &K : Uses)
    for (const CacheObjectUse &O : K.Objects)
      if (std::optional<Finding> F = Rule(K, O, Options, ProgramSectors).find()) {
        addPredictions(*F, Predictions);
        Found.push_back(std::move(*F));
      }
  setFingerprints(Found, P);
  return Found;
}

} // namespace gmprof::analysis
