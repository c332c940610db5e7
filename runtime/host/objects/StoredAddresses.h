//===- StoredAddresses.h - Addresses copied to the GPU ----------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel that GMProf did not compile accesses the targets of its parameters, and of addresses
// that it loads from memory. Such addresses come from the host: tables of rows, structures with
// pointers, arguments of batched operations. StoredAddresses therefore searches copies from the
// host for addresses of objects. It searches a long copy completely only if the beginning contains
// addresses, as tables do: otherwise the search would take as long as the copy.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_HOST_OBJECTS_STOREDADDRESSES_H
#define GMPROF_HOST_OBJECTS_STOREDADDRESSES_H

#include "host/objects/Pools.h"
#include "profile/Mutex.h"
#include <atomic>
#include <map>

namespace gmprof::host {

class StoredAddresses {
public:
  /// Searches for addresses of objects in Live, and of parts of pools in Parts.
  StoredAddresses(Objects &Live, Pools &Parts);

  /// Searches the source of a copy to the GPU, if the host can read it. Returns whether to search
  /// more of the copy.
  bool look(const void *From, uint64_t Bytes);

  /// Calls V with each object, by ObjectRecord::id, whose addresses may be in GPU memory, and its
  /// kind.
  template <typename Visit> void forEach(Visit V) const {
    LockGuard Guard(Lock);
    for (const auto &[Object, Kind] : Found)
      V(Object, Kind);
  }
  /// Returns whether all sources could be read.
  bool complete() const { return !Blind.load(std::memory_order_relaxed); }
  /// Returns a number that changes whenever an object is added.
  uint64_t version() const { return Version.load(std::memory_order_acquire); }

  static constexpr uint64_t Beginning = 16384; ///< bytes at the beginning, and of each piece

private:
  /// Searches a piece of at most this many bytes. Returns whether it contains addresses.
  bool lookAt(const char *From, uint64_t Bytes);

  const Objects &Live;
  const Pools &Parts;
  std::atomic<uint64_t> Version{0};
  std::atomic<bool> Blind{false};
  mutable Mutex Lock;
  std::map<uint64_t, log::ObjectKind> Found GMPROF_GUARDED_BY(Lock);
};

} // namespace gmprof::host

#endif // GMPROF_HOST_OBJECTS_STOREDADDRESSES_H
