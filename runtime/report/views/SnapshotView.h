//===- SnapshotView.h - A snapshot as a summary -----------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_REPORT_VIEWS_SNAPSHOTVIEW_H
#define GMPROF_REPORT_VIEWS_SNAPSHOTVIEW_H

#include "report/files/MemorySnapshot.h"
#include "report/model/Summary.h"
#include <optional>
#include <string>
#include <vector>

namespace gmprof {

/// Memory of an owner, in a snapshot and in a run. Nothing: it has none there.
struct ComparedOwner {
  std::string Owner, Name; ///< as in summary::MemoryRow
  std::optional<uint64_t> SnapshotBytes, RunBytes;
};

/// Compares PyTorch's account of a device's memory with that of a run at the same moment.
struct SnapshotComparison {
  std::vector<ComparedOwner> Owners;
  uint64_t SnapshotBytes = 0; ///< of all owners
  uint64_t RunBytes = 0;      ///< in use; if the driver was not asked, recorded
  bool InUse = false;         ///< RunBytes is what was in use
  uint64_t PyTorchBytes = 0;  ///< of PyTorch's allocator in the run
  uint64_t OutsideBytes = 0;  ///< RunBytes without PyTorchBytes
};

/// PyTorch's memory on a device.
struct SnapshotDevice {
  uint32_t Device = 0;
  summary::MemoryAccount Account;  ///< seconds count from the first event
  std::vector<SnapshotPool> Pools; ///< at the snapshot
  SnapshotPool AllPools;           ///< sums, and the largest free block
  std::optional<SnapshotComparison> Run;
};

/// The contents of gmreport snapshot.
struct SnapshotView {
  std::string File;
  size_t DevicesSeen = 0; ///< with segments or events
  uint64_t Events = 0;
  uint64_t Unmatched = 0;              ///< events that contradict others, and are left out
  double Seconds = 0;                  ///< from the first event to the last
  std::string Moment;                  ///< of the accounts: peak, failure, end, or chosen
  std::vector<SnapshotDevice> Devices; ///< with an account at the moment
  summary::Summary Summary;            ///< of snapshotSummary
};

/// Returns the accounts of the devices' memory, and the findings about PyTorch's allocator with
/// their objects; nothing else. AtNs: time since the first event of an account that replaces the
/// others.
summary::Summary snapshotSummary(const MemorySnapshot &Of, std::optional<uint64_t> AtNs);

/// Returns what is shown of a snapshot. S: its snapshotSummary. Moment: of the accounts in S. Run:
/// a run to compare with, which has accounts at the same moment; or null.
SnapshotView snapshotView(const MemorySnapshot &Of, std::string File, summary::Summary S,
                          std::string Moment, const summary::Summary *Run);

} // namespace gmprof

#endif // GMPROF_REPORT_VIEWS_SNAPSHOTVIEW_H
