//===- Heat.cu - Hooks that record warps and requests ---------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Heat maps (cuThermo, 2025, Section IV). cuThermo sends every address to the host, which sets a
// bit for the warp in masks of the word and of the sector. GMProf keeps the masks in device memory
// and sends nothing. The program's kernel does not set them either: each lane stores its address in
// a column of its own, which nothing waits for, and __gm_heat_note, a kernel that runs afterwards
// on the whole device, processes the stored requests. In that kernel, the lanes of a request
// determine together which of their addresses are equal, and one lane for each word sets the bit,
// if it is clear. A warp without room for a request processes it at once.
//
// Sectors and wavefronts of a request depend on all its addresses together, so all lanes that were
// converged at an access call its hook, with the mask of those that executed it. A recorded access
// has 1, 2, 4, 8 or 16 bytes and is aligned to its size, as in hardware; the pass splits others. In
// most requests addresses rise or fall from lane to lane, so that equal ones are neighbours;
// otherwise match.any finds them.
//
//===----------------------------------------------------------------------===//

#include "Device.h"
#include "Pieces.h"

using namespace gmprof;

namespace {

/// Warp that makes a request.
struct Origin {
  gmprof_u64 Block;
  gmprof_u32 Warp; ///< number in the block

  GM_INLINE gmprof_u32 thread() const { return Warp * 32 + lane(); }
};

GM_INLINE Origin thisWarp() { return {linearBlock(), threadInBlock() / 32}; }

/// Decoder of GmprofRequest::what.
struct Access {
  gmprof_u32 What;

  GM_INLINE gmprof_u32 site() const { return What & GMPROF_SITE_MASK; }
  GM_INLINE gmprof_u32 place() const {
    return What >> GMPROF_REQUEST_PLACE_SHIFT & GMPROF_REQUEST_PLACE_MASK;
  }
  GM_INLINE gmprof_u32 kind() const {
    return What >> GMPROF_REQUEST_KIND_SHIFT & GMPROF_REQUEST_KIND_MASK;
  }
  GM_INLINE gmprof_u32 bytes() const {
    return 1u << (What >> GMPROF_REQUEST_BYTES_SHIFT & GMPROF_REQUEST_BYTES_MASK);
  }
  GM_INLINE bool isShared() const { return What & GMPROF_REQUEST_IS_SHARED; }
};

/// Returns What with Bytes, a power of two, as bytes per lane.
GM_INLINE gmprof_u32 withBytes(gmprof_u32 What, gmprof_u32 Bytes) {
  const gmprof_u32 Mask = GMPROF_REQUEST_BYTES_MASK << GMPROF_REQUEST_BYTES_SHIFT;
  return (What & ~Mask) | firstLane(Bytes) << GMPROF_REQUEST_BYTES_SHIFT;
}

/// Loads a value that other blocks may change concurrently. The value may be stale, but no bit is
/// ever cleared.
template <class T> GM_INLINE T look(GlobalPointer<T> At) {
  return __atomic_load_n(At, __ATOMIC_RELAXED);
}

template <class T> GM_INLINE void setBits(GlobalPointer<T> At, T Bits) {
  if ((look(At) & Bits) != Bits)
    __atomic_fetch_or(At, Bits, __ATOMIC_RELAXED);
}

template <class T> GM_INLINE void addTo(GlobalPointer<T> At, T Value) {
  __atomic_fetch_add(At, Value, __ATOMIC_RELAXED);
}

/// Lanes that execute an access together, and the relation of their addresses.
struct Request {
  gmprof_u32 Lanes;    ///< mask of the participating lanes
  gmprof_u32 Rank;     ///< position of this lane among them
  gmprof_u32 Previous; ///< the lane before this one; itself if it is the first
  bool Wide;           ///< some addresses are too far apart for Step
  bool Ordered;        ///< addresses rise or fall from lane to lane
  gmprof_i32 Step;     ///< distance from the previous lane's address; 0 in the first lane

  GM_INLINE Request(gmprof_u32 Here, gmprof_u64 Address) {
    Lanes = Here;
    const gmprof_u32 Before = Lanes & __nvvm_read_ptx_sreg_lanemask_lt();
    Rank = laneCount(Before);
    Previous = Before ? 31 - __builtin_clz(Before) : lane();
    const auto Distance = (gmprof_i64)(Address - shuffle(Lanes, Address, firstLane(Lanes)));
    Wide = !__all_sync(Lanes, Distance == (gmprof_i32)Distance && Distance < 1 << 30 &&
                                  Distance >= -(1 << 30));
    const auto Offset = (gmprof_u32)Distance;
    Step = (gmprof_i32)(Offset - __shfl_sync(Lanes, Offset, Previous));
    Ordered = !Wide && (__all_sync(Lanes, Step >= 0) || __all_sync(Lanes, Step <= 0));
  }

