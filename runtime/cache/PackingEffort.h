//===- PackingEffort.h - How hard zstd looks --------------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_CACHE_PACKINGEFFORT_H
#define GMPROF_CACHE_PACKINGEFFORT_H

#include <cstddef>

namespace gmprof::cache {

/// How hard zstd looks for what can be left out of the chunks of an SM, one after the other. In
/// gathers it finds little, and takes as long for it as all else does; so it looks only now and
/// then.
class PackingEffort {
  static constexpr int Usual = -1, Least = -20; ///< levels of zstd
  static constexpr unsigned LooksAgain = 8;     ///< in one of so many chunks
  static constexpr size_t FewBytes = 4096;      ///< of a chunk that says nothing of others
  bool FindsMuch = true;
  unsigned Chunks = 0;

public:
  /// For the next chunk.
  int level() const { return FindsMuch || Chunks % LooksAgain == 0 ? Usual : Least; }
  /// Which had so many bytes, and has so many now.
  void packed(size_t Raw, size_t Packed) {
    if (level() == Usual && Raw >= FewBytes)
      FindsMuch = Packed < Raw / 3 * 2;
    ++Chunks;
  }
};

} // namespace gmprof::cache

#endif // GMPROF_CACHE_PACKINGEFFORT_H
