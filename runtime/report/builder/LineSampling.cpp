//===- LineSampling.cpp - Sampling of simulated lines ---------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "report/builder/LineSampling.h"
#include <utility>
#include <variant>

namespace gmprof {

using namespace cache;

void LineSampling::endLaunch() {
  constexpr uint64_t Enough = uint64_t(1) << 21;
  // At a lower rate, an L1 cache of a few KB would hold no more than a line or two.
  constexpr uint32_t MostLines = 64;
  const uint64_t Requests = Size.regularRequests();
  // Restarting repeats all of the simulation so far.
  const uint64_t Most = std::exchange(IsFirst, false) ? Enough : 2 * Enough;
  if (Requests <= Most * Lines)
    return;
  while (Lines < MostLines && Requests > Enough * Lines)
    Lines *= 2;
}

void LineSampling::add(const TraceItem &Item) {
  if (const auto *Chunk = std::get_if<RequestChunk>(&Item))
    Size.add(*Chunk);
  else if (std::holds_alternative<TraceLaunchEnd>(Item))
    endLaunch();
}

} // namespace gmprof
