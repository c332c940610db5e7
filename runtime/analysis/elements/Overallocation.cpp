//===- Overallocation.cpp - Finds overallocations -------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// DrGPUM (ASPLOS'23), Definition 3.8: less than a given share of the object's elements are
// accessed. Formula 1, the fragmentation of the other elements, tells how hard they are to save,
// and Table 2 what to do: with low fragmentation, the object can shrink to the accessed elements;
// with high fragmentation, these are scattered, and no savings are claimed.
//
//===----------------------------------------------------------------------===//

#include "analysis/Wording.h"
#include "analysis/elements/ElementPatterns.h"
#include <algorithm>
#include <fmt/format.h>

namespace gmprof::analysis {

static std::string describeElements(ElementRun R) {
  return R.Count == 1 ? fmt::format("element {}", R.First)
                      : fmt::format("elements {} to {}", R.First, R.end() - 1);
}

static std::string suggestion(const ElementUse &Use, uint64_t Bytes, uint64_t Unaccessed,
                              bool Scattered) {
  if (Scattered)
    return fmt::format(
        "Store only the accessed elements, if a compact layout is cheap and no other "
        "input accesses the rest: the unused ones are scattered, with at most {} in "
        "one piece.",
        bytesText(static_cast<double>(Use.LargestGap.Count * Use.ElementBytes)));
  // Indices stay as they are only if the unused elements are the last ones.
  const bool IsTail = Use.Gaps == 1 && Use.LargestGap.end() == Use.Elements;
  return fmt::format("Allocate {} bytes{}, provided that no other input accesses {}{}.",
                     grouped(Bytes - Unaccessed),
                     IsTail ? "" : " for the accessed elements, and adapt their indices",
                     describeElements(Use.LargestGap), Use.Gaps == 1 ? "" : " and others");
}

ObjectInefficiencies overallocations(const ObjectHistory &H, const std::vector<ElementUse> &Uses,
                                     const ObjectPatternOptions &Options) {
  ObjectInefficiencies Found(H.trace());
  for (const ElementUse &Use : Uses) {
    if (!knowsElements(H, Use) || Use.accessedShare() >= Options.AccessedShare)
      continue;
    const profile::ApiObject &O = H.trace().Objects[Use.Object];
    const uint64_t Unaccessed =
        std::min(O.Bytes, (Use.Elements - Use.Accessed) * uint64_t(Use.ElementBytes));
    const bool Scattered = Use.fragmentation() >= Options.Fragmentation;
    ObjectInefficiency I = objectInefficiency(H, "overallocation", Use.Object);
    I.Found.Kind = Scattered ? "scattered" : "contiguous";
    auto &Evidence = I.Found.Evidence;
    Evidence.emplace_back("elements", Use.Elements);
    Evidence.emplace_back("accessed_elements", Use.Accessed);
    Evidence.emplace_back("accessed_share", Use.accessedShare());
    Evidence.emplace_back("fragmentation", Use.fragmentation());
    Evidence.emplace_back("unaccessed_bytes", Unaccessed);
    Evidence.emplace_back("largest_unaccessed_bytes",
                          Use.LargestGap.Count * uint64_t(Use.ElementBytes));
    Evidence.emplace_back("largest_unaccessed_from", Use.LargestGap.First);
    I.Found.Message =
        fmt::format("Kernels access {:.3g} % of {}: {} of its {} elements are never accessed.",
                    100 * Use.accessedShare(), describeObject(O),
                    grouped(Use.Elements - Use.Accessed), grouped(Use.Elements));
    I.Found.Suggestion = suggestion(Use, O.Bytes, Unaccessed, Scattered);
    restOnSample(I, Use);
    if (!Scattered)
      I.Instead[Use.Object] = {{O.Allocation, H.trace().endOf(O), O.Bytes - Unaccessed}};
    Found.push_back(std::move(I));
  }
  return Found;
}

} // namespace gmprof::analysis
