//===- MigrationWaits.h - Waits for managed memory to move ---- -*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A wait for a kernel includes the migration of managed memory that the kernel accesses: time that
// is not the kernel's own and that a prefetch would overlap.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_ANALYSIS_SYNC_MIGRATIONWAITS_H
#define GMPROF_ANALYSIS_SYNC_MIGRATIONWAITS_H

#include "analysis/sync/SyncTrace.h"
#include <optional>

namespace gmprof::analysis {

/// Migration during a call's wait.
struct MigrationWait {
  uint64_t WaitNs = 0;
  uint64_t Bytes = 0; ///< of migrations that began during the wait
  uint64_t Ns = 0;    ///< part of WaitNs during which memory migrated
};

/// Returns one entry per call of the trace.
std::vector<MigrationWait> migrationWaits(const profile::Profile &P, const SyncTrace &T);

/// Migration of one object.
struct MigratedObject {
  uint64_t Object = 0; ///< profile::Object::Id; 0: unknown memory
  uint64_t ToDeviceBytes = 0, ToHostBytes = 0;
  uint64_t ToDeviceNs = 0, ToHostNs = 0;
};

/// Returns the migrated objects, most bytes first; nothing if unknown or without managed memory.
std::optional<std::vector<MigratedObject>> migratedObjects(const profile::Profile &P);

} // namespace gmprof::analysis

#endif // GMPROF_ANALYSIS_SYNC_MIGRATIONWAITS_H
