//===- PageProtections.h - Accesses that the program itself forbids -*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Programs protect pages of their own: guards, barriers of collectors, read-only data. Where
// they do, HostWatch.h must not, as it could not give the pages back as they were. What
// they say through the C library is kept in a fixed table, so that it can be said in a
// handler too; where there is no more room in it, all memory counts as such.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_HOST_SYNC_PAGEPROTECTIONS_H
#define GMPROF_HOST_SYNC_PAGEPROTECTIONS_H

#include <cstdint>

namespace gmprof::host {

class PageProtections {
public:
  /// Limited: not both reads and writes are allowed.
  static void set(uint64_t Begin, uint64_t Bytes, bool Limited);
  static bool limited(uint64_t Begin, uint64_t End);
};

} // namespace gmprof::host

#endif // GMPROF_HOST_SYNC_PAGEPROTECTIONS_H
