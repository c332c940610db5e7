//===- LineHash.h - Hashes of lines -----------------------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_CACHE_LINEHASH_H
#define GMPROF_CACHE_LINEHASH_H

#include <cstdint>

namespace gmprof::cache {

/// Returns a hash in which every bit depends on all bits of X (finalizer of SplitMix64).
inline uint64_t mixed(uint64_t X) {
  X = (X ^ X >> 30) * 0xbf58476d1ce4e5b9;
  X = (X ^ X >> 27) * 0x94d049bb133111eb;
  return X ^ X >> 31;
}

/// Returns a cheap hash; only its upper bits are well mixed.
inline uint64_t multiplied(uint64_t Line) { return Line * 0x9e3779b97f4a7c15; }

} // namespace gmprof::cache

#endif // GMPROF_CACHE_LINEHASH_H
