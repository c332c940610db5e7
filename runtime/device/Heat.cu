//===- Heat.cu - The hooks that note warps and requests -------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// (cuThermo, 2025, Section IV.) cuThermo sends every address to the host, which sets a bit for
// the warp in masks of the word and of the sector. Here the masks are in device memory, and
// nothing is sent. Nor has the program's kernel to set them: each lane stores its address in a
// column of its own, which nothing waits for, and __gm_heat_note, a kernel that runs afterwards
// on the whole device, notes what is there. There the lanes of a request find out together
// what is equal among their addresses, and one lane for each word sets the bit, if it is not
// set yet. Requests for which a warp has no room left it notes at once.
//
// What a request comes to, sectors and wavefronts, depends on its lanes' addresses
// together, so hooks are called behind the accesses by all lanes that were together there, and say
// which of them made each. What is noted is one access of 1, 2, 4, 8 or 16 bytes, aligned to its
// size, as hardware has them; the pass takes others apart. In most requests addresses rise or fall
// from lane to lane, where equal ones are neighbours; else match.any finds them.
//
//===----------------------------------------------------------------------===//

#include "Device.h"
#include "Pieces.h"

using namespace gmprof;

namespace {

/// The warp that a request comes from.
struct Origin {
  gmprof_u64 Block;
  gmprof_u32 Warp; ///< of the block

  GM_INLINE gmprof_u32 thread() const { return Warp * 32 + lane(); }
};

GM_INLINE Origin thisWarp() { return {linearBlock(), threadInBlock() / 32}; }

/// GmprofRequest::what
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

/// The same, of Bytes bytes, a power of two.
GM_INLINE gmprof_u32 withBytes(gmprof_u32 What, gmprof_u32 Bytes) {
  const gmprof_u32 Mask = GMPROF_REQUEST_BYTES_MASK << GMPROF_REQUEST_BYTES_SHIFT;
  return (What & ~Mask) | firstLane(Bytes) << GMPROF_REQUEST_BYTES_SHIFT;
}

/// Other blocks may change it meanwhile: what is read may be old, but no bit is ever cleared.
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

/// The lanes that execute an access together, and which of them have the same.
struct Request {
  gmprof_u32 Lanes;    ///< that are here
  gmprof_u32 Rank;     ///< of this one among them
  gmprof_u32 Previous; ///< the lane before this one; itself if it is the first
  bool Wide;           ///< some addresses are so far apart that Step tells nothing
  bool Ordered;        ///< addresses rise or fall from lane to lane
  gmprof_i32 Step;     ///< from the previous lane's address; 0 in the first lane

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

  /// Of the lanes with the same Key, which grows with the address, those; each lane gets
  /// its own.
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

