//===- CounterMemory.cpp - Device memory for counters of objects ----------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "host/launch/CounterMemory.h"
#include <algorithm>
#include <bit>

namespace gmprof::host {

static constexpr size_t MinBlock = 4096;
static constexpr size_t MinReserve = size_t(64) << 20;

/// Rounds up to one of few sizes, by at most an eighth, so that blocks are reused.
size_t CounterMemory::blockBytes(size_t Bytes) {
  size_t Step = std::max(std::bit_floor(std::max<size_t>(Bytes, 1)) / 8, MinBlock);
  return (std::max<size_t>(Bytes, 1) + Step - 1) / Step * Step;
}

size_t CounterMemory::budget() {
  if (Budget)
    return *Budget;
  size_t FreeBytes = 0, Total = 0;
  if (D.api().cuMemGetInfo(&FreeBytes, &Total) != CUDA_SUCCESS)
    return 0;
  Reserve = std::max(Total / 50, MinReserve);
  size_t Wanted = Share.Bytes != 0 ? Share.Bytes : FreeBytes / 100 * Share.Percent;
  Budget = std::min(Wanted, FreeBytes - std::min(FreeBytes, Reserve));
  return *Budget;
}

size_t CounterMemory::available() { return budget() - std::min(budget(), Used); }

bool CounterMemory::freeOne() {
  if (Free.empty())
    return false;
  auto Largest = std::prev(Free.end());
  D.api().cuMemFree(Largest->second);
  D.countMemory(-static_cast<int64_t>(Largest->first));
  Reserved -= Largest->first;
  Free.erase(Largest);
  return true;
}

bool CounterMemory::giveBack() {
  bool Any = false;
  while (freeOne())
    Any = true;
  return Any;
}

std::optional<SlabPool::Block> CounterMemory::allocate(size_t Bytes) {
  size_t Size = blockBytes(Bytes);
  if (auto It = Free.lower_bound(Size); It != Free.end() && It->first <= Size + Size / 4) {
    SlabPool::Block B = {It->second, It->first};
    Free.erase(It);
    Used += B.Bytes;
    return B;
  }
  if (Size > budget())
    return std::nullopt;
  while (Reserved + Size > budget())
    if (!freeOne())
      return std::nullopt;
  // The program may have taken what was free at first.
  size_t FreeBytes = 0, Total = 0;
  if (D.api().cuMemGetInfo(&FreeBytes, &Total) != CUDA_SUCCESS || FreeBytes < Size + Reserve)
    return std::nullopt;
  std::optional<uint64_t> Address = D.allocateZeroed(Size);
  if (!Address)
    return std::nullopt;
  Used += Size;
  Reserved += Size;
  Peak = std::max(Peak, Reserved);
  return SlabPool::Block{*Address, Size};
}

void CounterMemory::release(SlabPool::Block B) {
  Used -= B.Bytes;
  Free.emplace(B.Bytes, B.Address);
}

} // namespace gmprof::host
