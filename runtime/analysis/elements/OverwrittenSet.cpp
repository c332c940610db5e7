//===- OverwrittenSet.cpp - Finds sets that kernels overwrite -------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// DrGPUM (ASPLOS'23), Definition 3.7, for a memset and a kernel. The paper knows of kernels only
// that they access an object. Here the counts of elements prove that a launch writes each byte of
// it and reads none, so that nothing can read what the memset wrote. Another launch of the kernel
// that follows a set of the call site and leaves elements proves that data decides what it writes:
// a flag of convergence needs each of its sets.
//
//===----------------------------------------------------------------------===//

#include "analysis/Wording.h"
#include "analysis/elements/ElementPatterns.h"
#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <set>

namespace gmprof::analysis {

using profile::Api;
using profile::ApiKind;

namespace {

/// Sets of one call site.
struct Overwritten {
  uint64_t Sets = 0, Dead = 0, Bytes = 0;
  uint32_t First = 0, By = 0; ///< the first dead one, and the launch that overwrites it
  /// Kernels whose launches follow a set, and overwrite all of it or not.
  std::set<std::string> Overwriting, Leaving;

  bool isConditional() const {
    return std::ranges::any_of(Overwriting,
                               [&](const std::string &K) { return Leaving.contains(K); });
  }
};

} // namespace

/// Returns the bytes that the API writes; 0 if it does more.
static uint64_t writtenBytes(const Api &A, uint32_t Object) {
  uint64_t Bytes = 0;
  for (const profile::ApiAccess &Access : A.Accesses) {
    if (Access.Object != Object)
      continue;
    if (Access.Reads || !Access.Writes || Access.Bytes == 0)
      return 0;
    Bytes += Access.Bytes;
  }
  return Bytes;
}

static ObjectInefficiency describe(const ObjectHistory &H, uint32_t Object, const Overwritten &D) {
  const profile::ApiTrace &T = H.trace();
  ObjectInefficiency I = objectInefficiency(H, "dead_write", Object);
  I.Api = D.First;
  I.Found.Kind = "by_kernel";
  I.Found.Evidence.emplace_back("dead_writes", D.Dead);
  I.Found.Evidence.emplace_back("dead_bytes", D.Bytes);
  I.Found.Evidence.emplace_back("overwritten_by", describeApi(T.Apis[D.By]));
  const std::string Set = apiWithPlace(T, D.First), Kernel = apiWithPlace(T, D.By);
  I.Found.Message = fmt::format(
      "{} writes {}, and {} then writes each byte of it and reads none{}.", Set,
      describeObject(T.Objects[Object]), Kernel, D.Dead == 1 ? "" : ", " + plural(D.Dead, "time"));
  I.Found.Suggestion =
      D.Dead == D.Sets
          ? fmt::format("Remove {}, provided that {} writes all elements for every input.", Set,
                        Kernel)
          : fmt::format("Leave out {} of the {}, provided that {} writes all elements for every "
                        "input; keep those whose values are read.",
                        grouped(D.Dead), plural(D.Sets, "call"), Kernel);
  return I;
}

ObjectInefficiencies overwrittenSets(const ObjectHistory &H, const std::vector<ElementUse> &Uses,
                                     const ObjectPatternOptions &) {
  const profile::ApiTrace &T = H.trace();
  ObjectInefficiencies Found(T);
  for (const ElementUse &Use : Uses) {
    if (Use.Overwrites.empty() || !knowsElements(H, Use))
      continue;
    std::map<CallSite, Overwritten> BySite;
    const auto &Of = H.uses(Use.Object);
    for (size_t I = 0; I < Of.size(); ++I) {
      const Api &Set = T.Apis[Of[I]];
      const uint64_t Bytes = writtenBytes(Set, Use.Object);
      if (Set.Kind != ApiKind::Set)
        continue;
      Overwritten &D = BySite[callSite(T, Set)];
      ++D.Sets;
      if (I + 1 == Of.size())
        continue;
      const Api &Next = T.Apis[Of[I + 1]];
      const bool IsOverwritten = std::ranges::binary_search(Use.Overwrites, Of[I + 1]);
      if (Next.Kind == ApiKind::Launch)
        (IsOverwritten ? D.Overwriting : D.Leaving).insert(Next.Name);
      // The order within a stream is certain.
      if (Bytes == 0 || !IsOverwritten || Next.Stream != Set.Stream || Next.Device != Set.Device ||
          H.mayBeUsed(Use.Object, Of[I], Of[I + 1]))
        continue;
      if (D.Dead++ == 0)
        D.First = Of[I], D.By = Of[I + 1];
      D.Bytes += Bytes;
    }
    for (const auto &[Site, D] : BySite)
      if (D.Dead != 0 && !D.isConditional())
        Found.push_back(describe(H, Use.Object, D));
  }
  return Found;
}

} // namespace gmprof::analysis
