//===- HeatNote.h - Records requests in heat maps ---------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Records a request, or the requests of a loop, in the sums of sites and in the pages of heat maps.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_DEVICE_HEATNOTE_H
#define GMPROF_DEVICE_HEATNOTE_H

#include "HeatRequest.h"

namespace gmprof {

using ObjectPointer = GlobalPointer<const GmprofHeatObject>;

constexpr gmprof_u32 PageBeingTaken = ~0u, NoPage = ~0u - 1;

/// Takes a page from the pool, or waits for the lane that does.
GM_INLINE gmprof_u32 takePage(const GmprofHeatContext *C, GlobalPointer<gmprof_u32> Entry,
                              gmprof_u64 Page, gmprof_u32 Kind) {
  gmprof_u32 Known = 0;
  if (__atomic_compare_exchange_n(Entry, &Known, PageBeingTaken, false, __ATOMIC_RELAXED,
                                  __ATOMIC_RELAXED)) {
    auto *Used = &((GmprofHeatTotals *)C->totals)->pagesUsed;
    const gmprof_u32 Number = addGlobal(Used, 1u);
    Known = Number < C->pageLimit ? Number + 1 : NoPage;
    if (Known != NoPage) {
      auto To = globalPointer<GmprofHeatPage>(C->pages) + Number;
      To->page = Page;
      To->kind = Kind;
    }
    __atomic_store_n(Entry, Known, __ATOMIC_RELAXED);
  }
  while (Known == PageBeingTaken)
    Known = look(Entry);
  return Known;
}

/// Returns the address of an address's page, or 0 if the pool has no page left.
GM_INLINE gmprof_u64 pageOf(const GmprofHeatContext *C, ObjectPointer O, gmprof_u32 Kind,
                            gmprof_u64 Address) {
  const gmprof_u64 Page =
      O->firstPage + Address / GMPROF_HEAT_PAGE_BYTES - O->base / GMPROF_HEAT_PAGE_BYTES;
  auto Entry = globalPointer<gmprof_u32>(C->directory) + (Page * GMPROF_COUNTER_KINDS + Kind);
  gmprof_u32 Number = look(Entry);
  if (Number == 0 || Number == PageBeingTaken)
    Number = takePage(C, Entry, Page, Kind);
  return Number == NoPage ? 0 : C->pages + (gmprof_u64)(Number - 1) * sizeof(GmprofHeatPage);
}

/// Records a block's access to a sector: the first block stores its number.
GM_INLINE void setBlock(GlobalPointer<gmprof_u32> At, gmprof_u64 Block) {
  const gmprof_u32 Mine = 1 + (gmprof_u32)(Block % (GMPROF_HEAT_SEVERAL_BLOCKS - 1));
  gmprof_u32 Known = look(At);
  if (Known == 0 &&
      __atomic_compare_exchange_n(At, &Known, Mine, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
    return;
  if (Known != Mine && (Known & GMPROF_HEAT_SEVERAL_BLOCKS) == 0)
    __atomic_fetch_or(At, GMPROF_HEAT_SEVERAL_BLOCKS, __ATOMIC_RELAXED);
}

/// Records an access of N threads of a warp to the words of Bytes bytes at Address.
GM_INLINE void setWords(GlobalPointer<GmprofHeatPage> Page, gmprof_u32 Warp, gmprof_u64 Address,
                        gmprof_u32 Bytes, gmprof_u32 N) {
  const gmprof_u32 First = Address % GMPROF_HEAT_PAGE_BYTES / GMPROF_HEAT_WORD_BYTES;
  const gmprof_u32 Words = Bytes <= GMPROF_HEAT_WORD_BYTES ? 1 : Bytes / GMPROF_HEAT_WORD_BYTES;
  for (gmprof_u32 I = 0; I != Words; ++I) {
    setBits(&Page->warps[First + I], 1u << Warp);
    addTo(&Page->accesses[First + I], N);
  }
}

GM_INLINE void setSector(GlobalPointer<GmprofHeatPage> Page, gmprof_u64 Block, gmprof_u64 Address,
                         gmprof_u32 Place) {
  const gmprof_u32 Sector = Address % GMPROF_HEAT_PAGE_BYTES / GMPROF_HEAT_SECTOR_BYTES;
  setBits(&Page->places[Sector], (gmprof_u64)1 << Place);
  setBlock(&Page->blocks[Sector], Block);
}

/// Returns the place of an access. The clone of a function that is not inlined does not know its
/// kernel, so the context holds the places of such sites.
GM_INLINE gmprof_u32 placeOf(const GmprofHeatContext *C, Access A) {
  const gmprof_u32 Number = A.site() - GMPROF_SITE_OF_FUNCTION; // wraps for the kernel's sites
  return Number < C->functionSites ? ((const gmprof_u8 *)C->functionPlaces)[Number] : A.place();
}

/// Records an access of N lanes to the words at Address; 0: another lane records it.
GM_INLINE void noteWords(const GmprofHeatContext *C, Origin From, Access A, gmprof_u64 Address,
                         gmprof_u32 N, bool LeadsSector) {
  if (N == 0 && !LeadsSector)
    return;
  const ObjectPointer Object = objectAt((ObjectPointer)C->objects, C->objectCount, Address);
  auto *Totals = (GmprofHeatTotals *)C->totals;
  if (!Object) {
    if (N != 0)
      addGlobal(&Totals->outside, (gmprof_u64)N);
    return;
  }
  const auto Page = globalPointer<GmprofHeatPage>(pageOf(C, Object, A.kind(), Address));
  if (!Page) {
    if (N != 0)
      addGlobal(&Totals->lost, (gmprof_u64)N);
    return;
  }
  if (N != 0)
    setWords(Page, From.Warp, Address, A.bytes(), N);
  if (LeadsSector)
    setSector(Page, From.Block, Address, placeOf(C, A));
}

/// Records the words and the sectors of a request to global memory.
GM_INLINE void noteGlobalWords(const GmprofHeatContext *C, Origin From, Access A, const Request &R,
                               gmprof_u64 Address, gmprof_u32 SectorLeaders) {
  const gmprof_u32 Peers = A.bytes() < GMPROF_HEAT_WORD_BYTES
                               ? R.peers(Address / GMPROF_HEAT_WORD_BYTES)
                               : R.peers(Address);
  noteWords(C, From, A, Address, firstLane(Peers) == lane() ? laneCount(Peers) : 0,
            SectorLeaders >> lane() & 1);
}

/// Number of passes over the banks that a request to shared memory takes, and that it would take
/// without conflicts.
struct Wavefronts {
  gmprof_u32 Count, Ideal;
};

/// Returns the wavefronts of a request. Each pass serves one word of every bank, to any number of
/// lanes (NVIDIA, CUDA C++ Programming Guide, "Shared Memory"). Requests of 8 and 16 bytes are
/// served in halves and quarters of the warp; in groups of twice as many lanes if neighbouring
/// lanes have equal addresses in pairs, as ncu's counters show on an H200.
GM_INLINE Wavefronts wavefronts(const Request &R, gmprof_u32 Address, gmprof_u32 Bytes) {
  const gmprof_u32 Unit = Bytes < GMPROF_HEAT_WORD_BYTES ? GMPROF_HEAT_WORD_BYTES : Bytes;
  const gmprof_u32 Banks = 128 / Unit, Number = Address / Unit;
  const gmprof_u32 Neighbour = R.Lanes >> (lane() ^ 1) & 1 ? lane() ^ 1 : lane();
  const bool Pairs = R.all(R.from(Address, Neighbour) == Address);
  const gmprof_u32 Width = Banks < 32 && Pairs ? 2 * Banks : Banks;
  const gmprof_u32 Group = lane() / Width, Whole = Width == 32 ? ~0u : (1u << Width) - 1;
  // One lane leads for each distinct word of a group.
  const gmprof_u32 Same = R.peers(Number) & Whole << Group * Width;
  const bool Leads = firstLane(Same) == lane();
  const gmprof_u32 Leaders = __ballot_sync(R.Lanes, Leads);
  const gmprof_u32 InBank = __match_any_sync(R.Lanes, Group << 8 | Number % Banks) & Leaders;
  const gmprof_u32 Turn = laneRank(InBank);
  Wavefronts W = {0, 0};
  for (gmprof_u32 Pass = 0;; ++Pass) {
    const gmprof_u32 Served = __ballot_sync(R.Lanes, Leads && Turn >= Pass);
    if (Served == 0)
      return W;
    for (gmprof_u32 First = 0; First != 32; First += Width)
      W.Count += (Served >> First & Whole) != 0;
    if (Pass == 0)
      W.Ideal = W.Count;
  }
}

GM_INLINE void setSharedWord(GmprofHeatWord *Word, Origin From) {
  auto At = globalPointer<GmprofHeatWord>((gmprof_u64)Word);
  setBits(&At->warps, 1u << From.Warp);
  addTo(&At->accesses, 1u);
  const gmprof_u32 Mine = From.thread() + 1;
  gmprof_u32 Known = look(&At->thread);
  if (Known == 0 && __atomic_compare_exchange_n(&At->thread, &Known, Mine, false, __ATOMIC_RELAXED,
                                                __ATOMIC_RELAXED))
    return;
  if (Known != Mine && Known != GMPROF_NONE)
    __atomic_store_n(&At->thread, GMPROF_NONE, __ATOMIC_RELAXED);
}

GM_INLINE void noteSharedWords(const GmprofHeatContext *C, Origin From, Access A, gmprof_u32 Word) {
  auto *Words = (GmprofHeatWord *)C->words;
  const gmprof_u32 Bytes = A.bytes();
  const gmprof_u32 Count = Bytes <= GMPROF_HEAT_WORD_BYTES ? 1 : Bytes / GMPROF_HEAT_WORD_BYTES;
  for (gmprof_u32 I = 0; I != Count; ++I)
    if (Word + I < C->sharedWords)
      setSharedWord(Words + (gmprof_u64)(Word + I) * GMPROF_COUNTER_KINDS + A.kind(), From);
    else
      addGlobal(&((GmprofHeatTotals *)C->totals)->lost, 1ull);
}

/// Records a request to shared or global memory. First: shared address of the context's word 0.
GM_INLINE void noteAccess(const GmprofHeatContext *C, Origin From, gmprof_u32 First,
                          gmprof_u32 Lanes, Access A, bool IsShared, gmprof_u64 Address) {
  const gmprof_u32 Bytes = A.bytes();
  const Request R(Lanes, Address);
  const gmprof_u32 Length = laneCount(R.leaders(Address)) * Bytes;
  gmprof_u32 SectorLeaders = 0, Count, Ideal;
  bool IsMisaligned = false;
  if (IsShared) {
    const Wavefronts W = wavefronts(R, (gmprof_u32)Address, Bytes);
    Count = W.Count;
    Ideal = W.Ideal;
  } else {
    SectorLeaders = R.leaders(Address / GMPROF_HEAT_SECTOR_BYTES);
    Count = laneCount(SectorLeaders);
    Ideal = (Length + GMPROF_HEAT_SECTOR_BYTES - 1) / GMPROF_HEAT_SECTOR_BYTES;
    IsMisaligned = Count > Ideal && isDense(R, Bytes);
  }
  addSite(C, A.site(), IsShared, R, Length, Count, Ideal, IsMisaligned, strideOf(R, Bytes));
  if (A.isOfTable())
    return;
  if (!IsShared)
    noteGlobalWords(C, From, A, R, Address, SectorLeaders);
  else if (From.Block == C->firstBlock)
    noteSharedWords(C, From, A, ((gmprof_u32)Address - First) / GMPROF_HEAT_WORD_BYTES);
}

/// Requests of a loop: iteration i is made by the lanes whose times() exceed i and whose bit in
/// Made is set.
struct LoopOfRequests {
  gmprof_u64 TimesAndStep; ///< see GMPROF_REQUEST_IS_LOOP
  gmprof_i32 Stride;       ///< distance in bytes from one iteration's address to the next
  gmprof_u32 Made;         ///< see GMPROF_ALL_ITERATIONS

  GM_INLINE gmprof_u64 times() const {
    return TimesAndStep & (((gmprof_u64)1 << GMPROF_REQUEST_LOOP_STEP_SHIFT) - 1);
  }
  GM_INLINE gmprof_u32 step() const {
    return (gmprof_u32)(TimesAndStep >> GMPROF_REQUEST_LOOP_STEP_SHIFT);
  }
  GM_INLINE bool makes(gmprof_u64 Iteration) const {
    return Iteration < times() && (Iteration >= 32 || Made >> Iteration & 1);
  }
};

/// Returns What for the site `Further` numbers on; GMPROF_SITE_UNKNOWN if that is no number.
GM_INLINE gmprof_u32 ofSite(gmprof_u32 What, gmprof_u64 Further) {
  const gmprof_u64 Site = (What & GMPROF_SITE_MASK) + Further;
  return (What & ~GMPROF_SITE_MASK) |
         (Site < GMPROF_SITE_UNKNOWN ? (gmprof_u32)Site : GMPROF_SITE_UNKNOWN);
}

/// Share of one of `Of` warps in a common task.
struct Share {
  gmprof_u32 Turn, Of;

  /// Returns whether the warp takes no part: its turn never comes.
  GM_INLINE bool isNone() const { return Turn >= Of; }
};

/// MayBeShared: to shared memory; else all requests are known to be to global memory.
template <bool MayBeShared = true>
GM_INLINE void noteRequest(const GmprofHeatContext *C, Origin From, gmprof_u32 FirstWord,
                           const GmprofRequest &R) {
  const Access A = {R.what};
  noteAccess(C, From, FirstWord, R.lanes, A, MayBeShared && A.isShared(), R.address);
}

/// Processes this warp's share of a loop's requests. First is the request of iteration 0.
template <bool MayBeShared = true>
GM_INLINE void noteLoop(const GmprofHeatContext *C, Origin From, gmprof_u32 FirstWord,
                        const GmprofRequest &First, LoopOfRequests Loop, Share Mine) {
  GmprofRequest R = First;
  for (gmprof_u64 Iteration = Mine.Turn;; Iteration += Mine.Of) {
    if (!__any_sync(First.lanes, Iteration < Loop.times()))
      return;
    const bool Here = Loop.makes(Iteration);
    R.lanes = __ballot_sync(First.lanes, Here);
    R.address = First.address + Iteration * (gmprof_u64)(gmprof_i64)Loop.Stride;
    R.what = ofSite(First.what & ~GMPROF_REQUEST_IS_LOOP, Iteration * Loop.step());
    if (Here)
      noteRequest<MayBeShared>(C, From, FirstWord, R);
  }
}

} // namespace gmprof

#endif // GMPROF_DEVICE_HEATNOTE_H
