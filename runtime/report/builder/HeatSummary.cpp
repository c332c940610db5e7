//===- HeatSummary.cpp - Heat profiles in summary.json --------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "report/builder/HeatSummary.h"
#include "analysis/heat/HeatPatterns.h"
#include "profile/BlockRange.h"
#include "profile/LaunchModes.h"
#include "profile/RequestCost.h"
#include "profile/Saturating.h"
#include "report/model/SummaryNames.h"
#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <unordered_map>

namespace gmprof {

using analysis::ArrayHeat;
using analysis::HeatAccess;
using analysis::LaunchHeat;
using analysis::ObjectHeat;
using profile::Descriptor;

namespace {

/// Sums accesses with the same source position over launches of a kernel.
class Lines {
public:
  void add(const LaunchHeat &L, const HeatAccess &A) {
    Desc = L.Desc;
    auto [It, New] = Index.try_emplace(
        {A.Source.File, A.Source.Line, A.Source.Column, A.Kind, A.Bytes}, Sums.size());
    if (New) {
      Sums.push_back(A);
      return;
    }
    HeatAccess &Sum = Sums[It->second];
    gmprof::add(Sum.Requests, A.Requests);
    for (const auto &[Call, Requests] : A.Inlined)
      gmprof::add(Sum.Inlined[Call], Requests);
  }

  /// Takes at most MaxInline accesses, those with the most sectors first. Returns the number of the
  /// others.
  template <typename Line>
  uint64_t take(std::vector<Line> &To, Line (*Make)(const HeatAccess &, const Descriptor &)) {
    std::sort(Sums.begin(), Sums.end(), [](const HeatAccess &A, const HeatAccess &B) {
      return A.Requests.transactions != B.Requests.transactions
                 ? A.Requests.transactions > B.Requests.transactions
                 : std::tie(A.Source.Line, A.Source.Column) <
                       std::tie(B.Source.Line, B.Source.Column);
    });
    const size_t Shown = std::min(Sums.size(), MaxInline);
    for (size_t I = 0; I < Shown; ++I)
      To.push_back(Make(Sums[I], *Desc));
    return Sums.size() - Shown;
  }

private:
  std::map<std::tuple<std::string, unsigned, unsigned, int, unsigned>, size_t> Index;
  std::vector<HeatAccess> Sums;
  const Descriptor *Desc = nullptr;
};

/// Sums an object over the launches.
struct Object {
  summary::HeatObject To;
  double Words = 0, Sectors = 0; ///< sums of temperatures
  Lines TheLines;
};

struct Array {
  summary::HeatArray To;
  Lines TheLines;
};

class Builder {
public:
  explicit Builder(const HeatObjects &Objects) : Objects(Objects) {}
  void add(const LaunchHeat &L);
  summary::HeatUse finish();

private:
  void add(const LaunchHeat &L, const ObjectHeat &O);
  void add(const LaunchHeat &L, const ArrayHeat &A);