  /// Returns the lanes with the same Key as this lane. Keys must be monotonic in the address.
  GM_INLINE gmprof_u32 peers(gmprof_u64 Key) const {
    if (!Ordered)
      return __match_any_sync(Lanes, Key);
    const gmprof_u32 Starts = starts(Key);
    const gmprof_u32 UpToThis = ~0u >> (31 - lane());
    const gmprof_u32 Start = 31 - __builtin_clz(Starts & UpToThis);
    const gmprof_u32 Next = Starts & ~UpToThis;
    const gmprof_u32 BelowNext = Next ? (Next & -Next) - 1 : ~0u;
    return Lanes & BelowNext & (~0u << Start);
  }

  /// Returns a mask with one lane for each distinct Key.
  GM_INLINE gmprof_u32 leaders(gmprof_u64 Key) const {
    if (Ordered)
      return starts(Key);
    return __ballot_sync(Lanes, firstLane(__match_any_sync(Lanes, Key)) == lane());
  }

  GM_INLINE bool all(bool Holds) const { return __all_sync(Lanes, Holds); }
  GM_INLINE gmprof_u32 from(gmprof_u32 Value, gmprof_u32 Lane) const {
    return __shfl_sync(Lanes, Value, Lane);
  }

private:
  /// Returns the lanes whose key differs from the previous lane's. Requires Ordered.
  GM_INLINE gmprof_u32 starts(gmprof_u64 Key) const {
    const auto Low = (gmprof_u32)Key;
    const gmprof_u32 OfPrevious = __shfl_sync(Lanes, Low, Previous);
    return __ballot_sync(Lanes, Rank == 0 || OfPrevious != Low);
  }
};

/// Adds one request to its site's sums. Each lane adds some of the fields.
GM_INLINE void addSite(const GmprofHeatContext *C, gmprof_u32 Site, const Request &R,
                       gmprof_u32 Bytes, gmprof_u32 Sectors, gmprof_u32 Ideal, bool Misaligned,
                       gmprof_i32 Stride) {
  const gmprof_u32 Sites = C->siteCount + C->functionSites;
  const gmprof_u32 Wanted =
      Site < GMPROF_SITE_OF_FUNCTION ? Site : C->siteCount + (Site - GMPROF_SITE_OF_FUNCTION);
  const gmprof_u32 Number = Wanted < Sites ? Wanted : Sites;
  const gmprof_u32 Replica = blockInGrid() & (C->replicas - 1);
  auto To = globalPointer<gmprof_u64>(C->sites + ((gmprof_u64)Replica * (Sites + 1) + Number) *
                                                     sizeof(GmprofHeatSite));
  constexpr gmprof_u32 Fields = sizeof(GmprofHeatSite) / sizeof(gmprof_u64);
  const gmprof_u32 Count = laneCount(R.Lanes);
  for (gmprof_u32 Field = R.Rank; Field < Fields; Field += Count) {
    const gmprof_u64 Value = Field == 0   ? 1
                             : Field == 1 ? Count
                             : Field == 2 ? Bytes
                             : Field == 3 ? Sectors
                             : Field == 4 ? Ideal
                             : Field == 5 ? Misaligned
                             : Field == 6 ? Stride != 0
                                          : (gmprof_u64)(gmprof_i64)Stride;
    if (Value != 0)
      addTo(To + Field, Value);
  }
}

/// Returns the common distance between neighbouring lanes' addresses; 0 if there is none, or if the
/// lanes are contiguous.
GM_INLINE gmprof_i32 strideOf(const Request &R, gmprof_u32 Bytes) {
  if (R.Wide || laneCount(R.Lanes) < 2)
    return 0;
  const gmprof_u32 Second = firstLane(R.Lanes & (R.Lanes - 1));
  const auto Step = (gmprof_i32)R.from((gmprof_u32)R.Step, Second);
  const bool Equal = R.all(R.Rank == 0 || R.Step == Step);
  return Equal && Step != (gmprof_i32)Bytes && Step != -(gmprof_i32)Bytes ? Step : 0;
}

/// Returns whether the distinct addresses of a request are consecutive.
GM_INLINE bool isDense(const Request &R, gmprof_u32 Bytes) {
  const auto Size = (gmprof_i32)Bytes;
  return R.Ordered && R.all(R.Step == 0 || R.Step == Size || R.Step == -Size);
}

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

} // namespace

