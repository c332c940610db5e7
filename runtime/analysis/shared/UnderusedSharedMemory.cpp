//===- UnderusedSharedMemory.cpp - Finds underused shared memory ----------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "analysis/shared/UnderusedSharedMemory.h"
#include "analysis/Wording.h"
#include "analysis/shared/LiveRanges.h"
#include "analysis/shared/Occupancy.h"
#include "profile/LaunchModes.h"
#include <algorithm>
#include <fmt/format.h>
#include <set>

namespace gmprof::analysis {

using namespace profile;

std::string uncountedAccesses(const Descriptor &Desc, const SharedArray &A) {
  auto IsOurs = [&](uint32_t V) {
    return std::find(A.Variables.begin(), A.Variables.end(), V) != A.Variables.end();
  };
  for (const Site &S : Desc.Sites) {
    bool MayBeShared = S.Space == GMPROF_SPACE_SHARED || S.Space == GMPROF_SPACE_SHARED_CLUSTER ||
                       S.Space == GMPROF_SPACE_GENERIC;
    if (S.Rule == GMPROF_RULE_SKIPPED && MayBeShared && (S.Variable == None || IsOurs(S.Variable)))
      return S.Reason.empty() ? "an access could not be counted" : S.Reason;
  }
  if (Desc.Flags & GMPROF_KERNEL_OPAQUE_CALLS)
    return "the kernel calls code that could not be followed";
  return {};
}

namespace {

bool mayDoBoth(GmprofAccessKind K) {
  return K == GMPROF_ACCESS_ATOMIC || K == GMPROF_ACCESS_MATRIX || K == GMPROF_ACCESS_BARRIER;
}
bool stores(GmprofAccessKind K) {
  return K == GMPROF_ACCESS_STORE || K == GMPROF_ACCESS_COPY_TO || K == GMPROF_ACCESS_ASYNC_TO ||
         mayDoBoth(K);
}
bool loads(GmprofAccessKind K) {
  return K == GMPROF_ACCESS_LOAD || K == GMPROF_ACCESS_COPY_FROM || K == GMPROF_ACCESS_ASYNC_FROM ||
         mayDoBoth(K);
}

/// Judges the arrays of one kernel.
class Judge {
public:
  Judge(const Profile &P, const KernelSharedUse &Use, const UnderusedSharedMemoryOptions &Options)
      : P(P), Use(Use), Options(Options), K(P.Kernels[Use.Kernel]) {}

  void judge(const SharedArray &A, std::vector<Finding> &To);

private:
  Finding unused(const SharedArray &A) const;
  std::optional<Finding> reuse(const SharedArray &A) const;
  std::string shrink(const SharedArray &A) const;

  Finding finding(const SharedArray &A, const char *Kind) const;
  /// Adds the effect of freeing Bytes per block to F.
  void weigh(Finding &F, const SharedArray &A, uint64_t Bytes) const;
  /// Returns "in the 1024 blocks counted", with the total number if not all were.
  std::string basis(const SharedArray &A) const;

