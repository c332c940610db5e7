//===- Findings.cpp - Order and causes of findings ------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "report/model/Findings.h"
#include "report/model/Patterns.h"
#include <algorithm>
#include <string_view>
#include <tuple>

namespace gmprof {

using summary::Finding;

std::optional<double> evidenceOf(const Finding &F, std::string_view Name) {
  for (const auto &[Each, Value] : F.evidence)
    if (Each == Name) {
      if (const auto *Real = std::get_if<double>(&Value))
        return *Real;
      if (const auto *Whole = std::get_if<uint64_t>(&Value))
        return static_cast<double>(*Whole);
    }
  return std::nullopt;
}

double needlessTraffic(const Finding &F) {
  constexpr double BytesOfWavefront = 128;
  return evidenceOf(F, "launches").value_or(1) *
         (evidenceOf(F, "needless_bytes").value_or(0) +
          BytesOfWavefront * evidenceOf(F, "needless_wavefronts").value_or(0));
}

double kernelTimeShare(const Finding &F) { return evidenceOf(F, "kernel_time_share").value_or(0); }

/// Returns true if bytes_saved counts accesses to global memory, which are traffic, not capacity.
static bool savesAccesses(const Finding &F) {
  return F.pattern == "shared_memory_candidate" && F.kind != "move_out";
}

bool ranksBefore(const Finding &A, const Finding &B) {
  const auto Key = [](const Finding &F) {
    const uint64_t Capacity = savesAccesses(F) ? 0 : F.bytes_saved,
                   Accesses = F.bytes_saved - Capacity;
    return std::tuple(-severityRank(F.severity), isWithoutBenefit(F), -F.seconds_saved.value_or(0),
                      ~Capacity, -kernelTimeShare(F),
                      -needlessTraffic(F) - static_cast<double>(Accesses),
                      std::string_view(F.fingerprint));
  };
  return Key(A) < Key(B);
}

void rank(std::vector<Finding> &Findings) {
  std::ranges::sort(Findings, ranksBefore);
  uint64_t Number = 0;
  for (Finding &F : Findings)
    F.id = ++Number;
}

static bool inSameKernel(const Finding &F, const Finding &Other) {
  return F.kernel && Other.kernel && F.kernel->id == Other.kernel->id;
}

static bool isAboutSameObject(const Finding &F, const Finding &Other) {
  return F.object && Other.object && F.object->id == Other.object->id;
}

/// Returns true if Other are sectors that L1 caches fetch for different bytes, because the accesses
/// of F, in the same line, use a part of each. Several lines have no place: then the object counts.
static bool splitsSectors(const Finding &F, const Finding &Other) {
  if (Other.pattern != "poor_cache_locality" || Other.kind != "split_among_l1s" ||
      (F.pattern != "strided_access" && F.pattern != "uncoalesced_access") ||
      !inSameKernel(F, Other))
    return false;
  if (!Other.source)
    return isAboutSameObject(F, Other);
  return F.source && F.source->line != 0 && F.source->file == Other.source->file &&
         F.source->line == Other.source->line;
}

/// Returns true if Other is a hot spot whose data F moves to shared memory, or has the cause of F
/// otherwise. F's fix considers what fits; a candidate of severity info does not fit.
static bool isCauseOf(const Finding &F, const Finding &Other) {
  if (splitsSectors(F, Other))
    return true;
  return Other.pattern == "hot_spot" && F.pattern == "shared_memory_candidate" &&
         F.kind == "move_in" && F.severity != "info" && inSameKernel(F, Other) &&
         isAboutSameObject(F, Other);
}

void joinPatterns(std::vector<Finding> &Findings) {
  std::vector<const Finding *> Joined;
  for (const Finding &Other : Findings)
    for (Finding &F : Findings) {
      if (!isCauseOf(F, Other))
        continue;
      if (severityRank(F.severity) < severityRank(Other.severity))
        F.severity = Other.severity;
      F.also.push_back(Other.pattern);
      Joined.push_back(&Other);
      break;
    }
  std::vector<Finding> Kept;
  for (Finding &F : Findings)
    if (std::ranges::find(Joined, &F) == Joined.end())
      Kept.push_back(std::move(F));
  Findings = std::move(Kept);
}

bool isWithoutBenefit(const Finding &F) {
  return F.severity == "info" && F.bytes_saved == 0 && F.seconds_saved.value_or(0) <= 0 &&
         std::ranges::none_of(F.evidence,
                              [](const auto &Each) { return Each.first.starts_with("needless_"); });
}

} // namespace gmprof
