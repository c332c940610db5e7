//===- GlobalRecords.cpp - Decodes global memory counts -------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "profile/GlobalRecords.h"
#include "profile/CompressedCounts.h"
#include "profile/Saturating.h"
#include <algorithm>
#include <limits>

namespace gmprof {

bool GlobalRecords::context(Payload B) {
  log::GlobalContextRecord R;
  if (!take(B, R))
    return false;
  auto Kernel = Kernels.find(R.kernel);
  if (Kernel == Kernels.end() || R.context == 0 || R.blockSample == 0 ||
      ContextById.count(R.context))
    return false;
  const std::optional<profile::Descriptor> &Desc = P.Kernels[Kernel->second].Desc;
  if (!Desc || R.variableCount != Desc->Variables.size() ||
      std::count(R.grid, R.grid + 3, 0u) + std::count(R.block, R.block + 3, 0u) != 0)
    return false;
  profile::GlobalContext C;
  if (!take(B, C.Objects, R.variableCount) || !take(B, C.Offsets, R.variableCount) ||
      !take(B, C.Values, R.valueCount) || !B.empty())
    return false;
  C.Context = R.context;
  C.Kernel = Kernel->second;
  for (int I = 0; I < 3; ++I) {
    C.Grid[I] = R.grid[I];
    C.Block[I] = R.block[I];
  }
  C.BlockSample = R.blockSample;
  C.ClosedForms = R.closedForms != 0;
  C.CounterBytes = R.counterBytes;
  C.ObjectBytes = R.objectBytes;
  ContextById[R.context] = P.GlobalContexts.size();
  P.GlobalContexts.push_back(std::move(C));
  return true;
}

bool GlobalRecords::counts(Payload B) {
  log::GlobalCountsRecord R;
  if (!take(B, R))
    return false;
  auto Kernel = Kernels.find(R.kernel);
  const uint64_t Most = std::numeric_limits<uint64_t>::max();
  if (Kernel == Kernels.end() || R.counterKind >= GMPROF_COUNTER_KINDS || R.blockSample == 0 ||
      (R.context != 0 && !ContextById.count(R.context)) ||
      R.elementShift > profile::MaxElementShift || R.firstElement > Most - R.elements ||
      !holdsCounts(B, R.elements, R.thresholdReached != 0))
    return false;
  P.Global.push_back({R.object,
                      Kernel->second,
                      static_cast<GmprofCounterKind>(R.counterKind),
                      R.elementShift,
                      R.blockSample,
                      R.threshold,
                      R.thresholdReached != 0,
                      R.firstElement,
                      R.elements,
                      R.launches,
                      R.context,
                      {B.begin(), B.end()}});
  return true;
}

bool GlobalRecords::totals(Payload B) {
  log::GlobalTotalsRecord R;
  if (!take(B, R) || !B.empty())
    return false;
  auto It = ContextById.find(R.context);
  if (It == ContextById.end())
    return false;
  profile::GlobalContext &C = P.GlobalContexts[It->second];
  C.LaunchesCounted = addSaturating(C.LaunchesCounted, R.launches);
  C.Blocks = addSaturating(C.Blocks, R.blocks);
  C.Threads = addSaturating(C.Threads, R.threads);
  C.Outside = addSaturating(C.Outside, R.outside);
  return true;
}

} // namespace gmprof
