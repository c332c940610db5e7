//===- ProgramMemory.h - Memory that pointers can reach ---------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Memory that the program's pointers can reach: objects, parts of pools, and textures and surfaces,
// which refer to objects by handles.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_HOST_OBJECTS_PROGRAMMEMORY_H
#define GMPROF_HOST_OBJECTS_PROGRAMMEMORY_H

#include "gmprof/abi.h"
#include "host/objects/Pools.h"
#include "host/objects/StoredAddresses.h"
#include "host/objects/Textures.h"
#include "profile/Mutex.h"
#include <map>
#include <memory>

namespace gmprof::host {

/// Memory by address, without overlaps. Each range belongs to an object; a slab has a
/// range for each gap between its parts.
struct MemoryRanges {
  std::vector<GmprofObjectRange> Ranges; ///< sorted
  std::vector<uint64_t> Objects;         ///< ObjectRecord::id of each
};

class ProgramMemory {
public:
  ProgramMemory(const Objects &Live, const Pools &Parts, const Textures &Handles,
                const StoredAddresses &Stored)
      : Live(Live), Parts(Parts), Handles(Handles), Stored(Stored) {}

  /// Returns the part of a pool that contains the address, else the object.
  std::optional<LiveObject> find(uint64_t Address) const { return Parts.find(Address); }
  /// Returns the range from the lowest to the highest address of objects.
  std::pair<uint64_t, uint64_t> bounds() const { return Live.bounds(); }
  const Textures &textures() const { return Handles; }
  const StoredAddresses &stored() const { return Stored; }
  /// Returns all memory that kernels on the device can access by address; the same ranges until
  /// something changes.
  std::shared_ptr<const MemoryRanges> ranges(int Device) const;
  /// Returns a number that changes whenever any of the memory does.
  uint64_t version() const {
    return Live.version() + Parts.version() + Handles.version() + Stored.version();
  }

private:
  MemoryRanges collect(int Device) const;

  const Objects &Live;
  const Pools &Parts;
  const Textures &Handles;
  const StoredAddresses &Stored;
  mutable Mutex Lock;
  mutable uint64_t KnownVersion GMPROF_GUARDED_BY(Lock) = 0;
  /// Ranges of that version, by device.
  mutable std::map<int, std::shared_ptr<const MemoryRanges>> Known GMPROF_GUARDED_BY(Lock);
};

} // namespace gmprof::host

#endif // GMPROF_HOST_OBJECTS_PROGRAMMEMORY_H
