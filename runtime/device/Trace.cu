//===- Trace.cu - Hooks that record requests ------------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Records one request of a warp per record (von Buelow et al., 2022, Section 4.1), with the SM's
// clock, which lets the host sort an SM's requests into issue order. Records go to chunks of
// page-locked memory (struct GmprofTraceChunk).
//
// A chunk belongs to lanes that arrived together. All of them know the position of its next record,
// so no synchronisation is needed while the same lanes arrive. Other lanes take a chunk of their
// own and leave those that any of them held: nobody can write to these any more, because lanes that
// have diverged cannot arrive as the old group. Several lanes may leave the same chunk; the one
// that still finds its taker there closes it.
//
// A chunk that was left mostly has room: it stays open for lanes at the same place of the SM
// (struct GmprofOpenChunks), where no other lanes look for it. Many short warps, or lanes that
// diverge and reconverge often, therefore need no more chunks than they fill. Full chunks go to the
// host.
//
// A kernel that finds no free chunk waits until the host has emptied one. The host waits for
// nothing and receives open chunks meanwhile, so only chunks held by lanes that wait as well are
// unavailable: then the host finds no chunk for a while, and requests are lost and counted as lost.
//
// A launch records up to a limit (gmprof/trace.h). From a part of the limit on, no further block
// begins to be recorded, so that blocks that have begun can mostly end: the trace is a period from
// the beginning of the launch, in whole blocks. At the limit, warps stop recording when they need
// another chunk.
//
//===----------------------------------------------------------------------===//

#include "Pieces.h"
#include "gmprof/trace.h"

using namespace gmprof;

