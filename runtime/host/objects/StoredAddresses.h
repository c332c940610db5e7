//===- StoredAddresses.h - Addresses that copies bring to the GPU -*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel that GMProf did not compile accesses what its parameters point to, and what it finds
// addresses of in memory. Such addresses come from the host: tables of rows, structures with
// pointers, arguments of batched operations. So copies from the host are looked through for
// addresses of objects. Long ones are looked at in full only if there are some at their beginning,
// where tables have them as well: else this would take as long as the copy.
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
  /// Of objects, and of parts of pools, which are among Parts.
  StoredAddresses(Objects &Live, const Pools &Parts);

  /// What a copy has brought to the GPU, if it is memory that the host can read. Returns whether
  /// to look at more of it.
  bool look(const void *From, uint64_t Bytes);

  /// Objects that memory of the GPU may have addresses of, by ObjectRecord::id.
  std::map<uint64_t, log::ObjectKind> objects() const;
  /// Whether memory could be read at all.
  bool complete() const { return !Blind.load(std::memory_order_relaxed); }
  /// Changes whenever there is one more.
  uint64_t version() const { return Version.load(std::memory_order_acquire); }

  static constexpr uint64_t Beginning = 16384; ///< bytes, and those of a piece

private:
  /// Of one piece, up to that many bytes. Returns whether there were addresses.
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
