//===- Records.h - The records of the event log -----------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The event log, which the host runtime writes while the program runs, is append-only, so that a
// crash loses nothing that was already recorded. It consists of a FileHeader and records: a
// RecordHeader, `bytes` of payload, and padding to a multiple of 8. Rare records carry JSON text,
// frequent ones a plain struct, some a struct followed by arrays. Records of calls are packed
// instead (PackedRecords.h) and start at any byte; FillByte pads to a multiple of 8 before the next
// RecordHeader. A truncated last record is ignored: the program died while writing it. All numbers
// are little-endian.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_PROFILE_RECORDS_H
#define GMPROF_PROFILE_RECORDS_H

#include "profile/log/CallPaths.h"
#include "profile/log/Global.h"
#include "profile/log/Graphs.h"
#include "profile/log/Heat.h"
#include "profile/log/Launches.h"
#include "profile/log/Objects.h"
#include "profile/log/Shared.h"
#include "profile/log/Streams.h"
#include "profile/log/Sync.h"
#include <cstdint>

namespace gmprof::log {

inline constexpr uint32_t Version = 16;

inline constexpr char Magic[8] = {'G', 'M', 'P', 'R', 'O', 'F', 'L', 'G'};

/// Padding byte after packed records; no record starts with it.
inline constexpr uint8_t FillByte = 0x7f;

struct FileHeader {
  char magic[8];
  uint32_t version;
  uint32_t reserved;
};

enum class RecordKind : uint32_t {
#define GMPROF_RECORD(Kind, number, ...) Kind = (number),
#include "profile/records.def"
};

struct RecordHeader {
  RecordKind kind;
  uint32_t reserved;
  uint64_t bytes; ///< size of the payload without padding
};

} // namespace gmprof::log

#endif // GMPROF_PROFILE_RECORDS_H
