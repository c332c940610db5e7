//===- ElementPatterns.cpp - Common parts of intra-object patterns --------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "analysis/elements/ElementPatterns.h"
#include <fmt/format.h>

namespace gmprof::analysis {

bool knowsElements(const ObjectHistory &H, const ElementUse &Use) {
  const log::ObjectKind Kind = H.trace().Objects[Use.Object].Kind;
  return Use.Unseen.empty() && H.isComplete() && H.isAllocated(Use.Object) &&
         Kind != log::ObjectKind::Managed && Kind != log::ObjectKind::Pinned;
}

void restOnSample(ObjectInefficiency &I, const ElementUse &Use) {
  if (!Use.Sampled)
    return;
  I.Sampled = true;
  I.Found.Evidence.emplace_back("launches", Use.Launches);
  I.Found.Evidence.emplace_back("launches_profiled", Use.LaunchesProfiled);
  I.Found.Message += Use.LaunchesProfiled == Use.Launches
                         ? " Estimated from a sample of the accesses."
                         : fmt::format(" Measured in {} of {} launches that may access it.",
                                       Use.LaunchesProfiled, Use.Launches);
}

} // namespace gmprof::analysis
