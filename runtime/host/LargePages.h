//===- LargePages.h - Memory in pages of 2 MiB ------------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the system does for memory that is touched first, or locked, takes a fraction of the time
// where pages are large: on virtual machines much of what large buffers cost is that.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_HOST_LARGEPAGES_H
#define GMPROF_HOST_LARGEPAGES_H

#include <cstddef>
#include <memory>

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
/// Has them there, which takes the system long, by several threads.
void touchLargePages(const LargePages &Pages);

} // namespace gmprof::host

#endif // GMPROF_HOST_LARGEPAGES_H
