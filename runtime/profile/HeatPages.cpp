//===- HeatPages.cpp - Converts heat pages to runs ------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "profile/HeatPages.h"
#include "profile/Parallel.h"
#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <map>
#include <memory>
#include <zstd.h>

namespace gmprof {
namespace {

constexpr unsigned Words = GMPROF_HEAT_SECTOR_BYTES / GMPROF_HEAT_WORD_BYTES;

/// Bounds memory: if all sectors differ, their runs are as large as the pages.
constexpr size_t PagesOfSlice = 256, SlicesAtATime = 16;

/// The pages of one 4 KiB range, by kind; Content is null for kinds without accesses.
using PageOfKinds = std::array<HeatPage, GMPROF_COUNTER_KINDS>;

struct NumberedPage {
  uint64_t Number;
  PageOfKinds OfKinds;
};

/// Sorts and groups pages by number.
std::vector<NumberedPage> byNumber(std::span<const HeatPage> Pages) {
  std::vector<HeatPage> Sorted(Pages.begin(), Pages.end());
  std::sort(Sorted.begin(), Sorted.end(),
            [](const HeatPage &A, const HeatPage &B) { return A.Number < B.Number; });
  std::vector<NumberedPage> Result;
  for (const HeatPage &Page : Sorted) {
    if (Result.empty() || Result.back().Number != Page.Number)
      Result.push_back({Page.Number, {}});
    Result.back().OfKinds[Page.Kind] = Page;
  }
  return Result;
}

/// Returns the sector's block mark; see GmprofHeatPage::blocks.
uint32_t blockOf(const HeatPage &Page, unsigned Sector) {
  const uint32_t Known = Page.Content->blocks[Sector];
  return Known == 0 || Page.Block == 0 ? Known : Page.Block | (Known & GMPROF_HEAT_SEVERAL_BLOCKS);
}

uint8_t distinct(uint32_t Mask) { return static_cast<uint8_t>(std::popcount(Mask)); }

log::HeatRun sectorOf(const PageOfKinds &Pages, unsigned Sector) {
  log::HeatRun Run = {};
  Run.sectors = 1;
  uint32_t All[Words] = {}, AllOfSector = 0;
  uint32_t Blocks = 0;
  for (unsigned Kind = 0; Kind < GMPROF_COUNTER_KINDS; ++Kind) {
    const GmprofHeatPage *Page = Pages[Kind].Content;
    if (!Page)
      continue;
    uint32_t OfSector = 0;
    for (unsigned W = 0; W < Words; ++W) {
      const uint32_t Mask = Page->warps[Sector * Words + W];
      Run.temperatures[1 + Kind][W] = distinct(Mask);
      Run.accesses[Kind] += Page->accesses[Sector * Words + W];
      OfSector |= Mask;
      All[W] |= Mask;
    }
    Run.temperatures[1 + Kind][Words] = distinct(OfSector);
    AllOfSector |= OfSector;
    Run.places |= Page->places[Sector];
    const uint32_t Block = blockOf(Pages[Kind], Sector);
    if ((Block & GMPROF_HEAT_SEVERAL_BLOCKS) != 0 || (Blocks != 0 && Block != 0 && Block != Blocks))
      Run.severalBlocks = 1;
    Blocks = Block != 0 ? Block : Blocks;
  }
  for (unsigned W = 0; W < Words; ++W)
    Run.temperatures[0][W] = distinct(All[W]);
  Run.temperatures[0][Words] = distinct(AllOfSector);
  return Run;
}

bool alike(const log::HeatRun &A, const log::HeatRun &B) {
  return std::memcmp(A.temperatures, B.temperatures, sizeof(A.temperatures)) == 0 &&
         A.severalBlocks == B.severalBlocks && A.merged == B.merged && A.places == B.places;
}

void addAccesses(log::HeatRun &To, const log::HeatRun &From) {
  for (unsigned Kind = 0; Kind < GMPROF_COUNTER_KINDS; ++Kind)
    To.accesses[Kind] += From.accesses[Kind];
}

/// Merges Next into the preceding run if it is adjacent and equal. Returns true if it did.
bool extend(log::HeatRun &Last, const log::HeatRun &Next) {
  if (Last.first + Last.sectors != Next.first || !alike(Last, Next))
    return false;
  Last.sectors += Next.sectors;
  addAccesses(Last, Next);
  return true;
}

void append(std::vector<log::HeatRun> &Runs, const log::HeatRun &Run) {
  if (Runs.empty() || !extend(Runs.back(), Run))
    Runs.push_back(Run);
}

/// Computes the runs of one page after the other; equal consecutive pages are computed once.
class RunsOfPages {
public:
  const std::vector<log::HeatRun> &of(const PageOfKinds &Pages) {
    const Key Next = keyOf(Pages);
    if (Last && *Last == Next)
      return Runs;
    Last = Next;
    Runs.clear();
    for (unsigned Sector = 0; Sector < GMPROF_HEAT_PAGE_SECTORS; ++Sector) {
      log::HeatRun Run = sectorOf(Pages, Sector);
      Run.first = Sector;
      if (Run.temperatures[0][Words] != 0)
        append(Runs, Run);
    }
    return Runs;
  }

private:
  using Key = std::array<std::pair<const GmprofHeatPage *, unsigned>, GMPROF_COUNTER_KINDS>;

