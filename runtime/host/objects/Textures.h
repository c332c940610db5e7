//===- Textures.h - Texture and surface objects -----------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel names a texture or surface by a handle. What it then accesses is what the
// handle was made for: an array, or memory.
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
  /// Object: ObjectRecord::id; 0: it is not known.
  void created(uint64_t Handle, uint64_t Object);
  void destroyed(uint64_t Handle);

  /// The object of a texture or surface; nothing if the handle or its object is not known.
  std::optional<uint64_t> find(uint64_t Handle) const;
  /// The objects of all textures and surfaces; nothing if one is not known.
  std::optional<std::set<uint64_t>> all() const;
  /// Changes whenever a handle comes or goes.
  uint64_t version() const { return Version.load(std::memory_order_acquire); }

private:
  std::atomic<uint64_t> Version{0};
  mutable SharedMutex Lock;
  std::map<uint64_t, uint64_t> ByHandle GMPROF_GUARDED_BY(Lock);
};

} // namespace gmprof::host

#endif // GMPROF_HOST_OBJECTS_TEXTURES_H
