//===- SyncNecessity.h - Necessity of waits ---------------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Diogenes (SC'19), Sections 3.3.1 and 3.4, Figure 2. A wait is needed if, before the next wait
// that covers the same work, the host uses the result of an operation that it covers. A use is
// attributed to the last earlier wait of its thread that covers the operation, or of any thread if
// its own has none. Reading an event's time is a use as well. Memory that could not be watched may
// be used at any time: it needs each thread's first wait that covers the operation, and those that
// follow before the thread gives the GPU new work.
//
// Two kinds of waits count as needed, because their purpose is unknown: waits that alone order
// operations of two streams; and each thread's first wait that covers a host function or other work
// that accesses unknown memory of the host. If uses or the order of streams were not recorded, all
// waits count as needed.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_ANALYSIS_SYNC_SYNCNECESSITY_H
#define GMPROF_ANALYSIS_SYNC_SYNCNECESSITY_H

#include "analysis/sync/SyncTrace.h"
#include <optional>

namespace gmprof::analysis {

struct SyncVerdict {
  enum class Need : uint8_t {
    None,        ///< nothing it covers was used before the next wait
    Used,        ///< the host used data it covers
    AssumedUsed, ///< the host may have used it; the memory could not be watched
    EventRead,   ///< an event's time was read
    OrdersStreams,
    OrdersHost, ///< it waits for work that may access memory of the host that is not known
    NotSeen,    ///< the run in which uses were watched has no such call
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

#endif // GMPROF_ANALYSIS_SYNC_SYNCNECESSITY_H