/// Returns whether the launch records this block.
GM_HOOK bool __gm_heat_block_is_noted(const GmprofHeatLaunch *Launch) {
  return isOneOf(Launch, linearBlock());
}

/// Returns whether this thread writes the layout of shared memory: the first one of the first
/// recorded block.
GM_HOOK bool __gm_heat_writes_layout(const GmprofHeatLaunch *Launch) {
  return linearBlock() == Launch->first && threadInBlock() == 0;
}

constexpr gmprof_u64 Nowhere = ~(gmprof_u64)0;

/// Registers a block; called by all threads of a recorded block.
GM_HOOK void __gm_enter_heat(const GmprofHeatContext *C, GmprofRequestCursor *Cursor) {
  Cursor->last = Nowhere;
  Cursor->lanes = 0;
  if (threadInBlock() != 0)
    return;
  auto *Totals = (GmprofHeatTotals *)C->totals;
  addGlobal(&Totals->blocks, 1ull);
  addGlobal(&Totals->threads, (gmprof_u64)threadsOfBlock());
}

namespace {

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

GM_INLINE void noteGlobal(const GmprofHeatContext *C, Origin From, gmprof_u32 Lanes, Access A,
                          gmprof_u64 Address) {
  const gmprof_u32 Bytes = A.bytes();
  const Request R(Lanes, Address);
  const gmprof_u32 Different = R.leaders(Address);
  const gmprof_u32 SectorLeaders = R.leaders(Address / GMPROF_HEAT_SECTOR_BYTES);
  const gmprof_u32 Length = laneCount(Different) * Bytes, Sectors = laneCount(SectorLeaders);
  const gmprof_u32 Ideal = (Length + GMPROF_HEAT_SECTOR_BYTES - 1) / GMPROF_HEAT_SECTOR_BYTES;
  addSite(C, A.site(), R, Length, Sectors, Ideal, Sectors > Ideal && isDense(R, Bytes),
          strideOf(R, Bytes));

  const gmprof_u32 Peers =
      Bytes < GMPROF_HEAT_WORD_BYTES ? R.peers(Address / GMPROF_HEAT_WORD_BYTES) : R.peers(Address);
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

/// Records a request to shared memory. First: shared address of the context's word 0.
GM_INLINE void noteShared(const GmprofHeatContext *C, Origin From, gmprof_u32 First,
                          gmprof_u32 Lanes, Access A, gmprof_u32 Address) {
  const gmprof_u32 Bytes = A.bytes();
  const Request R(Lanes, Address);
  const gmprof_u32 Length = laneCount(R.leaders(Address)) * Bytes;
  const Wavefronts W = wavefronts(R, Address, Bytes);
  addSite(C, A.site(), R, Length, W.Count, W.Ideal, false, strideOf(R, Bytes));
  if (From.Block == C->firstBlock)
    noteSharedWords(C, From, A, (Address - First) / GMPROF_HEAT_WORD_BYTES);
}

} // namespace

/// Processes a request at once, then reconverges its lanes.
GM_HELPER void __gm_heat_global_now(gmprof_u32 Lanes, const GmprofHeatContext *C, gmprof_u32 What,
                                    gmprof_u64 Address) {
  noteGlobal(C, thisWarp(), Lanes, {What}, Address);
  __syncwarp(Lanes);
}

GM_HELPER void __gm_heat_shared_now(gmprof_u32 Lanes, const GmprofHeatContext *C, gmprof_u32 First,
                                    gmprof_u32 What, gmprof_u32 Address) {
  noteShared(C, thisWarp(), First, Lanes, {What}, Address);
  __syncwarp(Lanes);
}

/// Processes a request at once; What selects the memory.
GM_HOOK void __gm_heat_now(gmprof_u32 Lanes, const GmprofHeatContext *C, gmprof_u32 First,
                           gmprof_u32 What, gmprof_u64 Address) {
  if (Access{What}.isShared())
    __gm_heat_shared_now(Lanes, C, First, What, (gmprof_u32)Address);
  else
    __gm_heat_global_now(Lanes, C, What, Address);
}

/// Counts an access to another block's shared memory.
GM_HOOK void __gm_heat_other_block(const GmprofHeatContext *C, bool IsMade) {
  if (IsMade)
    addGlobal(&((GmprofHeatTotals *)C->totals)->otherBlocks, 1ull);
}

namespace {

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

GM_INLINE void noteRequest(const GmprofHeatContext *C, Origin From, gmprof_u32 FirstWord,
                           const GmprofRequest &R) {
  const Access A = {R.what};
  if (A.isShared())
    noteShared(C, From, FirstWord, R.lanes, A, (gmprof_u32)R.address);
  else
    noteGlobal(C, From, R.lanes, A, R.address);
}

/// Processes this warp's share of a loop's requests. First is the request of iteration 0.
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
      noteRequest(C, From, FirstWord, R);
  }
}

