//===- NonuniformAccessFrequency.cpp - Finds uneven element use -----------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// DrGPUM (ASPLOS'23), Definition 3.9: at a GPU API, the coefficient of variation of the elements'
// access frequencies exceeds a limit. The API is a kernel launch, and the elements are those that
// it accesses. Section 7.3 applies this to slices (Definition 3.10) that a kernel's launches access
// in sequence, as does this rule.
//
//===----------------------------------------------------------------------===//

#include "analysis/elements/ElementPatterns.h"
#include <fmt/format.h>

namespace gmprof::analysis {

static std::string percent(const Bound &B) {
  return fmt::format("{}{:.0f} %", B.AtLeast ? "at least " : "", 100 * B.Value);
}

static std::string number(const Bound &B) {
  return fmt::format("{}{:.6g}", B.AtLeast ? "at least " : "", B.Value);
}

static ObjectInefficiency elementsOf(const ObjectHistory &H, const ElementUse &Use,
                                     const ElementFrequencies &F) {
  ObjectInefficiency I = objectInefficiency(H, "nonuniform_access_frequency", Use.Object);
  I.Api = F.Api;
  I.Found.Kind = "elements";
  I.Found.Kernel = F.Kernel;
  auto &Evidence = I.Found.Evidence;
  Evidence.emplace_back("elements", Use.Elements);
  Evidence.emplace_back("accessed_elements", F.Elements);
  Evidence.emplace_back("variation", F.Variation.Value);
  Evidence.emplace_back("lower_bound", F.Variation.AtLeast);
  Evidence.emplace_back("least_accesses", F.Min);
  Evidence.emplace_back("mean_accesses", F.Mean.Value);
  Evidence.emplace_back("most_accesses", F.Max.Value);
  if (F.HottestTenth)
    Evidence.emplace_back("share_of_hottest_tenth", *F.HottestTenth);
  Evidence.emplace_back("launches", F.Launches);
  const profile::ApiTrace &T = H.trace();
  I.Found.Message = fmt::format(
      "A launch of {} accesses elements of {} {:.6g} to {} times (mean {}, coefficient of "
      "variation {}).",
      apiWithPlace(T, F.Api), describeObject(T.Objects[Use.Object]), F.Min, number(F.Max),
      number(F.Mean), percent(F.Variation));
  I.Found.Suggestion =
      "Keep the most accessed elements in L2 (cudaAccessPolicyWindow), or in shared "
      "memory if the kernel only reads them.";
  return I;
}

static ObjectInefficiency slicesOf(const ObjectHistory &H, const ElementUse &Use,
                                   const SliceFrequencies &F) {
  ObjectInefficiency I = objectInefficiency(H, "nonuniform_access_frequency", Use.Object);
  I.Api = F.Api;
  I.Found.Kind = "slices";
  I.Found.Kernel = F.Kernel;
  I.Found.Evidence.emplace_back("slices", F.Slices);
  I.Found.Evidence.emplace_back("variation", F.Variation.Value);
  I.Found.Evidence.emplace_back("lower_bound", F.Variation.AtLeast);
  const profile::ApiTrace &T = H.trace();
  I.Found.Message = fmt::format(
      "Launches of {} access {} slices of {} one after the other, some more often than others "
      "(coefficient of variation {}).",
      apiWithPlace(T, F.Api), F.Slices, describeObject(T.Objects[Use.Object]),
      percent(F.Variation));
  I.Found.Suggestion =
      "Keep the most accessed slices in shared memory if the kernel only reads them.";
  return I;
}

ObjectInefficiencies nonuniformAccessFrequencies(const ObjectHistory &H,
                                                 const std::vector<ElementUse> &Uses,
                                                 const ObjectPatternOptions &Options) {
  ObjectInefficiencies Found(H.trace());
  for (const ElementUse &Use : Uses) {
    for (const ElementFrequencies &F : Use.Frequencies)
      if (F.Variation.Value > Options.FrequencyVariation)
        Found.push_back(elementsOf(H, Use, F));
    if (!knowsElements(H, Use) || Use.Sampled)
      continue;
    for (const SliceFrequencies &F : Use.OfSlices)
      if (F.Variation.Value > Options.FrequencyVariation)
        Found.push_back(slicesOf(H, Use, F));
  }
  return Found;
}

} // namespace gmprof::analysis
