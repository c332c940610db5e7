//===- LiveRanges.cpp - Accesses per live range ---------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "analysis/shared/LiveRanges.h"
#include "profile/Saturating.h"
#include <algorithm>

namespace gmprof::analysis {

using namespace profile;

static bool contains(const std::vector<uint32_t> &Variables, uint32_t Variable) {
  return std::find(Variables.begin(), Variables.end(), Variable) != Variables.end();
}

/// Returns true if the launches of C had this array, with the same size.
static bool hasArray(const SharedCounts &C, const SharedArray &A) {
  constexpr uint64_t MostAlignment = 128;
  return !A.Dynamic ||
         (C.DynamicSharedBytes >= A.Bytes && C.DynamicSharedBytes - A.Bytes < MostAlignment);
}

static void add(const RangeCounts &From, LiveRangeUse &To,
                std::array<uint64_t, GMPROF_RANGE_BUCKETS> &Buckets) {
  uint64_t Here = 0;
  for (size_t B = 0; B < Buckets.size(); ++B) {
    Buckets[B] = addSaturating(Buckets[B], From.Ranges[B]);
    Here = addSaturating(Here, From.Ranges[B]);
  }
  if (Here != 0) {
    To.Min = To.Ranges == 0 ? From.Min : std::min(To.Min, From.Min);
    To.Max = std::max(To.Max, From.Max);
  }
  To.Ranges = addSaturating(To.Ranges, Here);
  To.Capped = addSaturating(To.Capped, From.Capped);
  To.Accesses = addSaturating(To.Accesses, From.Accesses);
}

static void addRecords(const SharedCounts &C, uint32_t Position, uint32_t Variable,
                       LiveRangeUse &To) {
  for (const RangeRecord &R : C.RangeRecords) {
    if (R.Variable != Position || (!To.Records.empty() && To.Records.front().Word != R.Word))
      continue;
    To.RecordOffset = uint64_t(C.FirstAddress) + uint64_t(R.Word) * 4 - C.Addresses[Variable];
    To.Records.push_back(R);
  }
}

/// Returns the bucket of runtime/device/Ranges.h with this number.
static RangeBucket bucket(size_t Number) {
  constexpr size_t Single = 8;
  if (Number < Single)
    return {Number, Number + 1, 0};
  const uint64_t From = Single << (Number - Single);
  return {From, Number + 1 == GMPROF_RANGE_BUCKETS ? 0 : 2 * From, 0};
}

static std::vector<RangeBucket>
histogram(const std::array<uint64_t, GMPROF_RANGE_BUCKETS> &Buckets) {
  std::vector<RangeBucket> Result;
  for (size_t B = 0; B < Buckets.size(); ++B) {
    if (Buckets[B] == 0 && Result.empty())
      continue;
    Result.push_back(bucket(B));
    Result.back().Ranges = Buckets[B];
  }
  while (!Result.empty() && Result.back().Ranges == 0)
    Result.pop_back();
  return Result;
}

static const char *whyNotCounted(const Descriptor &Desc) {
  if (Desc.Flags & GMPROF_KERNEL_RANGES_OF_CLUSTER)
    return "not counted, since other blocks of the cluster may access the data";
  if (Desc.Level < GMPROF_LEVEL_SA_NA_SM)
    return "not counted by counters in device memory";
  if (!Desc.RangeVariables.empty())
    return "not counted, for lack of shared memory";
  return "one for each word and block";
}

std::optional<LiveRangeUse> liveRanges(const Profile &P, uint32_t Kernel, const SharedArray &A) {
  const Descriptor &Desc = *P.Kernels[Kernel].Desc;
  LiveRangeUse Use;
  for (const Move &M : Desc.Moves)
    if (contains(A.Variables, M.Shared))
      (M.Kind == GMPROF_MOVE_BEGIN ? Use.Begins : Use.Ends).push_back(&M);
  std::array<uint64_t, GMPROF_RANGE_BUCKETS> Buckets = {};
  for (const SharedCounts &C : P.Shared) {
    if (C.Kernel != Kernel || C.Ranges.empty() || !hasArray(C, A))
      continue;
    for (uint32_t Position = 0; Position < Desc.RangeVariables.size(); ++Position) {
      const uint32_t Variable = Desc.RangeVariables[Position];
      if (!contains(A.Variables, Variable))
        continue;
      Use.Counted = true;
      add(C.Ranges[Position], Use, Buckets);
      if (Use.Records.empty())
        addRecords(C, Position, Variable, Use);
    }
  }
  if (Use.Begins.empty() && Use.Ends.empty() && !Use.Counted)
    return std::nullopt;
  if (!Use.Counted)
    Use.WhyNot = whyNotCounted(Desc);
  Use.Histogram = histogram(Buckets);
  return Use;
}

} // namespace gmprof::analysis
