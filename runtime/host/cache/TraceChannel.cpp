//===- TraceChannel.cpp - The way of records to the host ------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "host/cache/TraceChannel.h"
#include "profile/Mutex.h"
#include "profile/OwnThread.h"
#include <algorithm>
#include <atomic>
#include <bit>
#include <numeric>

namespace gmprof::host {

/// So that the warps that an SM holds at a time have a chunk each, and one on its way.
static constexpr uint32_t ChunksOfSm = 2 * 64;
/// With its places in two rings.
static constexpr size_t BytesOfChunk = GMPROF_TRACE_CHUNK_BYTES + 2 * sizeof(uint32_t);
/// That are there once, and what it takes to align chunks.
static constexpr size_t BytesOfChannel =
    sizeof(GmprofTraceHost) + sizeof(GmprofTraceChannel) + GMPROF_TRACE_CHUNK_BYTES;

/// Returns about as many chunks as the SMs need: to lock pages takes longer than anything else does
/// when a kernel is first traced, and blocks of memory are powers of two.
static uint32_t chunksFor(int Sms) {
  const size_t Needed = static_cast<size_t>(Sms) * ChunksOfSm * BytesOfChunk + BytesOfChannel;
  const size_t Block = std::bit_floor(Needed + Needed / 2);
  return static_cast<uint32_t>((Block - BytesOfChannel) / BytesOfChunk);
}
/// Between two looks that find nothing.
static constexpr auto Pause = std::chrono::microseconds(20);
/// Number of pauses that count as one on the CPU device, where a warp with a chunk may wait for a
/// processor. Waiting must end with lost requests well before the device ends a launch as
/// deadlocked after a minute.
static constexpr unsigned LooksOnCpu = 4;

std::unique_ptr<TraceChannel> TraceChannel::open(Device &D, size_t Bytes, TraceReceiver &To,
                                                 std::string &Why) {
  const auto Wanted = static_cast<uint32_t>(
      std::clamp<size_t>(Bytes / GMPROF_TRACE_CHUNK_BYTES, 1, uint32_t(1) << 24));
  std::unique_ptr<TraceChannel> C(
      new TraceChannel(D, To, Bytes == 0 ? chunksFor(D.facts().Sms) : Wanted));
  if (C->allocate()) {
    C->Thread = startOwnThread([Channel = C.get()] { Channel->run(); });
    return C;
  }
  Why = "there is no memory for the records of requests: " + describe(D.memoryError());
  return nullptr;
}

bool TraceChannel::allocate() {
  const size_t ChunkBytes = size_t(Chunks) * GMPROF_TRACE_CHUNK_BYTES;
  const size_t RingBytes = size_t(Chunks) * sizeof(uint32_t);
  const std::optional<uint64_t> Pinned =
      D.allocatePinned(std::bit_ceil(Chunks * BytesOfChunk + BytesOfChannel));
  if (!Pinned)
    return false;
  const std::optional<SlabPool::Block> OnDevice =
      D.memory().allocate(sizeof(GmprofTraceChannel) + 2 * RingBytes);
  if (!OnDevice)
    return false;
  Control = *OnDevice;
  const uint64_t At = (*Pinned + GMPROF_TRACE_CHUNK_BYTES - 1) / GMPROF_TRACE_CHUNK_BYTES *
                      GMPROF_TRACE_CHUNK_BYTES;
  First = reinterpret_cast<std::byte *>(At);
  Full = reinterpret_cast<uint32_t *>(At + ChunkBytes + sizeof(GmprofTraceHost) +
                                      sizeof(GmprofTraceChannel));
  Abandoned = Full + Chunks;
  host().freed = Chunks;

  GmprofTraceChannel Head = {};
  Head.chunks = At;
  Head.full = reinterpret_cast<uint64_t>(Full);
  Head.abandoned = reinterpret_cast<uint64_t>(Abandoned);
  Head.host = reinterpret_cast<uint64_t>(&host());
  Head.takers = Control.Address + sizeof(Head);
  Head.numbers = Head.takers + RingBytes;
  Head.chunkCount = Chunks;
  Head.freed = Chunks;
  Head.available = Chunks;
  GmprofTraceChannel *Copy = reinterpret_cast<GmprofTraceChannel *>(&host() + 1);
  *Copy = Head;
  std::iota(Abandoned, Abandoned + Chunks, 1); // only on its way to the device
  return D.upload(Control.Address, reinterpret_cast<uint64_t>(Copy), sizeof(Head)) ==
             CUDA_SUCCESS &&
         D.upload(Head.numbers, reinterpret_cast<uint64_t>(Abandoned), RingBytes) == CUDA_SUCCESS;
}

TraceChannel::~TraceChannel() {
  if (!Thread.joinable())
    return;
  {
    LockGuard Guard(Lock);
    Stops = true;
  }
  Changed.notify_one();
  Thread.join();
}

void TraceChannel::begin(uint64_t Launch, AnnouncedEnd *End) {
  {
    LockGuard Guard(Lock);
    Launches.push_back({Launch, End});
  }
  Changed.notify_one();
}

bool TraceChannel::remove(uint64_t Launch) {
  return std::erase_if(Launches, [&](const Running &R) { return R.Launch == Launch; }) != 0;
}

void TraceChannel::cancel(uint64_t Launch) {
  LockGuard Guard(Lock);
  remove(Launch);
}

void TraceChannel::end(uint64_t Launch, const TraceCounts &Counts) {
  {
    LockGuard Guard(Lock);
    if (remove(Launch))
      Ends.push_back({Launch, Counts});
  }
  Changed.notify_one();
}

void TraceChannel::takeAnnounced() {
  std::erase_if(Launches, [&](const Running &R) GMPROF_REQUIRES(Lock) {
    if (!R.End || std::atomic_ref(R.End->Launch).load(std::memory_order_acquire) != R.Launch)
      return false;
    Ends.push_back({R.Launch, R.End->counts()});
    return true;
  });
}

GmprofTraceHost &TraceChannel::host() const {
  return *reinterpret_cast<GmprofTraceHost *>(chunk(Chunks).data());
}

std::span<std::byte> TraceChannel::chunk(uint32_t Number) const {
  return {First + size_t(Number) * GMPROF_TRACE_CHUNK_BYTES, GMPROF_TRACE_CHUNK_BYTES};
}

void TraceChannel::run() {
  const unsigned LooksThatCount = D.facts().OnCpu ? LooksOnCpu : 1;
  unsigned InVain = 0;
  for (std::vector<Ended> Now;;) {
    bool Last = false;
    {
      WaitingLock Guard(Lock);
      while (Launches.empty() && Ends.empty() && !Stops)
        Guard.wait(Changed);
      Last = Stops;
      takeAnnounced();
      Now = std::exchange(Ends, {});
    }
    // What launches gave before they ended is there by now.
    const bool Any = receiveFull();
    for (const Ended &E : Now) {
      if (E.Counts.Totals.taken != E.Counts.Totals.given)
        receiveLeft(E.Launch);
      To.ended(E.Launch, E.Counts);
    }
    if (Last)
      return;
    if (!Any && Now.empty()) {
      if (++InVain % LooksThatCount == 0)
        std::atomic_ref(host().idle).fetch_add(1, std::memory_order_release);
      std::this_thread::sleep_for(Pause);
    }
  }
}

/// Takes full chunks, only as many as the kernel can do without until they are received.
void TraceChannel::takeFull() {
  Taken.clear();
  const size_t Most = std::max<size_t>(Chunks / 4, 1);
  for (; Taken.size() < Most; ++FullTaken) {
    std::atomic_ref<uint32_t> Entry(Full[FullTaken % Chunks]);
    const uint32_t Number = Entry.load(std::memory_order_acquire);
    if (Number == 0)
      return;
    Entry.store(0, std::memory_order_relaxed);
    Taken.push_back(Number - 1);
  }
}

/// All that have been given by now, and no more than the ring has room for: kernels may give them
/// as fast as they are received, and launches that have ended are not to wait for that. Returns
/// whether there were any.
bool TraceChannel::receiveFull() {
  size_t Received = 0;
  do {
    takeFull();
    receive();
    // In the order in which they were given, which is all that kernels need to know.
    std::atomic_ref(host().freed).fetch_add(Taken.size(), std::memory_order_release);
    Received += Taken.size();
  } while (!Taken.empty() && Received < Chunks);
  return Received != 0;
}

/// Receives the chunks that a launch has not given because threads ended in ways that the pass does
/// not see.
void TraceChannel::receiveLeft(uint64_t Launch) {
  Taken.clear();
  for (uint32_t I = 0; I < Chunks; ++I)
    if (reinterpret_cast<const GmprofTraceChunk *>(chunk(I).data())->launch == Launch)
      Taken.push_back(I);
  receive();
  const std::atomic_ref Count(host().abandoned);
  const uint64_t Before = Count.load(std::memory_order_relaxed);
  for (size_t I = 0; I < Taken.size(); ++I)
    Abandoned[(Before + I) % Chunks] = Taken[I];
  Count.store(Before + Taken.size(), std::memory_order_release);
}

/// Passes the taken chunks to the receiver.
void TraceChannel::receive() {
  if (Taken.empty())
    return;
  TakenBytes.clear();
  for (const uint32_t Number : Taken)
    TakenBytes.push_back(chunk(Number));
  To.received(TakenBytes);
}

} // namespace gmprof::host
