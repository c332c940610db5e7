//===- LiveRangeSummary.cpp - Live ranges in summary.json -----------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "report/builder/LiveRangeSummary.h"
#include "analysis/shared/LiveRanges.h"
#include "report/model/SummaryNames.h"

namespace gmprof {

static std::vector<summary::Move> moves(const profile::Descriptor &Desc,
                                        const std::vector<const profile::Move *> &Moves) {
  std::vector<summary::Move> Result;
  for (const profile::Move *M : Moves)
    Result.push_back({M->Global == profile::None ? "" : Desc.Variables[M->Global].Name,
                      source(M->Source), M->Source.Column, M->Function,
                      inlinedAt(Desc, M->InlinedAt), M->Bytes});
  return Result;
}

std::optional<summary::LiveRanges> liveRangeSummary(const profile::Profile &P, uint32_t Kernel,
                                                    const analysis::SharedArray &A) {
  const std::optional<analysis::LiveRangeUse> Use = analysis::liveRanges(P, Kernel, A);
  if (!Use)
    return std::nullopt;
  const profile::Descriptor &Desc = *P.Kernels[Kernel].Desc;
  summary::LiveRanges To;
  To.begins = moves(Desc, Use->Begins);
  To.ends = moves(Desc, Use->Ends);
  To.counted = Use->Counted;
  To.not_counted_reason = Use->WhyNot;
  if (!Use->Counted)
    return To;
  To.ranges = Use->Ranges;
  To.at_threshold = Use->Capped;
  if (Use->Ranges != 0)
    To.accesses_per_range = {Use->Min, Use->mean(), Use->Max};
  for (const analysis::RangeBucket &B : Use->Histogram)
    To.histogram.push_back({B.From, B.To ? std::optional(B.To) : std::nullopt, B.Ranges});
  for (const profile::RangeRecord &R : Use->Records)
    To.records.push_back({R.Begin, R.End, R.Accesses, R.Moved});
  if (!Use->Records.empty())
    To.records_of_byte = Use->RecordOffset;
  return To;
}

} // namespace gmprof
