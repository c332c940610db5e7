//===- HeatKernels.cu - Kernels that run after a recorded launch ----------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Process the stored requests of a launch, and compute digests of its heat maps.
//
//===----------------------------------------------------------------------===//

#include "HeatChunks.h"
#include "HeatNote.h"

using namespace gmprof;

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
