//===- RequestCoder.h - Compact encoding of requests ------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Encodes requests of one SM as differences from a prediction (docs/cache-trace.md): a warp
// continues with the instruction that followed the current one last time, and that instruction's
// addresses continue with the same difference. A predicted request, as in most loops, takes two
// bytes, in any order of warps.
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

/// Prediction state, equal in encoder and decoder. Reset at the start of each chunk.
class CoderState {
public:
  /// Last request of a warp slot of the SM.
  struct OfSlot {
    uint64_t Block = 0;
    uint32_t Site = 0;
    uint16_t Warp = 0;
  };
  /// Last request of an instruction in a warp slot.
  struct OfAccess {
    uint64_t Address = 0;    ///< of the first active lane; the lowest address unless Affine
    uint64_t Difference = 0; ///< distance from the previous address
    int64_t Stride = 0, Step = 0;
    uint32_t Mask = 0;
    uint32_t Next = 0;          ///< site of the following request
    uint8_t Form = 0, Size = 0; ///< encoded as in the file
    uint8_t RowLanes = WarpLanes;
  };

  OfSlot &of(uint16_t Slot) { return Slots[Slot % MostSlots]; }
  /// Returns the state of an instruction in a slot; the reference is valid until the next call.
  /// Sites and slots equal modulo the table's size share an entry, which only worsens predictions.
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

/// Appends R. Its size is a power of two up to 32, and its mask is not 0.
void encode(const Request &R, CoderState &State, GrowingArray<std::byte> &To);

/// Removes a request from the front of From. Returns false if From is empty or damaged, or the site
/// is not below Sites.
bool decode(std::span<const std::byte> &From, CoderState &State, uint32_t Sites, Request &R);

} // namespace gmprof::cache

#endif // GMPROF_CACHE_REQUESTCODER_H
