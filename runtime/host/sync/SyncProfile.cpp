//===- SyncProfile.cpp - Profiles of synchronisation ----------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "host/sync/SyncProfile.h"
#include <algorithm>

namespace gmprof::host {

using log::ObjectKind;

bool watches(SyncStage Stage) {
  return Stage == SyncStage::Single || Stage == SyncStage::Memory || Stage == SyncStage::Use;
}

static TransferContents::Of contentsOf(SyncStage Stage) {
  return Stage == SyncStage::Memory   ? TransferContents::Of::All
         : Stage == SyncStage::Single ? TransferContents::Of::Host
                                      : TransferContents::Of::Nothing;
}

std::unique_ptr<SyncProfile> SyncProfile::create(const Options &O, Recorder &Log, CallPaths &Paths,
                                                 const DriverApi &Api, Objects &Live,
                                                 AccessSets &Sets, bool OnGpu) {
  const std::optional<SyncStage> Stage = O.syncStage();
  if (!Stage)
    return nullptr;
  return std::unique_ptr<SyncProfile>(
      new SyncProfile(O, Log, Paths, Api, Live, Sets, *Stage, OnGpu));
}

SyncProfile::SyncProfile(const Options &O, Recorder &Log, CallPaths &Paths, const DriverApi &Api,
                         Objects &Live, AccessSets &Sets, SyncStage Stage, bool OnGpu)
    : Log(Log), Stage(Stage), BesideOthers(O.Profiles.several()),
      Migrations(OnGpu && O.Migrations ? std::make_unique<ManagedMigrations>(Log) : nullptr),
      Live(Live), Sets(Sets),
      Watch(watches(Stage) ? std::make_unique<HostWatch>(Log, Paths, /*DeviceUsesPages=*/!OnGpu)
                           : nullptr),
      Contents(Watch ? std::make_unique<TransferContents>(Log, Api, Live, contentsOf(Stage))
                     : nullptr),
      OnlyRun(OnGpu && Stage == SyncStage::Single), Calls(Log, Paths, Api, Stage, Watch.get()) {
  if (Watch)
    Live.beforeRelease([this](const LiveObject &Gone) {
      // The release of pinned memory waits for the GPU, except for streams that do not synchronise
      // with the default stream.
      if (Gone.Kind == ObjectKind::Pinned)
        Watch->used(nullptr, Gone.Address, Gone.Bytes, /*Stores=*/true);
      if (Gone.Kind == ObjectKind::Pinned || Gone.Kind == ObjectKind::Managed)
        Watch->forget(Gone.Address, Gone.Bytes);
    });
}

SyncProfile::CopyRecords SyncProfile::copyRecords() const {
  if (recordsLaunches())
    return CopyRecords::All;
  return Stage == SyncStage::Baseline ? CopyRecords::Nothing : CopyRecords::Wait;
}

void SyncProfile::launching(uint64_t Operation, int Device, uint32_t AccessSet) {
  if (!Watch || Operation == 0)
    return;
  const std::optional<std::vector<log::ObjectAccess>> Accesses = Sets.accesses(AccessSet);
  for (const LiveObject &O : Live.live(Device)) {
    if (O.Kind != ObjectKind::Pinned && O.Kind != ObjectKind::Managed)
      continue;
    if (!Accesses) {
      Watch->given(Operation, O.Address, O.Bytes, /*Writes=*/true);
      continue;
    }
    auto It = std::find_if(Accesses->begin(), Accesses->end(),
                           [&](const log::ObjectAccess &A) { return A.object == O.Id; });
    if (It != Accesses->end())
      Watch->given(Operation, O.Address, O.Bytes, It->writes != 0);
  }
}

void SyncProfile::copying(const void *Caller, const TransferContents::Bytes &To,
                          const TransferContents::Bytes &From) {
  if (!Watch)
    return;
  Watch->used(Caller, From.Address, From.Known ? From.extent() : 0, /*Stores=*/false);
  Watch->forget(To.Address, To.Known ? To.extent() : 0);
}

void SyncProfile::copyingAs(uint64_t Operation, const TransferContents::Bytes &To,
                            const TransferContents::Bytes &From) {
  if (!Watch || Operation == 0)
    return;
  // A copy from pageable memory has read the memory when the call returns.
  if (From.Known && From.OnHost && From.Object != 0)
    Watch->given(Operation, From.Address, From.extent(), /*Writes=*/false);
  if (To.Known && (To.OnHost || To.Managed))
    Watch->given(Operation, To.Address, To.extent(), /*Writes=*/true);
}

void SyncProfile::managedMemory() {
  if (Migrations)
    Migrations->managedMemory();
  if (OnlyRun)
    std::call_once(Said, [&] {
      Log.gap("migrations", "asking for them would disturb the only run: gmprof run has several",
              1);
    });
}

void SyncProfile::finish() {
  Calls.finish();
  if (Migrations)
    Migrations->finish();
  if (Watch)
    Watch->finish();
}

} // namespace gmprof::host
