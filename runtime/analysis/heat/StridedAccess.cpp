//===- StridedAccess.cpp - Finds strided accesses -------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// cuThermo (2025), Section IV.C, Figure 6 (d), and Section VI.D. A sector is sparse if at most 4 of
// its 8 words are accessed. A finding needs at least 4 sparse sectors, half of the object's
// accesses in them, and a stride: at least half of the distances between consecutive pieces are
// equal. A random gather has no stride, and the borders of a tile are a small part of its accesses.
// Kinds:
//
//  * "across_threads" if at least half of the requests are strided, or if they access more than two
//    sectors on average, as in two rows of a block: the lanes of a warp are apart. Data may scatter
//    the lanes of single requests: without a stride, closed forms describe the access, or it makes
//    more than one request per warp;
//  * "across_iterations" otherwise: a request accesses one piece, and the next requests are apart,
//    as when all threads read down a column. Some access then makes more than one request per warp;
//    single requests of different warps are apart by chance, as those of a rarely taken branch.
//
// A third kind, "per_thread", is for objects that are used completely, but never by one request:
// half of the accesses are strided requests with at least twice the ideal sectors, of which at most
// half of the bytes are used. Each thread processes its own piece, and caches have to keep a sector
// per lane until the rest is accessed. Elements that threads update atomically are no pieces of
// threads, and cannot be staged in shared memory. It is not reported for hot spots and falsely
// shared objects, whose remedies include it. Requests of nearly all lanes without a common stride,
// as those of two rows of a block, count if nearly all words of the accessed sectors are used, and
// each sector by one warp: a gather leaves words unused, or shares sectors. Half of the lanes
// suffice for pieces of more than 128 bytes on average, as rows of a sparse matrix: caches do not
// hold those. Bytes with gaps between them, as one of two channels, are no pieces: the rest of the
// words is not accessed.
//
// Blocks that walk over an array with the number of blocks as their stride, all lanes reading one
// element, are not reported: adjacent blocks use the rest of the sector.
//
// Needless traffic: the bytes that requests transfer and do not use.
//
//===----------------------------------------------------------------------===//

#include "analysis/Wording.h"
#include "analysis/heat/HeatPatterns.h"
#include "analysis/heat/SplitCopies.h"
#include "profile/RequestCost.h"
#include <algorithm>
#include <cstdlib>
#include <fmt/format.h>
#include <map>

namespace gmprof::analysis {

using profile::HeatRun;
using profile::Temperatures;

static unsigned usedWords(const Temperatures &T) {
  return static_cast<unsigned>(T.Words.size()) -
         static_cast<unsigned>(std::count(T.Words.begin(), T.Words.end(), 0));
}

bool isSparse(const Temperatures &T, const HeatPatternOptions &Options) {
  return usedWords(T) <= Options.SparseWords;
}

uint64_t sparseSectors(const ObjectHeat &O, const HeatPatternOptions &Options) {
  uint64_t Sectors = 0;
  for (const HeatRun &R : O.Map->Runs)
    Sectors += isSparse(R.All, Options) ? R.Sectors : 0;
  return Sectors;
}

namespace {

/// Distances between consecutive pieces of used words.
class Distances {
public:
  void add(const HeatRun &R) {
    addSector(R.First, R.All, 1);
    if (R.Sectors > 1) {
      addSector(R.First + 1, R.All, static_cast<double>(R.Sectors - 1));
      // The last sector has the same words as the second.
      const uint64_t Further = (R.Sectors - 2) * profile::WordsPerSector;
      LastBegin += Further;
      LastEnd += Further;
    }
  }

  /// Returns the most frequent distance in words, if its share is at least Share.
  std::optional<uint64_t> equal(double Share) const {
    auto It = std::max_element(Times.begin(), Times.end(),
                               [](const auto &A, const auto &B) { return A.second < B.second; });
    if (It == Times.end() || It->second < Share * All)
      return std::nullopt;
    return It->first;
  }

private:
  void addSector(uint64_t Sector, const Temperatures &T, double Weight) {
    for (unsigned W = 0; W < T.Words.size(); ++W) {
      if (T.Words[W] == 0)
        continue;
      const uint64_t Word = Sector * profile::WordsPerSector + W;
      if (!Any || Word != LastEnd) {
        if (Any) {
          Times[Word - LastBegin] += Weight;
          All += Weight;
        }
        LastBegin = Word;
      }
      LastEnd = Word + 1;
      Any = true;
    }
  }

