//===- LineSampling.h - How many lines are simulated ------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_REPORT_LINESAMPLING_H
#define GMPROF_REPORT_LINESAMPLING_H

#include "cache/TraceSimulation.h"

namespace gmprof {

/// One of how many lines is simulated, by all that is in a trace up to the end of a launch: all of
/// them for about two million requests, and 2, 4, ... or 64 as soon as there are twice as many for
/// each of these.
class LineSampling {
  cache::TraceSize Size;
  uint32_t Lines = 1;
  bool IsFirst = true;

  void endLaunch();

public:
  /// What the trace holds next.
  void add(const cache::TraceItem &Item);
  uint32_t lines() const { return Lines; }
};

} // namespace gmprof

#endif // GMPROF_REPORT_LINESAMPLING_H