constexpr gmprof_u32 LastRow = GMPROF_REQUEST_CHUNK_ROWS - 1;

/// Returns the row of a request in its chunk; Nowhere maps to the last row. Relies on the chunks'
/// alignment.
GM_INLINE gmprof_u32 rowOf(gmprof_u64 Request) {
  return (gmprof_u32)Request % GMPROF_REQUEST_CHUNK_BYTES / GMPROF_REQUEST_ROW_BYTES;
}

GM_INLINE GlobalPointer<GmprofRequest> chunkOf(gmprof_u64 Request) {
  return globalPointer<GmprofRequest>(Request - Request % GMPROF_REQUEST_CHUNK_BYTES);
}

GM_INLINE GlobalPointer<GmprofRequest> chunkAt(const GmprofHeatContext *C, gmprof_u32 Number) {
  return globalPointer<GmprofRequest>(C->requests +
                                      (gmprof_u64)Number * GMPROF_REQUEST_CHUNK_BYTES);
}

/// Takes Count consecutive chunks for this warp. Returns the number of the first; chunkLimit: not
/// enough are left.
GM_INLINE gmprof_u32 takeChunks(const GmprofHeatContext *C, gmprof_u32 Lanes, gmprof_u32 Count) {
  gmprof_u32 First = 0;
  if (lane() == firstLane(Lanes)) {
    auto *Used = &((GmprofHeatTotals *)C->totals)->chunksUsed;
    First = look(globalPointer<gmprof_u32>((gmprof_u64)Used));
    if (First < C->chunkLimit)
      First = addGlobal(Used, Count);
  }
  __syncwarp(Lanes);
  First = __shfl_sync(Lanes, First, firstLane(Lanes));
  const Origin From = thisWarp();
  const gmprof_u64 Block = (From.Block - C->firstBlock) / C->blockStep;
  const gmprof_u32 End = minimum(First + Count, C->chunkLimit);
  for (gmprof_u32 I = First + laneRank(Lanes); I < End; I += laneCount(Lanes)) {
    const auto Head = chunkAt(C, I);
    Head[0].address = Block * C->warpsPerBlock + From.Warp;
    Head[1].address = (gmprof_u64)Count << 32 | (End - 1 - I);
  }
  return End - First < Count ? C->chunkLimit : First;
}

using TwoNumbers = gmprof_u64 __attribute__((ext_vector_type(2)));
static_assert(sizeof(TwoNumbers) == sizeof(GmprofRequest));

/// Returns whether Lanes share one chunk, given that this holds for each of them: lanes that took
/// their chunk together share it.
GM_INLINE bool areInOneChunk(gmprof_u32 Lanes, gmprof_u32 TookTogether) {
  return (Lanes & ~TookTogether) == 0;
}

/// Returns whether all of Lanes share a chunk with room for Rows more rows in each column.
GM_INLINE bool haveRoom(const GmprofRequestCursor *Cursor, gmprof_u32 Lanes, gmprof_u32 Rows) {
  const bool InOneChunk = areInOneChunk(Lanes, Cursor->lanes),
             InColumn = rowOf(Cursor->last) + Rows <= LastRow;
  return __all_sync(Lanes, InOneChunk & InColumn);
}

/// Returns the number of chunks to take after a batch of `Batch`: few stay unused, and large
/// batches are rarely waited for.
GM_INLINE gmprof_u32 nextBatch(gmprof_u32 Batch) {
  constexpr gmprof_u32 Most = 16;
  return minimum(Batch + Batch / 2 + 1, Most);
}

/// Returns the position before this lane's first request in a chunk.
GM_INLINE gmprof_u64 columnOf(const GmprofHeatContext *C, gmprof_u32 Chunk) {
  return C->requests + (gmprof_u64)Chunk * GMPROF_REQUEST_CHUNK_BYTES +
         lane() * sizeof(GmprofRequest);
}

/// Stores a row for later processing.
GM_INLINE void leave(GmprofRequestCursor *Cursor, gmprof_u32 Lanes, gmprof_u32 What,
                     gmprof_u64 Address) {
  Cursor->last += GMPROF_REQUEST_ROW_BYTES;
  *globalPointer<TwoNumbers>(Cursor->last) = {Address, (gmprof_u64)What << 32 | Lanes};
}

} // namespace