namespace {

constexpr gmprof_u32 ChunkBytes = GMPROF_TRACE_CHUNK_BYTES;
constexpr gmprof_u32 PartMask = (1u << GMPROF_TRACE_PART_BITS) - 1;
static_assert(ChunkBytes / GMPROF_TRACE_PART == PartMask + 1);
static_assert(sizeof(GmprofTraceWriter) == sizeof(GmprofTraceRecord));

/// Idle scans of the host until a launch loses its first request: lanes that hold chunks may be
/// executing other code.
constexpr gmprof_u64 Patience = 100 * GMPROF_TRACE_IDLE_LOOKS;

/// Pause in nanoseconds between two polls of a lane that waits while another reads the host's
/// state. All poll the same few words: frequent polls by thousands of warps would delay the lane
/// that they wait for.
constexpr gmprof_u32 ShortestPause = 1000, LongestPause = 32000;

/// Loads memory that the host writes or reads while the kernel runs.
template <class T> GM_INLINE T lookAtHost(GlobalPointer<T> At) {
  return __atomic_load_n(At, __ATOMIC_ACQUIRE);
}

GM_INLINE gmprof_u32 numberOf(const GmprofTraceChannel *H, gmprof_u64 InChunk) {
  return (gmprof_u32)((InChunk - H->chunks) / ChunkBytes);
}

/// Loads a value that several SMs change; bypasses L1.
template <class T> GM_INLINE T look(T &At) {
  return __atomic_load_n(globalPointer<T>((gmprof_u64)&At), __ATOMIC_RELAXED);
}
template <class T> GM_INLINE T add(T &To, T Value) {
  return __atomic_fetch_add(globalPointer<T>((gmprof_u64)&To), Value, __ATOMIC_ACQ_REL);
}

/// Takes a free chunk. Returns false if there is none now.
GM_INLINE bool takeFree(GmprofTraceChannel *H, gmprof_u32 &Number) {
  if (look(H->available) <= 0)
    return false;
  if (add(H->available, -1ll) <= 0) {
    add(H->available, 1ll);
    return false;
  }
  const auto At = globalPointer<gmprof_u32>(H->numbers) + add(H->taken, 1ull) % H->chunkCount;
  do
    Number = __atomic_exchange_n(At, 0u, __ATOMIC_RELAXED);
  while (Number == 0);
  --Number;
  return true;
}

/// Passes a chunk that no lane writes to any more to the host. Waits until the previous entry of
/// its ring position has been taken.
GM_INLINE void giveToHost(GmprofTraceChannel *H, gmprof_u32 Number) {
  const gmprof_u64 Entry = add(H->given, 1ull) % H->chunkCount;
  const auto At = globalPointer<gmprof_u32>(H->numbers) + Entry;
  for (gmprof_u32 None = 0; !__atomic_compare_exchange_n(At, &None, Number + 1, false,
                                                         __ATOMIC_RELAXED, __ATOMIC_RELAXED);
       None = 0)
    __nvvm_nanosleep(ShortestPause);
  __threadfence_system();
  __atomic_store_n(globalPointer<gmprof_u32>(H->full) + Entry, Number + 1, __ATOMIC_RELAXED);
}

GM_INLINE void takeBack(GmprofTraceChannel *H, gmprof_u64 Abandoned) {
  for (gmprof_u64 I = look(H->takenBack); I != Abandoned; ++I)
    giveToHost(H, lookAtHost(globalPointer<gmprof_u32>(H->abandoned) + I % H->chunkCount));
  __atomic_store_n(globalPointer<gmprof_u64>((gmprof_u64)&H->takenBack), Abandoned,
                   __ATOMIC_RELAXED);
}

/// Reads the host's progress, by one lane at a time, and publishes it in device memory: a read from
/// the host takes as long as some hundred accesses, and thousands of warps would issue it.
GM_INLINE void lookAtFreed(GmprofTraceChannel *H) {
  const auto Host = globalPointer<GmprofTraceHost>(H->host);
  __atomic_store_n(globalPointer<gmprof_u64>((gmprof_u64)&H->idle), lookAtHost(&Host->idle),
                   __ATOMIC_RELAXED);
  const gmprof_u64 Freed = lookAtHost(&Host->freed), Before = look(H->freed);
  if (Freed == Before)
    return takeBack(H, lookAtHost(&Host->abandoned));
  __atomic_store_n(globalPointer<gmprof_u64>((gmprof_u64)&H->freed), Freed, __ATOMIC_RELAXED);
  add(H->available, (gmprof_i64)(Freed - Before));
}

GM_INLINE GmprofTraceLimits *limitsOf(GmprofTraceContext *C) {
  return &((GmprofLimitedTrace *)C)->limits;
}
GM_INLINE GmprofTraceProgress *progressOf(GmprofTraceContext *C) {
  return &((GmprofLimitedTrace *)C)->progress;
}
GM_INLINE GmprofOpenChunks *openOf(GmprofTraceContext *C) {
  return &((GmprofLimitedTrace *)C)->open;
}

/// Hands a chunk of this launch to the host.
GM_INLINE void giveChunk(GmprofTraceContext *C, gmprof_u32 Number) {
  addGlobal(&C->totals.given, 1ull);
  giveToHost((GmprofTraceChannel *)C->channel, Number);
}

GM_INLINE gmprof_u32 exchange(GlobalPointer<gmprof_u32> At, gmprof_u32 Value) {
  return __atomic_exchange_n(At, Value, __ATOMIC_RELAXED);
}
/// Exchanges the value with 0, after a load that mostly finds 0.
GM_INLINE gmprof_u32 takeFrom(GlobalPointer<gmprof_u32> At) {
  return __atomic_load_n(At, __ATOMIC_RELAXED) != 0 ? exchange(At, 0) : 0;
}

/// Number of entries of open chunks that are loaded together.
constexpr gmprof_u32 OpenTogether = 8;
GM_INLINE gmprof_u32 openCount(GmprofTraceContext *C) {
  static_assert(GMPROF_TRACE_WARPS_OF_SM % OpenTogether == 0);
  return openOf(C)->places * GMPROF_TRACE_OPEN_OF_PLACE;
}

/// Hands the open chunks of the OpenTogether entries from First on to the host, whatever their
/// place.
GM_INLINE void giveOpen(GmprofTraceContext *C, gmprof_u32 First) {
  const auto At = globalPointer<gmprof_u32>(openOf(C)->entries) + First;
  gmprof_u32 Entries[OpenTogether];
  for (gmprof_u32 I = 0; I < OpenTogether; ++I)
    Entries[I] = __atomic_load_n(At + I, __ATOMIC_RELAXED);
  for (gmprof_u32 I = 0; I < OpenTogether; ++I)
    if (Entries[I] != 0)
      if (const gmprof_u32 Entry = exchange(At + I, 0))
        giveChunk(C, Entry >> GMPROF_TRACE_PART_BITS);
}

/// Hands over the next entries in rotation. Callers must exclude each other.
GM_INLINE void giveNextOpen(GmprofTraceContext *C) {
  const gmprof_u32 Count = openCount(C), First = look(openOf(C)->swept);
  if (Count == 0)
    return;
  giveOpen(C, First);
  __atomic_store_n(globalPointer<gmprof_u32>((gmprof_u64)&openOf(C)->swept),
                   (First + OpenTogether) % Count, __ATOMIC_RELAXED);
}

/// Takes a free chunk, waiting for one. Returns false if none will become free.
GM_INLINE bool awaitFree(GmprofTraceContext *C, gmprof_u32 &Number) {
  auto *H = (GmprofTraceChannel *)C->channel;
  if (takeFree(H, Number))
    return true;
  const auto Looking = globalPointer<gmprof_u32>((gmprof_u64)&H->looking);
  gmprof_u64 IdleBefore = lookAtHost(&globalPointer<GmprofTraceHost>(H->host)->idle);
  gmprof_u32 Pause = ShortestPause;
  for (gmprof_u64 FreedBefore = 0;;) {
    if (look(H->looking) == 0 && __atomic_exchange_n(Looking, 1u, __ATOMIC_ACQUIRE) == 0) {
      lookAtFreed(H);
      if (look(H->available) <= 0)
        giveNextOpen(C);
      __atomic_store_n(Looking, 0u, __ATOMIC_RELEASE);
    } else {
      __nvvm_nanosleep(Pause);
      Pause = Pause < LongestPause ? 2 * Pause : LongestPause;
    }
    if (takeFree(H, Number))
      return true;
    const gmprof_u64 Freed = look(H->freed), Idle = look(H->idle);
    if (Freed != FreedBefore && Idle > IdleBefore)
      IdleBefore = Idle;
    FreedBefore = Freed;
    const gmprof_u64 Most = look(C->totals.lost) == 0 ? Patience : GMPROF_TRACE_IDLE_LOOKS;
    if (Idle > IdleBefore + Most)
      return false;
  }
}

/// Returns whether another block may begin to be recorded.
GM_INLINE bool mayBegin(GmprofTraceContext *C) {
  const GmprofTraceLimits *Limits = limitsOf(C);
  const gmprof_u64 Recorded = look(progressOf(C)->recorded);
  if (Recorded < Limits->least)
    return true;
  return Recorded < Limits->most / GMPROF_TRACE_BEGIN_PART &&
         look(*(gmprof_u64 *)Limits->ofRun) < Limits->mostOfRun;
}

/// Cursor of a thread that records nothing more.
constexpr GmprofTraceCursor Stopped = {0, 0, 1};
GM_INLINE bool isStopped(const GmprofTraceCursor &Cursor) {
  return Cursor.next == 0 && Cursor.taker != 0;
}

GM_INLINE gmprof_u32 bytesBefore(gmprof_u64 Next) {
  return (gmprof_u32)((Next - 1) % ChunkBytes + 1);
}
GM_INLINE bool hasRoom(gmprof_u64 Next, gmprof_u32 Bytes) {
  return bytesBefore(Next) + Bytes <= ChunkBytes;
}

/// Returns the open chunks of this lane's place, or null if it has none.
GM_INLINE GlobalPointer<gmprof_u32> openHere(GmprofTraceContext *C) {
  const gmprof_u32 Place =
      __nvvm_read_ptx_sreg_smid() * GMPROF_TRACE_WARPS_OF_SM + __nvvm_read_ptx_sreg_warpid();
  if (Place >= openOf(C)->places)
    return nullptr;
  return globalPointer<gmprof_u32>(openOf(C)->entries) + Place * GMPROF_TRACE_OPEN_OF_PLACE;
}

/// Takes an open chunk of this place. Returns the address at which it has room for Bytes, or 0 if
/// there is none.
GM_INLINE gmprof_u64 takeOpen(GmprofTraceContext *C, gmprof_u32 Bytes) {
  const GlobalPointer<gmprof_u32> Here = openHere(C);
  if (!Here)
    return 0;
  for (gmprof_u32 I = 0; I < GMPROF_TRACE_OPEN_OF_PLACE; ++I) {
    const gmprof_u32 Entry = takeFrom(Here + I);
    if (Entry == 0)
      continue;
    const gmprof_u32 Number = Entry >> GMPROF_TRACE_PART_BITS;
    const gmprof_u64 Next = ((GmprofTraceChannel *)C->channel)->chunks +
                            (gmprof_u64)Number * ChunkBytes +
                            (Entry & PartMask) * GMPROF_TRACE_PART;
    if (hasRoom(Next, Bytes))
      return Next;
    giveChunk(C, Number);
  }
  return 0;
}

/// Stores a chunk that continues at Next as open at this place; hands it, or the chunk that it
/// displaces, to the host if there is no room.
GM_INLINE void putOpen(GmprofTraceContext *C, gmprof_u32 Number, gmprof_u64 Next) {
  const GlobalPointer<gmprof_u32> Here = openHere(C);
  if (!Here || !hasRoom(Next, sizeof(GmprofTraceWriter) + sizeof(GmprofTraceRecord)))
    return giveChunk(C, Number);
  __threadfence();
  gmprof_u32 Entry = Number << GMPROF_TRACE_PART_BITS | bytesBefore(Next) / GMPROF_TRACE_PART;
  for (gmprof_u32 I = 0; I < GMPROF_TRACE_OPEN_OF_PLACE && Entry != 0; ++I)
    Entry = exchange(Here + I, Entry);
  if (Entry != 0)
    giveChunk(C, Entry >> GMPROF_TRACE_PART_BITS);
}

/// Hands the open chunks of this place to the host if so few blocks are left that none may come
/// here.
GM_INLINE void closeLast(GmprofTraceContext *C) {
  const gmprof_u64 Blocks = (gmprof_u64)gridDim.x * gridDim.y * gridDim.z;
  const gmprof_u32 WarpsOfBlock = (threadsOfBlock() + 31) / 32;
  const GlobalPointer<gmprof_u32> Here = openHere(C);
  if (!Here || (Blocks - linearBlock()) * WarpsOfBlock > openOf(C)->places)
    return;
  for (gmprof_u32 I = 0; I < GMPROF_TRACE_OPEN_OF_PLACE; ++I)
    if (const gmprof_u32 Entry = takeFrom(Here + I))
      giveChunk(C, Entry >> GMPROF_TRACE_PART_BITS);
}

/// Hands all open chunks to the host when the last threads of the recorded blocks exit. Otherwise
/// launches that start before the host sees the end would lack these chunks.
GM_INLINE void endThreads(GmprofTraceContext *C) {
  const gmprof_u32 Lanes = activeLanes(), Count = openCount(C);
  bool Last = false;
  if (lane() == firstLane(Lanes)) {
    const gmprof_u64 Here = laneCount(Lanes), Before = add(progressOf(C)->ended, Here);
    Last = Before + Here == look(progressOf(C)->blocks) * threadsOfBlock() &&
           look(C->totals.taken) != look(C->totals.given);
  }
  if (!__any_sync(Lanes, Last))
    return;
  for (gmprof_u32 I = laneRank(Lanes) * OpenTogether; I < Count;
       I += laneCount(Lanes) * OpenTogether)
    giveOpen(C, I);
}

/// Marks a chunk as taken. Returns its taker: the number of times that it was taken or left and, in
/// the lowest bits, the position at which its lanes begin to write.
GM_INLINE gmprof_u32 becomeTaker(GmprofTraceChannel *H, gmprof_u32 Number, gmprof_u32 Begin) {
  const auto At = globalPointer<gmprof_u32>(H->takers) + Number;
  const gmprof_u32 Last = __atomic_load_n(At, __ATOMIC_RELAXED);
  const gmprof_u32 Taker = (Last | PartMask) + 1 + Begin / GMPROF_TRACE_PART;
  __atomic_store_n(At, Taker, __ATOMIC_RELAXED);
  return Taker;
}

/// Releases a chunk if Taker still holds it; returns whether it did.
GM_INLINE bool endTaker(GmprofTraceChannel *H, gmprof_u32 Number, gmprof_u32 Taker) {
  return __atomic_compare_exchange_n(globalPointer<gmprof_u32>(H->takers) + Number, &Taker,
                                     (Taker | PartMask) + 1, false, __ATOMIC_RELAXED,
                                     __ATOMIC_RELAXED);
}

GM_INLINE gmprof_u32 warpOfBlock() { return threadInBlock() / 32; }

/// Takes a chunk with room for Bytes, by one lane; its address is 0 if there is none.
GM_INLINE GmprofTraceCursor takeChunk(GmprofTraceContext *C, gmprof_u32 Bytes) {
  if (look(progressOf(C)->recorded) >= limitsOf(C)->most)
    return Stopped;
  auto *H = (GmprofTraceChannel *)C->channel;
  if (const gmprof_u64 At = takeOpen(C, sizeof(GmprofTraceWriter) + Bytes)) {
    const auto Writer = globalPointer<GmprofTraceWriter>(At);
    Writer->slot = __nvvm_read_ptx_sreg_warpid() + 1;
    Writer->what = GMPROF_TRACE_WRITER << GMPROF_TRACE_KIND_SHIFT | warpOfBlock();
    Writer->clock = __nvvm_read_ptx_sreg_clock64();
    Writer->block = linearBlock();
    return {At + sizeof(GmprofTraceWriter), 0, becomeTaker(H, numberOf(H, At), At % ChunkBytes)};
  }
  gmprof_u32 Number = 0;
  if (!awaitFree(C, Number))
    return {0, 0, 0};
  addGlobal(&C->totals.taken, 1ull);
  const gmprof_u64 Address = H->chunks + (gmprof_u64)Number * ChunkBytes;
  const auto Head = globalPointer<GmprofTraceChunk>(Address);
  Head->launch = C->launch;
  Head->block = linearBlock();
  Head->clock = __nvvm_read_ptx_sreg_clock64();
  Head->sm = __nvvm_read_ptx_sreg_smid();
  Head->warp = (gmprof_u16)warpOfBlock();
  Head->slot = (gmprof_u16)__nvvm_read_ptx_sreg_warpid();
  return {Address + sizeof(GmprofTraceChunk), 0, becomeTaker(H, Number, 0)};
}

/// Leaves the chunk that these lanes write to. They may share one chunk or hold one each.
GM_INLINE void leaveChunk(GmprofTraceContext *C, const GmprofTraceCursor &Cursor) {
  auto *H = (GmprofTraceChannel *)C->channel;
  // The end of a full chunk is the beginning of the next.
  const gmprof_u32 Number = numberOf(H, Cursor.next - 1);
  if (!endTaker(H, Number, Cursor.taker))
    return;
  const gmprof_u32 Written =
      bytesBefore(Cursor.next) - (Cursor.taker & PartMask) * GMPROF_TRACE_PART;
  const gmprof_u64 Recorded = Written / sizeof(GmprofTraceRecord);
  addGlobal(&progressOf(C)->recorded, Recorded);
  addGlobal((gmprof_u64 *)limitsOf(C)->ofRun, Recorded);
  putOpen(C, Number, Cursor.next);
}

/// Encoding of a request's addresses.
struct Shape {
  gmprof_u64 Base;
  gmprof_i64 Offset; ///< this lane's distance from Base
  gmprof_i32 Stride;
  gmprof_u32 Flags; ///< GMPROF_TRACE_OFFSETS, GMPROF_TRACE_ADDRESSES, GMPROF_TRACE_ROWS or 0
  gmprof_u32 Bytes; ///< size of the record
  GmprofTraceRows Rows;
};

/// Returns whether all lanes form rows. The first lane outside the first row (NotInRow) begins the
/// second one. Requires 32-bit offsets.
GM_INLINE bool areRows(Shape &S, gmprof_u32 Lanes, gmprof_u32 NotInRow) {
  if (Lanes != ~0u)
    return false;
  const gmprof_u32 Width = firstLane(NotInRow);
  const auto Step = (gmprof_i32)__shfl_sync(Lanes, (gmprof_u32)S.Offset, Width);
  S.Rows = {Step, Width};
  const gmprof_i64 Mine = (gmprof_i64)S.Stride * (gmprof_i32)(lane() & (Width - 1)) +
                          (gmprof_i64)Step * (gmprof_i32)(lane() / Width);
  return (Width & (Width - 1)) == 0 && __all_sync(Lanes, Mine == S.Offset);
}

GM_INLINE Shape shapeOf(gmprof_u32 Lanes, gmprof_u64 Address) {
  Shape S;
  const gmprof_u32 First = firstLane(Lanes), Rest = Lanes & (Lanes - 1);
  S.Base = shuffle(Lanes, Address, First);
  S.Offset = (gmprof_i64)(Address - S.Base);
  const gmprof_u32 Second = Rest ? firstLane(Rest) : First;
  const auto ToSecond = (gmprof_i32)__shfl_sync(Lanes, (gmprof_u32)S.Offset, Second);
  const auto Distance = (gmprof_i32)(Second - First);
  S.Stride = Distance > 1 ? ToSecond / Distance : ToSecond;
  const auto Mine = (gmprof_i64)S.Stride * (gmprof_i32)(lane() - First);
  const gmprof_u32 NotInRow = __ballot_sync(Lanes, Mine != S.Offset);
  gmprof_u32 Behind = 0;
  S.Flags = 0;
  if (NotInRow != 0) {
    const bool Near = __all_sync(Lanes, S.Offset == (gmprof_i32)S.Offset);
    if (Near && areRows(S, Lanes, NotInRow)) {
      S.Flags = GMPROF_TRACE_ROWS;
      Behind = sizeof(GmprofTraceRows);
    } else {
      S.Flags = Near ? GMPROF_TRACE_OFFSETS : GMPROF_TRACE_ADDRESSES;
      Behind = laneCount(Lanes) * (Near ? sizeof(gmprof_i32) : sizeof(gmprof_u64));
    }
  }
  S.Bytes = sizeof(GmprofTraceRecord) + (Behind + 7) / 8 * 8;
  return S;
}

/// Returns the cursor at which converged lanes continue, in a chunk with room for Bytes.
/// AreTogether: they made the previous request together, too.
GM_INLINE GmprofTraceCursor goOn(gmprof_u32 Lanes, bool AreTogether, GmprofTraceContext *C,
                                 const GmprofTraceCursor &Cursor, gmprof_u32 Bytes) {
  if (AreTogether && hasRoom(Cursor.next, Bytes))
    return Cursor;
  // Orders what the lanes have written before the chunk is left.
  __syncwarp(Lanes);
  if (Cursor.next != 0)
    leaveChunk(C, Cursor);
  __syncwarp(Lanes);
  GmprofTraceCursor New = {0, 0, 0};
  if (lane() == firstLane(Lanes))
    New = takeChunk(C, Bytes);
  __syncwarp(Lanes);
  const gmprof_u32 From = firstLane(Lanes);
  return {shuffle(Lanes, New.next, From), Lanes, __shfl_sync(Lanes, New.taker, From)};
}

/// Writes a record: the first lanes write a word each, which makes one store to the host instead of
/// several. Of: the lanes that make the request.
GM_INLINE void write(gmprof_u64 To, gmprof_u32 Lanes, gmprof_u32 What, gmprof_u32 Of,
                     const Shape &S) {
  constexpr gmprof_u32 Parts = sizeof(GmprofTraceRecord) / sizeof(gmprof_u64);
  static_assert(Parts == 3);
  const gmprof_u32 Rank = laneRank(Lanes), Clock = (gmprof_u32)__nvvm_read_ptx_sreg_clock64();
  for (gmprof_u32 Part = Rank; Part < Parts; Part += laneCount(Lanes)) {
    const gmprof_u64 Heads = (gmprof_u64)(What | S.Flags) << 32 | Of;
    const gmprof_u64 Times = (gmprof_u64)(gmprof_u32)S.Stride << 32 | Clock;
    globalPointer<gmprof_u64>(To)[Part] = Part == 0 ? Heads : Part == 1 ? Times : S.Base;
  }
  const gmprof_u64 Behind = To + sizeof(GmprofTraceRecord);
  if (S.Flags == GMPROF_TRACE_ROWS) {
    if (Rank == 0)
      *globalPointer<GmprofTraceRows>(Behind) = S.Rows;
  } else if (S.Flags & GMPROF_TRACE_OFFSETS)
    globalPointer<gmprof_i32>(Behind)[Rank] = (gmprof_i32)S.Offset;
  else if (S.Flags & GMPROF_TRACE_ADDRESSES)
    globalPointer<gmprof_u64>(Behind)[Rank] = S.Base + (gmprof_u64)S.Offset;
}

/// Returns whether the block with this number, from 1, is recorded. All of its warps get the same
/// answer.
GM_INLINE bool beginBlock(GmprofTraceContext *C, gmprof_u64 Number) {
  const auto Begun = globalPointer<gmprof_u64>((gmprof_u64)&progressOf(C)->begun);
  gmprof_u64 Before = look(progressOf(C)->begun);
  if (Before < Number) {
    const bool Closes = !mayBegin(C);
    Before = Closes ? __atomic_fetch_or(Begun, GMPROF_TRACE_CLOSED, __ATOMIC_RELAXED)
                    : __atomic_fetch_max(Begun, Number, __ATOMIC_RELAXED);
    if (Closes)
      Before |= GMPROF_TRACE_CLOSED;
  }
  return (Before & GMPROF_TRACE_CLOSED) == 0 || Number <= (Before & ~GMPROF_TRACE_CLOSED);
}

/// Counts a request that is made after the limit.
GM_INLINE void passOver(gmprof_u32 Lanes, GmprofTraceContext *C, GmprofTraceCursor *Cursor) {
  if (!isStopped(*Cursor)) {
    if (Cursor->next != 0)
      leaveChunk(C, *Cursor);
    *Cursor = Stopped;
  }
  if (lane() == firstLane(Lanes))
    ++Cursor->taker;
}

/// Returns whether these lanes continue in a chunk that they hold together.
GM_INLINE bool areTogether(gmprof_u32 Lanes, const GmprofTraceCursor &Cursor) {
  return __all_sync(Lanes, Cursor.next != 0 && Cursor.lanes == Lanes);
}

/// Returns whether the request is made after the limit; counts it if so.
GM_INLINE bool isPassedOver(gmprof_u32 Lanes, bool AreTogether, GmprofTraceContext *C,
                            GmprofTraceCursor *Cursor) {
  if (AreTogether || !__any_sync(Lanes, isStopped(*Cursor)))
    return false;
  passOver(Lanes, C, Cursor);
  return true;
}

GM_INLINE void record(gmprof_u32 Lanes, bool AreTogether, GmprofTraceContext *C,
                      GmprofTraceCursor *Cursor, gmprof_u32 What, gmprof_u32 Of, const Shape &S) {
  GmprofTraceCursor At = goOn(Lanes, AreTogether, C, *Cursor, S.Bytes);
  if (At.next != 0) {
    write(At.next, Lanes, What, Of, S);
    At.next += S.Bytes;
  } else if (lane() == firstLane(Lanes)) {
    if (isStopped(At))
      ++At.taker;
    else
      addGlobal(&C->totals.lost, 1ull);
  }
  *Cursor = At;
  // Lanes that arrived together continue together for the next access.
  __syncwarp(Lanes);
}

/// Records a request of the lanes `Of`, Stride apart, by `Lanes`.
GM_INLINE void recordEven(gmprof_u32 Lanes, GmprofTraceContext *C, GmprofTraceCursor *Cursor,
                          gmprof_u32 What, gmprof_u32 Of, gmprof_u64 Base, gmprof_i32 Stride) {
  const bool AreTogether = areTogether(Lanes, *Cursor);
  if (isPassedOver(Lanes, AreTogether, C, Cursor))
    return;
  Shape S = {};
  S.Base = Base;
  S.Stride = Stride;
  S.Bytes = sizeof(GmprofTraceRecord);
  record(Lanes, AreTogether, C, Cursor, What, Of, S);
}

/// Bytes per lane of a bulk copy's requests.
constexpr gmprof_u32 BulkPiece = 16;

GM_INLINE gmprof_u32 firstLanes(gmprof_u64 Count) {
  return Count >= warpSize ? ~0u : (1u << (gmprof_u32)Count) - 1;
}

} // namespace

