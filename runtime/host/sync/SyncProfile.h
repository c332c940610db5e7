//===- SyncProfile.h - Profiles of synchronisation --------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The stage determines the records (Diogenes, SC'19, Figure 1):
//
//             calls, call paths   waits   GPU times   host uses   contents of copies
//   baseline          x
//   trace             x             x         x
//   memory            x             x         migrations   x            x
//   use               x             x                      x
//   single            x             x         x            x      those on the host
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_HOST_SYNC_SYNCPROFILE_H
#define GMPROF_HOST_SYNC_SYNCPROFILE_H

#include "host/launch/KernelAccesses.h"
#include "host/objects/TransferContents.h"
#include "host/sync/ApiCalls.h"
#include "host/sync/HostWatch.h"
#include "host/sync/ManagedMigrations.h"
#include <memory>

namespace gmprof::host {

/// Returns whether the stage records uses by the host.
bool watches(SyncStage Stage);

class SyncProfile {
public:
  /// Prepares the stage. OnGpu: false on the CPU device, where no memory migrates. AskMigrations:
  /// recording migrations may disturb this run.
  SyncProfile(Recorder &Log, CallPaths &Paths, const DriverApi &Api, Objects &Live,
              AccessSets &Sets, SyncStage Stage, bool OnGpu, bool AskMigrations);

  ApiCalls &calls() { return Calls; }
  /// Returns the recorder of contents; null if the stage does not record them.
  TransferContents *contents() { return Contents.get(); }
  /// Returns whether the stage records calls only.
  bool callsOnly() const { return !Watch; }

  /// Handles a launch that is about to be submitted. AccessSet 0: its accesses are unknown.
  void launching(uint64_t Operation, int Device, uint32_t AccessSet);
  /// Handles a copy between these sides that is about to be made.
  void copying(const void *Caller, const TransferContents::Bytes &To,
               const TransferContents::Bytes &From);
  /// Handles the copy as the given operation.
  void copyingAs(uint64_t Operation, const TransferContents::Bytes &To,
                 const TransferContents::Bytes &From);
  /// Records that the program uses managed memory.
  void managedMemory();
  void finish();

private:
  Recorder &Log;
  /// Null if the stage does not record migrations. Declared first: it must exist before the driver
  /// is called.
  const std::unique_ptr<ManagedMigrations> Migrations;
  Objects &Live;
  AccessSets &Sets;
  const std::unique_ptr<HostWatch> Watch;
  const std::unique_ptr<TransferContents> Contents;
  const bool OnlyRun; ///< this process is the program's only run
  std::once_flag Said;
  ApiCalls Calls;
};

} // namespace gmprof::host

#endif // GMPROF_HOST_SYNC_SYNCPROFILE_H