  /// One lane for each Key.
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
  /// Lanes whose key is not that of the lane before. Ordered.
  GM_INLINE gmprof_u32 starts(gmprof_u64 Key) const {
    const auto Low = (gmprof_u32)Key;
    const gmprof_u32 OfPrevious = __shfl_sync(Lanes, Low, Previous);
    return __ballot_sync(Lanes, Rank == 0 || OfPrevious != Low);
  }
};

/// Adds one request to its site's numbers, by the lanes together: each adds some of the fields.
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

/// How far apart lanes are, if that is equal for all of them, and not so that they lie side by
/// side; else 0.
GM_INLINE gmprof_i32 strideOf(const Request &R, gmprof_u32 Bytes) {
  if (R.Wide || laneCount(R.Lanes) < 2)
    return 0;
  const gmprof_u32 Second = firstLane(R.Lanes & (R.Lanes - 1));
  const auto Step = (gmprof_i32)R.from((gmprof_u32)R.Step, Second);
  const bool Equal = R.all(R.Rank == 0 || R.Step == Step);
  return Equal && Step != (gmprof_i32)Bytes && Step != -(gmprof_i32)Bytes ? Step : 0;
}

/// Whether the different addresses of a request are consecutive.
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

/// The page of an address, or 0.
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

/// That a block has accessed a sector: the first one leaves its number.
GM_INLINE void setBlock(GlobalPointer<gmprof_u32> At, gmprof_u64 Block) {
  const gmprof_u32 Mine = 1 + (gmprof_u32)(Block % (GMPROF_HEAT_SEVERAL_BLOCKS - 1));
  gmprof_u32 Known = look(At);
  if (Known == 0 &&
      __atomic_compare_exchange_n(At, &Known, Mine, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
    return;
  if (Known != Mine && (Known & GMPROF_HEAT_SEVERAL_BLOCKS) == 0)
    __atomic_fetch_or(At, GMPROF_HEAT_SEVERAL_BLOCKS, __ATOMIC_RELAXED);
}

/// N threads of a warp access the words of Bytes bytes at Address.
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

/// Whether this block is one of those that are noted.
GM_HOOK bool __gm_heat_block_is_noted(const GmprofHeatLaunch *Launch) {
  return isOneOf(Launch, linearBlock());
}

/// Whether this thread writes the layout of shared memory: the first noted one does.
GM_HOOK bool __gm_heat_writes_layout(const GmprofHeatLaunch *Launch) {
  return linearBlock() == Launch->first && threadInBlock() == 0;
}

constexpr gmprof_u64 Nowhere = ~(gmprof_u64)0;

/// Called by all threads of a block that is noted.
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

/// The clone of a function that is not inlined does not know which kernel it works for.
GM_INLINE gmprof_u32 placeOf(const GmprofHeatContext *C, Access A) {
  const gmprof_u32 Number = A.site() - GMPROF_SITE_OF_FUNCTION; // of others not below
  return Number < C->functionSites ? ((const gmprof_u8 *)C->functionPlaces)[Number] : A.place();
}

/// N lanes access the words at Address; 0: another lane notes that.
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

/// What a request of shared memory takes: passes over the banks, and how many that would be without
/// conflicts.
struct Wavefronts {
  gmprof_u32 Count, Ideal;
};

/// Each pass serves one word of every bank, and any number of lanes that want it (NVIDIA, CUDA C++
/// Programming Guide, "Shared Memory"). Requests of 8 and of 16 bytes are served in halves and
/// quarters of the warp; of twice as many lanes, where each two neighbours want the same, as
/// ncu's counters tell of an H200.
GM_INLINE Wavefronts wavefronts(const Request &R, gmprof_u32 Address, gmprof_u32 Bytes) {
  const gmprof_u32 Unit = Bytes < GMPROF_HEAT_WORD_BYTES ? GMPROF_HEAT_WORD_BYTES : Bytes;
  const gmprof_u32 Banks = 128 / Unit, Number = Address / Unit;
  const gmprof_u32 Neighbour = R.Lanes >> (lane() ^ 1) & 1 ? lane() ^ 1 : lane();
  const bool Pairs = R.all(R.from(Address, Neighbour) == Address);
  const gmprof_u32 Width = Banks < 32 && Pairs ? 2 * Banks : Banks;
  const gmprof_u32 Group = lane() / Width, Whole = Width == 32 ? ~0u : (1u << Width) - 1;
  // One lane for each different word of a group.
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

/// First: the address of the first of the context's words.
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

/// Notes a request at once. Lanes that came together go on together: the next one is theirs, too.
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

/// What says of which memory.
GM_HOOK void __gm_heat_now(gmprof_u32 Lanes, const GmprofHeatContext *C, gmprof_u32 First,
                           gmprof_u32 What, gmprof_u64 Address) {
  if (Access{What}.isShared())
    __gm_heat_shared_now(Lanes, C, First, What, (gmprof_u32)Address);
  else
    __gm_heat_global_now(Lanes, C, What, Address);
}

GM_HOOK void __gm_heat_other_block(const GmprofHeatContext *C, bool IsMade) {
  if (IsMade)
    addGlobal(&((GmprofHeatTotals *)C->totals)->otherBlocks, 1ull);
}

namespace {

/// The requests that a loop makes: in each iteration, those lanes whose Times have not come to an
/// end.
struct LoopOfRequests {
  gmprof_u64 TimesAndStep; ///< see GMPROF_REQUEST_IS_LOOP
  gmprof_i32 Stride;       ///< bytes from one iteration's address to the next one's
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

/// What, but of the site so much further, if it has a number.
GM_INLINE gmprof_u32 ofSite(gmprof_u32 What, gmprof_u64 Further) {
  const gmprof_u64 Site = (What & GMPROF_SITE_MASK) + Further;
  return (What & ~GMPROF_SITE_MASK) |
         (Site < GMPROF_SITE_UNKNOWN ? (gmprof_u32)Site : GMPROF_SITE_UNKNOWN);
}

/// One of so many warps that do something together.
struct Share {
  gmprof_u32 Turn, Of;

  /// A warp that takes no part has a turn that does not come.
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

/// This warp's share of a loop's requests, of which First is what the lanes make at first.
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

/// Chunks are aligned; Nowhere is in a last row.
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

/// Takes so many chunks, one behind the other, for this warp. Returns the number of the first;
/// chunkLimit or more: there are none left.
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

/// Whether Lanes have their chunk in common, if that holds for each of them. Those that took theirs
/// together have the same one.
GM_INLINE bool areInOneChunk(gmprof_u32 Lanes, gmprof_u32 TookTogether) {
  return (Lanes & ~TookTogether) == 0;
}

/// Whether all of Lanes have room for so many rows more in one chunk: each has, as long as its own
/// column is not full.
GM_INLINE bool haveRoom(const GmprofRequestCursor *Cursor, gmprof_u32 Lanes, gmprof_u32 Rows) {
  const bool InOneChunk = areInOneChunk(Lanes, Cursor->lanes),
             InColumn = rowOf(Cursor->last) + Rows <= LastRow;
  return __all_sync(Lanes, InOneChunk & InColumn);
}

/// Chunks to take after so many: few are left empty, and many need not be waited for.
GM_INLINE gmprof_u32 nextBatch(gmprof_u32 Batch) {
  constexpr gmprof_u32 Most = 16;
  return minimum(Batch + Batch / 2 + 1, Most);
}

/// In a chunk, this lane's place before its first request.
GM_INLINE gmprof_u64 columnOf(const GmprofHeatContext *C, gmprof_u32 Chunk) {
  return C->requests + (gmprof_u64)Chunk * GMPROF_REQUEST_CHUNK_BYTES +
         lane() * sizeof(GmprofRequest);
}

/// Leaves a row to be noted later.
GM_INLINE void leave(GmprofRequestCursor *Cursor, gmprof_u32 Lanes, gmprof_u32 What,
                     gmprof_u64 Address) {
  Cursor->last += GMPROF_REQUEST_ROW_BYTES;
  *globalPointer<TwoNumbers>(Cursor->last) = {Address, (gmprof_u64)What << 32 | Lanes};
}

} // namespace

/// The next chunk of these lanes, or a new one: each one's place before its first request there, or
/// Nowhere. Of their cursors.
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

/// Whether the lanes that are here have room for so many rows, which they leave next. If they have
/// not, because memory is full, what they would leave has to be noted at once.
GM_HOOK bool __gm_heat_has_room(gmprof_u32 Lanes, const GmprofHeatContext *C,
                                GmprofRequestCursor *Cursor, gmprof_u32 Rows) {
  if (haveRoom(Cursor, Lanes, Rows))
    return true;
  Cursor->last = __gm_heat_next_chunk(Lanes, C, Cursor->last, Cursor->lanes);
  Cursor->lanes = Lanes;
  return Cursor->last != Nowhere;
}

/// An access of each lane that is here, to be noted later.
GM_HOOK void __gm_heat_leave(GmprofRequestCursor *Cursor, gmprof_u32 Lanes, gmprof_u32 What,
                             gmprof_u64 Address) {
  leave(Cursor, Lanes, What, Address);
}

/// Has all of the kernel that notes share the long loops of a chunk.
GM_HELPER void __gm_heat_share_chunk(gmprof_u32 Lanes, const GmprofHeatContext *C,
                                     gmprof_u64 Last) {
  const auto Chunk = chunkOf(Last);
  gmprof_u32 Known = 0; // or this chunk's earlier loops have done it
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

/// The accesses of a loop that each lane that is here enters, which makes one in each iteration,
/// the first at Address, the next ones each Stride bytes further, or in those that were Made alone;
/// or several side by side. It takes two rows.
GM_HOOK void __gm_heat_leave_loop(GmprofRequestCursor *Cursor, gmprof_u32 Lanes, gmprof_u32 What,
                                  gmprof_u64 Address, gmprof_u64 TimesAndStep, gmprof_i32 Stride,
                                  gmprof_u32 Made) {
  leave(Cursor, Lanes, What | GMPROF_REQUEST_IS_LOOP, Address);
  leave(Cursor, Made, (gmprof_u32)Stride, TimesAndStep);
}

/// To be called behind it: a loop of more than Longest iterations is for all of the kernel that
/// notes.
GM_HOOK void __gm_heat_share_loop(const GmprofHeatContext *C, const GmprofRequestCursor *Cursor,
                                  gmprof_u32 Lanes, gmprof_u64 TimesAndStep, gmprof_u32 Longest) {
  if (__any_sync(Lanes, LoopOfRequests{TimesAndStep, 0, 0}.times() > Longest))
    __gm_heat_share_chunk(Lanes, C, Cursor->last);
}

/// The same, noted at once. First: the address of the first of the context's words.
GM_HELPER void __gm_heat_loop_now(gmprof_u32 Lanes, const GmprofHeatContext *C, gmprof_u32 First,
                                  gmprof_u32 What, gmprof_u64 Address, gmprof_u64 TimesAndStep,
                                  gmprof_i32 Stride, gmprof_u32 Made) {
  noteLoop(C, thisWarp(), First, {Address, Lanes, What}, {TimesAndStep, Stride, Made}, {0, 1});
  __syncwarp(Lanes);
}

/// Accesses side by side.
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

/// Rows that the warp accesses together, taken apart here.
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

/// What a lane has left in a chunk, from its next request on.
struct Column {
  GlobalPointer<TwoNumbers> At;
  gmprof_u32 Row = 0; ///< of the next one
  TwoNumbers Next = {0, 0}, Ahead;

  GM_INLINE explicit Column(GlobalPointer<TwoNumbers> Chunk) : At(Chunk + lane()) {
    Ahead = At[warpSize];
    advance();
  }

  GM_INLINE GmprofRequest next() const {
    return {Next.x, (gmprof_u32)Next.y, (gmprof_u32)(Next.y >> 32)};
  }

  /// The one after the next is under way while that is noted.
  GM_INLINE void advance() {
    Next = Ahead;
    Ahead = ++Row < LastRow ? At[(Row + 1) * warpSize] : TwoNumbers{0, 0};
  }

  /// All of it that was read, and the head.
  GM_INLINE void zero() const {
    for (gmprof_u32 R = 0; R <= minimum(Row, LastRow); ++R)
      At[R * warpSize] = {0, 0};
  }
};

/// What a warp does of a chunk: of single requests and of those of loops.
struct Part {
  Share OfSingle, OfLoops;
};

/// The requests that Lanes make, each by those that have it in common: of loops, this warp's share;
/// others if it is its turn.
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

/// Lanes leave their requests in the order in which they make them, and say who else takes part. So
/// a request is whole where it comes next for all of these, and one always is: the first that
/// was made of those that are still there. Warps that share a chunk find the same ones.
GM_INLINE void noteChunk(const GmprofHeatContext *C, Origin From, gmprof_u32 FirstWord,
                         Column &Left, Part Mine) {
  for (gmprof_u32 Step = 0;; ++Step) {
    const GmprofRequest R = Left.next();
    const gmprof_u32 Alike = __match_any_sync(~0u, R.lanes);
    const bool IsWhole = Alike == R.lanes; // never of no lanes
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

/// Where a chunk's requests are from.
GM_INLINE Origin originOf(const GmprofHeatContext *C, GlobalPointer<GmprofRequest> Chunk) {
  const gmprof_u64 Of = Chunk->address;
  return {C->firstBlock + Of / C->warpsPerBlock * C->blockStep,
          (gmprof_u32)(Of % C->warpsPerBlock)};
}

/// Whether this block is the last of so many that come to the end of a chunk. They are counted in
/// its head.
GM_INLINE bool isLastBlock(GlobalPointer<GmprofRequest> Chunk, gmprof_u32 Blocks) {
  __syncthreads();
  bool IsLast = false;
  if (threadIdx.x == 0)
    IsLast = __atomic_fetch_add(&Chunk[0].what, 1u, __ATOMIC_ACQ_REL) == Blocks - 1;
  return __syncthreads_or(IsLast);
}

} // namespace

/// Notes the requests that a launch has left, and zeroes them. A kernel, launched by the host
/// runtime when that launch has ended. Each warp notes those of a chunk, or, where there are few,
/// each block, and all of them together those of long loops.
extern "C" __global__ __attribute__((used)) void __gm_heat_note(const GmprofHeatContext *C) {
  if (!C)
    return; // to be loaded
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

/// Of two numbers, so that sums of it tell sequences apart (the finalizer of MurmurHash3).
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

/// The block that alone, or first of all, accessed each of the page's sectors; 0 if that is not
/// one.
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

/// Makes the digests of the pages that were used, by a warp each. A kernel, launched by the host
/// runtime when the launch has ended.
extern "C" __global__ __attribute__((used)) void __gm_heat_digest(const GmprofHeatContext *C) {
  if (!C)
    return; // to be loaded
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
      // Of blocks that are one it is only of interest whether others came, too.
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
