//===- SnapshotReader.h - Reads a snapshot's pickle -------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads the dictionary that PyTorch pickles into a snapshot's file: checks each value, sums the
// segments by pool, and makes the call paths of the frames.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_REPORT_FILES_SNAPSHOTREADER_H
#define GMPROF_REPORT_FILES_SNAPSHOTREADER_H

#include "report/files/MemorySnapshot.h"
#include "report/files/Pickle.h"
#include "report/files/SnapshotHistory.h"

namespace gmprof::snapshot {

/// Returns the segments and events of a pickle of so many bytes. Adds the pools and call paths to
/// To. An error is the part of a sentence after the name of the file.
Result<DeviceHistories> readHistories(const Pickle &In, size_t Bytes, MemorySnapshot &To);

} // namespace gmprof::snapshot

#endif // GMPROF_REPORT_FILES_SNAPSHOTREADER_H
