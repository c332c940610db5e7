//===- SharedSummary.cpp - Arrays in shared memory ------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "report/builder/SharedSummary.h"
#include "analysis/shared/UnderusedSharedMemory.h"
#include "report/builder/LiveRangeSummary.h"
#include "report/model/SummaryNames.h"
#include <algorithm>
#include <fmt/format.h>
#include <iterator>

namespace gmprof {

using analysis::KernelSharedUse;
using analysis::SharedArray;

void SharedSummary::writeCounts(uint32_t Kernel, uint32_t Object, const SharedArray &A) {
  for (size_t I = 0; I < A.Sums.size(); ++I)
    fmt::format_to(std::back_inserter(Counts), "{},{},{},{},{}\n", Kernel, Object, I, A.Sums[I],
                   A.Capped[I]);
}

summary::ObjectUse SharedSummary::objectUse(const KernelSharedUse &Use, const SharedArray &A) {
  const profile::Descriptor &Desc = *P.Kernels[Use.Kernel].Desc;
  auto Id = static_cast<uint32_t>(S.objects.size());
  Objects[{Use.Kernel, A.displayName(), A.Bytes}] = Id;
  summary::Object &O = S.objects.emplace_back();
  O.id = Id;
  O.name = A.displayName();
  O.kind = "shared";
  O.type = A.Type;
  O.bytes = A.Bytes;
  if (A.ElementBytes)
    O.element_bytes = A.ElementBytes;
  O.kernel = Use.Kernel;
  O.source = source(A.Source);

  summary::ObjectUse U;
  U.object = Id;
  U.space = A.Dynamic ? "shared_dynamic" : "shared";
  U.counts_of = A.CountsWords ? "words" : "elements";
  U.count_elements = A.Sums.size();
  U.uncounted_bytes = A.UncountedBytes;
  U.blocks_counted = A.Blocks;
  U.blocks_launched = A.BlocksLaunched;
  U.accesses = number(A.Total);
  U.accesses_estimated = number(A.TotalEstimate);
  U.standard_error = A.StandardError;
  U.per_block = {number(A.Min), number(A.Mean), number(A.Max), buckets(A.Histogram)};
  if (Desc.Threshold != 0)
    U.threshold = {Desc.Threshold, A.AtThreshold};

  U.never_touched = {A.UnusedBytes / A.CountBytes, A.UnusedBytes,  A.Untouched, {},
                     A.NeverTouched.size(),        A.PaddingCounts};
  for (analysis::Range R : A.NeverTouched) {
    if (U.never_touched.ranges.size() == MaxInline)
      break;
    U.never_touched.ranges.push_back({R.First, R.Last});
  }
  for (const profile::Site &Site : Desc.Sites)
    if (std::find(A.Variables.begin(), A.Variables.end(), Site.Variable) != A.Variables.end())
      U.sites.push_back(site(Desc, Site));
  U.live_ranges = liveRangeSummary(P, Use.Kernel, A);
  U.uncounted_reason = analysis::uncountedAccesses(Desc, A);
  writeCounts(Use.Kernel, Id, A);
  return U;
}

void SharedSummary::add(const KernelSharedUse &Use) {
  summary::Kernel &To = S.kernels[Use.Kernel];
  To.block_sample = Use.BlockSample;
  To.accesses_lost = Use.Lost;
  To.accesses_unattributed = Use.Other;
  To.counters_in = Use.CountersInShared && Use.CountersInDevice ? "shared and device memory"
                   : Use.CountersInDevice                       ? "device memory"
                                                                : "shared memory";
  for (const SharedArray &A : Use.Arrays)
    To.objects.push_back(objectUse(Use, A));
}

uint32_t SharedSummary::indexOf(uint32_t Kernel, const analysis::ArrayHeat &A) {
  auto [It, New] = Objects.try_emplace({Kernel, A.Name, A.Region.Bytes},
                                       static_cast<uint32_t>(S.objects.size()));
  if (New) {
    summary::Object &O = S.objects.emplace_back();
    O.id = It->second;
    O.name = A.Name;
    O.kind = "shared";
    O.type = A.Type;
    O.bytes = A.Region.Bytes;
    O.kernel = Kernel;
    O.source = source(A.Source);
  }
  return It->second;
}

std::optional<uint32_t> SharedSummary::find(uint32_t Kernel, const std::string &Name,
                                            uint64_t Bytes) const {
  const auto It = Objects.find({Kernel, Name, Bytes});
  return It == Objects.end() ? std::nullopt : std::optional(It->second);
}

} // namespace gmprof