  const Profile &P;
  const KernelSharedUse &Use;
  const UnderusedSharedMemoryOptions &Options;
  const Kernel &K;
};

} // namespace

Finding Judge::finding(const SharedArray &A, const char *Kind) const {
  Finding F;
  F.Pattern = "underused_shared_memory";
  F.Kind = Kind;
  F.Origin = "gmprof";
  F.Kernel = Use.Kernel;
  F.Object = A.displayName();
  F.ObjectBytes = A.Bytes;
  F.Source = A.Source.Line ? A.Source : K.Desc->Source;
  F.Evidence = {{"bytes", A.Bytes},
                {"elements", A.elements()},
                {"blocks_counted", A.Blocks},
                {"blocks_launched", A.BlocksLaunched}};
  return F;
}

std::string Judge::basis(const SharedArray &A) const {
  if (A.Blocks == A.BlocksLaunched)
    return "in " + plural(A.Blocks, "block");
  return fmt::format("in the {} of {} blocks that were counted", grouped(A.Blocks),
                     grouped(A.BlocksLaunched));
}

void Judge::weigh(Finding &F, const SharedArray &A, uint64_t Bytes) const {
  F.BytesSaved = Bytes;
  uint64_t PerBlock = sharedBytesPerBlock(P, Use.Kernel, A);
  // Freeing a few bytes gains nothing unless the occupancy changes, even if they are most of a
  // block's shared memory.
  constexpr uint64_t FewBytes = 1024;
  F.Level = Bytes < FewBytes ? Severity::Info
            : Bytes >= Options.MediumBytes || (PerBlock != 0 && Bytes * 4 >= PerBlock)
                ? Severity::Medium
                : Severity::Low;
  if (weighFreedSharedMemory(F, P, A, Bytes))
    F.Level = Severity::High;
}

/// Suggests how to remove A's unused part.
std::string Judge::shrink(const SharedArray &A) const {
  if (A.Touched == 0)
    return A.Dynamic ? fmt::format("Request {} bytes less dynamic shared memory in the launch.",
                                   grouped(A.Bytes))
                     : fmt::format("Remove {}, or declare it only where it is used (template "
                                   "instance, branch).",
                                   A.displayName());
  bool Tail = A.NeverTouched.size() == 1 && A.NeverTouched.front().Last + 1 == A.Sums.size();
  if (A.Dynamic)
    return Tail ? fmt::format("Request {} bytes of dynamic shared memory in the launch, not {}.",
                              grouped(A.Bytes - A.UnusedBytes), grouped(A.Bytes))
                : "Lay out the dynamic shared memory without the gaps, and request less in the "
                  "launch.";
  if (A.Dims.size() == 1 && Tail && !A.CountsWords)
    return fmt::format("{0} elements suffice: declare it as {1}[{0}].",
                       A.NeverTouched.front().First, A.displayName());
  if (A.Dims.size() == 2 && A.Untouched.rfind("column", 0) == 0) {
    uint64_t Left = A.Dims[1] - (A.NeverTouched.front().Last - A.NeverTouched.front().First + 1);
    return fmt::format(
        "{} columns suffice: declare it as {}[{}][{}]{}.", Left, A.displayName(), A.Dims[0], Left,
        Left % 32 == 0 ? " (one more column keeps the rows on different banks)" : "");
  }
  if (A.Dims.size() == 2 && A.Untouched.rfind("row", 0) == 0) {
    uint64_t Rows =
        A.UnusedBytes / A.CountBytes / A.Dims[1] + (A.UnusedBytes / A.CountBytes % A.Dims[1] != 0);
    return fmt::format("{} rows suffice: declare it as {}[{}][{}].", A.Dims[0] - Rows,
                       A.displayName(), A.Dims[0] - Rows, A.Dims[1]);
  }
  return "Declare it smaller, or index it without the gaps.";
}

/// Returns true if the code has accesses to the array.
static bool hasAccesses(const Descriptor &Desc, const SharedArray &A) {
  return std::ranges::any_of(
      Desc.Sites, [&](const Site &S) { return std::ranges::count(A.Variables, S.Variable) != 0; });
}

static std::string describe(const SharedArray &A) {
  return A.Names.empty() ? "dynamic shared memory" : quotedName(A.displayName());
}

Finding Judge::unused(const SharedArray &A) const {
  bool All = A.Touched == 0;
  Finding F = finding(A, All ? "never_touched" : "partly_touched");
  F.Evidence.emplace_back("never_touched_bytes", A.UnusedBytes);
  F.Evidence.emplace_back("padding_bytes", A.PaddingCounts * A.CountBytes);
  weigh(F, A, A.UnusedBytes);
  if (All)
    F.Message = fmt::format("None of the {} of {} is accessed ({}).",
                            bytesText(static_cast<double>(A.Bytes)), describe(A), basis(A));
  else
    F.Message =
        fmt::format("{} of the {} of {} are never accessed ({}): {}.",
                    bytesText(static_cast<double>(A.UnusedBytes)),
                    bytesText(static_cast<double>(A.Bytes)), describe(A), basis(A), A.Untouched);
  F.Suggestion = shrink(A);
  if (hasAccesses(*K.Desc, A))
    addCondition(F.Suggestion, "no other input or block size accesses the rest");
  if (A.Blocks < A.BlocksLaunched) {
    F.Suggestion += " Check first that the blocks that were not counted do not access the rest.";
    F.Level = std::min(F.Level, Severity::Low);
  }
  return F;
}

/// Returns true if other blocks of the cluster may access the array.
static bool isExchanged(const Descriptor &Desc, const SharedArray &A) {
  return std::ranges::any_of(Desc.Sites, [&](const Site &S) {
    return S.Space == GMPROF_SPACE_SHARED_CLUSTER &&
           (S.Variable == None || std::ranges::count(A.Variables, S.Variable) != 0);
  });
}

std::optional<Finding> Judge::reuse(const SharedArray &A) const {
  // Never touched parts are another finding.
  uint64_t Bytes = A.Bytes - std::min(A.UnusedBytes, A.Bytes);
  if (Bytes < Options.MinReuseBytes || A.AtThreshold != 0 || A.Touched == 0)
    return std::nullopt;
  // Only shared memory gives other blocks of the cluster such fast access.
  if (isExchanged(*K.Desc, A))
    return std::nullopt;
  // Arrays with live ranges are judged by these.
  if (auto Ranges = liveRanges(P, Use.Kernel, A); Ranges && Ranges->Counted)
    return std::nullopt;
  double Mean = A.Total.Value / static_cast<double>(A.Blocks) / static_cast<double>(A.Touched);
  if (Mean > Options.NoReuse)
    return std::nullopt;

  bool Stored = false, Loaded = false;
  for (const Site &S : K.Desc->Sites)
    if (std::find(A.Variables.begin(), A.Variables.end(), S.Variable) != A.Variables.end()) {
      Stored |= stores(S.Kind);
      Loaded |= loads(S.Kind);
    }
  // Plain updates may count simultaneous accesses of lanes to one word once: a single counted
  // access may be a broadcast to the whole warp.
  bool Exact = !(K.Desc->Flags & GMPROF_KERNEL_PLAIN_UPDATES);
  bool OneAccess = Mean <= 1;

  Finding F = finding(A, OneAccess ? "one_access" : "no_reuse");
  F.Evidence.emplace_back("accesses_per_touched_element_and_block", Mean);
  F.Evidence.emplace_back("touched_elements", A.Touched);
  F.Evidence.emplace_back("stored", Stored);
  F.Evidence.emplace_back("loaded", Loaded);
  F.Evidence.emplace_back("counts_exact", Exact);
  weigh(F, A, Bytes);
  F.Level = OneAccess && Exact ? Severity::Low : Severity::Info;

  const char *Unit = A.CountsWords ? "word" : "element";
  std::string Often = fmt::format("Each accessed {} of {} has {:.3g} accesses per block on average",
                                  Unit, quotedName(A.displayName()), Mean);
  if (Stored && !Loaded) {
    F.Message = Often + ": the kernel stores to it and never loads from it.";
    F.Suggestion = fmt::format("Remove {} and the stores to it.", A.displayName());
  } else if (OneAccess) {
    F.Message = Often + ": most stored data is never loaded, or a block uses only a part of it.";
    F.Suggestion =
        fmt::format("Read global memory directly, or size {} to the part that one block uses.",
                    A.displayName());
  } else {
    F.Message = Often + ": about one store and one load, so nothing is reused.";
    F.Suggestion = fmt::format(
        "If each thread loads only what it stored, use a register and free {} per block. Keep the "
        "array if threads exchange data through it (a transposition, a shuffle).",
        bytesText(static_cast<double>(Bytes)));
  }
  if (!Exact)
    F.Message += " (Counted without atomics: simultaneous accesses of one word may count once.)";
  return F;
}

void Judge::judge(const SharedArray &A, std::vector<Finding> &To) {
  if (A.Blocks == 0 || A.Sums.empty() || !uncountedAccesses(*K.Desc, A).empty())
    return;
  bool Worth =
      A.UnusedBytes >= Options.MinUnusedBytes &&
      static_cast<double>(A.UnusedBytes) >= Options.MinUnusedShare * static_cast<double>(A.Bytes);
  if (Worth)
    To.push_back(unused(A));
  if (std::optional<Finding> F = reuse(A))
    To.push_back(std::move(*F));
}

std::vector<Finding> underusedSharedMemory(const Profile &P,
                                           const std::vector<KernelSharedUse> &Uses,
                                           const UnderusedSharedMemoryOptions &Options) {
  const std::set<uint32_t> OtherSizes =
      profile::kernelsOfOtherBlockSizes(P, [](log::LaunchMode Mode) { return isShared(Mode); });
  std::vector<Finding> Findings;
  for (const KernelSharedUse &Use : Uses) {
    // Blocks of another size may access other elements.
    if (OtherSizes.contains(Use.Kernel))
      continue;
    Judge J(P, Use, Options);
    for (const SharedArray &A : Use.Arrays)
      J.judge(A, Findings);
  }
  for (Finding &F : Findings)
    F.Fingerprint = fingerprint(F, P);
  return Findings;
}

} // namespace gmprof::analysis
