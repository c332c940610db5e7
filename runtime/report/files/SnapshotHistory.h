//===- SnapshotHistory.h - What a snapshot's file records -------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The segments and blocks of PyTorch's caching allocator at a snapshot, and its recorded events, as
// the snapshot's file has them.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_REPORT_FILES_SNAPSHOTHISTORY_H
#define GMPROF_REPORT_FILES_SNAPSHOTHISTORY_H

#include "analysis/objects/CachingAllocator.h"
#include "profile/Profile.h"
#include <array>
#include <map>
#include <optional>
#include <vector>

namespace gmprof::snapshot {

/// The units in which expandable segments of small and of large blocks are mapped (kSmallBuffer and
/// kLargeBuffer in PyTorch).
inline constexpr uint64_t SmallPart = analysis::CachingAllocator::SmallSlab,
                          LargePart = uint64_t(20) << 20;

/// A recorded event of the allocator.
struct Event {
  enum class Action : uint8_t {
    Allocate,
    FreeRequested,
    FreeCompleted,
    SegmentAllocate,
    SegmentFree,
    SegmentMap,
    SegmentUnmap,
    OutOfMemory,
    Other
  };
  Action Is = Action::Other;
  uint64_t Address = 0, Bytes = 0, TimeNs = 0;
  int64_t Stream = 0;
  std::optional<std::array<int64_t, 2>> Pool;
  uint32_t Path = profile::None; ///< call path of the profile
  profile::Name Name;            ///< of torch.cuda.memory._set_memory_metadata(); empty: none
};

struct Block {
  uint64_t Bytes = 0;
  uint32_t Path = profile::None;
  profile::Name Name;
};

struct Segment {
  uint64_t Bytes = 0;
  int64_t Stream = 0;
  std::array<int64_t, 2> Pool = {};
  bool Large = true, Expandable = false;
  uint32_t Path = profile::None;
};

/// The segments and blocks of a device.
struct State {
  std::map<uint64_t, Block> Blocks;   ///< tensors, by address
  std::map<uint64_t, Segment> Slabs;  ///< segments that are not expandable, by address
  std::map<uint64_t, Segment> Mapped; ///< parts of expandable ones, by address
};

/// The segments and events of one device.
struct DeviceHistory {
  std::map<uint64_t, Segment> Segments; ///< at the snapshot
  State End;                            ///< at the snapshot
  std::vector<Event> Events;
};

using DeviceHistories = std::map<uint32_t, DeviceHistory>; ///< by number of the device

} // namespace gmprof::snapshot

#endif // GMPROF_REPORT_FILES_SNAPSHOTHISTORY_H
