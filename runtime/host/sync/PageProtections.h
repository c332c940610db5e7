//===- PageProtections.h - Page protections of the program ------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Programs protect pages of their own: guard pages, barriers of garbage collectors, read-only data.
// HostWatch.h must not protect these pages, as it could not restore the program's protection. A
// fixed table holds the protections that the program sets through the C library, so that handlers
// can update it; if the table is full, all memory counts as protected.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_HOST_SYNC_PAGEPROTECTIONS_H
#define GMPROF_HOST_SYNC_PAGEPROTECTIONS_H

#include <cstdint>

namespace gmprof::host {

inline constexpr uint64_t PageBytes = 4096;

class PageProtections {
public:
  /// Sets whether a range is limited: reads or writes are not allowed.
  static void set(uint64_t Begin, uint64_t Bytes, bool Limited);
  static bool limited(uint64_t Begin, uint64_t End);
};

} // namespace gmprof::host

#endif // GMPROF_HOST_SYNC_PAGEPROTECTIONS_H