  bool Any = false;
  uint64_t LastBegin = 0, LastEnd = 0;
  std::map<uint64_t, double> Times;
  double All = 0;
};

struct Sparse {
  uint64_t Sectors = 0, Words = 0, Accesses = 0;
  std::optional<uint64_t> Distance; ///< in words
};

} // namespace

static Sparse count(const ObjectHeat &O, const HeatPatternOptions &Options) {
  Sparse S;
  Distances All;
  for (const HeatRun &R : O.Map->Runs) {
    if (!isSparse(R.All, Options))
      continue;
    S.Sectors += R.Sectors;
    S.Words += R.Sectors * static_cast<uint64_t>(usedWords(R.All));
    for (uint64_t Accesses : R.Accesses)
      S.Accesses += Accesses;
    All.add(R);
  }
  S.Distance = All.equal(Options.EqualDistances);
  return S;
}

/// Returns true if all lanes of a block access one element, and the block's next one lies as many
/// elements further as the grid has blocks.
static bool isStrideOfBlocks(const LaunchHeat &L, const ObjectHeat &O, uint64_t Stride) {
  const uint64_t Blocks = L.Launches == 0 ? 0 : L.Blocks / L.Launches;
  return Blocks > 1 && !O.Accesses.empty() && std::ranges::all_of(O.Accesses, [&](uint32_t I) {
           const HeatAccess &A = L.Accesses[I];
           return A.isUniform() && uint64_t(A.Bytes) * Blocks == Stride;
         });
}

static std::optional<HeatFinding> sparse(const LaunchHeat &L, const ObjectHeat &O,
                                         const HeatPatternOptions &Options) {
  const Sparse S = count(O, Options);
  if (S.Sectors < Options.SparseSectors || !S.Distance ||
      static_cast<double>(S.Accesses) <
          Options.StridedShare * static_cast<double>(O.Numbers.Accesses))
    return std::nullopt;
  GmprofHeatSite Sum = {};
  for (uint32_t A : O.Accesses)
    add(Sum, L.Accesses[A].Requests);
  const uint64_t Warps = uint64_t(L.warps()) * L.Context->Blocks;
  // Where no requests are counted, nothing says that accesses do not iterate.
  const bool MayIterate = Sum.requests == 0 || !accessesWhere(L, O, [&](const HeatAccess &A) {
                                                  return A.Requests.requests > Warps;
                                                }).empty();
  const bool LanesAreApart = Sum.transactions > 2 * Sum.requests;
  const bool MayBeData = mayBeData(L, O.Accesses);
  // Data may scatter the lanes of single requests.
  if (!hasStride(Sum) && !MayIterate && (!LanesAreApart || MayBeData))
    return std::nullopt;
  const bool AcrossThreads = hasStride(Sum) || LanesAreApart;
  const uint64_t Bytes = Sum.transactions * GMPROF_HEAT_SECTOR_BYTES;
  const auto Unused = static_cast<double>(Bytes - std::min(Bytes, uint64_t(Sum.bytes)));
  const double PerSector = static_cast<double>(S.Words) / static_cast<double>(S.Sectors);
  const double Wasted = 1 - PerSector / profile::WordsPerSector;
  // Lanes that use several words of a structure leave several distances between used words.
  const uint64_t Stride = hasStride(Sum) ? meanStride(Sum) : *S.Distance * GMPROF_HEAT_WORD_BYTES;
  if (!AcrossThreads && isStrideOfBlocks(L, O, Stride))
    return std::nullopt;

  HeatFinding F = heatFinding(L, O, "strided_access", O.Accesses);
  F.Found.Kind = AcrossThreads ? "across_threads" : "across_iterations";
  F.Found.Level = severityOf(L.shareOfSectors(Sum.transactions) * Wasted);
  F.Found.Evidence = {{"stride_bytes", Stride},
                      {"sparse_sectors", S.Sectors},
                      {"words_used_per_sector", PerSector},
                      {"wasted_share", Wasted}};
  addTraffic(F, L, O.Accesses, Unused);
  F.Found.Message = fmt::format("Consecutive {} access {} with a stride of {}. "
                                "They use {:.3g} of the 8 words "
                                "of a sector, {} of the transferred bytes are unused.",
                                AcrossThreads ? "lanes" : "requests", O.describe(),
                                plural(Stride, "byte"), PerSector, percentText(Wasted));
  F.Found.Suggestion =
      AcrossThreads && MayBeData
          ? "If the indices are data, renumber the elements so that consecutive threads access "
            "consecutive words; otherwise transpose the data or the thread indices, or turn an "
            "array of structures into a structure of arrays."
      : AcrossThreads
          ? "Transpose the data or the thread indices so that consecutive threads access "
            "consecutive words; turn an array of structures into a structure of arrays."
      : MayBeData
          ? "Store the elements in the order in which the kernel visits them, so that consecutive "
            "requests access consecutive words of a sector."
          : "Transpose the array so that consecutive iterations access consecutive words of a "
            "sector.";
  return F;
}

bool usesWholeSectors(const ObjectHeat &O) {
  const auto Words = static_cast<double>(O.Numbers.Sectors * profile::WordsPerSector);
  return O.Numbers.MeanSector <= 1.25 && static_cast<double>(O.Numbers.Words) >= 0.9 * Words;
}

/// Largest piece of a thread that caches hold while the thread uses it.
static constexpr uint64_t FewBytes = 128;

/// Most bytes that a lane accesses by one instruction.
static constexpr unsigned WidestBytes = 16;

/// Returns true if requests use half of the bytes of twice the ideal sectors, whatever the stride.
static bool isPartial(const HeatAccess &A, double Lanes) {
  return !A.isUniform() && isSpread(A, Lanes);
}

/// For a piece of adjacent elements in some launches, which are apart in others.
static constexpr const char *FixForSomeLaunches =
    "Where a thread's elements are adjacent, let consecutive threads move consecutive elements "
    "between device memory and shared memory, and access the pieces there.";

/// Returns the fix for a piece per thread. Stride: in bytes; 0: there is no common one. Piece:
/// bytes that a thread uses. Bytes: of an access. MayJoin: whether vector loads or stores are
/// possible, and not made already. ByData: whether data may select an element of the piece, as a
/// bin of a thread's histogram.
static std::string perThreadRemedy(uint64_t Stride, uint64_t Piece, unsigned Bytes, bool MayJoin,
                                   bool ByData) {
  const uint64_t Elements = Bytes == 0 ? 0 : Stride / Bytes;
  if (MayJoin && Stride <= WidestBytes && Elements * Bytes == Stride &&
      (Elements == 2 || Elements == 4))
    return fmt::format("Access the {} elements of a thread by one vector load or store ({}), "
                       "provided that they begin at a multiple of {} bytes.",
                       Elements,
                       Bytes == 1 ? fmt::format("uchar{}", Elements)
                                  : fmt::format("float{0}, int{0}", Elements),
                       Stride);
  if (MayJoin && Stride == 0 && Piece <= FewBytes && !(ByData && Piece > WidestBytes))
    return "Access adjacent elements of a thread by one vector load or store (float2, uchar4), "
           "provided that they begin at a multiple of its size; or let consecutive lanes access "
           "consecutive elements.";
  if (Piece <= FewBytes)
    return "Interleave the pieces so that consecutive threads access consecutive words (a "
           "structure of arrays for an array of structures); or let the warp load consecutive "
           "words to shared memory, and read the pieces there.";
  return "Let the threads of a warp work on one piece together, one word each; or interleave the "
         "pieces so that consecutive threads access consecutive words.";
}

/// Returns true if threads make several loads or several stores, none of them a vector's yet.
static bool mayJoin(const LaunchHeat &L, const std::vector<uint32_t> &Accesses) {
  uint64_t Loads = 0, Stores = 0;
  for (uint32_t I : Accesses) {
    const HeatAccess &A = L.Accesses[I];
    if (A.isJoined())
      return false;
    (A.isStore() ? Stores : Loads) += A.Requests.requests;
  }
  const uint64_t Warps = uint64_t(L.warps()) * L.Context->Blocks;
  return std::max(Loads, Stores) > Warps;
}

static std::optional<HeatFinding> perThread(const LaunchHeat &L, const ObjectHeat &O,
                                            const HeatPatternOptions &Options) {
  const bool Whole = usesWholeSectors(O);
  const uint64_t MeanPiece =
      O.Numbers.Words * GMPROF_HEAT_WORD_BYTES / std::max<uint64_t>(L.Context->Threads, 1);
  const double Lanes = MeanPiece > FewBytes ? Options.PartialLanesOfLarge : Options.PartialLanes;
  const std::vector<uint32_t> Scattered = accessesWhere(L, O, [&](const HeatAccess &A) {
    return A.Kind != GMPROF_ACCESS_ATOMIC && (isUncoalesced(A) || (Whole && isPartial(A, Lanes)));
  });
  GmprofHeatSite All = {}, Sum = {};
  for (uint32_t A : O.Accesses)
    add(All, L.Accesses[A].Requests);
  for (uint32_t A : Scattered)
    add(Sum, L.Accesses[A].Requests);
  if (Sum.requests == 0 || O.Numbers.Sectors < Options.SparseSectors ||
      static_cast<double>(Sum.lanes) < Options.StridedShare * static_cast<double>(All.lanes) ||
      hotSpot(L, O, Options) || falseSharing(L, O, Options))
    return std::nullopt;
  const uint64_t Stride = meanStride(Sum);
  // Lookups in a table, as of a search: pieces of threads are not accessed that often.
  constexpr uint64_t MostAccessesOfWord = 4;
  if (Stride == 0 && mayBeData(L, Scattered) &&
      O.Numbers.Accesses > MostAccessesOfWord * O.Numbers.Words)
    return std::nullopt;
  const uint64_t Piece = Stride != 0 ? Stride : MeanPiece;
  unsigned Bytes = L.Accesses[Scattered.front()].Bytes;
  for (uint32_t A : Scattered)
    if (L.Accesses[A].Bytes != Bytes)
      Bytes = 0;
  if (Bytes != 0 && Bytes < GMPROF_HEAT_WORD_BYTES && hasGaps(O, Sum.bytes))
    return std::nullopt;
  const uint64_t Extra = Sum.transactions - Sum.ideal;
  const double PerRequest =
      static_cast<double>(Sum.transactions) / static_cast<double>(Sum.requests);

  HeatFinding F = heatFinding(L, O, "strided_access", Scattered);
  F.Found.Kind = "per_thread";
  // While the threads' pieces stay in the cache, the rest of them costs only requests.
  F.Found.Level = std::min(severityOf(L.shareOfSectors(Extra)),
                           Piece <= FewBytes ? Severity::Low : Severity::Medium);
  if (Stride != 0)
    F.Found.Evidence.emplace_back("stride_bytes", Stride);
  F.Found.Evidence.emplace_back(
      "wasted_share", 1 - static_cast<double>(Sum.bytes) /
                              static_cast<double>(Sum.transactions * GMPROF_HEAT_SECTOR_BYTES));
  addTraffic(F, L, Scattered, static_cast<double>(Extra) * GMPROF_HEAT_SECTOR_BYTES);
  const std::string Cost =
      fmt::format("{} sectors/request (ideal {})", ratioText(PerRequest),
                  ratioText(static_cast<double>(Sum.ideal) / static_cast<double>(Sum.requests)));
  F.Found.Message =
      Stride == 0
          ? fmt::format("Each thread accesses its own piece of {}: a request uses a part of each "
                        "sector, and other requests of the warp the rest, {}.",
                        O.describe(), Cost)
          : fmt::format("Each thread accesses its own piece of {}, with a stride of {} between "
                        "threads, {}.",
                        O.describe(), plural(Stride, "byte"), Cost);
  if (const auto Copy = splitCopy(L, Scattered)) {
    F.Found.Message += Copy->sentence();
    F.Found.Suggestion = Copy->suggestion();
    return F;
  }
  const bool ByData =
      std::ranges::any_of(Scattered, [&](uint32_t A) { return !L.Accesses[A].Computed; });
  F.Found.Suggestion = perThreadRemedy(Stride, Piece, Bytes, mayJoin(L, Scattered), ByData);
  if (Piece <= FewBytes)
    F.FixForSome = FixForSomeLaunches;
  return F;
}

std::optional<HeatFinding> stridedAccess(const LaunchHeat &L, const ObjectHeat &O,
                                         const HeatPatternOptions &Options) {
  if (std::optional<HeatFinding> F = sparse(L, O, Options))
    return F;
  return perThread(L, O, Options);
}

} // namespace gmprof::analysis
