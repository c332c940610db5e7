//===- SyncProfile.h - Profiles of synchronisation --------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The stage determines the records (Diogenes, SC'19, Figure 1):
//
//           calls, paths   waits   GPU times    host uses   copied contents    launches, copies
// baseline       x
// trace          x           x         x
// memory         x           x     migrations       x              x                  x
// use            x           x                      x                                 x
// single         x           x         x            x      those on the host          x
//
// Beside other profiles, which need launches and copies, the stage is baseline and records both.
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
  /// The records that a copy has in addition to that of its call.
  enum class CopyRecords { Nothing, Wait, All };

  /// Prepares the run's stage. Returns null if the run has none. OnGpu: false on the CPU device,
  /// where no memory migrates.
  static std::unique_ptr<SyncProfile> create(const Options &O, Recorder &Log, CallPaths &Paths,
                                             const DriverApi &Api, Objects &Live, AccessSets &Sets,
                                             bool OnGpu);

  ApiCalls &calls() { return Calls; }
  /// Returns the recorder of contents; null if the stage does not record them.
  TransferContents *contents() { return Contents.get(); }
  /// Returns true if the stage records uses of memory by the host; no clone runs then.
  bool watchesHost() const { return Watch != nullptr; }
  /// Returns true if launches are recorded besides their calls.
  bool recordsLaunches() const { return Watch || BesideOthers; }
  CopyRecords copyRecords() const;

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
  SyncProfile(const Options &O, Recorder &Log, CallPaths &Paths, const DriverApi &Api,
              Objects &Live, AccessSets &Sets, SyncStage Stage, bool OnGpu);

  Recorder &Log;
  const SyncStage Stage;
  const bool BesideOthers; ///< the run records other profiles, too
  /// Null if the stage does not record migrations. Declared before the members that call the
  /// driver: it must exist then.
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
