//===- TraceChunks.h - Chunks that warps write records to -------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
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

#ifndef GMPROF_DEVICE_TRACECHUNKS_H
#define GMPROF_DEVICE_TRACECHUNKS_H

#include "Device.h"
#include "gmprof/trace.h"

namespace gmprof {

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

} // namespace gmprof

#endif // GMPROF_DEVICE_TRACECHUNKS_H