/// Returns whether the block is recorded. Called by all threads of a block that the options select.
GM_HELPER bool __gm_trace_begin_block(GmprofTraceContext *C) {
  const gmprof_u32 Lanes = activeLanes();
  bool IsRecorded = false;
  if (lane() == firstLane(Lanes))
    IsRecorded = beginBlock(C, linearBlock() + 1);
  IsRecorded = __any_sync(Lanes, IsRecorded);
  if (threadInBlock() == 0)
    addGlobal(IsRecorded ? &progressOf(C)->blocks : &progressOf(C)->blocksBeyond, 1ull);
  return IsRecorded;
}

/// Returns whether the requests of this block are recorded.
GM_HOOK bool __gm_trace_block_is_recorded(const GmprofTraceLaunch *Launch) {
  return isOneOf(Launch, linearBlock()) && __nvvm_read_ptx_sreg_smid() % Launch->smStep == 0 &&
         __gm_trace_begin_block((GmprofTraceContext *)Launch->context);
}

/// Initialises the cursor. Called by all threads of a recorded block.
GM_HOOK void __gm_enter_trace(GmprofTraceCursor *Cursor) { *Cursor = {0, 0, 0}; }

/// Records an access of each active lane.
GM_HELPER void __gm_trace(gmprof_u32 Lanes, GmprofTraceContext *C, GmprofTraceCursor *Cursor,
                          gmprof_u32 What, gmprof_u64 Address) {
  const bool AreTogether = areTogether(Lanes, *Cursor);
  if (!isPassedOver(Lanes, AreTogether, C, Cursor))
    record(Lanes, AreTogether, C, Cursor, What, Lanes, shapeOf(Lanes, Address));
}

