//===- LaunchProfiler.cpp - What a profile does with launches -------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "host/launch/LaunchProfiler.h"
#include "host/core/Session.h"
#include <algorithm>

namespace gmprof::host {

LaunchPlan LaunchPlan::refused(std::string Why) {
  LaunchPlan P;
  P.Mode = log::LaunchMode::Refused;
  P.Why = std::move(Why);
  return P;
}

LaunchPlan LaunchPlan::awaitingClone() {
  LaunchPlan P;
  P.Why = CloneTime::AwaitsClones;
  P.AwaitsClone = true;
  return P;
}

bool LaunchRequest::cooperative() const {
  for (unsigned I = 0; I < AttributeCount; ++I)
    if (Attributes[I].id == cudaLaunchAttributeCooperative)
      return Attributes[I].val.cooperative != 0;
  return false;
}

uint32_t LaunchProfiler::blocksPerSm(CUfunction Function, const LaunchRequest &R,
                                     size_t DynamicShared) const {
  const DriverApi &Api = D.api();
  int PerSm = 0;
  if (!Api.cuOccupancyMaxActiveBlocksPerMultiprocessor ||
      Api.cuOccupancyMaxActiveBlocksPerMultiprocessor(
          &PerSm, Function, static_cast<int>(R.threads()), DynamicShared) != CUDA_SUCCESS)
    return 0;
  return static_cast<uint32_t>(std::max(PerSm, 0));
}

/// Returns whether all blocks of a launch of the clone can run at a time.
bool LaunchProfiler::runsAtOnce(const LaunchPlan &P, const LaunchRequest &R) const {
  return R.blocks() <= uint64_t(blocksPerSm(P.Run->Function, R, P.DynamicShared)) * D.facts().Sms;
}

std::string LaunchProfiler::checkFit(const LaunchPlan &P, const LaunchToPlan &L) const {
  const LaunchRequest &R = L.R;
  if (std::string Why = L.K.Owner->loadClone(L.K, *P.Run, /*Wait=*/L.Place != LaunchPlace::Stream);
      !Why.empty())
    return Why;
  if (P.DynamicShared > P.Run->MaxDynamicShared)
    return "the block's shared memory has no room for counters";
  if (R.threads() > P.Run->MaxThreads)
    return "its clone has too many registers for " + std::to_string(R.threads()) +
           " threads per block";
  if (R.cooperative() && !runsAtOnce(P, R))
    return "the blocks of this cooperative launch would not all fit on the device with counters";
  return "";
}

LaunchPlan LaunchProfiler::planOutsideGraphs(Clone &Run, const LaunchToPlan &L,
                                             std::string Why) const {
  LaunchPlan P;
  P.Run = &Run;
  P.DynamicShared = static_cast<uint32_t>(L.R.DynamicShared);
  if (Why.empty() && L.Place != LaunchPlace::Stream)
    Why = "launches of graphs are not traced";
  if (Why.empty())
    Why = checkFit(P, L);
  return Why.empty() ? std::move(P) : LaunchPlan::refused(std::move(Why));
}

/// Returns the sample of a launch. If all blocks run at a time, the slowest one determines the
/// launch's time, and blocks that count are slower. After the first such launch, every N-th one
/// therefore counts with all its blocks, and the others with none.
LaunchProfiler::BlockSample LaunchProfiler::blockSampleOf(const LaunchToPlan &L,
                                                          const LaunchPlan &P) const {
  const unsigned N = S.options().BlockSample;
  if (!P.Run || N <= 1 || L.Place != LaunchPlace::Stream || !runsAtOnce(P, L.R))
    return BlockSample::Blocks;
  const uint64_t Number =
      L.K.ByProfile[Index]->BlockSamples.fetch_add(1, std::memory_order_relaxed);
  return Number == 0       ? BlockSample::Blocks
         : Number % N == 0 ? BlockSample::Whole
                           : BlockSample::None;
}

LaunchPlan LaunchProfiler::notInBlockSample() const {
  LaunchPlan P;
  P.Why = "not in the sample (block-sample=" + std::to_string(S.options().BlockSample) +
          "; its blocks all run at a time, so that each such launch counts whole)";
  return P;
}

void LaunchProfiler::finish() {
  contexts().drain();
  finishRecords();
}

} // namespace gmprof::host
