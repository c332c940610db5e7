//===- StructuredAccess.cpp - Finds objects used slice by slice -----------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// DrGPUM (ASPLOS'23), Definition 3.10: APIs access disjoint slices of the object, here in sequence
// (AccessSlices.h). Memory for the largest slice suffices if each slice reuses it.
//
//===----------------------------------------------------------------------===//

#include "analysis/Wording.h"
#include "analysis/elements/ElementPatterns.h"
#include <algorithm>
#include <fmt/format.h>

namespace gmprof::analysis {

ObjectInefficiencies structuredAccesses(const ObjectHistory &H, const std::vector<ElementUse> &Uses,
                                        const ObjectPatternOptions &) {
  ObjectInefficiencies Found(H.trace());
  for (const ElementUse &Use : Uses) {
    if (Use.Slices.size() < 2 || !knowsElements(H, Use))
      continue;
    const profile::ApiObject &O = H.trace().Objects[Use.Object];
    uint64_t Largest = 0;
    for (const AccessSlice &S : Use.Slices)
      Largest = std::max(Largest, S.Elements);
    const uint64_t Bytes = std::min(O.Bytes, Largest * Use.ElementBytes);
    ObjectInefficiency I = objectInefficiency(H, "structured_access", Use.Object);
    I.Found.Evidence.emplace_back("slices", uint64_t(Use.Slices.size()));
    I.Found.Evidence.emplace_back("largest_slice_bytes", Bytes);
    I.Found.Evidence.emplace_back("accessed_share", Use.accessedShare());
    I.Found.Message = fmt::format(
        "CUDA operations access {} slices of {} one after the other, and no slice again after the "
        "next one.",
        grouped(Use.Slices.size()), describeObject(O));
    I.Found.Suggestion =
        fmt::format("Allocate one slice ({} bytes) and reuse it for all slices.", grouped(Bytes));
    restOnSample(I, Use);
    I.Instead[Use.Object] = {{O.Allocation, H.trace().endOf(O), Bytes}};
    Found.push_back(std::move(I));
  }
  return Found;
}

} // namespace gmprof::analysis