  const HeatObjects &Objects;
  summary::HeatUse To;
  std::map<uint32_t, Object> ByObject;
  std::map<uint32_t, Array> ByArray;
  Lines Other, OtherShared;
  std::set<uint32_t> Recorded, Computed; ///< sites; one may be recorded in some launches only
};

} // namespace

/// Sets the fields that global and shared accesses have in common.
template <typename Line> static Line lineOf(const HeatAccess &A) {
  Line L;
  L.access = accessName(A.Kind);
  L.source = source(A.Source);
  L.column = A.Source.Column;
  L.function = A.Function;
  L.bytes = A.Bytes;
  L.instructions = A.Instructions;
  L.requests = A.Requests.requests;
  L.lanes = A.Requests.lanes;
  return L;
}

/// Adds an access per chain of inlined calls, those with the most sectors first, unless it was
/// never inlined. Returns the number of the others.
template <typename Add> static uint64_t addInlined(const HeatAccess &A, const Add &AddOne) {
  if (A.Inlined.size() == 1 && A.Inlined.count(profile::None) != 0)
    return 0;
  std::vector<std::pair<uint32_t, GmprofHeatSite>> Sorted(A.Inlined.begin(), A.Inlined.end());
  std::sort(Sorted.begin(), Sorted.end(), [](const auto &Left, const auto &Right) {
    return Left.second.transactions != Right.second.transactions
               ? Left.second.transactions > Right.second.transactions
               : Left.first < Right.first;
  });
  const size_t Shown = std::min(Sorted.size(), MaxInlinedCalls);
  for (size_t I = 0; I < Shown; ++I)
    AddOne(Sorted[I].first, Sorted[I].second);
  return Sorted.size() - Shown;
}

static summary::HeatAccess globalLine(const HeatAccess &A, const Descriptor &Desc) {
  auto L = lineOf<summary::HeatAccess>(A);
  L.sectors = A.Requests.transactions;
  L.ideal_sectors = A.Requests.ideal;
  L.bytes_used = A.Requests.bytes;
  L.misaligned = A.Requests.misaligned;
  L.strided = A.Requests.strided;
  if (L.strided != 0)
    L.stride = static_cast<double>(static_cast<int64_t>(A.Requests.stride)) /
               static_cast<double>(L.strided);
  L.inlined_omitted = addInlined(A, [&](uint32_t Call, const GmprofHeatSite &Of) {
    L.inlined.push_back(
        {inlinedAt(Desc, Call), Of.requests, Of.lanes, Of.transactions, Of.ideal, Of.bytes});
  });
  return L;
}

static summary::BankAccess sharedLine(const HeatAccess &A, const Descriptor &Desc) {
  auto L = lineOf<summary::BankAccess>(A);
  L.wavefronts = A.Requests.transactions;
  L.ideal_wavefronts = A.Requests.ideal;
  L.inlined_omitted = addInlined(A, [&](uint32_t Call, const GmprofHeatSite &Of) {
    L.inlined.push_back({inlinedAt(Desc, Call), Of.requests, Of.lanes, Of.transactions, Of.ideal});
  });
  return L;
}

void Builder::add(const LaunchHeat &L, const ObjectHeat &O) {
  Object &Sum = ByObject[Objects.OfId(O.Map->Object)];
  summary::HeatObject &S = Sum.To;
  S.name = O.Name;
  S.launches = addSaturating(S.launches, L.Launches);
  S.sectors += O.Numbers.Sectors;
  S.words += O.Numbers.Words;
  S.accesses = addSaturating(S.accesses, O.Numbers.Accesses);
  S.max_word = std::max(S.max_word, O.Numbers.MaxWord);
  S.max_sector = std::max(S.max_sector, O.Numbers.MaxSector);
  S.hot_sectors += hotSectors(L, O);
  S.falsely_shared_sectors += falselySharedSectors(L, O);
  S.sparse_sectors += analysis::sparseSectors(O);
  S.merged_sectors += O.Map->Merged;
  Sum.Words += O.Numbers.MeanWord * static_cast<double>(O.Numbers.Words);
  Sum.Sectors += O.Numbers.MeanSector * static_cast<double>(O.Numbers.Sectors);
  for (uint32_t A : O.Accesses)
    Sum.TheLines.add(L, L.Accesses[A]);
}

void Builder::add(const LaunchHeat &L, const ArrayHeat &A) {
  if (A.touched() == 0 && A.Accesses.empty())
    return;
  Array &Sum = ByArray[Objects.OfArray(A)];
  summary::HeatArray &S = Sum.To;
  S.launches = addSaturating(S.launches, L.Launches);
  if (A.touched() > S.words_of_thread + S.words_of_warp + S.words_of_warps) {
    S.words_of_thread = A.OfThread;
    S.words_of_warp = A.OfWarp;
    S.words_of_warps = A.OfWarps;
  }
  for (uint32_t I : A.Accesses)
    Sum.TheLines.add(L, L.Accesses[I]);
}

void Builder::add(const LaunchHeat &L) {
  summary::HeatLaunch Launch;
  Launch.launch = L.FirstLaunch;
  Launch.launches = L.Launches;
  Launch.blocks_sampled = L.Context->Blocks;
  Launch.blocks_launched = L.Blocks;
  for (const HeatAccess &A : L.Accesses) {
    (A.Shared ? Launch.shared_requests : Launch.requests) += A.Requests.requests;
    (A.Shared ? Launch.wavefronts : Launch.sectors) += A.Requests.transactions;
    (A.Shared ? Launch.ideal_wavefronts : Launch.ideal_sectors) += A.Requests.ideal;
    (A.Shared ? To.shared_requests_of_ptx : To.requests_of_ptx) += A.OfPtx;
    To.bytes_used += A.Shared ? 0 : A.Requests.bytes;
    if (A.Shared && A.Array == profile::None)
      OtherShared.add(L, A);
    if (!A.Shared && A.Object == 0)
      Other.add(L, A);
  }
  To.launches_sampled = addSaturating(To.launches_sampled, L.Launches);
  To.blocks_sampled = addSaturating(To.blocks_sampled, L.Context->Blocks);
  To.blocks_launched = addSaturating(To.blocks_launched, L.Blocks);
  To.warps_per_block = std::max<uint64_t>(To.warps_per_block, L.warps());
  To.requests += Launch.requests;
  To.sectors += Launch.sectors;
  To.ideal_sectors += Launch.ideal_sectors;
  To.shared_requests += Launch.shared_requests;
  To.wavefronts += Launch.wavefronts;
  To.ideal_wavefronts += Launch.ideal_wavefronts;
  To.outside = addSaturating(To.outside, L.Context->Outside);
  To.lost = addSaturating(To.lost, L.Context->Lost);
  To.not_inlined_requests += L.NotInlined.requests;
  Recorded.insert(L.Recorded.begin(), L.Recorded.end());
  Computed.insert(L.Computed.begin(), L.Computed.end());
  if (To.launches.size() < MaxInline)
    To.launches.push_back(Launch);
  else
    ++To.launches_omitted;
  for (const ObjectHeat &O : L.Objects)
    add(L, O);
  for (const ArrayHeat &A : L.Arrays)
    add(L, A);
}

summary::HeatUse Builder::finish() {
  for (uint32_t Site : Recorded)
    Computed.erase(Site);
  To.instructions = Recorded.size() + Computed.size();
  To.instructions_by_closed_forms = Computed.size();
  for (auto &[Index, Sum] : ByObject) {
    summary::HeatObject &O = Sum.To;
    O.object = Index;
    O.mean_word = Sum.Words / static_cast<double>(std::max<uint64_t>(O.words, 1));
    O.mean_sector = Sum.Sectors / static_cast<double>(std::max<uint64_t>(O.sectors, 1));
    O.lines_omitted = Sum.TheLines.take(O.lines, globalLine);
    To.objects.push_back(std::move(O));
  }
  std::sort(To.objects.begin(), To.objects.end(),
            [](const summary::HeatObject &A, const summary::HeatObject &B) {
              return A.sectors != B.sectors ? A.sectors > B.sectors : A.object < B.object;
            });
  if (To.objects.size() > MaxInline) {
    To.objects_omitted = To.objects.size() - MaxInline;
    To.objects.resize(MaxInline);
  }
  for (auto &[Index, Sum] : ByArray) {
    Sum.To.object = Index;
    Sum.To.lines_omitted = Sum.TheLines.take(Sum.To.lines, sharedLine);
    To.arrays.push_back(std::move(Sum.To));
  }
  To.other_lines_omitted = Other.take(To.other_lines, globalLine);
  To.other_shared_lines_omitted = OtherShared.take(To.other_shared_lines, sharedLine);
  return std::move(To);
}

summary::HeatUse heatSummary(std::span<const LaunchHeat> Launches, const HeatObjects &Objects) {
  Builder B(Objects);
  for (const LaunchHeat &L : Launches)
    B.add(L);
  return B.finish();
}

uint64_t blocksSelected(const profile::HeatContext &C, const profile::Launch &L) {
  const uint64_t Blocks =
      mulSaturating(mulSaturating<uint64_t>(L.Grid[0], L.Grid[1]), uint64_t(L.Grid[2]));
  return BlockRange{C.FirstBlock, C.EndBlock, C.BlockStep}.count(Blocks);
}

/// Returns whether ptxas chooses the width of the access. Other instructions are those of the PTX.
static bool mayBeJoinedOrSplit(const HeatAccess &A) {
  return A.Kind == GMPROF_ACCESS_LOAD || A.Kind == GMPROF_ACCESS_STORE ||
         A.Kind == GMPROF_ACCESS_COPY_FROM || A.Kind == GMPROF_ACCESS_COPY_TO;
}

void addHeatCoverage(const profile::Profile &P, const std::vector<LaunchHeat> &Uses,
                     summary::Coverage &To) {
  std::unordered_map<uint64_t, const profile::HeatContext *> Contexts;
  uint64_t Merged = 0, NotInlined = 0, OtherBlocks = 0, WithoutCode = 0, Unmatched = 0;
  for (const LaunchHeat &L : Uses) {
    const profile::HeatContext &C = *L.Context;
    Contexts[C.Context] = &C;
    To.blocks.launched = addSaturating(To.blocks.launched, L.Blocks);
    To.blocks.counted = addSaturating(To.blocks.counted, C.Blocks);
    To.accesses.lost = addSaturating(To.accesses.lost, C.Lost);
    To.accesses.outside = addSaturating(To.accesses.outside, C.Outside);
    for (const HeatAccess &A : L.Accesses) {
      To.accesses.counted = addSaturating(To.accesses.counted, uint64_t(A.Requests.lanes));
      if (mayBeJoinedOrSplit(A))
        (P.Machine.contains(L.Kernel) ? Unmatched : WithoutCode) += A.OfPtx;
    }
    for (const profile::HeatMap &M : C.Maps)
      Merged += M.Merged;
    NotInlined += L.NotInlined.requests;
    OtherBlocks = addSaturating(OtherBlocks, C.OtherBlocks);
  }
  profile::forEachLaunchMode(P, [&](const profile::Launch &L) {
    if (auto It = Contexts.find(L.Context); It != Contexts.end())
      To.blocks.selected =
          addSaturating(To.blocks.selected, mulSaturating(blocksSelected(*It->second, L), L.Times));
  });
  if (Merged)
    To.gaps.push_back(
        {"sectors",
         "only the highest temperatures of several together are known: their heat map "
         "has too many different ones",
         Merged});
  if (WithoutCode)
    To.gaps.push_back({"requests",
                       "counted as in the PTX: GMProf does not know the machine code of their "
                       "kernels",
                       WithoutCode});
  if (Unmatched)
    To.gaps.push_back({"requests",
                       "counted as in the PTX: the machine code has other instructions at their "
                       "lines",
                       Unmatched});
  if (NotInlined)
    To.gaps.push_back({"requests",
                       "by functions that are not inlined: which of their instructions make them "
                       "is not known",
                       NotInlined});
  uint64_t Constants = 0;
  for (const auto &[Kernel, Machine] : P.Machine)
    for (const profile::CodeInstruction &I : Machine.Instructions)
      Constants +=
          I.Kind == GMPROF_INSTRUCTION_CONSTANT_LOAD && analysis::constantPasses(P, Kernel, I) == 0
              ? I.Count
              : 0;
  if (Constants)
    To.gaps.push_back({"instructions",
                       "that load constants of different addresses: how many passes their requests "
                       "take is not known",
                       Constants});
  if (OtherBlocks)
    To.gaps.push_back(
        {"accesses",
         "to the shared memory of other blocks of the cluster: only those to a block's "
         "own shared memory are recorded",
         OtherBlocks});
}

} // namespace gmprof
