//===- CacheContexts.cpp - The launches whose requests are traced ---------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "host/cache/CacheContexts.h"
#include "host/core/Options.h"
#include "profile/Mutex.h"
#include <algorithm>
#include <cstddef>
#include <cstring>

namespace gmprof::host {

namespace {

struct CacheContext : LaunchContext {
  uint64_t Number = 0;       ///< of its records
  SlabPool::Block Pinned;    ///< page-locked: what is uploaded, then an AnnouncedEnd
  mutable bool Told = false; ///< the channel has been told that it has ended

  AnnouncedEnd &end() const { return *reinterpret_cast<AnnouncedEnd *>(Pinned.Address); }
};

} // namespace

static ContextLimits limits() {
  ContextLimits Limits;
  Limits.SingleLaunches = UINT64_MAX;
  return Limits;
}

CacheContexts::CacheContexts(Device &D, Recorder &Log, const Options &O, CacheTrace *Trace)
    : LaunchContexts(D, Log, limits()), O(O), Trace(Trace) {}

CacheContexts::~CacheContexts() = default;

/// Opens the channel at the first launch.
bool CacheContexts::openChannel(std::string &Why) {
  if (!Channel && Problem.empty()) {
    int L2Bytes = 0;
    D.api().cuDeviceGetAttribute(&L2Bytes, CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE, D.ordinal());
    Problem = Trace->open(D.facts(), static_cast<uint32_t>(L2Bytes) / 1024);
    const std::optional<SlabPool::Block> Count = D.memory().allocate(sizeof(gmprof_u64));
    RunCount = Count.value_or(SlabPool::Block());
    if (Problem.empty() && !Count)
      Problem = "no memory to count requests: " + describe(D.memoryError());
    if (Problem.empty())
      Channel = TraceChannel::open(D, O.TraceBuffer, *Trace, Problem);
  }
  Why = Problem;
  return Channel != nullptr;
}

LaunchContext *CacheContexts::acquire(const CacheShape &Shape, CUstream Stream, std::string &Why) {
  {
    LockGuard Guard(Lock);
    DriverScope Scope(D.api(), D.context());
    if (!openChannel(Why))
      return nullptr;
  }
  return LaunchContexts::acquire(Shape, Stream, /*Capturing=*/false, Why);
}

/// Returns the limits of a launch. A part of a kernel's first launch is recorded even if earlier
/// launches reached the limit of the run.
GmprofTraceLimits CacheContexts::limitsOf(const std::shared_ptr<const TracedKernel> &Kernel) {
  constexpr uint64_t LeastPart = 16, EnoughForAny = uint64_t(1) << 18;
  const auto OrNone = [](uint64_t Requests) { return Requests == 0 ? UINT64_MAX : Requests; };
  GmprofTraceLimits To = {0, OrNone(O.LaunchRequests), OrNone(O.RunRequests), RunCount.Address};
  if (Begun.insert(Kernel).second)
    To.least = std::min<uint64_t>(To.most / LeastPart, EnoughForAny);
  return To;
}

std::unique_ptr<LaunchContext> CacheContexts::make(const ContextShape &Of, bool Spare) {
  const auto &Shape = static_cast<const CacheShape &>(Of);
  auto C = std::make_unique<CacheContext>();
  C->Bytes = sizeof(GmprofLimitedTrace);
  const uint32_t Places = static_cast<uint32_t>(D.facts().Sms) * GMPROF_TRACE_WARPS_OF_SM;
  const size_t Bytes =
      sizeof(GmprofLimitedTrace) + size_t(Places) * GMPROF_TRACE_OPEN_OF_PLACE * sizeof(gmprof_u32);
  const std::optional<SlabPool::Block> Memory =
      D.memory().allocate(Bytes, Spare ? 4 * Limits.Bytes : Limits.Bytes);
  if (!Memory)
    return nullptr;
  C->Memory = *Memory;
  const std::optional<SlabPool::Block> Pinned = D.pinned().allocate(sizeof(AnnouncedEnd));
  if (!Pinned) {
    D.memory().release(C->Memory);
    return nullptr;
  }
  C->Pinned = *Pinned;
  C->Number = ++LastNumber;
  GmprofLimitedTrace AtFirst = {};
  AtFirst.limits = limitsOf(Shape.Launch.Kernel);
  AtFirst.open = {C->Memory.Address + sizeof(GmprofLimitedTrace), Places, 0};
  GmprofTraceContext &To = AtFirst.context;
  To.channel = Channel->address();
  To.launch = C->Number;
  const SiteNumbers &Sites = Shape.Launch.Kernel->Numbers;
  std::copy(Sites.Units.begin(), Sites.Units.end(), To.units);
  C->end() = {AtFirst, /*Launch=*/0};
  if (D.upload(C->Memory.Address, Pinned->Address, sizeof(AtFirst)) != CUDA_SUCCESS) {
    D.pinned().release(*Pinned);
    D.memory().release(C->Memory);
    return nullptr;
  }
  Trace->begin(C->Number, Shape.Launch);
  Channel->begin(C->Number, &C->end());
  return C;
}

GmprofTraceLaunch CacheContexts::parameter(const LaunchContext &C) const {
  const BlockRange &Blocks = O.CacheBlocks;
  return {C.Memory.Address, Blocks.First, Blocks.End, Blocks.Step, O.SmSample};
}

/// Its number last, which is there when all of the rest is.
void CacheContexts::follow(const LaunchContext &Of, CUstream Stream) {
  const auto &C = static_cast<const CacheContext &>(Of);
  if (D.api().cuMemcpyDtoHAsync(&C.end().Counted, C.Memory.Address, sizeof(GmprofLimitedTrace),
                                Stream) == CUDA_SUCCESS)
    D.api().cuMemcpyDtoHAsync(&C.end().Launch,
                              C.Memory.Address + offsetof(GmprofTraceContext, launch),
                              sizeof(GmprofTraceContext::launch), Stream);
}

void CacheContexts::emit(const LaunchContext &Of, std::span<const std::byte> Counts) {
  GmprofLimitedTrace Ended;
  std::memcpy(&Ended, Counts.data(), sizeof(Ended));
  const auto &C = static_cast<const CacheContext &>(Of);
  C.Told = true;
  Channel->end(C.Number, {Ended.context.totals, Ended.progress});
}

void CacheContexts::release(LaunchContext &Of) {
  auto &C = static_cast<CacheContext &>(Of);
  if (!C.Told) {
    Trace->cancel(C.Number);
    Channel->cancel(C.Number);
  }
  D.pinned().release(C.Pinned);
  if (D.api().cuMemsetD8Async(C.Memory.Address, 0, C.Memory.Bytes, D.stream()) == CUDA_SUCCESS &&
      D.zeroing() == CUDA_SUCCESS)
    D.memory().release(C.Memory);
}

void CacheContexts::settle() {
  {
    LockGuard Guard(Lock);
    if (!Channel)
      return;
  }
  DriverScope Scope(D.api(), D.context());
  D.api().cuStreamSynchronize(D.readStream()); // only totals of launches are copied there
}

void CacheContexts::finish() {
  LockGuard Guard(Lock);
  Channel.reset();
}

} // namespace gmprof::host
