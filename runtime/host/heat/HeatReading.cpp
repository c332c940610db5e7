//===- HeatReading.cpp - Reads and records what launches left -------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "host/heat/HeatContext.h"
#include "profile/HeatPages.h"
#include "profile/HeatRuns.h"
#include "profile/Mutex.h"
#include "profile/RequestCost.h"
#include <algorithm>
#include <array>
#include <map>
#include <span>
#include <utility>

namespace gmprof::host {

/// Warps per block of the kernels that process requests and digest pages.
static constexpr uint64_t WarpsOfBlock = 8;

size_t HeatContexts::endOfCounts(const LaunchContext &Of) const {
  const auto &C = static_cast<const HeatContext &>(Of);
  return !C.hasFront() ? C.pages() : !C.hasDigests() ? C.endOfDigests() : C.endOfContents();
}

/// Returns the length of the run of consecutive numbers that begins with the first one.
static size_t consecutive(std::span<const uint32_t> Numbers) {
  size_t Count = 1;
  while (Count < Numbers.size() && Numbers[Count] == Numbers[Count - 1] + 1)
    ++Count;
  return Count;
}

/// Returns the number of warps: a block per chunk, and at least as many as fill the device, because
/// blocks share long loops.
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

/// Chooses the pages to read: the first of those that are equal.
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
      LockGuard Guard(Lock);
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

/// Adds up the replicas: of each site of the descriptor, and of unknown ones, first the requests to
/// global memory, then those to shared memory.
static std::vector<GmprofHeatSite> sitesOf(const HeatContext &C) {
  const SiteNumbers &Numbers = C.Shape.Sites;
  const size_t Count = size_t(Numbers.SiteCount) + 1;
  std::vector<GmprofHeatSite> Sites(2 * Count);
  const auto *From = reinterpret_cast<const GmprofHeatSite *>(C.at(C.sites()));
  for (size_t Replica = 0; Replica < C.Replicas; ++Replica)
    for (const size_t First : {size_t(0), Count})
      for (size_t Place = 0; Place < C.siteCount(); ++Place) {
        const size_t Number = Place < Numbers.SiteCount
                                  ? Place
                                  : GMPROF_SITE_OF_FUNCTION + (Place - Numbers.SiteCount);
        add(Sites[First + Numbers.siteOf(static_cast<uint32_t>(Number))], *From++);
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

} // namespace gmprof::host
