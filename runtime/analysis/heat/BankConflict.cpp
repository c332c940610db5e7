//===- BankConflict.cpp - Finds bank conflicts ----------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Shared memory has 32 banks, each of which serves one word per wavefront (NVIDIA, CUDA C++
// Programming Guide, "Shared Memory"). A request whose lanes need different words of one bank takes
// more wavefronts than its bytes require. An access is reported if it takes at least 10 % more
// wavefronts than ideal, and at least 8 more per block.
//
//===----------------------------------------------------------------------===//

#include "analysis/Wording.h"
#include "analysis/heat/HeatPatterns.h"
#include "analysis/shared/SharedMemoryUse.h"
#include "profile/CounterKind.h"
#include <algorithm>
#include <cstdlib>
#include <fmt/format.h>

namespace gmprof::analysis {

static constexpr uint64_t BankBytes = 128; ///< one word of each bank

/// Returns the number of elements that make a row of whole multiples of 128 bytes one word longer,
/// or more if an element is.
static uint64_t padding(uint64_t ElementBytes) {
  return ElementBytes == 0 ? 1 : std::max<uint64_t>(1, GMPROF_HEAT_WORD_BYTES / ElementBytes);
}

/// Returns the declaration with padded rows: "float tile[32][33]", "short tile[64][66]"; empty if
/// padding does not apply.
static std::string padded(const profile::Descriptor &Desc, const ArrayHeat &A) {
  const std::vector<uint64_t> Bounds = arrayBounds(A.Type);
  if (Bounds.size() < 2 || A.Region.Dynamic)
    return {};
  const profile::Variable &V = Desc.Variables[A.Region.Variables.front()];
  if (Bounds.back() * V.ElementBytes % BankBytes != 0)
    return {};
  std::string Text = A.Type.substr(0, A.Type.find('[')) + " " + A.Name;
  for (size_t D = 0; D < Bounds.size(); ++D)
    Text += fmt::format("[{}]", Bounds[D] + (D + 1 == Bounds.size() ? padding(V.ElementBytes) : 0));
  return Text;
}

static std::string padRows(uint64_t By, const std::string &Declaration) {
  return fmt::format("Pad each row by {}{}, so that the words of a column lie in different banks.",
                     By == 1 ? "one element" : plural(By, "element"),
                     Declaration.empty() ? "" : " (" + Declaration + ")");
}

static std::string remedy(const profile::Descriptor &Desc, const ArrayHeat &A,
                          const HeatAccess &Access, uint64_t Stride) {
  if (const std::string Declaration = padded(Desc, A); !Declaration.empty())
    return padRows(padding(Desc.Variables[A.Region.Variables.front()].ElementBytes), Declaration);
  if (Stride != 0 && Stride % BankBytes == 0)
    return padRows(padding(Access.Bytes), "");
  return "Let the lanes of a warp access words of different banks: consecutive words, an odd "
         "stride in words, or a swizzled index (column ^ row).";
}

static HeatFinding conflict(const profile::Profile &P, const LaunchHeat &L, const ArrayHeat &A,
                            const HeatAccess &Access) {
  const GmprofHeatSite &R = Access.Requests;
  const auto Requests = static_cast<double>(R.requests);
  const double Each = static_cast<double>(R.sectors) / Requests,
               Ideal = static_cast<double>(R.ideal) / Requests;
  const uint64_t Stride =
      R.strided == 0 ? 0
                     : static_cast<uint64_t>(std::llabs(static_cast<long long>(R.stride) /
                                                        static_cast<long long>(R.strided)));
  const double Share = static_cast<double>(Access.sectorsBeyondIdeal()) /
                       static_cast<double>(std::max<uint64_t>(L.Wavefronts, 1));
  const bool IsAtomic = counterKind(Access.Kind) == GMPROF_COUNTER_ATOMICS;
  HeatFinding F;
  F.Found.Pattern = "bank_conflict";
  F.Found.Kind = IsAtomic ? "atomic" : Access.isStore() ? "store" : "load";
  F.Found.Origin = "gmprof";
  F.Found.Kernel = L.Kernel;
  F.Found.Object = A.Name;
  F.Found.ObjectBytes = A.Region.Bytes;
  F.Found.Source = Access.Source.Line ? Access.Source : busiestLine(L, A.Accesses);
  F.Found.Level = severityOf(Share);
  F.NeedlessBytes = static_cast<double>(Access.sectorsBeyondIdeal()) * L.toAllBlocks();
  F.Found.Evidence = {
      {"requests", uint64_t(R.requests)},
      {"wavefronts_per_request", Each},
      {"ideal_wavefronts_per_request", Ideal},
      {"excess_share_of_wavefronts", Share},
      {"needless_wavefronts", static_cast<uint64_t>(std::min(F.NeedlessBytes, 9e18))}};
  if (Stride != 0)
    F.Found.Evidence.emplace_back("stride_bytes", Stride);
  F.Found.Evidence.emplace_back("predicted", Access.Computed);
  F.Found.Evidence.emplace_back("blocks_noted", L.Context->Blocks);
  F.Found.Evidence.emplace_back("blocks_launched", L.Blocks);
  F.Found.Message = fmt::format(
      "{} wavefronts/request (ideal {}): lanes of a warp {} different words of one bank of {}.",
      ratioText(Each), ratioText(Ideal),
      IsAtomic           ? "update"
      : Access.isStore() ? "store"
                         : "load",
      quotedName(A.Name));
  F.Found.Suggestion = remedy(*P.Kernels[L.Kernel].Desc, A, Access, Stride);
  return F;
}

std::vector<HeatFinding> bankConflicts(const profile::Profile &P, const LaunchHeat &L,
                                       const ArrayHeat &A, const HeatPatternOptions &Options) {
  std::vector<HeatFinding> Found;
  for (uint32_t I : A.Accesses) {
    const HeatAccess &Access = L.Accesses[I];
    const uint64_t Excess = Access.sectorsBeyondIdeal();
    if (Excess != 0 && Excess >= Options.ExcessPerBlock * L.Context->Blocks &&
        static_cast<double>(Excess) >=
            Options.ExcessShare * static_cast<double>(Access.Requests.ideal))
      Found.push_back(conflict(P, L, A, Access));
  }
  return Found;
}

} // namespace gmprof::analysis
