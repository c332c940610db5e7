//===- SlabPool.cpp - Blocks of memory that is never given back -----------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "host/core/SlabPool.h"
#include <algorithm>
#include <bit>

namespace gmprof::host {

size_t SlabPool::blockBytes(size_t Bytes) { return std::bit_ceil(std::max(Bytes, MinBlock)); }

bool SlabPool::available(size_t Bytes) const {
  size_t Size = blockBytes(Bytes);
  auto It = Free.find(Size);
  return SlabLeft >= Size || (It != Free.end() && !It->second.empty());
}

std::optional<SlabPool::Block> SlabPool::allocate(size_t Bytes, size_t Budget) {
  size_t Size = blockBytes(Bytes);
  std::vector<uint64_t> &Addresses = Free[Size];
  if (!Addresses.empty()) {
    uint64_t Address = Addresses.back();
    Addresses.pop_back();
    return Block{Address, Size};
  }
  if (SlabLeft < Size) {
    size_t SlabBytes = std::max(Size, MinSlab);
    if (SlabBytes > Budget || Reserved > Budget - SlabBytes)
      return std::nullopt;
    std::optional<uint64_t> Slab = Allocate(SlabBytes);
    if (!Slab)
      return std::nullopt;
    // What is left of the last slab stays usable as smaller blocks.
    while (SlabLeft >= MinBlock) {
      size_t Rest = std::bit_floor(SlabLeft);
      Free[Rest].push_back(SlabAt);
      SlabAt += Rest;
      SlabLeft -= Rest;
    }
    SlabAt = *Slab;
    SlabLeft = SlabBytes;
    Reserved += SlabBytes;
  }
  Block B{SlabAt, Size};
  SlabAt += Size;
  SlabLeft -= Size;
  return B;
}

} // namespace gmprof::host
