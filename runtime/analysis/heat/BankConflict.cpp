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

#include "analysis/ProgramSource.h"
#include "analysis/Wording.h"
#include "analysis/heat/HeatPatterns.h"
#include "analysis/heat/RowPadding.h"
#include "analysis/heat/SplitCopies.h"
#include "analysis/shared/SharedMemoryUse.h"
#include "profile/CounterKind.h"
#include "profile/RequestCost.h"
#include <algorithm>
#include <cstdlib>
#include <fmt/format.h>
#include <map>
#include <numeric>
#include <tuple>

namespace gmprof::analysis {

static constexpr uint64_t BankBytes = 128;  ///< one word of each bank
static constexpr uint64_t VectorBytes = 16; ///< most bytes that a lane accesses by one instruction

/// The size of an array's elements, and the widest accesses of several elements; 0: unknown, or
/// none.
struct ElementAccesses {
  unsigned Bytes = 0, WidestBytes = 0;
  profile::SourcePosition Widest;

  /// Returns the place of the widest accesses, in parentheses.
  std::string place() const {
    return Widest.Line == 0 ? "" : fmt::format(" ({})", placeText({Widest.File, Widest.Line, 0}));
  }
};

static ElementAccesses elementAccesses(const profile::Descriptor &Desc, const LaunchHeat &L,
                                       const ArrayHeat &A) {
  ElementAccesses E;
  if (!A.Region.Variables.empty())
    E.Bytes = Desc.Variables[A.Region.Variables.front()].ElementBytes;
  const unsigned Element = E.Bytes == 0 ? GMPROF_HEAT_WORD_BYTES : E.Bytes;
  for (uint32_t I : A.Accesses)
    if (const HeatAccess &Access = L.Accesses[I]; Access.Bytes > std::max(Element, E.WidestBytes)) {
      E.WidestBytes = Access.Bytes;
      E.Widest = Access.Source;
    }
  return E;
}

/// Returns the declaration with rows that are Elements longer: "float tile[32][33]".
static std::string declaration(const ArrayHeat &A, uint64_t Elements) {
  const std::vector<uint64_t> Bounds = arrayBounds(A.Type);
  std::string Text = A.Type.substr(0, A.Type.find('[')) + " " + A.Name;
  for (size_t D = 0; D < Bounds.size(); ++D)
    Text += fmt::format("[{}]", Bounds[D] + (D + 1 == Bounds.size() ? Elements : 0));
  return Text;
}

/// Returns the declaration with longer rows; empty if it is no array of rows that begin in the same
/// bank.
static std::string padded(const ArrayHeat &A, unsigned ElementBytes, uint64_t Elements) {
  const std::vector<uint64_t> Bounds = arrayBounds(A.Type);
  if (Bounds.size() < 2 || A.Region.Dynamic || Bounds.back() * ElementBytes % BankBytes != 0)
    return {};
  return declaration(A, Elements);
}

/// Returns advice for an array that vectors access, which padding by a word would misalign.
static std::string remedyForVectors(const ArrayHeat &A, const ElementAccesses &E) {
  const uint64_t Elements = E.Bytes != 0 && VectorBytes % E.Bytes == 0 ? VectorBytes / E.Bytes : 0;
  if (const std::string Declaration = Elements == 0 ? "" : padded(A, E.Bytes, Elements);
      !Declaration.empty())
    return fmt::format("Pad each row by {} ({}), so that rows begin in different banks. These {} "
                       "bytes keep accesses of several elements{} aligned, which must use the new "
                       "row length, too.",
                       plural(Elements, "element"), Declaration, VectorBytes, E.place());
  return fmt::format("Let the lanes of a warp access words of different banks: consecutive words, "
                     "or a stride or swizzled index (column ^ row) in units of {} bytes, so that "
                     "accesses of several elements{} stay aligned.",
                     VectorBytes, E.place());
}

/// Returns advice for a matrix of words whose rows, of Length words, are shorter than a warp.
static std::string remedyForShortRows(const profile::Profile &P, const LaunchHeat &L,
                                      const ArrayHeat &A, uint64_t Length) {
  uint32_t Threads = 0;
  for (const profile::Launch &Each : P.Launches)
    if (Each.Id == L.FirstLaunch)
      Threads = Each.Block[0];
  std::vector<RowAccess> Accesses;
  for (uint32_t I : A.Accesses) {
    const GmprofHeatSite &R = L.Accesses[I].Requests;
    if (R.requests != 0)
      Accesses.push_back(
          {R.requests, static_cast<double>(R.transactions) / static_cast<double>(R.requests)});
  }
  if (const auto Padding = rowPadding(Length, Threads, Accesses); Padding && !A.Region.Dynamic)
    return fmt::format("Pad each row by {} ({}): the accesses of the array then take {} "
                       "wavefronts/request on average instead of {}.",
                       plural(Padding->Words, "element"), declaration(A, Padding->Words),
                       ratioText(Padding->After), ratioText(Padding->Before));
  return fmt::format("Pad rows to 33 elements, and let a warp access one row or column of 32 "
                     "elements. A warp now covers several rows of {} elements, whose words lie "
                     "in the same banks.",
                     Length);
}

/// Returns the fix. Padding moves the words of a column to different banks if rows become longer by
/// words. Accesses of several elements must stay aligned.
static std::string remedy(const profile::Profile &P, const LaunchHeat &L, const ArrayHeat &A,
                          uint64_t Stride, bool IsComputed) {
  const ElementAccesses E = elementAccesses(*P.Kernels[L.Kernel].Desc, L, A);
  const uint64_t Elements = GMPROF_HEAT_WORD_BYTES / std::gcd(GMPROF_HEAT_WORD_BYTES, E.Bytes);
  const std::string Declaration = padded(A, E.Bytes, Elements);
  if (const bool HasRows = arrayBounds(A.Type).size() > 1;
      !HasRows && E.Bytes != 0 && E.WidestBytes == 0 && Stride != 0 && Stride % BankBytes == 0)
    return fmt::format(
        "Insert {} after every {} elements (element i moves to i + {}i / {}), so that "
        "words with a stride of {} lie in different banks.",
        Elements == 1 ? "one unused element" : plural(Elements, "unused element"), Stride / E.Bytes,
        Elements == 1 ? "" : fmt::format("{} * (", Elements),
        Elements == 1 ? fmt::format("{}", Stride / E.Bytes) : fmt::format("{})", Stride / E.Bytes),
        plural(Stride, "byte"));
  const bool IsPaddable = !Declaration.empty() || (Stride != 0 && Stride % BankBytes == 0);
  if (E.WidestBytes != 0 &&
      (!IsPaddable || E.Bytes == 0 || Elements * E.Bytes % E.WidestBytes != 0))
    return remedyForVectors(A, E);
  if (const std::vector<uint64_t> Bounds = arrayBounds(A.Type);
      Bounds.size() > 1 && IsComputed && Stride == 0 && E.Bytes == GMPROF_HEAT_WORD_BYTES &&
      Bounds.back() * E.Bytes < BankBytes)
    return remedyForShortRows(P, L, A, Bounds.back());
  if (!IsPaddable)
    return fmt::format("Let the lanes of a warp access words of different banks: consecutive {0}, "
                       "an odd stride in {0}, or a swizzled index (column ^ row).",
                       E.Bytes > GMPROF_HEAT_WORD_BYTES ? "elements" : "words");
  std::string Text =
      fmt::format("Pad each row by {}{}, so that the words of a column lie in different banks.",
                  Elements == 1 ? "one element" : fmt::format("{} elements", Elements),
                  Declaration.empty() ? "" : " (" + Declaration + ")");
  if (E.WidestBytes != 0)
    Text +=
        fmt::format(" Accesses of several elements{} must use the new row length, too.", E.place());
  return Text;
}

/// Joins the load and the store of one statement, such as `Counts[I] += 1`, which have one cause.
static HeatAccess joined(const LaunchHeat &L, const std::vector<uint32_t> &Accesses) {
  HeatAccess Sum = L.Accesses[Accesses.front()];
  for (size_t I = 1; I < Accesses.size(); ++I) {
    add(Sum.Requests, L.Accesses[Accesses[I]].Requests);
    Sum.Computed &= L.Accesses[Accesses[I]].Computed;
  }
  return Sum;
}

/// Describes a conflict. Split: the vector that clang splits, so that each access leaves words of
/// its banks to the next.
static HeatFinding conflict(const profile::Profile &P, const LaunchHeat &L, const ArrayHeat &A,
                            const HeatAccess &Access, bool LoadAndStore,
                            const std::optional<SplitCopy> &Split) {
  const GmprofHeatSite &R = Access.Requests;
  const auto Requests = static_cast<double>(R.requests);
  const double Each = static_cast<double>(R.transactions) / Requests,
               Ideal = static_cast<double>(R.ideal) / Requests;
  const uint64_t Stride =
      R.strided == 0 ? 0
                     : static_cast<uint64_t>(std::llabs(static_cast<long long>(R.stride) /
                                                        static_cast<long long>(R.strided)));
  const double Share = static_cast<double>(Access.sectorsBeyondIdeal()) /
                       static_cast<double>(std::max<uint64_t>(L.Wavefronts, 1));
  const bool IsAtomic = counterKind(Access.Kind) == GMPROF_COUNTER_ATOMICS;
  // A histogram: data decides on the banks, so that no layout avoids the conflicts.
  const bool IsIrregular = !Access.Computed && R.strided < R.requests - R.strided;
  const bool OfData = IsAtomic && IsIrregular;
  // A table: random words take about 3.5 wavefronts/request, a layout that conflicts mostly more.
  constexpr double MostOfRandomWords = 4;
  const bool MayBeData = !IsAtomic && IsIrregular && Each <= MostOfRandomWords;
  HeatFinding F;
  F.Found.Pattern = "bank_conflict";
  F.Found.Kind = IsAtomic           ? "atomic"
                 : LoadAndStore     ? "load_and_store"
                 : Access.isStore() ? "store"
                                    : "load";
  F.Found.Origin = "gmprof";
  F.Found.Kernel = L.Kernel;
  F.Found.Object = A.Name;
  F.Found.ObjectBytes = A.Region.Bytes;
  F.Found.Source = Access.Source.Line ? Access.Source : busiestLine(L, A.Accesses);
  F.Found.Level = OfData      ? Severity::Info
                  : MayBeData ? std::min(severityOf(Share), Severity::Low)
                              : severityOf(Share);
  F.NeedlessBytes = static_cast<double>(Access.sectorsBeyondIdeal()) * L.toWholeLaunch();
  F.Found.Evidence = {
      {"requests", uint64_t(R.requests)},
      {"wavefronts_per_request", Each},
      {"ideal_wavefronts_per_request", Ideal},
      {"excess_share_of_wavefronts", Share},
      {"needless_wavefronts", static_cast<uint64_t>(std::min(F.NeedlessBytes, 9e18))}};
  if (Stride != 0)
    F.Found.Evidence.emplace_back("stride_bytes", Stride);
  F.Found.Evidence.emplace_back("predicted", Access.Computed);
  F.Found.Evidence.emplace_back("blocks_sampled", L.Context->Blocks);
  F.Found.Evidence.emplace_back("blocks_launched", L.Blocks);
  F.Found.Message = fmt::format(
      "{} wavefronts/request (ideal {}): lanes of a warp {} different words of one bank of {}.",
      ratioText(Each), ratioText(Ideal),
      IsAtomic           ? "update"
      : LoadAndStore     ? "load and store"
      : Access.isStore() ? "store"
                         : "load",
      quotedName(A.Name));
  if (Split)
    F.Found.Message += Split->sentence();
  // Lanes that copy adjacent vectors conflict only because the copies are split.
  const bool IsSplitAlone = Split && Stride == Split->Bytes;
  if (IsSplitAlone)
    F.Found.Level = std::min(F.Found.Level, Severity::Low);
  F.Found.Suggestion =
      IsSplitAlone ? Split->suggestion()
      : OfData
          ? "Data decides on the words, so that no padding avoids the conflicts; random words take "
            "about 3.5 wavefronts/request."
          : remedy(P, L, A, Stride, Access.Computed);
  if (MayBeData && !IsSplitAlone)
    F.Found.Suggestion += " If data decides on the words, keep them: random words take about 3.5 "
                          "wavefronts/request.";
  return F;
}

std::vector<HeatFinding> bankConflicts(const profile::Profile &P, const LaunchHeat &L,
                                       const ArrayHeat &A, const HeatPatternOptions &Options) {
  /// Kind of counter and source: the load and the store of a statement are one, atomics another.
  using Statement = std::tuple<std::string, unsigned, bool>;
  std::map<Statement, std::vector<uint32_t>> Statements;
  std::vector<Statement> Order;
  for (uint32_t I : A.Accesses) {
    const HeatAccess &Access = L.Accesses[I];
    const uint64_t Excess = Access.sectorsBeyondIdeal();
    if (Excess == 0 || Excess < Options.ExcessPerBlock * L.Context->Blocks ||
        static_cast<double>(Excess) <
            Options.ExcessShare * static_cast<double>(Access.Requests.ideal))
      continue;
    const bool IsAtomic = counterKind(Access.Kind) == GMPROF_COUNTER_ATOMICS;
    Statement Of = {Access.Source.File, Access.Source.Line, IsAtomic};
    std::vector<uint32_t> &Its = Statements[Of];
    if (Its.empty())
      Order.push_back(Of);
    Its.push_back(I);
  }
  std::vector<HeatFinding> Found;
  for (const Statement &Of : Order) {
    const std::vector<uint32_t> &Its = Statements[Of];
    const auto Stores =
        std::ranges::count_if(Its, [&](uint32_t Each) { return L.Accesses[Each].isStore(); });
    const bool LoadAndStore = Stores != 0 && Stores != std::ssize(Its);
    if (std::get<unsigned>(Of) != 0 && LoadAndStore) {
      Found.push_back(conflict(P, L, A, joined(L, Its), true, splitCopy(L, Its)));
      continue;
    }
    for (uint32_t Each : Its)
      Found.push_back(conflict(P, L, A, L.Accesses[Each], false, splitCopy(L, {Each})));
  }
  return Found;
}

} // namespace gmprof::analysis
