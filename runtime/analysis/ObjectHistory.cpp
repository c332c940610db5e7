//===- ObjectHistory.cpp - When objects are used --------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "analysis/ObjectHistory.h"
#include <algorithm>
#include <utility>

namespace gmprof::analysis {

ObjectHistory::ObjectHistory(const profile::ApiTrace &Trace,
                             const std::vector<uint32_t> &Timestamps)
    : Trace(Trace), Timestamps(Timestamps), Uses(Trace.Objects.size()) {
  for (uint32_t I = 0; I < Trace.Apis.size(); ++I)
    for (const profile::ApiAccess &Access : Trace.Apis[I].Accesses)
      if (Uses[Access.Object].empty() || Uses[Access.Object].back() != I)
        Uses[Access.Object].push_back(I);
  auto Order = [&](uint32_t Api) { return std::pair(Timestamps[Api], Api); };
  for (std::vector<uint32_t> &Of : Uses)
    std::sort(Of.begin(), Of.end(), [&](uint32_t A, uint32_t B) { return Order(A) < Order(B); });
}

bool ObjectHistory::isAllocated(uint32_t Object) const {
  log::ObjectKind Kind = Trace.Objects[Object].Kind;
  return Kind != log::ObjectKind::GlobalVariable && Kind != log::ObjectKind::Constant;
}

} // namespace gmprof::analysis