/// Records contiguous accesses of Length bytes per lane.
GM_HELPER void __gm_trace_range(gmprof_u32 Lanes, GmprofTraceContext *C, GmprofTraceCursor *Cursor,
                                gmprof_u32 What, gmprof_u64 Address, gmprof_u64 Length) {
  const gmprof_u32 Bytes = 1u << (What >> GMPROF_TRACE_BYTES_SHIFT & GMPROF_TRACE_BYTES_MASK);
  eachPiece(Lanes, Address, Length, Bytes,
            [=](gmprof_u32 Here, gmprof_u64 At) { __gm_trace(Here, C, Cursor, What, At); });
}

/// Records bulk copies of lanes, one after the other, as requests of whole warps. Addresses and
/// lengths are multiples of 16. What: an access of 16 bytes per lane.
GM_HELPER void __gm_trace_bulk(gmprof_u32 Lanes, GmprofTraceContext *C, GmprofTraceCursor *Cursor,
                               gmprof_u32 What, gmprof_u64 Address, gmprof_u64 Length) {
  for (gmprof_u32 Left = Lanes; Left != 0; Left &= Left - 1) {
    const gmprof_u64 First = shuffle(Lanes, Address, firstLane(Left));
    const gmprof_u64 Pieces = shuffle(Lanes, Length, firstLane(Left)) / BulkPiece;
    for (gmprof_u64 Piece = 0; Piece < Pieces; Piece += warpSize)
      recordEven(Lanes, C, Cursor, What, firstLanes(Pieces - Piece), First + Piece * BulkPiece,
                 BulkPiece);
  }
}

