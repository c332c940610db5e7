//===- SyncNecessity.h - Necessity of waits ---------------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Diogenes (SC'19), Sections 3.3.1 and 3.4, Figure 2. A wait is needed if the host uses the output
// of an operation that it covers before the next wait that covers the same: each use is attributed
// to the last preceding wait that covers the operation. Reading an event's time counts as a use. A
// wait that alone orders operations of two streams is assumed to be needed, because the data they
// share is unknown.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_ANALYSIS_SYNCNECESSITY_H
#define GMPROF_ANALYSIS_SYNCNECESSITY_H

#include "analysis/SyncTrace.h"
#include <optional>

namespace gmprof::analysis {

struct SyncVerdict {
  enum class Need : uint8_t {
    None,        ///< nothing it covers was used before the next wait
    Used,        ///< the host used data it covers
    AssumedUsed, ///< the host may have used it; the memory could not be watched
    EventRead,   ///< an event's time was read
    OrdersStreams,
    NotSeen, ///< the run that watched uses has no such call
  };
  Need Is = Need::None;
  uint64_t FirstUseNs = 0;      ///< from the program's continuation after the wait
  uint32_t Use = profile::None; ///< index in Profile::Uses
  /// True if only instrumented code was watched for some of the data it covers.
  bool OnlyByCode = false;
};

/// Returns one verdict per call of the trace.
std::vector<SyncVerdict> syncNecessity(const profile::Profile &P, const SyncTrace &T);

} // namespace gmprof::analysis

#endif // GMPROF_ANALYSIS_SYNCNECESSITY_H
