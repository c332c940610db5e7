//===- SharedContexts.cpp - Counters of shared memory ---------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "host/shared/SharedContexts.h"
#include <algorithm>
#include <numeric>

namespace gmprof::host {

/// A warp accesses a word at most 32 times in a cycle, and so less than 2^32 times in
/// 2^27 cycles; rounded down for the two ends of the time. The CPU device's clock ticks
/// no faster than its processor, which needs 16 cycles and more for an access and its
/// count.
static constexpr uint32_t LongBlockOnGpu = (1u << (27 - GMPROF_BLOCK_TIME_SHIFT)) - 2;
static constexpr uint32_t LongBlockOnCpu = 1u << (36 - GMPROF_BLOCK_TIME_SHIFT);

static constexpr size_t CounterBytesPerWord = sizeof(gmprof_u64) + sizeof(gmprof_u32);

size_t SharedContext::sumsOffset() const {
  size_t Layout = offsetof(GmprofSharedLayout, variables) +
                  std::max<size_t>(Shape.VariableCount, 1) * sizeof(gmprof_u32);
  return (Layout + 255) / 256 * 256;
}

size_t SharedContext::cappedOffset() const {
  return sumsOffset() + sizeof(gmprof_u64) * Replicas * Shape.Words;
}

size_t SharedContext::totalsOffset() const {
  size_t End = sumsOffset() + CounterBytesPerWord * Replicas * Shape.Words;
  return (End + alignof(GmprofBlockTotals) - 1) / alignof(GmprofBlockTotals) *
         alignof(GmprofBlockTotals);
}

size_t SharedContext::rangesOffset() const {
  return totalsOffset() + sizeof(GmprofBlockTotals) * Replicas;
}

size_t SharedContext::bytes() const { return rangesOffset() + Shape.Ranges.bytes(Replicas); }

/// Blocks that end at the same time add to different copies of the sums.
static uint32_t chooseReplicas(uint64_t Blocks, uint64_t Words, const ReplicaLimits &Limits) {
  uint32_t Replicas = 1;
  while (Replicas * 2 <= Limits.Replicas && Replicas * 2 <= Blocks &&
         Replicas * 2 * Words * CounterBytesPerWord <= Limits.Bytes)
    Replicas *= 2;
  return Replicas;
}

LaunchContext *SharedContexts::acquire(const LaunchShape &Shape, uint64_t Blocks, CUstream Stream,
                                       bool Capturing, std::string &Why) {
  return LaunchContexts::acquire(Wanted{Shape, Blocks}, Stream, Capturing, Why);
}

std::unique_ptr<LaunchContext> SharedContexts::make(const ContextShape &Shape, bool Spare) {
  const auto &W = static_cast<const Wanted &>(Shape);
  auto C = std::make_unique<SharedContext>();
  C->Shape = W;
  C->Replicas = chooseReplicas(W.Blocks, W.Words, {});
  C->Bytes = C->bytes();
  std::optional<SlabPool::Block> Memory =
      D.memory().allocate(C->Bytes, Spare ? 4 * Limits.Bytes : Limits.Bytes);
  if (!Memory)
    return nullptr;
  C->Memory = *Memory;
  C->GraphKey = C->Memory.Address + C->sumsOffset();
  return C;
}

bool SharedContexts::fits(const LaunchContext &C, const ContextShape &Shape) const {
  return counts(C, static_cast<const Wanted &>(Shape));
}

GmprofSharedLaunch SharedContexts::parameter(const LaunchContext &Of) const {
  const auto &C = static_cast<const SharedContext &>(Of);
  GmprofSharedLaunch P = {};
  P.sums = C.Memory.Address + C.sumsOffset();
  P.capped = C.Memory.Address + C.cappedOffset();
  P.totals = C.Memory.Address + C.totalsOffset();
  P.layout = C.Memory.Address;
  P.words = C.Shape.Words;
  P.counterOffset = C.Shape.CounterOffset;
  P.counterBytes = C.Shape.CounterBytes;
  P.replicas = C.Replicas;
  P.blockSample = C.Shape.BlockSample;
  P.dynamicBytes = C.Shape.DynamicShared;
  P.longBlock = D.facts().OnCpu ? LongBlockOnCpu : LongBlockOnGpu;
  C.Shape.Ranges.describe(P, C.Memory.Address + C.rangesOffset(), C.Replicas);
  return P;
}

/// Returns the first word of the variable at a device address. All variables of dynamic shared
/// memory are one.
static uint32_t wordOf(const log::SharedCountsRecord &R, uint32_t Address) {
  return (std::min(Address, R.dynamicAddress) - R.firstAddress) / sizeof(gmprof_u32);
}

/// Returns the first word of each variable in ascending order, then the number of words.
static std::vector<uint32_t> boundaries(const log::SharedCountsRecord &R,
                                        std::span<const uint32_t> Addresses) {
  std::vector<uint32_t> Words = {R.words};
  for (uint32_t Address : Addresses)
    if (Address != GMPROF_NONE)
      Words.push_back(std::min(wordOf(R, Address), R.words));
  std::sort(Words.begin(), Words.end());
  return Words;
}

/// Returns the standard deviations of log::SharedCountsRecord.
static std::vector<double> deviations(const log::SharedCountsRecord &R,
                                      std::span<const gmprof_u64> Sums,
                                      std::span<const GmprofBlockTotals> Totals,
                                      std::span<const uint32_t> Addresses) {
  const std::vector<uint32_t> Words = boundaries(R, Addresses);
  std::vector<double> Result(Addresses.size());
  for (size_t V = 0; V < Addresses.size(); ++V) {
    if (Addresses[V] == GMPROF_NONE || R.groups < 2)
      continue;
    const uint32_t Begin = wordOf(R, Addresses[V]);
    const auto End = std::upper_bound(Words.begin(), Words.end(), Begin);
    double SumOfSquares = 0, Sum = 0;
    for (size_t Group = 0; End != Words.end() && Group < Totals.size(); ++Group) {
      const auto Of = Sums.subspan(Group * R.words, R.words);
      const double Total = std::accumulate(Of.begin() + Begin, Of.begin() + *End, 0.0);
      if (Totals[Group].blocks != 0)
        SumOfSquares += Total * Total / static_cast<double>(Totals[Group].blocks);
      Sum += Total;
    }
    Result[V] = std::max(0.0, SumOfSquares - Sum * Sum / static_cast<double>(R.blocks));
  }
  return Result;
}

uint64_t SharedContexts::launchesIn(const LaunchContext &Of,
                                    std::span<const std::byte> Counts) const {
  const auto &C = static_cast<const SharedContext &>(Of);
  const auto *Totals =
      reinterpret_cast<const GmprofBlockTotals *>(Counts.data() + C.totalsOffset());
  uint64_t Blocks = 0;
  for (uint32_t R = 0; R < C.Replicas; ++R)
    Blocks += Totals[R].blocks;
  return Blocks / std::max<uint64_t>(C.Shape.BodyBlocks, 1);
}

void SharedContexts::emit(const LaunchContext &Of, std::span<const std::byte> Counts) {
  const auto &C = static_cast<const SharedContext &>(Of);
  if (C.InBody && C.Launches == 0)
    return; // it has not even said where its variables are
  const std::byte *Copy = Counts.data();
  const auto *Layout = reinterpret_cast<const GmprofSharedLayout *>(Copy);
  const auto *Sums = reinterpret_cast<const gmprof_u64 *>(Copy + C.sumsOffset());
  const auto *Capped = reinterpret_cast<const gmprof_u32 *>(Copy + C.cappedOffset());
  const auto *Totals = reinterpret_cast<const GmprofBlockTotals *>(Copy + C.totalsOffset());
  const auto *Variables =
      reinterpret_cast<const uint32_t *>(Copy + offsetof(GmprofSharedLayout, variables));

  std::vector<uint64_t> TotalSums(C.Shape.Words);
  std::vector<uint32_t> TotalCapped(C.Shape.Words);
  for (uint32_t R = 0; R < C.Replicas; ++R)
    for (uint32_t W = 0; W < C.Shape.Words; ++W) {
      TotalSums[W] += Sums[size_t(R) * C.Shape.Words + W];
      TotalCapped[W] += Capped[size_t(R) * C.Shape.Words + W];
    }

  log::SharedCountsRecord Record = {};
  Record.context = C.Id;
  Record.sharedCase = C.Shape.Case;
  for (uint32_t R = 0; R < C.Replicas; ++R) {
    Record.blocks += Totals[R].blocks;
    Record.threads += Totals[R].threads;
    Record.groups += Totals[R].blocks != 0;
  }
  Record.bodyLaunches = C.InBody ? C.Launches : 0;
  Record.lost = Layout->lost;
  Record.kernel = C.Shape.Kernel;
  Record.words = C.Shape.Words;
  Record.variableCount = C.Shape.VariableCount;
  Record.firstAddress = Layout->firstAddress;
  Record.dynamicAddress = Layout->dynamicAddress;
  Record.dynamicSharedBytes = C.Shape.DynamicShared;
  Record.blockSample = C.Shape.BlockSample;
  Record.counters = C.Shape.DeviceCounters ? 1 : 0;
  const std::span<const uint32_t> Addresses(Variables, C.Shape.VariableCount);
  const std::vector<double> Deviations = deviations(
      Record, {Sums, size_t(C.Replicas) * C.Shape.Words}, {Totals, C.Replicas}, Addresses);
  Log.profileRecord(log::RecordKind::SharedCounts, Record, std::span(TotalSums),
                    std::span(TotalCapped), Addresses, std::span(Deviations));
  C.Shape.Ranges.emit(Log, C.Id, C.Shape.Kernel, Copy + C.rangesOffset(), C.Replicas);
}

} // namespace gmprof::host