/// Returns, for each lane, the position before its first request in the next chunk of these lanes,
/// or in a new one; Nowhere if none is left.
GM_HELPER gmprof_u64 __gm_heat_next_chunk(gmprof_u32 Lanes, const GmprofHeatContext *C,
                                          gmprof_u64 Last, gmprof_u32 TookTogether) {
  const gmprof_u64 Taken = Last == Nowhere ? 0 : chunkOf(Last)[1].address;
  const bool HasNext = areInOneChunk(Lanes, TookTogether) & ((gmprof_u32)Taken != 0);
  gmprof_u64 Next = Last - Last % GMPROF_REQUEST_CHUNK_BYTES + GMPROF_REQUEST_CHUNK_BYTES +
                    lane() * sizeof(GmprofRequest);
  if (!__all_sync(Lanes, HasNext)) {
    const gmprof_u32 Batch = nextBatch((gmprof_u32)(Taken >> 32));
    const gmprof_u32 Number = takeChunks(C, Lanes, __shfl_sync(Lanes, Batch, firstLane(Lanes)));
    Next = Number < C->chunkLimit ? columnOf(C, Number) : Nowhere;
  }
  __syncwarp(Lanes);
  return Next;
}

/// Returns whether the active lanes have room for Rows rows, which they store next. If not, memory
/// is full, and the caller processes the requests at once.
GM_HOOK bool __gm_heat_has_room(gmprof_u32 Lanes, const GmprofHeatContext *C,
                                GmprofRequestCursor *Cursor, gmprof_u32 Rows) {
  if (haveRoom(Cursor, Lanes, Rows))
    return true;
  Cursor->last = __gm_heat_next_chunk(Lanes, C, Cursor->last, Cursor->lanes);
  Cursor->lanes = Lanes;
  return Cursor->last != Nowhere;
}

/// Stores an access of each active lane for later processing.
GM_HOOK void __gm_heat_leave(GmprofRequestCursor *Cursor, gmprof_u32 Lanes, gmprof_u32 What,
                             gmprof_u64 Address) {
  leave(Cursor, Lanes, What, Address);
}

