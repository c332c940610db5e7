//===- SharedRecords.cpp - Records of the profile shared ------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "profile/SharedRecords.h"
#include "profile/Saturating.h"
#include <algorithm>
#include <utility>

namespace gmprof {

using namespace profile;

/// Returns true if Value can be a sum of squared 64-bit counts.
static bool isSumOfSquares(double Value) { return Value >= 0 && Value < 0x1p160; }

bool SharedRecords::counts(Payload B) {
  log::SharedCountsRecord R;
  if (!take(B, R))
    return false;
  auto Kernel = Kernels.find(R.kernel);
  if (Kernel == Kernels.end() || R.context == 0 || R.blockSample == 0)
    return false;
  const std::optional<Descriptor> &Desc = P.Kernels[Kernel->second].Desc;
  if (!Desc || R.variableCount != Desc->Variables.size())
    return false;
  SharedCounts C;
  if (!take(B, C.Sums, R.words) || !take(B, C.Capped, R.words) ||
      !take(B, C.Addresses, R.variableCount) || !take(B, C.Deviations, R.variableCount) ||
      !B.empty() || !std::ranges::all_of(C.Deviations, isSumOfSquares))
    return false;
  C.DegreesOfFreedom = std::max(R.groups, 1u) - 1;
  C.Context = R.context;
  C.Kernel = Kernel->second;
  C.Blocks = R.blocks;
  C.Threads = R.threads;
  C.Lost = R.lost;
  Replays[R.context] += R.bodyLaunches;
  C.FirstAddress = R.firstAddress;
  C.DynamicAddress = R.dynamicAddress;
  C.DynamicSharedBytes = R.dynamicSharedBytes;
  C.BlockSample = R.blockSample;
  C.CountersInDeviceMemory = R.counters != 0;
  if (R.sharedCase != 0 && !Cases.countsWithout(R.sharedCase, C))
    return false;

  auto [It, New] = ContextById.try_emplace(R.context, P.Shared.size());
  if (New) {
    P.Shared.push_back(std::move(C));
    return true;
  }
  SharedCounts &To = P.Shared[It->second];
  if (To.Kernel != C.Kernel || To.Sums.size() != C.Sums.size() ||
      To.FirstAddress != C.FirstAddress || To.DynamicSharedBytes != C.DynamicSharedBytes)
    return false;
  for (size_t W = 0; W < C.Sums.size(); ++W) {
    To.Sums[W] = addSaturating(To.Sums[W], C.Sums[W]);
    To.Capped[W] = addSaturating(To.Capped[W], C.Capped[W]);
  }
  for (size_t V = 0; V < C.Deviations.size(); ++V)
    To.Deviations[V] += C.Deviations[V];
  To.DegreesOfFreedom = addSaturating(To.DegreesOfFreedom, C.DegreesOfFreedom);
  To.Blocks = addSaturating(To.Blocks, C.Blocks);
  To.Threads = addSaturating(To.Threads, C.Threads);
  To.Lost = addSaturating(To.Lost, C.Lost);
  return true;
}

bool SharedRecords::liveRanges(Payload B) {
  log::LiveRangesRecord R;
  std::vector<GmprofRangeCounts> Counts;
  std::vector<GmprofRangeRecord> Records;
  if (!take(B, R) || !take(B, Counts, R.variables) || !take(B, Records, R.records) || !B.empty())
    return false;
  auto Context = ContextById.find(R.context);
  if (Context == ContextById.end())
    return false;
  SharedCounts &To = P.Shared[Context->second];
  if (R.variables != P.Kernels[To.Kernel].Desc->RangeVariables.size())
    return false;
  To.Ranges.resize(R.variables);
  for (uint32_t V = 0; V < R.variables; ++V) {
    const GmprofRangeCounts &From = Counts[V];
    RangeCounts &Sum = To.Ranges[V];
    for (size_t I = 0; I < Sum.Ranges.size(); ++I)
      Sum.Ranges[I] = addSaturating<uint64_t>(Sum.Ranges[I], From.ranges[I]);
    Sum.Capped = addSaturating<uint64_t>(Sum.Capped, From.capped);
    Sum.Accesses = addSaturating<uint64_t>(Sum.Accesses, From.accesses);
    Sum.Max = std::max(Sum.Max, From.max);
    Sum.Min = std::min(Sum.Min, ~From.minComplemented);
  }
  for (const GmprofRangeRecord &Each : Records) {
    if (Each.variable >= R.variables)
      return false;
    if (To.RangeRecords.size() < GMPROF_RANGE_RECORDS)
      To.RangeRecords.push_back(
          {Each.variable, Each.word, Each.begin, Each.end, Each.accesses, Each.moved != 0});
  }
  To.RangeRecordsSeen += R.recordsSeen;
  return true;
}

} // namespace gmprof
