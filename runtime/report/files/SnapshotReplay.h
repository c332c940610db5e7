//===- SnapshotReplay.h - Objects of a snapshot's events --------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Makes the objects of a snapshot. Undoes the events from the last one to the first, to find what
// existed before them, and then executes them.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_REPORT_FILES_SNAPSHOTREPLAY_H
#define GMPROF_REPORT_FILES_SNAPSHOTREPLAY_H

#include "report/files/MemorySnapshot.h"
#include "report/files/SnapshotHistory.h"

namespace gmprof::snapshot {

/// Adds the devices, the objects and the failed allocations to To. Returns an error, the part of a
/// sentence after the name of the file, or nothing.
std::string replay(const DeviceHistories &Devices, MemorySnapshot &To);

} // namespace gmprof::snapshot

#endif // GMPROF_REPORT_FILES_SNAPSHOTREPLAY_H
