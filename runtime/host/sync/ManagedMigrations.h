//===- ManagedMigrations.h - Managed memory that moves -------- -*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Managed memory moves to who accesses it. A kernel that finds its data on the host takes as
// long as that takes, and so does what waits for the kernel. Only the driver knows, and
// tells by CUPTI (activities of kind UNIFIED_MEMORY_COUNTER), if it is asked before it is
// initialised. Without CUPTI, coverage says that this is not known. Migrations take up
// to twice their time then (docs/observations.md), so this is not for runs that are timed.
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
  /// Before any call of CUDA. Libraries: where CUPTI may be, tried in order.
  explicit ManagedMigrations(Recorder &Log,
                             const std::vector<std::string> &Libraries = standardLibraries());
  ~ManagedMigrations();
  ManagedMigrations(const ManagedMigrations &) = delete;
  ManagedMigrations &operator=(const ManagedMigrations &) = delete;

  /// The program has managed memory from now on.
  void managedMemory();
  /// Records what is still in CUPTI's buffers.
  void finish();

  static std::vector<std::string> standardLibraries();

private:
  struct Cupti;

  /// Why it cannot be; empty: it has begun.
  std::string start(const std::vector<std::string> &Libraries);

  Recorder &Log;
  std::unique_ptr<Cupti> Api;
  const std::string WhyNot;
  std::once_flag Said;
};

} // namespace gmprof::host

#endif // GMPROF_HOST_SYNC_MANAGEDMIGRATIONS_H
