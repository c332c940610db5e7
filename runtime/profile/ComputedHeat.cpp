//===- ComputedHeat.cpp - Computes heat from closed forms -----------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "profile/ComputedHeat.h"
#include "profile/CounterKind.h"
#include "profile/HeatMemory.h"
#include "profile/HeatRecords.h"
#include "profile/RequestCost.h"
#include "profile/Saturating.h"
#include "profile/WarpRequests.h"
#include <algorithm>
#include <bit>
#include <deque>
#include <memory>
#include <numeric>

namespace gmprof {

using namespace profile;

namespace {

constexpr uint64_t PageBytes = GMPROF_HEAT_PAGE_BYTES, WordBytes = GMPROF_HEAT_WORD_BYTES,
                   SectorBytes = GMPROF_HEAT_SECTOR_BYTES;
constexpr uint64_t SectorWords = SectorBytes / WordBytes, PageWords = GMPROF_HEAT_PAGE_WORDS;

/// The words and sectors that a global memory request accesses, relative to the sector of the first
/// lane's address.
struct Footprint {
  struct Words {
    int64_t First = 0;
    uint32_t Count = 0, Accesses = 0; ///< Accesses: by lanes, of each word
  };
  std::vector<Words> Runs;
  std::vector<int64_t> Sectors;
};

Footprint footprint(const LanePattern &P, unsigned Address, unsigned Bytes) {
  std::vector<int64_t> Words;
  Footprint F;
  for (uint32_t Left = P.Lanes; Left != 0; Left &= Left - 1) {
    const int64_t At = int64_t(Address) + P.Offsets[static_cast<unsigned>(std::countr_zero(Left))];
    for (unsigned I = 0; I == 0 || I < Bytes / WordBytes; ++I)
      Words.push_back((At >> 2) + I);
    F.Sectors.push_back(At >> 5);
  }
  std::sort(F.Sectors.begin(), F.Sectors.end());
  F.Sectors.erase(std::unique(F.Sectors.begin(), F.Sectors.end()), F.Sectors.end());
  std::sort(Words.begin(), Words.end());
  for (auto At = Words.begin(); At != Words.end();) {
    const auto Next = std::upper_bound(At, Words.end(), *At);
    const auto Accesses = static_cast<uint32_t>(Next - At);
    if (!F.Runs.empty() && F.Runs.back().First + F.Runs.back().Count == *At &&
        F.Runs.back().Accesses == Accesses)
      ++F.Runs.back().Count;
    else
      F.Runs.push_back({*At, 1, Accesses});
    At = Next;
  }
  return F;
}
static_assert(WordBytes == 4 && SectorBytes == 32);

/// The requests that a closed form makes in the recorded blocks.
class FormHeat {
public:
  FormHeat(const HeatForm &Form, const Site &S, const BoundForm &Bound,
           const DescribedLaunch &Launch, uint64_t Address, uint32_t Place)
      : Form(Form), Launch(Launch), Kind(counterKind(S.Kind).value_or(GMPROF_COUNTER_READS)),
        Address(Address), Place(Place),
        Requests(Bound, Form.ProgramLoops, Launch.Grid, Launch.Block) {}

  /// Adds a block's requests to the current part of Memory, or to shared memory; returns false if
  /// they cannot be determined. Requests and lost accesses are counted only if CountsRequests,
  /// which is set in one pass over the blocks.
  bool blockInGlobal(uint64_t Block, HeatMemory &Memory, HeatContext &To, bool CountsRequests);
  bool blockInShared(uint64_t Block, HeatContext &To);

  /// Adds the costs of all counted requests to the site.
  void addTo(GmprofHeatSite &To, bool InShared) const;

private:
  /// By the first lane's address modulo the vector's size.
  using PerAddress = std::vector<uint64_t>;