/// Records a fence, which invalidates the SM's L1.
GM_HELPER void __gm_trace_fence(gmprof_u32 Lanes, GmprofTraceContext *C,
                                GmprofTraceCursor *Cursor) {
  recordEven(Lanes, C, Cursor,
             GMPROF_SITE_UNKNOWN | GMPROF_TRACE_FENCE << GMPROF_TRACE_OPERATOR_SHIFT, Lanes,
             /*Base=*/0, /*Stride=*/0);
}

/// Records a tile's rows, which the warp accesses together.
GM_HELPER void __gm_trace_tile(gmprof_u32 Lanes, GmprofTraceContext *C, GmprofTraceCursor *Cursor,
                               gmprof_u32 What, gmprof_u64 Address, gmprof_u32 Rows,
                               gmprof_u32 RowBytes, gmprof_u32 Stride) {
  const gmprof_u32 Bytes = pieceOf(RowBytes);
  const gmprof_u32 Mask = GMPROF_TRACE_BYTES_MASK << GMPROF_TRACE_BYTES_SHIFT;
  const gmprof_u32 Piece = (What & ~Mask) | firstLane(Bytes) << GMPROF_TRACE_BYTES_SHIFT;
  eachPieceOfTile(Lanes, Address, Rows, RowBytes, Stride, Bytes,
                  [=](gmprof_u32 Here, gmprof_u64 At) { __gm_trace(Here, C, Cursor, Piece, At); });
}

/// Leaves the chunk when the thread exits.
GM_HELPER void __gm_trace_leave(GmprofTraceContext *C, GmprofTraceCursor *Cursor) {
  if (Cursor->next != 0)
    leaveChunk(C, *Cursor);
  else if (Cursor->taker > 1)
    addGlobal(&progressOf(C)->requestsBeyond, (gmprof_u64)Cursor->taker - 1);
  closeLast(C);
  endThreads(C);
  *Cursor = {0, 0, 0};
}
