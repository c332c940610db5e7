//===- RequestCoder.h - Requests in few bytes -------------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Requests of one SM as differences from what is expected (docs/cache-trace.md): a warp goes on
// with the instruction that followed this one the last time, whose addresses go on as they did.
// Where they do, as in most loops, a request is two bytes, in whatever order warps have
// their turns.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_CACHE_REQUESTCODER_H
#define GMPROF_CACHE_REQUESTCODER_H

#include "cache/GrowingArray.h"
#include "cache/Request.h"
#include <array>
#include <cstddef>
#include <span>
#include <vector>

namespace gmprof::cache {

/// What encoder and decoder remember alike. Each chunk begins anew.
class CoderState {
public:
  /// The last request of a place of the SM.
  struct OfSlot {
    uint64_t Block = 0;
    uint32_t Site = 0;
    uint16_t Warp = 0;
  };
  /// The last request that a place made by an instruction.
  struct OfAccess {
    uint64_t Address = 0;    ///< of the first active lane; the lowest one unless Affine
    uint64_t Difference = 0; ///< from that of the request before
    int64_t Stride = 0, Step = 0;
    uint32_t Mask = 0;
    uint32_t Next = 0;          ///< the site that followed
    uint8_t Form = 0, Size = 0; ///< as the file has them
    uint8_t RowLanes = WarpLanes;
  };

  OfSlot &of(uint16_t Slot) { return Slots[Slot % MostSlots]; }
  /// Sites and slots that differ by a multiple of what there is room for share one: they are
  /// expected wrongly, no more. The reference is good until another one is taken.
  OfAccess &of(uint32_t Site, uint16_t Slot) {
    const size_t OfSite = size_t(Site % MostSites) * MostSlots;
    if (OfSite >= Accesses.size())
      Accesses.resize(OfSite + MostSlots);
    return Accesses[OfSite + Slot % MostSlots];
  }
  void clear() {
    Slots.fill({});
    Accesses.clear();
  }

private:
  static constexpr size_t MostSlots = 64, MostSites = 64;
  std::array<OfSlot, MostSlots> Slots;
  std::vector<OfAccess> Accesses;
};

/// Appends R, whose size is a power of two up to 32, and whose mask is not 0.
void encode(const Request &R, CoderState &State, GrowingArray<std::byte> &To);

/// Takes a request off the front; false if there is none, or it has a site from Sites on.
bool decode(std::span<const std::byte> &From, CoderState &State, uint32_t Sites, Request &R);

} // namespace gmprof::cache

#endif // GMPROF_CACHE_REQUESTCODER_H
