//===- RequestCoder.h - Requests in few bytes -------------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Requests of one SM as differences from earlier ones of the same instruction
// (docs/cache-trace.md). Those of a warp whose addresses are a base and a stride take a few
// bytes, and mostly the same ones each time, which compress further.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_CACHE_REQUESTCODER_H
#define GMPROF_CACHE_REQUESTCODER_H

#include "cache/Request.h"
#include <cstddef>
#include <span>
#include <vector>

namespace gmprof::cache {

/// What encoder and decoder remember alike. Each chunk begins anew.
struct CoderState {
  struct OfSite {
    uint64_t Address = 0; ///< of the first active lane
    uint8_t Shape = 0;    ///< size and operator
  };
  std::vector<OfSite> Sites;
  uint64_t Block = 0;

  OfSite &of(uint32_t Site) {
    if (Site >= Sites.size())
      Sites.resize(Site + 1);
    return Sites[Site];
  }
  void clear() {
    Sites.clear();
    Block = 0;
  }
};

/// Appends R, whose size is a power of two up to 32, and whose mask is not 0.
void encode(const Request &R, CoderState &State, std::vector<std::byte> &To);

/// Takes a request off the front; false if there is none, or it has a site from Sites on.
bool decode(std::span<const std::byte> &From, CoderState &State, uint32_t Sites, Request &R);

} // namespace gmprof::cache

#endif // GMPROF_CACHE_REQUESTCODER_H
