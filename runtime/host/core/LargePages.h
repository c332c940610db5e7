//===- LargePages.h - Memory in pages of 2 MiB ------------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the system does for memory that is touched first, or locked, takes a fraction of the time
// where pages are large: on virtual machines much of what large buffers cost is that. What is known
// to be needed can be there before it is.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_HOST_CORE_LARGEPAGES_H
#define GMPROF_HOST_CORE_LARGEPAGES_H

#include <atomic>
#include <cstddef>
#include <memory>
#include <thread>

namespace gmprof::host {

inline constexpr size_t LargePageBytes = size_t(2) << 20;

struct UnmapLargePages {
  size_t Bytes = 0;
  void operator()(std::byte *First) const;
};
using LargePages = std::unique_ptr<std::byte[], UnmapLargePages>;

/// Bytes: a multiple of LargePageBytes. Zeros, in large pages where the system has some, else in
/// small ones; null if there is no memory.
LargePages mapLargePages(size_t Bytes);
/// Of those that mapLargePagesAhead() has; null if these are too few.
LargePages takeLargePages(size_t Bytes);
/// Has them there, which takes the system long, by several threads.
void touchLargePages(const LargePages &Pages);

/// Has some there before they are needed, by a thread of its own. There are no locks, so that a
/// child of the program's, which lacks the thread, has what was there.
class LargePagesAhead {
public:
  /// Bytes: as above.
  explicit LargePagesAhead(size_t Bytes);
  ~LargePagesAhead();
  LargePagesAhead(const LargePagesAhead &) = delete;
  LargePagesAhead &operator=(const LargePagesAhead &) = delete;

  /// Null if not so many are there by now. Threads may take some at the same time.
  LargePages take(size_t Bytes);
  /// Until all are there.
  void wait();

private:
  std::byte *First;
  size_t Bytes;
  std::atomic<size_t> There = 0, Taken = 0; ///< bytes, from the first one on
  std::thread Thread;
};

/// From now on mapLargePages() takes what such a one has, first. To be called once.
void mapLargePagesAhead(size_t Bytes);

} // namespace gmprof::host

#endif // GMPROF_HOST_CORE_LARGEPAGES_H
