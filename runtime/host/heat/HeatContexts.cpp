//===- HeatContexts.cpp - Which warps of a launch accessed what -----------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "host/heat/HeatContexts.h"
#include "profile/HeatPages.h"
#include "profile/HeatRuns.h"
#include "profile/RequestCost.h"
#include <algorithm>
#include <bit>
#include <cstring>
#include <ctime>
#include <map>
#include <utility>

namespace gmprof::host {

/// What a block that is noted has room for.
static constexpr size_t PageBytesOfBlock = size_t(64) << 20;
/// Sums of sites that different warps add to, and the most memory for them.
static constexpr uint64_t MostReplicas = 64;
static constexpr size_t MostReplicaBytes = size_t(16) << 20;
/// Of memory for counters, what one block's requests have room for before it is known how many
/// these are: one of so many parts. And for each warp of all blocks, so many chunks.
static constexpr size_t PartsOfMemory = 256;
static constexpr uint64_t FirstChunksOfWarp = 8;
/// How much more room launches get than earlier ones used; than it was, if that was too small; and
/// than launches before those used.
static constexpr double SpareRoom = 1.25, Growth = 4, Decay = 0.75;
static constexpr uint64_t MostChunks = uint64_t(1) << 30;
/// Contexts that are made ready for launches to come.
static constexpr size_t MostReady = 4;
/// Of the kernels that run afterwards.
static constexpr uint64_t WarpsOfBlock = 8;
/// All requests that fit into memory take less.
static constexpr uint64_t LongestSettleNs = 500'000'000;

static size_t aligned(size_t Bytes) { return (Bytes + 63) / 64 * 64; }

struct HeatContext : LaunchContext {
  HeatShape Shape;
  std::vector<GmprofHeatObject> Objects;
  uint32_t Replicas = 1, PageLimit = 0, SharedWords = 0, ChunkLimit = 0;
  uint64_t DirectoryPages = 0;
  SlabPool::Block Table; ///< page-locked, what was uploaded
  /// What has been read: the front, digests, and of equal pages one.
  struct Progress {
    bool Noted = false; ///< the requests are
    std::vector<std::byte> Front;
    std::vector<GmprofHeatDigest> Digests;
    std::vector<GmprofHeatPage> Contents;
    std::vector<uint32_t> Different; ///< numbers in the pool of Contents
    std::vector<uint32_t> ContentOf; ///< position in Contents, per digest
  };
  std::unique_ptr<Progress> Read = std::make_unique<Progress>();

  /// In each replica.
  size_t siteCount() const { return Shape.Sites.SiteCount + Shape.Sites.OfFunctions.size() + 1; }
  size_t sites() const { return aligned(sizeof(GmprofHeatTotals)); }
  size_t words() const { return sites() + sizeof(GmprofHeatSite) * Replicas * siteCount(); }
  size_t layout() const {
    return words() + sizeof(GmprofHeatWord) * GMPROF_COUNTER_KINDS * SharedWords;
  }
  size_t pages() const {
    return aligned(layout() + offsetof(GmprofSharedLayout, variables) +
                   std::max<size_t>(Shape.Objects.size(), 1) * sizeof(gmprof_u32));
  }
  size_t digests() const { return pages() + sizeof(GmprofHeatPage) * PageLimit; }
  size_t directory() const { return digests() + sizeof(GmprofHeatDigest) * PageLimit; }
  size_t requests() const {
    return aligned(directory() + sizeof(gmprof_u32) * GMPROF_COUNTER_KINDS * DirectoryPages);
  }
  /// With one chunk more, so that the first can be aligned.
  size_t context() const {
    return requests() +
           (ChunkLimit == 0 ? 0 : GMPROF_REQUEST_CHUNK_BYTES * (size_t(ChunkLimit) + 1));
  }
  uint32_t warpsPerBlock() const { return (Shape.Threads + 31) / 32; }
  uint64_t notedBlocks() const { return Shape.Noted.count(Shape.Blocks); }
  size_t tableBytes() const {
    return sizeof(GmprofHeatContext) + sizeof(GmprofHeatObject) * Objects.size() +
           Shape.FunctionPlaces.size();
  }