  /// Calls Each(run, address of its first request) for each instruction of the access.
  template <class Function> bool eachRequest(uint64_t Block, Function Each);
  bool keepsJoined(RequestRun &R, uint64_t Base) const;
  void count(const RequestRun &R, uint64_t At, size_t Modulus);
  void note(const RequestRun &R, uint64_t At, uint32_t Block, HeatMemory &Memory, HeatContext &To,
            bool CountsLost);
  void noteWithin(const Footprint &F, uint64_t At, const RequestRun &R, uint32_t Block,
                  size_t Range, HeatMemory &Memory) const;
  void noteLanes(const RequestRun &R, uint64_t At, uint32_t Block, HeatMemory &Memory,
                 HeatContext &To, bool CountsLost) const;
  void noteWords(const RequestRun &R, uint64_t At, HeatContext &To) const;
  const Footprint &footprintOf(uint32_t Pattern, uint64_t At);

  const HeatForm &Form;
  const DescribedLaunch &Launch;
  const GmprofCounterKind Kind;
  const uint64_t Address; ///< variable's address
  const uint32_t Place;
  WarpRequests Requests;
  std::vector<PerAddress> Counts; ///< number of requests, by pattern
  /// By pattern, then address in the sector.
  std::vector<std::vector<std::optional<Footprint>>> Footprints;
  /// Lowest and highest lane offset, by pattern.
  std::vector<std::pair<int64_t, int64_t>> Extents;

