//===- Objects.h - Objects and memory of devices ----------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_PROFILE_MODEL_OBJECTS_H
#define GMPROF_PROFILE_MODEL_OBJECTS_H

#include "profile/Name.h"
#include "profile/log/Objects.h"
#include "profile/model/Run.h"
#include <array>
#include <cstdint>
#include <optional>

namespace gmprof::profile {

/// The allocation or release of an object.
struct ObjectEvent {
  Name Api;            ///< API function; empty: module variable, or unknown
  uint64_t TimeNs = 0; ///< time at which the object began to exist or to be released
  uint64_t Stream = 0; ///< stream of a stream-ordered call; else 0
  uint32_t Thread = 0;
  uint32_t CallPath = None;
  uint64_t BeginNs = 0, EndNs = 0; ///< begin and end of the call
  uint64_t Record = 0;             ///< position of the record in the log: 1, 2, …
  bool InGraph = false;            ///< true for a graph node
};

/// A global memory object.
struct Object {
  uint64_t Id = 0; ///< 1, 2, … in order of creation
  log::ObjectKind Kind = log::ObjectKind::Device;
  profile::Name Name;   ///< variable's name; empty: unknown
  uint64_t Address = 0; ///< device address; 0: opaque
  uint64_t Bytes = 0;
  uint32_t Device = 0;
  uint64_t Parent = 0;                 ///< id of the slab that holds this part of a pool; 0: none
  std::array<uint32_t, 3> Extent = {}; ///< see log::ObjectRecord
  uint32_t ElementBytes = 0;           ///< see log::ObjectRecord
  ObjectEvent Made;
  /// Absent if alive at the end. For graph memory: the releasing graph node, or the last call.
  std::optional<ObjectEvent> Released;
};

/// A call that released a graph's allocation in one launch, beyond Object::Released.
struct GraphMemoryRelease {
  uint32_t Object = 0; ///< index
  ObjectEvent Event;
};

/// The memory of a device; see log::MemoryReadingRecord.
struct MemoryReading {
  uint64_t Record = 0; ///< position of the record in the log
  uint64_t TimeNs = 0, FreeBytes = 0, TotalBytes = 0;
  uint64_t OwnBytes = 0, PoolBytes = 0, GraphBytes = 0, ModuleBytes = 0;
  uint64_t PrintfBytes = 0, HeapBytes = 0, StackBytes = 0;
  std::optional<uint64_t> OtherBytes; ///< nothing: unknown
  uint32_t Device = 0;
  log::MemoryMoment Moment = log::MemoryMoment::First;

  uint64_t inUse() const { return TotalBytes - FreeBytes; }
};

/// See log::FailedAllocationRecord.
struct FailedAllocation {
  uint64_t Record = 0; ///< position of the record in the log
  Name Api;
  uint64_t TimeNs = 0, Bytes = 0;
  log::ObjectKind Kind = log::ObjectKind::Device;
  uint32_t Device = 0, Thread = 0;
  uint32_t CallPath = None;
};

} // namespace gmprof::profile

#endif // GMPROF_PROFILE_MODEL_OBJECTS_H