/// Marks the chunk's long loops for processing by all blocks of the note kernel.
GM_HELPER void __gm_heat_share_chunk(gmprof_u32 Lanes, const GmprofHeatContext *C,
                                     gmprof_u64 Last) {
  const auto Chunk = chunkOf(Last);
  gmprof_u32 Known = 0; // not zero if an earlier loop of this chunk has done it
  if (lane() == firstLane(Lanes) &&
      __atomic_compare_exchange_n(&Chunk->lanes, &Known, GMPROF_CHUNK_HAS_LOOPS, false,
                                  __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
    auto *Totals = (GmprofHeatTotals *)C->totals;
    const gmprof_u32 Place = addGlobal(&Totals->sharedChunks, 1u);
    if (Place < GMPROF_SHARED_CHUNKS) {
      Totals->sharedChunk[Place] =
          (gmprof_u32)(((gmprof_u64)Chunk - C->requests) / GMPROF_REQUEST_CHUNK_BYTES);
      Chunk->lanes = GMPROF_CHUNK_IS_SHARED;
    }
  }
  __syncwarp(Lanes);
}

/// Stores the accesses of a loop that each active lane enters, in two rows: one access per
/// iteration, the first at Address, each further one Stride bytes on; of the first 32 iterations
/// only those in Made. Also stores several adjacent accesses.
GM_HOOK void __gm_heat_leave_loop(GmprofRequestCursor *Cursor, gmprof_u32 Lanes, gmprof_u32 What,
                                  gmprof_u64 Address, gmprof_u64 TimesAndStep, gmprof_i32 Stride,
                                  gmprof_u32 Made) {
  leave(Cursor, Lanes, What | GMPROF_REQUEST_IS_LOOP, Address);
  leave(Cursor, Made, (gmprof_u32)Stride, TimesAndStep);
}

/// Marks a loop of more than Longest iterations for processing by all blocks of the note kernel.
/// Called after __gm_heat_leave_loop.
GM_HOOK void __gm_heat_share_loop(const GmprofHeatContext *C, const GmprofRequestCursor *Cursor,
                                  gmprof_u32 Lanes, gmprof_u64 TimesAndStep, gmprof_u32 Longest) {
  if (__any_sync(Lanes, LoopOfRequests{TimesAndStep, 0, 0}.times() > Longest))
    __gm_heat_share_chunk(Lanes, C, Cursor->last);
}

/// Processes the accesses of a loop at once. First: shared address of the context's word 0.
GM_HELPER void __gm_heat_loop_now(gmprof_u32 Lanes, const GmprofHeatContext *C, gmprof_u32 First,
                                  gmprof_u32 What, gmprof_u64 Address, gmprof_u64 TimesAndStep,
                                  gmprof_i32 Stride, gmprof_u32 Made) {
  noteLoop(C, thisWarp(), First, {Address, Lanes, What}, {TimesAndStep, Stride, Made}, {0, 1});
  __syncwarp(Lanes);
}

/// Processes contiguous accesses of Length bytes per lane at once.
GM_HELPER void __gm_heat_global_range(gmprof_u32 Lanes, const GmprofHeatContext *C, gmprof_u32 What,
                                      gmprof_u64 Address, gmprof_u64 Length) {
  eachPiece(Lanes, Address, Length, Access{What}.bytes(),
            [=](gmprof_u32 Here, gmprof_u64 At) { __gm_heat_global_now(Here, C, What, At); });
}

GM_HELPER void __gm_heat_shared_range(gmprof_u32 Lanes, const GmprofHeatContext *C,
                                      gmprof_u32 First, gmprof_u32 What, gmprof_u32 Address,
                                      gmprof_u64 Length) {
  eachPiece(Lanes, Address, Length, Access{What}.bytes(), [=](gmprof_u32 Here, gmprof_u32 At) {
    __gm_heat_shared_now(Here, C, First, What, At);
  });
}

/// Processes a tile's rows, which the warp accesses together, at once.
GM_HELPER void __gm_heat_global_tile(gmprof_u32 Lanes, const GmprofHeatContext *C, gmprof_u32 What,
                                     gmprof_u64 Address, gmprof_u32 Rows, gmprof_u32 RowBytes,
                                     gmprof_u32 Stride) {
  const gmprof_u32 Bytes = pieceOf(RowBytes), Piece = withBytes(What, Bytes);
  eachPieceOfTile(
      Lanes, Address, Rows, RowBytes, Stride, Bytes,
      [=](gmprof_u32 Here, gmprof_u64 At) { __gm_heat_global_now(Here, C, Piece, At); });
}

GM_HELPER void __gm_heat_shared_tile(gmprof_u32 Lanes, const GmprofHeatContext *C, gmprof_u32 First,
                                     gmprof_u32 What, gmprof_u32 Address, gmprof_u32 Rows,
                                     gmprof_u32 RowBytes, gmprof_u32 Stride) {
  const gmprof_u32 Bytes = pieceOf(RowBytes), Piece = withBytes(What, Bytes);
  eachPieceOfTile(
      Lanes, Address, Rows, RowBytes, Stride, Bytes,
      [=](gmprof_u32 Here, gmprof_u32 At) { __gm_heat_shared_now(Here, C, First, Piece, At); });
}

namespace {

/// Requests of a lane in a chunk, from its next request on.
struct Column {
  GlobalPointer<TwoNumbers> At;
  gmprof_u32 Row = 0; ///< row of the next request
  TwoNumbers Next = {0, 0}, Ahead;

  GM_INLINE explicit Column(GlobalPointer<TwoNumbers> Chunk) : At(Chunk + lane()) {
    Ahead = At[warpSize];
    advance();
  }

  GM_INLINE GmprofRequest next() const {
    return {Next.x, (gmprof_u32)Next.y, (gmprof_u32)(Next.y >> 32)};
  }

  /// Moves to the next request; prefetches the one after it while that is processed.
  GM_INLINE void advance() {
    Next = Ahead;
    Ahead = ++Row < LastRow ? At[(Row + 1) * warpSize] : TwoNumbers{0, 0};
  }

  /// Zeroes the head and all rows that were read.
  GM_INLINE void zero() const {
    for (gmprof_u32 R = 0; R <= minimum(Row, LastRow); ++R)
      At[R * warpSize] = {0, 0};
  }
};

/// Share of a warp in a chunk: in single requests and in those of loops.
struct Part {
  Share OfSingle, OfLoops;
};

/// Processes the requests of Lanes, each by the lanes that make it: this warp's share of loops, and
/// single requests if it is its turn.
GM_INLINE void noteRequests(const GmprofHeatContext *C, Origin From, gmprof_u32 FirstWord,
                            gmprof_u32 Lanes, const GmprofRequest &R, LoopOfRequests Loop,
                            bool IsTurn, Share Mine) {
  while (Lanes != 0) {
    const gmprof_u32 Next = __shfl_sync(~0u, R.lanes, firstLane(Lanes));
    const bool IsOne = Next >> lane() & 1;
    const bool IsLoop = R.what & GMPROF_REQUEST_IS_LOOP;
    if (IsOne && IsLoop && !Mine.isNone())
      noteLoop(C, From, FirstWord, R, Loop, Mine);
    else if (IsOne && !IsLoop && IsTurn)
      noteRequest(C, From, FirstWord, R);
    __syncwarp();
    Lanes &= ~Next;
  }
}

/// Processes a chunk's requests. Lanes store their requests in program order with the mask of
/// participants, so a request is complete when it is next in all of their columns. One always is
/// complete: the earliest of the remaining ones. Warps that share a chunk find the same requests.
GM_INLINE void noteChunk(const GmprofHeatContext *C, Origin From, gmprof_u32 FirstWord,
                         Column &Left, Part Mine) {
  for (gmprof_u32 Step = 0;; ++Step) {
    const GmprofRequest R = Left.next();
    const gmprof_u32 Alike = __match_any_sync(~0u, R.lanes);
    const bool IsWhole = Alike == R.lanes; // never true of an empty mask
    const gmprof_u32 Whole = __ballot_sync(~0u, IsWhole);
    if (Whole == 0)
      return;
    LoopOfRequests Loop = {0, 0, 0};
    if (IsWhole)
      Left.advance();
    if (IsWhole && R.what & GMPROF_REQUEST_IS_LOOP) {
      const GmprofRequest Second = Left.next();
      Loop = {Second.address, (gmprof_i32)Second.what, Second.lanes};
      Left.advance();
    }
    const bool IsTurn = Step % Mine.OfSingle.Of == Mine.OfSingle.Turn;
    noteRequests(C, From, FirstWord, Whole, R, Loop, IsTurn, Mine.OfLoops);
  }
}

/// Returns the warp that stored a chunk's requests.
GM_INLINE Origin originOf(const GmprofHeatContext *C, GlobalPointer<GmprofRequest> Chunk) {
  const gmprof_u64 Of = Chunk->address;
  return {C->firstBlock + Of / C->warpsPerBlock * C->blockStep,
          (gmprof_u32)(Of % C->warpsPerBlock)};
}

/// Returns whether this block is the last of `Blocks` blocks to finish a chunk. Counts them in the
/// chunk's head.
GM_INLINE bool isLastBlock(GlobalPointer<GmprofRequest> Chunk, gmprof_u32 Blocks) {
  __syncthreads();
  bool IsLast = false;
  if (threadIdx.x == 0)
    IsLast = __atomic_fetch_add(&Chunk[0].what, 1u, __ATOMIC_ACQ_REL) == Blocks - 1;
  return __syncthreads_or(IsLast);
}

} // namespace

/// Kernel that processes and zeroes the requests that a launch has stored; the host runtime
/// launches it when that launch has ended. Each warp processes a chunk (each block, if there are
/// few chunks); all blocks together process the long loops.
extern "C" __global__ __attribute__((used)) void __gm_heat_note(const GmprofHeatContext *C) {
  if (!C)
    return; // only loads the module
  const gmprof_u32 FirstWord = ((const GmprofSharedLayout *)C->layout)->firstAddress;
  const auto *Totals = (const GmprofHeatTotals *)C->totals;
  const gmprof_u32 Used = minimum(Totals->chunksUsed, C->chunkLimit);
  const gmprof_u32 Warps = blockDim.x / warpSize, Warp = threadIdx.x / warpSize;
  const Share OfBlock = {Warp, Warps}, OfAll = {blockIdx.x * Warps + Warp, gridDim.x * Warps};
  const Share All = {0, 1}, None = {1, 1};
  const auto Note = [=](GlobalPointer<GmprofRequest> Chunk, Part Mine) {
    Column Left((GlobalPointer<TwoNumbers>)Chunk);
    noteChunk(C, originOf(C, Chunk), FirstWord, Left, Mine);
    return Left;
  };
  const bool AreFew = Used <= gridDim.x;
  const Share ForChunks = AreFew ? Share{blockIdx.x, gridDim.x} : OfAll,
              OfChunk = AreFew ? OfBlock : All;
  for (gmprof_u32 I = ForChunks.Turn; I < Used; I += ForChunks.Of) {
    const auto Chunk = chunkAt(C, I);
    const bool IsShared = Chunk->lanes == GMPROF_CHUNK_IS_SHARED;
    const Column Left = Note(Chunk, {OfChunk, IsShared ? None : OfChunk});
    if (AreFew)
      __syncthreads();
    __syncwarp();
    if (!IsShared && OfChunk.Turn == 0)
      Left.zero();
  }
  const gmprof_u32 Shared = minimum(Totals->sharedChunks, GMPROF_SHARED_CHUNKS);
  for (gmprof_u32 I = 0; I < Shared; ++I) {
    const auto Chunk = chunkAt(C, Totals->sharedChunk[I]);
    const Column Left = Note(Chunk, {None, OfAll});
    if (isLastBlock(Chunk, gridDim.x) && Warp == 0)
      Left.zero();
  }
}

namespace {

/// Returns a hash of a value and its position; sums of it distinguish sequences (finalizer of
/// MurmurHash3).
GM_INLINE gmprof_u64 mixed(gmprof_u64 Value, gmprof_u64 Position) {
  gmprof_u64 H = Value + Position * 0x9e3779b97f4a7c15ull;
  H = (H ^ H >> 33) * 0xff51afd7ed558ccdull;
  H = (H ^ H >> 33) * 0xc4ceb9fe1a85ec53ull;
  return H ^ H >> 33;
}

GM_INLINE gmprof_u64 sumOverWarp(gmprof_u64 Value) {
  for (gmprof_u32 Distance = 16; Distance != 0; Distance /= 2)
    Value += __shfl_xor_sync(~0u, Value, Distance);
  return Value;
}

GM_INLINE gmprof_u32 highestInWarp(gmprof_u32 Value) {
  for (gmprof_u32 Distance = 16; Distance != 0; Distance /= 2) {
    const gmprof_u32 Other = __shfl_xor_sync(~0u, Value, Distance);
    Value = Other > Value ? Other : Value;
  }
  return Value;
}

/// Returns the common first block of all accessed sectors of the page; 0 if they differ.
GM_INLINE gmprof_u32 onlyBlock(const GmprofHeatPage &Page) {
  gmprof_u32 Highest = 0, HighestComplement = 0;
  for (gmprof_u32 S = lane(); S < GMPROF_HEAT_PAGE_SECTORS; S += warpSize)
    if (const gmprof_u32 Block = Page.blocks[S] & ~GMPROF_HEAT_SEVERAL_BLOCKS) {
      Highest = Block > Highest ? Block : Highest;
      HighestComplement = ~Block > HighestComplement ? ~Block : HighestComplement;
    }
  Highest = highestInWarp(Highest);
  return highestInWarp(HighestComplement) == ~Highest ? Highest : 0;
}

} // namespace

/// Kernel that computes the digests of the used pages, one warp per page; the host runtime launches
/// it when the launch has ended.
extern "C" __global__ __attribute__((used)) void __gm_heat_digest(const GmprofHeatContext *C) {
  if (!C)
    return; // only loads the module
  const gmprof_u32 Warps = gridDim.x * (blockDim.x / 32);
  const gmprof_u32 Taken = ((const GmprofHeatTotals *)C->totals)->pagesUsed;
  const gmprof_u32 Used = minimum(Taken, C->pageLimit);
  for (gmprof_u32 P = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32; P < Used; P += Warps) {
    const GmprofHeatPage &Page = ((const GmprofHeatPage *)C->pages)[P];
    const gmprof_u32 Block = onlyBlock(Page);
    gmprof_u64 Sums[2] = {0, 0};
    const auto Add = [&](gmprof_u64 Value, gmprof_u32 Position) {
      Sums[0] += mixed(Value, Position + 1);
      Sums[1] += mixed(~Value, Position + (1u << 20));
    };
    for (gmprof_u32 W = lane(); W < GMPROF_HEAT_PAGE_WORDS; W += warpSize)
      Add((gmprof_u64)Page.warps[W] << 32 | Page.accesses[W], W);
    for (gmprof_u32 S = lane(); S < GMPROF_HEAT_PAGE_SECTORS; S += warpSize) {
      // If all words of a page have one block in common, only the mark for several blocks
      // distinguishes pages.
      const gmprof_u32 Known = Page.blocks[S];
      const gmprof_u32 Several = Known & GMPROF_HEAT_SEVERAL_BLOCKS;
      Add(Page.places[S], GMPROF_HEAT_PAGE_WORDS + S);
      Add(Block == 0 ? Known : Several | (Known != 0), 2 * GMPROF_HEAT_PAGE_WORDS + S);
    }
    const gmprof_u64 First = sumOverWarp(Sums[0]), Second = sumOverWarp(Sums[1]);
    if (lane() == 0) {
      GmprofHeatDigest &To = ((GmprofHeatDigest *)C->digests)[P];
      To.page = Page.page;
      To.hash[0] = First;
      To.hash[1] = Second;
      To.kind = Page.kind;
      To.block = Block;
    }
  }
}
