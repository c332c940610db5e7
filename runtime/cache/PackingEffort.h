//===- PackingEffort.h - Choice of the zstd level ---------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_CACHE_PACKINGEFFORT_H
#define GMPROF_CACHE_PACKINGEFFORT_H

#include <cstddef>

namespace gmprof::cache {

/// Chooses the compression level for consecutive chunks of an SM. Requests of gathers hardly
/// compress, and always trying makes writing them 7 to 47 % slower (gmprof-writer-bench), so
/// incompressible chunks are tried only now and then.
class PackingEffort {
  static constexpr int Usual = -1, Least = -20; ///< levels of zstd
  static constexpr unsigned LooksAgain = 8;     ///< period of tries, in chunks
  static constexpr size_t FewBytes = 4096;      ///< size of chunks that predict nothing
  bool FindsMuch = true;
  unsigned Chunks = 0;

public:
  /// Returns the level for the next chunk.
  int level() const { return FindsMuch || Chunks % LooksAgain == 0 ? Usual : Least; }
  /// Records the outcome of the next chunk: its size before and after.
  void packed(size_t Raw, size_t Packed) {
    if (level() == Usual && Raw >= FewBytes)
      FindsMuch = Packed < Raw / 3 * 2;
    ++Chunks;
  }
};

} // namespace gmprof::cache

#endif // GMPROF_CACHE_PACKINGEFFORT_H
