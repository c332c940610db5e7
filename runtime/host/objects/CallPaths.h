//===- CallPaths.h - Where in the program a call was made -------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Records each call path once, as return addresses; further calls from there name it by its number.
// Names and lines are looked up after the run, from the images (executable and libraries) that were
// loaded when the path was first seen.
//
// Walking the stack takes microseconds. So each thread keeps its last paths, with the places of
// their return addresses in the stack: if the innermost place holds the same address as before,
// and the next one, and so on, it is the same path, because each address that is the same proves
// that the next place is in the stack. That takes nanoseconds.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_HOST_OBJECTS_CALLPATHS_H
#define GMPROF_HOST_OBJECTS_CALLPATHS_H

#include "host/record/Recorder.h"
#include "profile/Mutex.h"
#include <atomic>
#include <span>
#include <unordered_map>

namespace gmprof::host {

class CallPaths {
public:
  /// Log: null, if paths are to be told apart only. Depth: frames to keep at most, 0 for no
  /// call paths.
  CallPaths(Recorder *Log, unsigned Depth);

  static constexpr unsigned MaxDepth = 256;

  /// The number of the path to an interposed function, by its frame (GMPROF_CALLER), which
  /// it has not left. 0: none.
  uint32_t find(const void *Frame);
  /// That of the path to the first function of this library.
  uint32_t findOutside();
  /// That of a path that unwind() found.
  uint32_t add(std::span<const uint64_t> Frames);

  /// Names a path by files and places in them, the same in every run, as analysis::CallKeys does.
  /// Empty: there is no such path any more.
  std::string keyOf(uint32_t Id);

  /// The calling function's return address and those behind it. How many there are.
  static size_t unwind(std::span<uint64_t> Frames);

private:
  using Address = uint64_t;
  /// The bytes of a path's addresses, found without a copy.
  struct Hash : std::hash<std::string_view> {
    using is_transparent = void; // NOLINT(readability-identifier-naming)
  };

  struct Walk;

  /// Records the images that are new.
  void updateImages() GMPROF_REQUIRES(Lock);

  Recorder *const Log;
  const unsigned Depth;
  SharedMutex Lock;
  std::unordered_map<std::string, uint32_t, Hash, std::equal_to<>> Paths GMPROF_GUARDED_BY(Lock);
  /// By address.
  std::map<Address, ImageFacts> Images GMPROF_GUARDED_BY(Lock);
  /// Numbers of loaded and unloaded images at the last update of Images.
  unsigned long long Loads GMPROF_GUARDED_BY(Lock) = 0, Unloads GMPROF_GUARDED_BY(Lock) = 0;
  uint32_t LastId GMPROF_GUARDED_BY(Lock) = 0;
  /// Of all paths: changes when addresses come to mean something else. No two are the same.
  std::atomic<uint64_t> Generation;
};

} // namespace gmprof::host

#endif // GMPROF_HOST_OBJECTS_CALLPATHS_H
