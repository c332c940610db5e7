//===- LineSampling.h - Sampling of simulated lines -------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_REPORT_BUILDER_LINESAMPLING_H
#define GMPROF_REPORT_BUILDER_LINESAMPLING_H

#include "cache/TraceSimulation.h"

namespace gmprof {

/// Chooses the sampling rate from the requests up to the end of each launch: all lines are
/// simulated for up to about two million requests. The rate then rises to one in 2, 4, ... 64 lines
/// each time that the number of requests per simulated line doubles.
class LineSampling {
  cache::TraceSize Size;
  uint32_t Lines = 1;
  bool IsFirst = true;

  void endLaunch();

public:
  /// Adds the next item of the trace.
  void add(const cache::TraceItem &Item);
  uint32_t lines() const { return Lines; }
};

} // namespace gmprof

#endif // GMPROF_REPORT_BUILDER_LINESAMPLING_H
