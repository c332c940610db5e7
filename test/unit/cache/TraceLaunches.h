//===- TraceLaunches.h - Launches of test traces ----------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_TEST_CACHE_TRACELAUNCHES_H
#define GMPROF_TEST_CACHE_TRACELAUNCHES_H

#include "cache/Coalescing.h"
#include "cache/TraceWriter.h"

namespace gmprof::test {

/// Appends a launch of `Requests` requests of one SM, each to another line.
inline void addLaunch(cache::TraceWriter &W, uint32_t Requests) {
  W.beginLaunch({});
  cache::Request R;
  R.Affine = true;
  R.Stride = 4;
  for (uint32_t I = 0; I < Requests; ++I) {
    R.Addresses[0] = uint64_t(I) * cache::LineBytes;
    W.add(0, std::span(&R, 1));
  }
  W.endLaunch();
}

} // namespace gmprof::test

#endif // GMPROF_TEST_CACHE_TRACELAUNCHES_H