  const std::byte *at(size_t Offset) const { return Read->Front.data() + Offset; }
  const GmprofHeatTotals &totals() const {
    return *reinterpret_cast<const GmprofHeatTotals *>(at(0));
  }
  uint32_t pagesUsed() const { return std::min(totals().pagesUsed, PageLimit); }

  // What is read, one behind the other: LaunchContext::ReadFrom.
  bool hasFront() const { return Read->Front.size() == pages(); }
  size_t endOfDigests() const { return pages() + sizeof(GmprofHeatDigest) * pagesUsed(); }
  bool hasDigests() const { return hasFront() && Read->Digests.size() == pagesUsed(); }
  size_t endOfContents() const {
    return endOfDigests() + sizeof(GmprofHeatPage) * Read->Different.size();
  }
  bool hasAll() const { return hasDigests() && Read->Contents.size() == Read->Different.size(); }
};

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

/// Chunks. Graphs launch again before what was left is noted.
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

/// Memory that launches do not use is not free of cost: it is allocated and zeroed.
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
  C->Replicas = static_cast<uint32_t>(std::bit_floor(std::clamp<uint64_t>(
      MostReplicaBytes / (sizeof(GmprofHeatSite) * C->siteCount()), 1, MostReplicas)));
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

/// Whether a context that was made for one launch is as one for another would be.
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

/// No launch has used it: all but the table is zero still.
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

size_t HeatContexts::endOfCounts(const LaunchContext &Of) const {
  const auto &C = static_cast<const HeatContext &>(Of);
  return !C.hasFront() ? C.pages() : !C.hasDigests() ? C.endOfDigests() : C.endOfContents();
}

/// How many of the numbers, from the first one on, each follow the one before.
static size_t consecutive(std::span<const uint32_t> Numbers) {
  size_t Count = 1;
  while (Count < Numbers.size() && Numbers[Count] == Numbers[Count - 1] + 1)
    ++Count;
  return Count;
}

/// A block for each chunk, but all of the device at least: long loops are divided among them.
uint64_t HeatContexts::warpsToNote(const HeatContext &C) const {
  constexpr uint64_t WarpsOfSm = 64;
  return std::max(C.ChunkLimit * WarpsOfBlock, D.facts().Sms * WarpsOfSm);
}

CUresult HeatContexts::copyPart(const LaunchContext &Of, size_t Bytes, CUstream In) {
  IsWorking = true;
  const auto &C = static_cast<const HeatContext &>(Of);
  const DriverApi &Api = D.api();
  auto Copy = [&](size_t To, size_t From, size_t Size) {
    return Api.cuMemcpyDtoHAsync(reinterpret_cast<void *>(C.Copy.Address + To),
                                 C.Memory.Address + From, Size, In);
  };
  const uint64_t Context = C.Memory.Address + C.context();
  if (!C.hasFront()) {
    if (C.ReadFrom == 0 && C.ChunkLimit != 0) {
      if (CUresult Error = launchOver(Api, C.Shape.Note, Context, warpsToNote(C), In))
        return Error;
      C.Read->Noted = true;
    }
    return Copy(0, C.ReadFrom, Bytes);
  }
  if (!C.hasDigests()) {
    if (C.ReadFrom == C.pages())
      if (CUresult Error = launchOver(Api, C.Shape.Digest, Context, C.pagesUsed(), In))
        return Error;
    return Copy(0, C.digests() + C.ReadFrom - C.pages(), Bytes);
  }
  // Parts hold whole pages: Limits.PartBytes is a multiple of their size.
  const size_t First = (C.ReadFrom - C.endOfDigests()) / sizeof(GmprofHeatPage);
  const std::span Numbers(C.Read->Different.data() + First, Bytes / sizeof(GmprofHeatPage));
  for (size_t I = 0, Count = 0; I < Numbers.size(); I += Count) {
    Count = consecutive(Numbers.subspan(I));
    if (CUresult Error =
            Copy(I * sizeof(GmprofHeatPage), C.pages() + sizeof(GmprofHeatPage) * Numbers[I],
                 Count * sizeof(GmprofHeatPage)))
      return Error;
  }
  return CUDA_SUCCESS;
}

CUresult HeatContexts::launchOver(const DriverApi &Api, CUfunction Kernel, uint64_t Context,
                                  uint64_t Warps, CUstream In) {
  constexpr uint64_t MostBlocks = 2048;
  CUlaunchConfig Config = {};
  Config.gridDimX = static_cast<unsigned>(
      std::clamp<uint64_t>((Warps + WarpsOfBlock - 1) / WarpsOfBlock, 1, MostBlocks));
  Config.gridDimY = Config.gridDimZ = Config.blockDimY = Config.blockDimZ = 1;
  Config.blockDimX = 32 * WarpsOfBlock;
  Config.hStream = In;
  void *Arguments[] = {&Context};
  return Api.cuLaunchKernelEx(&Config, Kernel, Arguments, nullptr);
}

template <typename T> static void append(std::vector<T> &To, std::span<const std::byte> Bytes) {
  const std::span<const T> Values(reinterpret_cast<const T *>(Bytes.data()),
                                  Bytes.size() / sizeof(T));
  To.insert(To.end(), Values.begin(), Values.end());
}

/// Of equal pages the first one is read.
static void chooseContents(HeatContext::Progress &Read) {
  std::map<std::array<uint64_t, 2>, uint32_t> Known;
  for (size_t I = 0; I < Read.Digests.size(); ++I) {
    const GmprofHeatDigest &Digest = Read.Digests[I];
    const auto [At, New] = Known.try_emplace({Digest.hash[0], Digest.hash[1]},
                                             static_cast<uint32_t>(Read.Different.size()));
    if (New)
      Read.Different.push_back(static_cast<uint32_t>(I));
    Read.ContentOf.push_back(At->second);
  }
}

void HeatContexts::emit(const LaunchContext &Of, std::span<const std::byte> Counts) {
  const auto &C = static_cast<const HeatContext &>(Of);
  if (!C.hasFront()) {
    append(C.Read->Front, Counts);
    if (C.hasFront()) {
      std::lock_guard<std::mutex> Guard(Lock);
      rememberChunks(C);
    }
  } else if (!C.hasDigests()) {
    append(C.Read->Digests, Counts);
    if (C.hasDigests()) {
      chooseContents(*C.Read);
      C.Read->Contents.reserve(C.Read->Different.size());
    }
  } else {
    append(C.Read->Contents, Counts);
  }
  if (C.hasAll())
    record(C);
}

/// Adds up the replicas: of each site of the descriptor, and of unknown ones.
static std::vector<GmprofHeatSite> sitesOf(const HeatContext &C) {
  const SiteNumbers &Numbers = C.Shape.Sites;
  std::vector<GmprofHeatSite> Sites(Numbers.SiteCount + 1);
  const auto *From = reinterpret_cast<const GmprofHeatSite *>(C.at(C.sites()));
  for (size_t Replica = 0; Replica < C.Replicas; ++Replica)
    for (size_t Place = 0; Place < C.siteCount(); ++Place) {
      const size_t Number =
          Place < Numbers.SiteCount ? Place : GMPROF_SITE_OF_FUNCTION + (Place - Numbers.SiteCount);
      add(Sites[Numbers.siteOf(static_cast<uint32_t>(Number))], *From++);
    }
  return Sites;
}

void HeatContexts::record(const HeatContext &C) {
  const auto *Layout = reinterpret_cast<const GmprofSharedLayout *>(C.at(C.layout()));
  log::HeatRecord R = {};
  R.context = C.Id;
  R.firstBlock = C.Shape.Noted.First;
  R.endBlock = C.Shape.Noted.End;
  R.blockStep = C.Shape.Noted.Step;
  R.blocks = C.totals().blocks;
  R.threads = C.totals().threads;
  R.outside = C.totals().outside;
  R.lost = C.totals().lost;
  R.otherBlocks = C.totals().otherBlocks;
  if (C.InBody)
    R.bodyLaunches = R.blocks / std::max<uint64_t>(C.Shape.Noted.count(C.Shape.Blocks), 1);
  R.heatCase = C.Shape.Case ? C.Shape.Case->Context : 0;
  R.kernel = C.Kernel;
  R.siteCount = C.Shape.Sites.SiteCount;
  R.words = C.SharedWords;
  R.variableCount = static_cast<uint32_t>(C.Shape.Objects.size());
  R.firstAddress = Layout->firstAddress;
  R.dynamicAddress = Layout->dynamicAddress;
  R.dynamicSharedBytes = C.Shape.DynamicShared;
  const std::vector<GmprofHeatSite> Sites = sitesOf(C);
  const auto *Variables = reinterpret_cast<const uint32_t *>(
      C.at(C.layout() + offsetof(GmprofSharedLayout, variables)));
  const std::span Words(reinterpret_cast<const GmprofHeatWord *>(C.at(C.words())),
                        size_t(C.SharedWords) * GMPROF_COUNTER_KINDS);
  Log.profileRecord(log::RecordKind::Heat, R, std::span(Sites), Words, std::span(C.Shape.Objects),
                    std::span(Variables, C.Shape.Objects.size()));

  recordMaps(C);
}

void HeatContexts::recordMaps(const HeatContext &C) {
  std::vector<HeatPage> Pages;
  for (size_t I = 0; I < C.Read->Digests.size(); ++I) {
    const GmprofHeatDigest &Digest = C.Read->Digests[I];
    Pages.push_back(
        {Digest.page, Digest.kind, Digest.block, &C.Read->Contents[C.Read->ContentOf[I]]});
  }
  std::sort(Pages.begin(), Pages.end(),
            [](const HeatPage &A, const HeatPage &B) { return A.Number < B.Number; });
  auto At = Pages.begin();
  for (size_t I = 0; I < C.Objects.size(); ++I) {
    const uint64_t End = I + 1 < C.Objects.size() ? C.Objects[I + 1].firstPage : C.DirectoryPages;
    const auto Next = std::partition_point(At, Pages.end(),
                                           [&](const HeatPage &Page) { return Page.Number < End; });
    if (At == Next)
      continue;
    if (C.Shape.Case && C.Shape.Case->accesses(C.Objects[I].base)) {
      log::HeatPagesRecord R = {C.Id, C.Objects[I].base, 0, 0};
      const std::vector<std::byte> Compressed =
          compressHeatPages({At, Next}, C.Objects[I].firstPage, R);
      Log.profileRecord(log::RecordKind::HeatPages, R, std::span(Compressed));
    } else {
      const HeatRuns Runs = heatRuns({At, Next}, C.Objects[I].base, C.Objects[I].firstPage);
      const log::HeatRunsRecord R = {C.Id, C.Shape.Ranges->Objects[I], C.Objects[I].base,
                                     Runs.Runs.size(), Runs.Merged};
      const std::vector<std::byte> Compressed = compressHeatRuns(Runs.Runs);
      Log.profileRecord(log::RecordKind::HeatRuns, R, std::span(Compressed));
    }
    At = Next;
  }
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

/// The next launches are probably like the last ones, which are still being read by then.
void HeatContexts::prepare() {
  std::lock_guard<std::mutex> Guard(Lock);
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

/// The kernels that note take all of the device, and new memory is being zeroed: the program's next
/// launch would wait for these in its own time. But a kernel of the program's may fill the device,
/// and itself wait for the program: then this is not tried again.
void HeatContexts::settle() {
  std::vector<CUevent> Ends;
  {
    std::lock_guard<std::mutex> Guard(Lock);
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
  std::lock_guard<std::mutex> Guard(Lock);
  CanSettle = Ended;
  for (CUevent End : Ends)
    D.giveEvent(End);
}

bool HeatContexts::giveBackMemory() {
  finishEnded(/*All=*/true);
  std::lock_guard<std::mutex> Guard(Lock);
  DriverScope Scope(D.api(), D.context());
  discardReady();
  return Memory.giveBack();
}

size_t HeatContexts::peakBytes() const {
  std::lock_guard<std::mutex> Guard(Lock);
  return Memory.peak();
}

} // namespace gmprof::host
