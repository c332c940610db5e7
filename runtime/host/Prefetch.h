//===- Prefetch.h - Memory that is needed soon ------------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_HOST_PREFETCH_H
#define GMPROF_HOST_PREFETCH_H

#include <cstddef>

namespace gmprof::host {

/// Has the processor fetch so many bytes from there on.
inline void prefetch(const void *From, size_t Bytes) {
  for (size_t At = 0; At < Bytes; At += 64)
    __builtin_prefetch(static_cast<const std::byte *>(From) + At);
}

} // namespace gmprof::host

#endif // GMPROF_HOST_PREFETCH_H
