//===- CallPaths.h - Call paths by number -----------------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Records each call path once, as return addresses; calls refer to it by number. Functions and
// lines are looked up after the run, from the images (executable and libraries) that were loaded
// when the path was first seen.
//
// Walking the stack takes microseconds. A thread that calls again from the same place has the same
// return addresses in the same positions of its stack. Each thread therefore keeps its last paths
// with these positions. If the innermost position holds its old address, and the next one, and so
// on, the path is unchanged: each frame that is unchanged proves that the next one is still on the
// stack. This check takes nanoseconds.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_HOST_OBJECTS_CALLPATHS_H
#define GMPROF_HOST_OBJECTS_CALLPATHS_H

#include "host/record/Recorder.h"
#include "profile/Mutex.h"
#include <atomic>
#include <set>
#include <span>
#include <unordered_map>

namespace gmprof::host {

class CallPaths {
public:
  /// Prepares paths. Log: null if paths are only compared. Depth: maximum number of frames; 0: no
  /// call paths.
  CallPaths(Recorder *Log, unsigned Depth);

  static constexpr unsigned MaxDepth = 256;

  /// Returns the number of the path to an interposed function that is still running, given its
  /// frame (GMPROF_CALLER), with the Python functions on it. 0: none.
  uint32_t find(const void *Frame) { return withPython(findNative(Frame)); }
  /// Returns the number of the path from outside to the first function of this library, with the
  /// Python functions on it.
  uint32_t findOutside() { return withPython(findNativeOutside()); }
  /// Returns the number of a path that unwind() found.
  uint32_t add(std::span<const uint64_t> Frames);

  /// Returns a name of the path that is the same in every run, made of files and offsets, as
  /// analysis::CallKeys makes it. Empty if the path does not exist any more.
  std::string keyOf(uint32_t Id);

  /// Stores the calling function's return address and those of its callers. Returns their number.
  static size_t unwind(std::span<uint64_t> Frames);

private:
  using Address = uint64_t;
  /// Hashes the bytes of a path's addresses, so that a lookup needs no copy.
  struct Hash : std::hash<std::string_view> {
    using is_transparent = void; // NOLINT(readability-identifier-naming)
  };

  struct Walk;

  uint32_t findNative(const void *Frame);
  uint32_t findNativeOutside();
  /// Returns the number of this path of native code with the calling thread's Python functions.
  uint32_t withPython(uint32_t Native);
  void recordPython(uint32_t Id, uint32_t Native, uint32_t Stack) GMPROF_REQUIRES(Lock);
  /// Records new images.
  void updateImages() GMPROF_REQUIRES(Lock);

  Recorder *const Log;
  const unsigned Depth;
  SharedMutex Lock;
  std::unordered_map<std::string, uint32_t, Hash, std::equal_to<>> Paths GMPROF_GUARDED_BY(Lock);
  /// By number of the native path and of the Python stack (PythonStacks).
  std::unordered_map<uint64_t, uint32_t> PythonPaths GMPROF_GUARDED_BY(Lock);
  /// Python codes and stacks in the log.
  std::set<uint32_t> Codes GMPROF_GUARDED_BY(Lock), Stacks GMPROF_GUARDED_BY(Lock);
  /// Images by address.
  std::map<Address, ImageFacts> Images GMPROF_GUARDED_BY(Lock);
  /// Counts of dl_iterate_phdr when Images was updated.
  unsigned long long Loads GMPROF_GUARDED_BY(Lock) = 0, Unloads GMPROF_GUARDED_BY(Lock) = 0;
  uint32_t LastId GMPROF_GUARDED_BY(Lock) = 0;
  /// Changes when addresses get another meaning. Unique across all CallPaths.
  std::atomic<uint64_t> Generation;
};

} // namespace gmprof::host

#endif // GMPROF_HOST_OBJECTS_CALLPATHS_H