  /// Blocks are reduced to which kinds have the same one.
  static Key keyOf(const PageOfKinds &Pages) {
    Key K;
    for (unsigned Kind = 0; Kind < GMPROF_COUNTER_KINDS; ++Kind) {
      unsigned Same = 0;
      while (Pages[Same].Block != Pages[Kind].Block)
        ++Same;
      K[Kind] = {Pages[Kind].Content, Pages[Kind].Block ? Same : GMPROF_COUNTER_KINDS};
    }
    return K;
  }

  std::optional<Key> Last;
  std::vector<log::HeatRun> Runs;
};

/// Merges From into To; each number becomes the maximum of both.
void merge(log::HeatRun &To, const log::HeatRun &From) {
  for (unsigned Kind = 0; Kind < GMPROF_COUNTER_KINDS + 1; ++Kind)
    for (unsigned W = 0; W < Words + 1; ++W)
      To.temperatures[Kind][W] = std::max(To.temperatures[Kind][W], From.temperatures[Kind][W]);
  To.severalBlocks |= From.severalBlocks;
  To.merged = 1;
  To.places |= From.places;
  addAccesses(To, From);
  To.sectors = From.first + From.sectors - To.first;
}

/// Merges runs that begin in the same group of 2^Shift sectors.
void coarsen(std::vector<log::HeatRun> &Runs, unsigned Shift) {
  size_t Count = 0;
  for (size_t I = 0; I < Runs.size();) {
    log::HeatRun Run = Runs[I];
    const uint64_t Group = Run.first >> Shift;
    for (++I; I < Runs.size() && Runs[I].first >> Shift == Group; ++I)
      merge(Run, Runs[I]);
    if (Count == 0 || !extend(Runs[Count - 1], Run))
      Runs[Count++] = Run;
  }
  Runs.resize(Count);
}

/// Makes runs of pages in order; sectors are numbered from FirstSector on.
void makeRuns(std::span<const NumberedPage> Pages, uint64_t FirstSector,
              std::vector<log::HeatRun> &Runs) {
  RunsOfPages Known;
  Runs.clear();
  for (const NumberedPage &Page : Pages)
    for (log::HeatRun Run : Known.of(Page.OfKinds)) {
      Run.first += Page.Number * GMPROF_HEAT_PAGE_SECTORS - FirstSector;
      append(Runs, Run);
    }
}

} // namespace

void HeatRunMaker::add(std::span<const HeatPage> Pages) {
  const std::vector<NumberedPage> Sorted = byNumber(Pages);
  // Sector 0 is the one in which the object begins.
  const uint64_t Skipped = Base % GMPROF_HEAT_PAGE_BYTES / GMPROF_HEAT_SECTOR_BYTES;
  const uint64_t FirstSector = FirstPage * GMPROF_HEAT_PAGE_SECTORS + Skipped;
  std::array<std::vector<log::HeatRun>, SlicesAtATime> OfSlices;
  for (size_t First = 0; First < Sorted.size(); First += SlicesAtATime * PagesOfSlice) {
    const auto Left = std::span(Sorted).subspan(First);
    const size_t Slices = std::min((Left.size() + PagesOfSlice - 1) / PagesOfSlice, SlicesAtATime);
    inParallel(Slices, [&](size_t I) {
      const auto FromSlice = Left.subspan(I * PagesOfSlice);
      makeRuns(FromSlice.first(std::min(PagesOfSlice, FromSlice.size())), FirstSector, OfSlices[I]);
      for (unsigned S = 1; S <= Shift; ++S)
        coarsen(OfSlices[I], S);
    });
    for (size_t I = 0; I < Slices; ++I)
      for (const log::HeatRun &Run : OfSlices[I])
        append(Runs, Run);
    while (Runs.size() > MostRuns)
      coarsen(Runs, ++Shift);
  }
}

HeatRuns HeatRunMaker::finish() && {
  HeatRuns Result;
  Result.Runs = std::move(Runs);
  for (const log::HeatRun &Run : Result.Runs)
    Result.Merged += Run.merged ? Run.sectors : 0;
  return Result;
}

HeatRuns heatRuns(std::span<const HeatPage> Pages, uint64_t Base, uint64_t FirstPage,
                  size_t MostRuns) {
  HeatRunMaker Maker(Base, FirstPage, MostRuns);
  Maker.add(Pages);
  return std::move(Maker).finish();
}

std::vector<std::byte> compressHeatPages(std::span<const HeatPage> Pages, uint64_t First,
                                         log::HeatPagesRecord &Record) {
  std::vector<log::HeatPageRef> Refs;
  std::vector<const GmprofHeatPage *> Contents;
  std::map<const GmprofHeatPage *, uint64_t> Numbers;
  for (const HeatPage &Page : Pages) {
    const auto [At, New] = Numbers.try_emplace(Page.Content, Contents.size());
    if (New)
      Contents.push_back(Page.Content);
    Refs.push_back({Page.Number - First, Page.Kind, Page.Block, At->second});
  }
  Record.pages = Refs.size();
  Record.contents = Contents.size();
  const size_t RefBytes = Refs.size() * sizeof(log::HeatPageRef);
  const size_t Size = RefBytes + Contents.size() * sizeof(GmprofHeatPage);
  // A vector would be zeroed before it is written.
  const auto Bytes = std::make_unique_for_overwrite<std::byte[]>(Size);
  std::memcpy(Bytes.get(), Refs.data(), RefBytes);
  std::byte *To = Bytes.get() + RefBytes;
  for (const GmprofHeatPage *Page : Contents) {
    std::memcpy(To, Page, sizeof(*Page));
    To += sizeof(*Page);
  }
  const size_t Most = ZSTD_compressBound(Size);
  const auto Out = std::make_unique_for_overwrite<std::byte[]>(Most);
  const size_t Used = ZSTD_compress(Out.get(), Most, Bytes.get(), Size, /*level=*/1);
  return {Out.get(), Out.get() + Used};
}

std::optional<NotedPages> decompressHeatPages(std::span<const std::byte> Compressed, uint64_t Pages,
                                              uint64_t Contents) {
  constexpr uint64_t Most = uint64_t(1) << 24, MostNumber = uint64_t(1) << 52;
  const uint64_t Size = Pages * sizeof(log::HeatPageRef) + Contents * sizeof(GmprofHeatPage);
  if (Pages > Most || Contents > Pages ||
      ZSTD_getFrameContentSize(Compressed.data(), Compressed.size()) != Size ||
      ZSTD_findFrameCompressedSize(Compressed.data(), Compressed.size()) != Compressed.size())
    return {};
  std::vector<std::byte> Bytes(Size);
  if (ZSTD_decompress(Bytes.data(), Size, Compressed.data(), Compressed.size()) != Size)
    return {};
  NotedPages Noted;
  Noted.Contents.resize(Contents);
  std::vector<log::HeatPageRef> Refs(Pages);
  std::memcpy(Refs.data(), Bytes.data(), Pages * sizeof(log::HeatPageRef));
  std::memcpy(Noted.Contents.data(), Bytes.data() + Pages * sizeof(log::HeatPageRef),
              Contents * sizeof(GmprofHeatPage));
  for (const log::HeatPageRef &Ref : Refs) {
    if (Ref.kind >= GMPROF_COUNTER_KINDS || Ref.content >= Contents || Ref.number > MostNumber)
      return {};
    Noted.Pages.push_back({Ref.number, Ref.kind, Ref.block, &Noted.Contents[Ref.content]});
  }
  return Noted;
}

} // namespace gmprof
