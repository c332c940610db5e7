//===- SyncProfile.h - Profiles of synchronisation --------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What is recorded depends on the stage (Diogenes, SC'19, Figure 1):
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

/// Whether uses by the host are looked for.
bool watches(SyncStage Stage);

class SyncProfile {
public:
  /// OnGpu: not on the CPU device, where no memory moves. AskMigrations: this run may be
  /// disturbed by that.
  SyncProfile(Recorder &Log, CallPaths &Paths, const DriverApi &Api, Objects &Live,
              AccessSets &Sets, SyncStage Stage, bool OnGpu, bool AskMigrations);

  ApiCalls &calls() { return Calls; }
  /// Null: contents are not of interest.
  TransferContents *contents() { return Contents.get(); }
  /// Whether nothing but calls is to be recorded.
  bool callsOnly() const { return !Watch; }

  /// A launch is about to be given to the GPU. AccessSet 0: what it accesses is not known.
  void launching(uint64_t Operation, int Device, uint32_t AccessSet);
  /// A copy is about to be made, whose sides are these.
  void copying(const void *Caller, const TransferContents::Bytes &To,
               const TransferContents::Bytes &From);
  /// As this operation.
  void copyingAs(uint64_t Operation, const TransferContents::Bytes &To,
                 const TransferContents::Bytes &From);
  /// The program has managed memory from now on.
  void managedMemory();
  void finish();

private:
  Recorder &Log;
  /// Null: not of interest. Before all that may call the driver.
  const std::unique_ptr<ManagedMigrations> Migrations;
  Objects &Live;
  AccessSets &Sets;
  const std::unique_ptr<HostWatch> Watch;
  const std::unique_ptr<TransferContents> Contents;
  const bool OnlyRun; ///< of the program
  std::once_flag Said;
  ApiCalls Calls;
};

} // namespace gmprof::host

#endif // GMPROF_HOST_SYNC_SYNCPROFILE_H