  const std::pair<int64_t, int64_t> &extentOf(uint32_t Pattern);
};

const std::pair<int64_t, int64_t> &FormHeat::extentOf(uint32_t Pattern) {
  for (size_t I = Extents.size(); I <= Pattern; ++I) {
    const LanePattern &P = Requests.patterns()[I];
    // Inactive lanes have offset 0, like the first active lane.
    const auto [Low, High] = std::minmax_element(P.Offsets.begin(), P.Offsets.end());
    Extents.emplace_back(*Low, *High);
  }
  return Extents[Pattern];
}

const Footprint &FormHeat::footprintOf(uint32_t Pattern, uint64_t At) {
  if (Footprints.size() <= Pattern)
    Footprints.resize(Pattern + 1);
  auto &OfPattern = Footprints[Pattern];
  OfPattern.resize(SectorBytes);
  std::optional<Footprint> &F = OfPattern[At % SectorBytes];
  if (!F)
    F = footprint(Requests.patterns()[Pattern], static_cast<unsigned>(At % SectorBytes),
                  Form.PieceBytes);
  return *F;
}

/// Counts a run's requests by start address modulo Modulus.
void FormHeat::count(const RequestRun &R, uint64_t At, size_t Modulus) {
  if (Counts.size() <= R.Pattern)
    Counts.resize(R.Pattern + 1);
  PerAddress &To = Counts[R.Pattern];
  To.resize(Modulus);
  const uint64_t Period = Modulus / std::gcd(Modulus, static_cast<uint64_t>(R.Stride) % Modulus);
  for (uint64_t I = 0; I < std::min(Period, R.Count); ++I) {
    const uint64_t Each = R.Count == 1 ? 1 : (R.Count - I + Period - 1) / Period;
    uint64_t &Sum = To[(At + I * uint64_t(R.Stride)) % Modulus];
    Sum = addSaturating(Sum, mulSaturating(Each, R.Times));
  }
}

void FormHeat::addTo(GmprofHeatSite &To, bool InShared) const {
  for (uint32_t P = 0; P < Counts.size(); ++P)
    for (uint64_t At = 0; At < Counts[P].size(); ++At)
      if (const uint64_t Count = Counts[P][At]) {
        const LanePattern &Pattern = Requests.patterns()[P];
        add(To,
            InShared ? costInShared(Pattern, At, Form.PieceBytes)
                     : costInGlobal(Pattern, At, Form.PieceBytes),
            Count);
      }
}

uint32_t markOf(uint64_t Block) {
  return 1 + static_cast<uint32_t>(Block % (GMPROF_HEAT_SEVERAL_BLOCKS - 1));
}

void setBlock(gmprof_u32 &Known, uint32_t Mine) {
  if (Known == 0)
    Known = Mine;
  else if ((Known & ~GMPROF_HEAT_SEVERAL_BLOCKS) != Mine)
    Known |= GMPROF_HEAT_SEVERAL_BLOCKS;
}

template <class Function> bool FormHeat::eachRequest(uint64_t Block, Function Each) {
  const std::optional<WarpRequests::OfBlock> Found = Requests.ofBlock(Block);
  if (!Found)
    return false;
  const uint64_t Base = Address + uint64_t(Found->Base + Form.Offset);
  for (RequestRun R : *Found->Runs) {
    R.Times = mulSaturating(R.Times, Launch.Times);
    if (Form.joinsIterations() && !keepsJoined(R, Base))
      return false;
    for (unsigned Piece = 0; R.Count != 0 && Piece < Form.pieces(); ++Piece)
      Each(R, Base + uint64_t(R.First) + uint64_t(Piece) * Form.PieceBytes);
  }
  return true;
}

/// Keeps the requests whose address is a multiple of an instruction that joins iterations. Returns
/// false if not all lanes make the instruction in the same iterations.
bool FormHeat::keepsJoined(RequestRun &R, uint64_t Base) const {
  const uint64_t Bytes = Form.PieceBytes;
  const std::array<int64_t, WarpLanes> &Offsets = Requests.patterns()[R.Pattern].Offsets;
  if (std::any_of(Offsets.begin(), Offsets.end(),
                  [&](int64_t Offset) { return uint64_t(Offset) % Bytes != 0; }))
    return false;
  uint64_t Skipped = 0;
  while (Skipped < std::min(R.Count, Bytes) &&
         (Base + uint64_t(R.First) + Skipped * uint64_t(R.Stride)) % Bytes != 0)
    ++Skipped;
  if (Skipped == std::min(R.Count, Bytes)) {
    R.Count = 0;
    return true;
  }
  const uint64_t Period = Bytes / std::gcd(Bytes, uint64_t(R.Stride) % Bytes);
  R.First += static_cast<int64_t>(Skipped) * R.Stride;
  R.Count = (R.Count - Skipped + Period - 1) / Period;
  R.Stride *= static_cast<int64_t>(Period);
  return true;
}

bool FormHeat::blockInGlobal(uint64_t Block, HeatMemory &Memory, HeatContext &To,
                             bool CountsRequests) {
  if (!CountsRequests) {
    const auto [Lowest, Highest] = Requests.addresses(Block);
    const uint64_t From = Address + uint64_t(Form.Offset);
    if (!Memory.mayHave(From + uint64_t(Lowest), From + uint64_t(Highest) + Form.Bytes - 1))
      return true;
  }
  return eachRequest(Block, [&](const RequestRun &R, uint64_t At) {
    if (CountsRequests)
      count(R, At, SectorBytes);
    note(R, At, markOf(Block), Memory, To, CountsRequests);
  });
}

/// Records a run's requests in the pages of the current part.
void FormHeat::note(const RequestRun &R, uint64_t At, uint32_t Block, HeatMemory &Memory,
                    HeatContext &To, bool CountsLost) {
  const auto [Low, High] = extentOf(R.Pattern);
  const int64_t Way = R.Stride * static_cast<int64_t>(R.Count - 1);
  const uint64_t First = At + uint64_t(Low + std::min<int64_t>(Way, 0));
  const uint64_t Last = At + uint64_t(High + std::max<int64_t>(Way, 0)) + Form.PieceBytes - 1;
  const size_t Range = Memory.find(First);
  const bool Within = Range < Memory.ranges() && First <= Last &&
                      Last - Memory.range(Range).Address < Memory.range(Range).Bytes &&
                      HeatMemory::hasRoom(Memory.pageOf(Range, Last));
  if (Within && !Memory.overlapsPart(Memory.pageOf(Range, First), Memory.pageOf(Range, Last)))
    return;
  for (uint64_t I = 0; I < R.Count; ++I, At += uint64_t(R.Stride))
    if (Within)
      noteWithin(footprintOf(R.Pattern, At), At, R, Block, Range, Memory);
    else
      noteLanes(R, At, Block, Memory, To, CountsLost);
}

/// Records a request whose lanes all access one range.
void FormHeat::noteWithin(const Footprint &F, uint64_t At, const RequestRun &R, uint32_t Block,
                          size_t Range, HeatMemory &Memory) const {
  const uint64_t Sector = At / SectorBytes;
  for (const Footprint::Words &Run : F.Runs) {
    uint64_t Word = Sector * SectorWords + uint64_t(Run.First);
    const auto Accesses = static_cast<uint32_t>(Run.Accesses * R.Times);
    for (uint64_t Left = Run.Count; Left != 0;) {
      const uint64_t InPage = Word % PageWords;
      const uint64_t Count = std::min(Left, PageWords - InPage);
      if (GmprofHeatPage *Page = Memory.page(Memory.pageOf(Range, Word * WordBytes), Kind)) {
        gmprof_u32 *Warps = Page->warps + InPage, *Sums = Page->accesses + InPage;
        for (uint64_t I = 0; I < Count; ++I) {
          Warps[I] |= R.Warps;
          Sums[I] += Accesses;
        }
      }
      Word += Count;
      Left -= Count;
    }
  }
  for (int64_t Offset : F.Sectors) {
    const uint64_t Number = Sector + uint64_t(Offset);
    if (GmprofHeatPage *Page = Memory.page(Memory.pageOf(Range, Number * SectorBytes), Kind)) {
      Page->places[Number % GMPROF_HEAT_PAGE_SECTORS] |= uint64_t(1) << Place;
      setBlock(Page->blocks[Number % GMPROF_HEAT_PAGE_SECTORS], Block);
    }
  }
}

/// Records a request lane by lane, as the device hooks do.
void FormHeat::noteLanes(const RequestRun &R, uint64_t At, uint32_t Block, HeatMemory &Memory,
                         HeatContext &To, bool CountsLost) const {
  const LanePattern &P = Requests.patterns()[R.Pattern];
  const auto AddressOf = [&](unsigned Lane) { return At + uint64_t(P.Offsets[Lane]); };
  for (uint32_t Left = P.Lanes; Left != 0; Left &= Left - 1) {
    const uint64_t Mine = AddressOf(static_cast<unsigned>(std::countr_zero(Left)));
    const size_t Range = Memory.find(Mine);
    if (Range == Memory.ranges() || !HeatMemory::hasRoom(Memory.pageOf(Range, Mine))) {
      uint64_t &Sum = Range == Memory.ranges() ? To.Outside : To.Lost;
      Sum = addSaturating(Sum, CountsLost ? R.Times : 0);
      continue;
    }
    GmprofHeatPage *Page = Memory.page(Memory.pageOf(Range, Mine), Kind);
    if (!Page)
      continue;
    const uint64_t First = Mine % PageBytes / WordBytes;
    const uint64_t Words = std::max<uint64_t>(Form.PieceBytes / WordBytes, 1);
    for (uint64_t W = First; W < std::min(First + Words, PageWords); ++W) {
      Page->warps[W] |= R.Warps;
      Page->accesses[W] += static_cast<uint32_t>(R.Times);
    }
    const uint64_t Sector = Mine % PageBytes / SectorBytes;
    Page->places[Sector] |= uint64_t(1) << Place;
    setBlock(Page->blocks[Sector], Block);
  }
}

bool FormHeat::blockInShared(uint64_t Block, HeatContext &To) {
  constexpr size_t BytesOfBanks = 128;
  return eachRequest(Block, [&](const RequestRun &R, uint64_t At) {
    count(R, At, BytesOfBanks);
    if (Block == Launch.Noted.First)
      noteWords(R, At, To);
  });
}

void FormHeat::noteWords(const RequestRun &R, uint64_t At, HeatContext &To) const {
  const LanePattern &P = Requests.patterns()[R.Pattern];
  for (uint64_t I = 0; I < R.Count; ++I, At += uint64_t(R.Stride))
    for (uint32_t Left = P.Lanes; Left != 0; Left &= Left - 1) {
      const auto Lane = static_cast<unsigned>(std::countr_zero(Left));
      const uint64_t First = (At + uint64_t(P.Offsets[Lane]) - To.FirstAddress) / WordBytes;
      const uint32_t Thread =
          std::has_single_bit(R.Warps)
              ? static_cast<uint32_t>(std::countr_zero(R.Warps)) * WarpLanes + Lane + 1
              : GMPROF_NONE;
      const uint64_t Words = std::max<uint64_t>(Form.PieceBytes / WordBytes, 1);
      for (uint64_t W = First; W < First + Words; ++W) {
        if (W >= To.SharedWords.size()) {
          To.Lost = addSaturating(To.Lost, R.Times);
          continue;
        }
        SharedWordHeat &Word = To.SharedWords[W][Kind];
        Word.Warps |= R.Warps;
        Word.Accesses += static_cast<uint32_t>(R.Times);
        Word.Thread = Word.Thread == 0 || Word.Thread == Thread ? Thread : GMPROF_NONE;
      }
    }
}

bool isShared(const Descriptor &Desc, uint32_t Variable) {
  const GmprofVariableKind Kind = Desc.Variables[Variable].Kind;
  return Kind == GMPROF_VARIABLE_SHARED || Kind == GMPROF_VARIABLE_SHARED_DYNAMIC;
}

} // namespace

bool addComputedHeat(const Descriptor &Desc, const DescribedLaunch &Launch, HeatContext &To) {
  const std::vector<uint32_t> Places = heatPlaces(Desc);
  std::deque<std::pair<uint32_t, FormHeat>> Global, Shared; // with their sites
  uint64_t Requests = 0;
  for (const HeatForm &F : Desc.HeatForms) {
    const Result<ClosedForm> Words = decodeClosedForm(F.Words, Desc.ParamCount);
    const std::optional<BoundForm> Bound =
        Words ? bindForm(*Words, {Launch.Grid, Launch.Block, Launch.Values, {}}) : std::nullopt;
    const std::optional<HeatReach> Reach = Bound ? reachOf(F, *Words, Launch) : std::nullopt;
    if (!Reach)
      return false;
    Requests = addSaturating(Requests, Reach->Requests);
    const bool InShared = isShared(Desc, F.Variable);
    if (InShared && To.Addresses[F.Variable] == None)
      return false;
    const uint64_t Address = InShared ? To.Addresses[F.Variable] : Launch.Pointers[F.Variable];
    (InShared ? Shared : Global)
        .emplace_back(
            std::piecewise_construct, std::forward_as_tuple(F.Site),
            std::forward_as_tuple(F, Desc.Sites[F.Site], *Bound, Launch, Address, Places[F.Site]));
  }
  if (Requests > MostHeatRequests)
    return false;
  const uint64_t Last = std::min(Launch.Noted.End, Launch.blocks());
  const auto ForEachBlock = [&](auto Do) {
    for (uint64_t B = Launch.Noted.First; B < Last; B += std::min(Launch.Noted.Step, Last - B))
      if (!Do(B))
        return false;
    return true;
  };
  bool Known = ForEachBlock([&](uint64_t Block) {
    return std::all_of(Shared.begin(), Shared.end(),
                       [&](auto &F) { return F.second.blockInShared(Block, To); });
  });
  HeatMemory Memory(Launch.Ranges);
  // Counts requests even if no object has a part of memory.
  for (bool More = Memory.next(), First = true; Known && (More || First); First = false) {
    Known = ForEachBlock([&](uint64_t Block) {
      return std::all_of(Global.begin(), Global.end(),
                         [&](auto &F) { return F.second.blockInGlobal(Block, Memory, To, First); });
    });
    More = More && Memory.next();
  }
  if (!Known)
    return false;
  Memory.finish(To.Maps);
  for (const auto &[Site, F] : Global)
    F.addTo(To.Sites[Site], /*InShared=*/false);
  for (const auto &[Site, F] : Shared)
    F.addTo(To.SharedSites[Site], /*InShared=*/true);
  return true;
}

} // namespace gmprof
