//===- NoReuseInLiveRange.cpp - Finds live ranges without reuse -----------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "analysis/shared/NoReuseInLiveRange.h"
#include "analysis/Wording.h"
#include "analysis/shared/LiveRanges.h"
#include "analysis/shared/Occupancy.h"
#include "analysis/shared/UnderusedSharedMemory.h"
#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <set>

namespace gmprof::analysis {

using namespace profile;

/// Returns the number of ranges with more than Limit accesses; Limit is a single-value bucket.
static uint64_t rangesAbove(const LiveRangeUse &R, uint64_t Limit) {
  uint64_t Above = 0;
  for (const RangeBucket &B : R.Histogram)
    if (B.From > Limit)
      Above += B.Ranges;
  return Above;
}

/// Returns the device memory arrays of the moves: "in and out".
static std::string others(const Descriptor &Desc, const std::vector<const Move *> &Moves) {
  std::set<std::string> Names;
  for (const Move *M : Moves)
    if (M->Global != None && !Desc.Variables[M->Global].Name.empty())
      Names.insert(Desc.Variables[M->Global].Name);
  return Names.empty() ? "global memory" : fmt::format("`{}`", fmt::join(Names, "` and `"));
}

static void explain(Finding &F, const LiveRangeUse &R, const Descriptor &Desc,
                    const std::string &Name, uint64_t Bytes) {
  const std::string Often =
      fmt::format("{} live ranges of {} have {:.3g} access{} on average", grouped(R.Ranges),
                  quotedName(Name), R.mean(), R.mean() == 1 ? "" : "es");
  const std::string Space = fmt::format(
      " Its {} per block can then hold an array that is read more often (gmprof run --profile "
      "global finds it).",
      bytesText(static_cast<double>(Bytes)));
  if (R.Begins.empty()) {
    F.Message = fmt::format("{}: each result on its way to {} is stored once and loaded once, so "
                            "nothing is reused.",
                            Often, others(Desc, R.Ends));
    F.Suggestion = fmt::format("If each thread loads what it stored, keep the result in a "
                               "register and store it to {} directly.{}",
                               others(Desc, R.Ends), Space);
  } else if (R.Ends.empty()) {
    F.Message = fmt::format("{} after the data is moved in: each value from {} is used at most "
                            "once before it is replaced.",
                            Often, others(Desc, R.Begins));
    F.Suggestion = fmt::format("Load from {} into a register where the data is used.{} Keep the "
                               "array if threads exchange data through it to coalesce global "
                               "memory accesses.",
                               others(Desc, R.Begins), Space);
  } else {
    F.Message = fmt::format("{} after the data is moved in: it passes from {} to {} and has no "
                            "other use.",
                            Often, others(Desc, R.Begins), others(Desc, R.Ends));
    F.Suggestion = fmt::format("If each thread moves out what it moved in, use a register and "
                               "free {} per block. Keep the array if threads exchange data through "
                               "it (a transposition).",
                               bytesText(static_cast<double>(Bytes)));
  }
}

static std::optional<Finding> judge(const Profile &P, const KernelSharedUse &Use,
                                    const SharedArray &A,
                                    const NoReuseInLiveRangeOptions &Options) {
  const Kernel &K = P.Kernels[Use.Kernel];
  const uint64_t Bytes = A.Bytes - std::min(A.UnusedBytes, A.Bytes);
  // Plain updates may count simultaneous accesses of lanes to one word once.
  if (Bytes < Options.MinBytes || (K.Desc->Flags & GMPROF_KERNEL_PLAIN_UPDATES) ||
      !uncountedAccesses(*K.Desc, A).empty())
    return std::nullopt;
  const std::optional<LiveRangeUse> R = liveRanges(P, Use.Kernel, A);
  if (!R || !R->Counted || R->Ranges == 0 || R->Capped != 0 ||
      (R->Begins.empty() && R->Ends.empty()))
    return std::nullopt;
  const uint64_t Limit = R->Begins.empty() ? 2 : 1;
  const uint64_t Reused = rangesAbove(*R, Limit);
  if (static_cast<double>(Reused) > Options.MaxReused * static_cast<double>(R->Ranges))
    return std::nullopt;

  Finding F;
  F.Pattern = "no_reuse_in_live_range";
  F.Kind = R->Begins.empty() ? "moved_out" : R->Ends.empty() ? "moved_in" : "moved_through";
  F.Origin = "gmprof";
  F.Kernel = Use.Kernel;
  F.Object = A.displayName();
  F.ObjectBytes = A.Bytes;
  F.Source = (R->Begins.empty() ? R->Ends : R->Begins).front()->Source;
  if (F.Source.Line == 0)
    F.Source = A.Source.Line ? A.Source : K.Desc->Source;
  F.Level = R->Begins.empty() || R->Ends.empty() ? Severity::Low : Severity::Info;
  F.BytesSaved = Bytes;
  F.Evidence = {{"bytes", A.Bytes},
                {"live_ranges", R->Ranges},
                {"accesses_per_live_range", R->mean()},
                {"most_accesses", uint64_t(R->Max)},
                {"live_ranges_with_reuse", Reused},
                {"accesses_per_element_and_block", A.Mean.Value},
                {"blocks_counted", A.Blocks},
                {"blocks_launched", A.BlocksLaunched}};
  if (weighFreedSharedMemory(F, P, A, Bytes) && F.Level == Severity::Low)
    F.Level = Severity::Medium;
  explain(F, *R, *K.Desc, A.displayName(), Bytes);
  F.Fingerprint = fingerprint(F, P);
  return F;
}

std::vector<Finding> noReuseInLiveRange(const Profile &P, const std::vector<KernelSharedUse> &Uses,
                                        const NoReuseInLiveRangeOptions &Options) {
  std::vector<Finding> Findings;
  for (const KernelSharedUse &Use : Uses)
    for (const SharedArray &A : Use.Arrays)
      if (std::optional<Finding> F = judge(P, Use, A, Options))
        Findings.push_back(std::move(*F));
  return Findings;
}

} // namespace gmprof::analysis
