//===- CachingAllocator.cpp - Model of PyTorch's allocator ----------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "analysis/objects/CachingAllocator.h"
#include <algorithm>
#include <iterator>
#include <utility>

namespace gmprof::analysis {

static constexpr uint64_t Granularity = 512, MiB = uint64_t(1) << 20;
static constexpr uint64_t LargeSlab = 20 * MiB, LeastOwnSlab = 10 * MiB;

static uint64_t roundUp(uint64_t Bytes, uint64_t To) { return (Bytes + To - 1) / To * To; }

void CachingAllocator::allocate(uint32_t Tensor, uint64_t Bytes) {
  Bytes = roundUp(std::max<uint64_t>(Bytes, 1), Granularity);
  const bool IsSmall = Bytes <= MostSmall;
  Kind &In = Kinds[IsSmall];
  const uint64_t Address = findRoom(In, Bytes, IsSmall);
  Block &Taken = In.Blocks[Address];
  In.Free.erase({Taken.Bytes, Address});
  Taken.Free = false;
  const uint64_t Rest = Taken.Bytes - Bytes;
  if (IsSmall || Expandable ? Rest >= Granularity : Rest > MostSmall) {
    Taken.Bytes = Bytes;
    In.Blocks[Address + Bytes] = {Rest, true, false};
    In.Free.emplace(Rest, Address + Bytes);
  }
  Tensors[Tensor] = {IsSmall, Address};
}

/// Returns the address of a free block that is large enough.
uint64_t CachingAllocator::findRoom(Kind &In, uint64_t Bytes, bool IsSmall) {
  for (auto It = In.Free.lower_bound({Bytes, 0}); It != In.Free.end(); ++It) {
    // The end of an expandable slab counts as large as it can become.
    if (!Expandable || It->second != In.Blocks.rbegin()->first)
      return It->second;
  }
  return grow(In, Bytes, IsSmall);
}

/// Makes a free block that is large enough, of a new slab or at the end of the expandable one.
uint64_t CachingAllocator::grow(Kind &In, uint64_t Bytes, bool IsSmall) {
  const uint64_t Step = IsSmall ? SmallSlab : LargeSlab;
  uint64_t New = IsSmall || Bytes < LeastOwnSlab ? Step : roundUp(Bytes, SmallSlab);
  uint64_t Address = NextAddress;
  if (Expandable) {
    // The two slabs are far apart.
    Address = In.Blocks.empty() ? uint64_t(IsSmall) << 60
                                : In.Blocks.rbegin()->first + In.Blocks.rbegin()->second.Bytes;
    uint64_t AtEnd = 0;
    if (!In.Blocks.empty() && In.Blocks.rbegin()->second.Free) {
      AtEnd = In.Blocks.rbegin()->second.Bytes;
      Address -= AtEnd;
      In.Free.erase({AtEnd, Address});
    }
    New = AtEnd >= Bytes ? 0 : roundUp(Bytes - AtEnd, Step);
    In.Blocks[Address] = {AtEnd + New, true, Address == uint64_t(IsSmall) << 60};
  } else {
    In.Blocks[Address] = {New, true, true};
    NextAddress += New;
  }
  Reserved += New;
  In.Free.emplace(In.Blocks[Address].Bytes, Address);
  return Address;
}

void CachingAllocator::release(uint32_t Tensor) {
  const auto It = Tensors.find(Tensor);
  if (It == Tensors.end())
    return;
  setFree(Kinds[It->second.IsSmall], It->second.Address);
  Tensors.erase(It);
}

/// Frees a block and merges it with free neighbours in its slab.
void CachingAllocator::setFree(Kind &In, uint64_t Address) {
  auto At = In.Blocks.find(Address);
  if (const auto Next = std::next(At);
      Next != In.Blocks.end() && Next->second.Free && !Next->second.First) {
    At->second.Bytes += Next->second.Bytes;
    In.Free.erase({Next->second.Bytes, Next->first});
    In.Blocks.erase(Next);
  }
  if (!At->second.First && std::prev(At)->second.Free) {
    const auto Before = std::prev(At);
    In.Free.erase({Before->second.Bytes, Before->first});
    Before->second.Bytes += At->second.Bytes;
    In.Blocks.erase(At);
    At = Before;
  }
  At->second.Free = true;
  In.Free.emplace(At->second.Bytes, At->first);
}

} // namespace gmprof::analysis
