//===- MigrationWaits.h - Waits for managed memory to move ---- -*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What waits for a kernel waits for the managed memory, too, that moves to the GPU because
// the kernel accesses it: time that is not the kernel's, and that a prefetch would overlap.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_ANALYSIS_MIGRATIONWAITS_H
#define GMPROF_ANALYSIS_MIGRATIONWAITS_H

#include "analysis/SyncTrace.h"
#include <optional>

namespace gmprof::analysis {

/// Within a call's wait.
struct MigrationWait {
  uint64_t WaitNs = 0;
  uint64_t Bytes = 0; ///< of migrations that began in it
  uint64_t Ns = 0;    ///< of WaitNs, those in which some memory moved
};

/// Per call of a trace.
std::vector<MigrationWait> migrationWaits(const profile::Profile &P, const SyncTrace &T);

/// How much of an object moved.
struct MigratedObject {
  uint64_t Object = 0; ///< profile::Object::Id; 0: memory that is not known
  uint64_t ToDeviceBytes = 0, ToHostBytes = 0;
  uint64_t ToDeviceNs = 0, ToHostNs = 0;
};

/// Those that moved, most bytes first. Nothing: it is not known, or there is no managed memory.
std::optional<std::vector<MigratedObject>> migratedObjects(const profile::Profile &P);

} // namespace gmprof::analysis

#endif // GMPROF_ANALYSIS_MIGRATIONWAITS_H
