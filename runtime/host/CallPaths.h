//===- CallPaths.h - Where in the program a call was made -------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A call path is recorded once, as return addresses; all further calls from there
// name it by its number. Names and lines are looked up after the run, from the
// images (executable and libraries) that were loaded when the path was first seen.
//
// libunwind's unw_backtrace remembers each frame's layout and takes some 50 ns; it
// is loaded apart from the program's symbols, because libunwind also defines what
// C++ exceptions are thrown with. Without it glibc's backtrace() does the same, for
// microseconds.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_HOST_CALLPATHS_H
#define GMPROF_HOST_CALLPATHS_H

#include "host/Recorder.h"
#include <shared_mutex>
#include <span>
#include <unordered_map>

namespace gmprof::host {

class CallPaths {
public:
  /// Depth: frames to keep at most, 0 for no call paths.
  CallPaths(Recorder &Log, unsigned Depth) : Log(Log), Depth(Depth) {}

  static constexpr unsigned MaxDepth = 256;

  /// The number of the path to an interposed function that returns to Caller. 0: none.
  uint32_t find(const void *Caller);
  /// That of the path to the first function of this library.
  uint32_t findOutside();
  /// That of a path that unwind() found.
  uint32_t add(std::span<void *const> Frames);

  /// The calling function's return address and those behind it. How many there are.
  static int unwind(void **Frames, int Most);

private:
  using Address = uint64_t;
  /// The bytes of a path's addresses, found without a copy.
  struct Hash : std::hash<std::string_view> {
    using is_transparent = void; // NOLINT(readability-identifier-naming)
  };

  /// Records the images that are new.
  void updateImages();

  Recorder &Log;
  const unsigned Depth;
  std::shared_mutex Lock;
  std::unordered_map<std::string, uint32_t, Hash, std::equal_to<>> Paths;
  /// By address.
  std::map<Address, ImageFacts> Images;
  unsigned long long Loads = 0, Unloads = 0; ///< that Images is of
  uint32_t LastId = 0;
};

} // namespace gmprof::host

#endif // GMPROF_HOST_CALLPATHS_H
