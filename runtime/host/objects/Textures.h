//===- Textures.h - Texture and surface objects -----------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Maps handles of textures and surfaces to the arrays or memory that they were created for. A
// kernel refers to a texture by its handle.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_HOST_OBJECTS_TEXTURES_H
#define GMPROF_HOST_OBJECTS_TEXTURES_H

#include "profile/Mutex.h"
#include <atomic>
#include <cstdint>
#include <map>
#include <optional>
#include <set>

namespace gmprof::host {

class Textures {
public:
  /// Registers a handle. Object: ObjectRecord::id; 0: unknown.
  void created(uint64_t Handle, uint64_t Object);
  void destroyed(uint64_t Handle);

  /// Returns the object of a texture or surface; nothing if the handle or its object is unknown.
  std::optional<uint64_t> find(uint64_t Handle) const;
  /// Returns the objects of all textures and surfaces; nothing if one is unknown.
  std::optional<std::set<uint64_t>> all() const;
  /// Returns whether the program has made any; takes no lock.
  bool any() const { return version() != 0; }
  /// Returns a number that changes whenever a handle is added or removed.
  uint64_t version() const { return Version.load(std::memory_order_acquire); }

private:
  std::atomic<uint64_t> Version{0};
  mutable SharedMutex Lock;
  std::map<uint64_t, uint64_t> ByHandle GMPROF_GUARDED_BY(Lock);
};

} // namespace gmprof::host

#endif // GMPROF_HOST_OBJECTS_TEXTURES_H
