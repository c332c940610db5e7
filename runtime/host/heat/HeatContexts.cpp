//===- HeatContexts.cpp - Which warps of a launch accessed what -----------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "host/heat/HeatContexts.h"
#include "host/heat/HeatContext.h"
#include "profile/Mutex.h"
#include <algorithm>
#include <bit>
#include <cstring>
#include <ctime>
#include <utility>

namespace gmprof::host {

/// Bytes of pages for each recorded block.
static constexpr size_t PageBytesOfBlock = size_t(64) << 20;
/// Sums of sites that different warps add to, and the most memory for them.
static constexpr uint64_t MostReplicas = 64;
static constexpr size_t MostReplicaBytes = size_t(16) << 20;
/// Room for requests before their number is known: for a block 1 / PartsOfMemory of the memory for
/// counters, and for each warp of all blocks FirstChunksOfWarp chunks.
static constexpr size_t PartsOfMemory = 256;
static constexpr uint64_t FirstChunksOfWarp = 8;
/// How much more room launches get than earlier ones used; than it was, if that was too small; and
/// than launches before those used.
static constexpr double SpareRoom = 1.25, Growth = 4, Decay = 0.75;
static constexpr uint64_t MostChunks = uint64_t(1) << 30;
/// Contexts that are made ready for launches to come.
static constexpr size_t MostReady = 4;
/// All requests that fit into memory take less.
static constexpr uint64_t LongestSettleNs = 500'000'000;

HeatContexts::HeatContexts(Device &D, Recorder &Log, const Options &O, ContextLimits Limits)
    : LaunchContexts(D, Log, Limits), Memory(D, O.Memory) {}

HeatContexts::~HeatContexts() = default;

ContextLimits HeatContexts::limits() {
  ContextLimits Limits;
  Limits.Outstanding = 64;
  Limits.PartBytes = 512 * sizeof(GmprofHeatPage);
  Limits.SingleLaunches = UINT64_MAX;
  Limits.LargeBytes = 0; // all of them
  return Limits;
}

/// Objects in the order of their addresses, with the number of each one's first page.
static uint64_t describeObjects(const MemoryRanges &Ranges, std::vector<GmprofHeatObject> &To) {
  uint64_t Pages = 0;
  for (const GmprofObjectRange &R : Ranges.Ranges) {
    To.push_back({R.base, R.bytes, Pages});
    Pages += (R.base + R.bytes - 1) / GMPROF_HEAT_PAGE_BYTES - R.base / GMPROF_HEAT_PAGE_BYTES + 1;
  }
  return Pages;
}

/// Returns the number of chunks. Graphs launch again before the requests that blocks left are
/// noted.
uint32_t HeatContexts::roomForRequests(const HeatContext &C) {
  if (C.Shape.InGraph)
    return 0;
  const uint64_t Blocks = C.notedBlocks();
  const auto Known = ChunksOfBlock.find(C.Shape.Kernel);
  const uint64_t Wanted = Known != ChunksOfBlock.end()
                              ? 1 + static_cast<uint64_t>(Known->second * double(Blocks))
                              : Memory.budget() / PartsOfMemory / GMPROF_REQUEST_CHUNK_BYTES +
                                    Blocks * C.warpsPerBlock() * FirstChunksOfWarp;
  const uint64_t Most = Memory.available() / 2 / GMPROF_REQUEST_CHUNK_BYTES;
  return static_cast<uint32_t>(std::min({Wanted, Most, MostChunks}));
}

/// Remembers how many chunks launches use: unused memory costs time to allocate and to zero.
void HeatContexts::rememberChunks(const HeatContext &C) {
  const uint64_t Blocks = C.notedBlocks();
  if (C.ChunkLimit == 0 || Blocks == 0)
    return;
  const bool IsFull = C.totals().chunksUsed >= C.ChunkLimit;
  const double Chunks = IsFull ? C.ChunkLimit * Growth : C.totals().chunksUsed * SpareRoom;
  double &Known = ChunksOfBlock[C.Kernel];
  Known = std::max(Chunks / double(Blocks), Known * Decay);
}

std::unique_ptr<HeatContext> HeatContexts::build(const HeatShape &Of) {
  auto C = std::make_unique<HeatContext>();
  C->Shape = Of;
  const uint64_t Noted = C->notedBlocks();
  C->DirectoryPages = describeObjects(*C->Shape.Ranges, C->Objects);
  C->Replicas = static_cast<uint32_t>(
      std::bit_floor(std::clamp<uint64_t>(MostReplicaBytes / C->siteBytes(), 1, MostReplicas)));
  C->SharedWords = (C->Shape.SharedBytes + 3) / 4;
  uint32_t Chunks = roomForRequests(*C);
  const uint64_t Room = std::max<uint64_t>(Noted, 1) * (PageBytesOfBlock / sizeof(GmprofHeatPage));
  uint64_t Pages = std::min({C->DirectoryPages * GMPROF_COUNTER_KINDS, Room,
                             Memory.available() / sizeof(GmprofHeatPage) / 2, uint64_t(1) << 30});
  // There may be less than was free at first.
  for (std::optional<SlabPool::Block> Block; !Block; Pages /= 2, Chunks /= 2) {
    C->ChunkLimit = Chunks;
    C->PageLimit = static_cast<uint32_t>(Pages);
    C->Bytes = C->context();
    Block = Memory.allocate(C->Bytes + C->tableBytes());
    if (!Block && Pages == 0)
      return nullptr;
    if (Block)
      C->Memory = *Block;
  }
  C->GraphKey = C->Memory.Address + C->context();
  if (upload(*C))
    return C;
  release(*C);
  return nullptr;
}

/// Returns whether a context that was made for one launch is as one for another would be.
static bool areAlike(const HeatShape &A, const HeatShape &B) {
  return A.Kernel == B.Kernel && A.Ranges == B.Ranges && A.Blocks == B.Blocks &&
         A.Threads == B.Threads && A.SharedBytes == B.SharedBytes &&
         A.Objects.size() == B.Objects.size() && !A.InGraph && !B.InGraph;
}

std::unique_ptr<HeatContext> HeatContexts::takeReady(const HeatShape &For) {
  const auto At =
      std::ranges::find_if(Ready, [&](const auto &C) { return areAlike(C->Shape, For); });
  if (At == Ready.end())
    return nullptr;
  std::unique_ptr<HeatContext> C = std::move(*At);
  Ready.erase(At);
  C->Shape = For;
  return C;
}

/// Discards a context that no launch has used: all but its table is zero still.
void HeatContexts::discard(HeatContext &C) {
  D.pinned().release(C.Table);
  if (zero(C, C.context(), C.Bytes + C.tableBytes()) && D.zeroing() == CUDA_SUCCESS)
    Memory.release(C.Memory);
}

void HeatContexts::discardReady() {
  for (const std::unique_ptr<HeatContext> &C : Ready)
    discard(*C);
  Ready.clear();
}

std::unique_ptr<LaunchContext> HeatContexts::make(const ContextShape &Of, bool Spare) {
  if (!Spare)
    return nullptr; // nothing is shared, so that one call is enough
  const auto &Shape = static_cast<const HeatShape &>(Of);
  const auto IsAlike = [&](const HeatShape &Other) { return areAlike(Other, Shape); };
  if (Launched.size() < MostReady && std::ranges::none_of(Launched, IsAlike))
    Launched.push_back(Shape);
  if (std::unique_ptr<HeatContext> C = takeReady(Shape))
    return C;
  // Their memory may be missed, and they are of no use any more where objects have changed.
  if (isCrowded() || (!Ready.empty() && Ready.back()->Shape.Ranges != Shape.Ranges))
    discardReady();
  return build(Shape);
}

bool HeatContexts::upload(HeatContext &C) {
  const uint64_t At = C.Memory.Address;
  GmprofHeatContext To = {};
  To.objects = At + C.context() + sizeof(To);
  To.totals = At;
  To.directory = At + C.directory();
  To.pages = At + C.pages();
  To.digests = At + C.digests();
  To.sites = At + C.sites();
  To.words = At + C.words();
  To.layout = At + C.layout();
  To.functionPlaces = To.objects + sizeof(GmprofHeatObject) * C.Objects.size();
  To.objectCount = static_cast<uint32_t>(C.Objects.size());
  To.pageLimit = C.PageLimit;
  const SiteNumbers &Sites = C.Shape.Sites;
  To.siteCount = Sites.SiteCount;
  To.functionSites = static_cast<uint32_t>(Sites.OfFunctions.size());
  std::copy(Sites.Units.begin(), Sites.Units.end(), To.units);
  To.replicas = C.Replicas;
  To.sharedWords = C.SharedWords;
  To.warpsPerBlock = C.warpsPerBlock();
  To.firstBlock = C.Shape.Noted.First;
  To.blockStep = C.Shape.Noted.Step;
  constexpr uint64_t Alignment = GMPROF_REQUEST_CHUNK_BYTES;
  To.requests = (At + C.requests() + Alignment - 1) / Alignment * Alignment;
  To.chunkLimit = C.ChunkLimit;
  std::optional<SlabPool::Block> Copy = D.pinned().allocate(C.tableBytes());
  if (!Copy)
    return false;
  C.Table = *Copy;
  auto *Bytes = reinterpret_cast<std::byte *>(Copy->Address);
  std::memcpy(Bytes, &To, sizeof(To));
  Bytes = std::ranges::copy(std::as_bytes(std::span(C.Objects)), Bytes + sizeof(To)).out;
  std::ranges::copy(std::as_bytes(std::span(C.Shape.FunctionPlaces)), Bytes);
  return D.upload(At + C.context(), Copy->Address, C.tableBytes()) == CUDA_SUCCESS;
}

GmprofHeatLaunch HeatContexts::parameter(const LaunchContext &Of) const {
  const auto &C = static_cast<const HeatContext &>(Of);
  const BlockRange &Noted = C.Shape.Noted;
  return {C.Memory.Address + C.context(), Noted.First, Noted.End, Noted.Step};
}

bool HeatContexts::zero(const HeatContext &C, size_t From, size_t To) {
  return From == To ||
         D.api().cuMemsetD8Async(C.Memory.Address + From, 0, To - From, D.stream()) == CUDA_SUCCESS;
}

void HeatContexts::release(LaunchContext &Of) {
  auto &C = static_cast<HeatContext &>(Of);
  if (C.Table.Bytes != 0)
    D.pinned().release(C.Table);
  // What was read says what was used. The table has to be zero again, too; requests that
  // were noted are.
  const size_t EndOfPages =
      C.hasFront() ? C.pages() + sizeof(GmprofHeatPage) * C.pagesUsed() : C.digests();
  const size_t EndOfDigests =
      C.digests() + sizeof(GmprofHeatDigest) * (C.hasFront() ? C.pagesUsed() : C.PageLimit);
  const size_t Requests = C.hasFront() && C.Read->Noted ? C.requests() : C.context();
  if (zero(C, 0, EndOfPages) && zero(C, C.digests(), EndOfDigests) &&
      zero(C, C.directory(), Requests) && zero(C, C.context(), C.Bytes + C.tableBytes()) &&
      D.zeroing() == CUDA_SUCCESS)
    Memory.release(C.Memory);
}

/// Prepares for launches like the last ones, which are still being read then.
void HeatContexts::prepare() {
  LockGuard Guard(Lock);
  if (Launched.empty())
    return;
  DriverScope Scope(D.api(), D.context());
  for (const HeatShape &Shape : std::exchange(Launched, {})) {
    if (Shape.InGraph || isCrowded() ||
        std::ranges::any_of(Ready, [&](const auto &C) { return areAlike(C->Shape, Shape); }))
      continue;
    if (Ready.size() == MostReady) {
      discard(*Ready.front());
      Ready.erase(Ready.begin());
    }
    if (std::unique_ptr<HeatContext> C = build(Shape))
      Ready.push_back(std::move(C));
  }
  IsWorking = true;
}

/// Waits for the kernels that note requests and for the zeroing of new memory, so that the
/// program's next launch does not. A kernel of the program may fill the device and wait for the
/// program; then this function never waits again.
void HeatContexts::settle() {
  std::vector<CUevent> Ends;
  {
    LockGuard Guard(Lock);
    if (!std::exchange(IsWorking, false) || !CanSettle)
      return;
    DriverScope Scope(D.api(), D.context());
    for (CUstream In : {D.readStream(), D.stream()})
      if (CUevent End = D.takeEvent()) {
        if (D.api().cuEventRecord(End, In) == CUDA_SUCCESS)
          Ends.push_back(End);
        else
          D.giveEvent(End);
      }
  }
  DriverScope Scope(D.api(), D.context());
  const uint64_t Latest = steadyNs() + LongestSettleNs;
  const timespec Pause = {0, 10'000};
  bool Ended = true;
  for (CUevent End : Ends)
    while (D.api().cuEventQuery(End) == CUDA_ERROR_NOT_READY && (Ended = steadyNs() < Latest))
      nanosleep(&Pause, nullptr);
  LockGuard Guard(Lock);
  CanSettle = Ended;
  for (CUevent End : Ends)
    D.giveEvent(End);
}

bool HeatContexts::giveBackMemory() {
  finishEnded(/*All=*/true);
  LockGuard Guard(Lock);
  DriverScope Scope(D.api(), D.context());
  discardReady();
  return Memory.giveBack();
}

size_t HeatContexts::peakBytes() const {
  LockGuard Guard(Lock);
  return Memory.peak();
}

} // namespace gmprof::host
