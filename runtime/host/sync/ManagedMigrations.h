//===- ManagedMigrations.h - Migrations of managed memory -------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Records migrations of managed memory. Managed memory migrates to the processor that accesses it.
// A kernel that finds its data on the host takes as long as the migration, and so do waits for the
// kernel. Only the driver observes migrations. It reports them through CUPTI (activities of kind
// UNIFIED_MEMORY_COUNTER), if CUPTI is set up before the driver is initialised. If CUPTI is
// missing, the coverage of the report says that migrations are unknown. Recording makes migrations
// up to twice as long (docs/observations.md), so timed runs do not record them.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_HOST_SYNC_MANAGEDMIGRATIONS_H
#define GMPROF_HOST_SYNC_MANAGEDMIGRATIONS_H

#include "host/record/Recorder.h"
#include <mutex>
#include <string>
#include <vector>

namespace gmprof::host {

class ManagedMigrations {
public:
  /// Starts recording, before any CUDA call. Libraries: paths of CUPTI to try in order.
  explicit ManagedMigrations(Recorder &Log,
                             const std::vector<std::string> &Libraries = standardLibraries());
  ~ManagedMigrations();
  ManagedMigrations(const ManagedMigrations &) = delete;
  ManagedMigrations &operator=(const ManagedMigrations &) = delete;

  /// Records that the program uses managed memory.
  void managedMemory();
  /// Records the contents of CUPTI's buffers.
  void finish();

  static std::vector<std::string> standardLibraries();

private:
  struct Cupti;

  /// Starts CUPTI. Returns the reason if that is not possible, or an empty string.
  std::string start(const std::vector<std::string> &Libraries);

  Recorder &Log;
  std::unique_ptr<Cupti> Api;
  const std::string WhyNot;
  std::once_flag Said;
};

} // namespace gmprof::host

#endif // GMPROF_HOST_SYNC_MANAGEDMIGRATIONS_H
