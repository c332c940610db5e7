//===- Coalescing.cpp - Lines and sectors of a request --------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "cache/Coalescing.h"
#include <algorithm>

namespace gmprof::cache {

/// Returns the mask of the lanes' words, which lie side by side.
static ByteMask wordsOf(uint32_t Lanes) {
  const auto Spread = [](uint64_t Bits) { // four bits for each of 16
    Bits = (Bits | Bits << 24) & 0x000000ff000000ff;
    Bits = (Bits | Bits << 12) & 0x000f000f000f000f;
    Bits = (Bits | Bits << 6) & 0x0303030303030303;
    Bits = (Bits | Bits << 3) & 0x1111111111111111;
    return Bits * 0b1111;
  };
  return {{Spread(Lanes & 0xffff), Spread(Lanes >> 16)}};
}

static void addLocal(const Request &R, uint32_t Sm, const LocalMemory &Local, CoalescedLines &Out) {
  const bool IsSameOfAll = R.Affine && R.Stride == 0 && R.Step == 0;
  if (IsSameOfAll && R.Addresses[0] % 4 == 0 && R.Size % 4 == 0) {
    const ByteMask Words = wordsOf(R.Mask);
    for (unsigned Done = 0; Done < R.Size; Done += 4)
      Out.addToLine(Local.address(Sm, R.Slot, 0, R.Addresses[0] + Done) / LineBytes, Words);
    return;
  }
  // The words of one lane are in different lines, each of which the lanes share.
  eachLane(R.Mask, [&](unsigned Lane) {
    for (unsigned Done = 0, Take = 0; Done < R.Size; Done += Take) {
      const uint64_t Offset = R.address(Lane) + Done;
      Take = std::min<unsigned>(R.Size - Done, 4 - Offset % 4);
      Out.add(Local.address(Sm, R.Slot, Lane, Offset), Take);
    }
  });
}

static constexpr uint32_t firstLanes(unsigned Count) {
  return Count == WarpLanes ? AllLanes : (uint32_t(1) << Count) - 1;
}

/// Adds the active lanes from First on (bit i of Active is lane First + i), which share lines.
static void addLanes(const Request &R, unsigned First, uint32_t Active, CoalescedLines &Out) {
  const unsigned Size = R.Size;
  const uint64_t OfLane = (uint64_t(1) << Size) - 1;
  const auto AddAll = [&](const auto &AddressOf) {
    uint64_t Line = 0; // line of the preceding lanes, and its bytes
    uint64_t Low = 0, High = 0;
    const auto Finish = [&] {
      if ((Low | High) != 0)
        Out.addToLine(Line, {{Low, High}});
    };
    for (; Active != 0; Active &= Active - 1) {
      const uint64_t Address = AddressOf(First + static_cast<unsigned>(std::countr_zero(Active)));
      const unsigned Offset = Address % LineBytes;
      if (Offset % 64 + Size > 64) [[unlikely]] {
        Finish();
        Low = High = 0;
        Out.add(Address, Size);
        continue;
      }
      if (Address / LineBytes != Line) {
        Finish();
        Low = High = 0;
        Line = Address / LineBytes;
      }
      const uint64_t Bytes = OfLane << Offset % 64, IsHigh = -uint64_t(Offset / 64);
      Low |= Bytes & ~IsHigh;
      High |= Bytes & IsHigh;
    }
    Finish();
  };
  if (R.Affine)
    AddAll([&](unsigned Lane) { return R.Addresses[0] + R.offset(Lane); });
  else
    AddAll([&](unsigned Lane) { return R.Addresses[Lane]; });
}

/// Adds the active ones of Count lanes of one row.
static void addRow(const Request &R, unsigned First, unsigned Count, uint32_t Active,
                   CoalescedLines &Out) {
  if (R.Stride == 0 && Active != 0)
    return Out.add(R.address(First), R.Size);
  if (R.Stride == R.Size && Active == firstLanes(Count))
    return Out.add(R.address(First), Count * R.Size);
  addLanes(R, First, Active, Out);
}

/// Adds the lines of a bulk copy, which requests 128 bytes at a time from its start, regardless of
/// line boundaries. Partial sectors at both ends of such a piece are separate reads.
static void addBulk(const Request &R, CoalescedLines &Out) {
  uint64_t Address = R.address(0);
  const auto Take = [&](unsigned Bytes) {
    if (Bytes == 0)
      return;
    Out.add(Address, Bytes);
    Out.endPass();
    Address += Bytes;
  };
  for (unsigned Left = R.lanes() * R.Size; Left != 0;) {
    const unsigned Piece = std::min(Left, LineBytes);
    Left -= Piece;
    if (R.Kind != AccessKind::AsyncCopy) {
      Take(Piece);
      continue;
    }
    const unsigned Head = std::min<unsigned>(-Address % SectorBytes, Piece);
    const unsigned Tail = (Piece - Head) % SectorBytes;
    Take(Head);
    Take(Piece - Head - Tail);
    Take(Tail);
  }
}

/// Returns whether all lanes access consecutive words or the same address, as in most requests.
static bool isRun(const Request &R) {
  return R.Affine && R.RowLanes == WarpLanes && R.Mask == AllLanes &&
         (R.Stride == 0 || R.Stride == R.Size);
}

void coalesce(const Request &R, uint32_t Sm, const LocalMemory &Local, unsigned PassBytes,
              CoalescedLines &Out) {
  if (isRun(R) && areOneGroup(R, PassBytes))
    return Out.addAll(R.Addresses[0], R.Size + static_cast<unsigned>(R.Stride) * (WarpLanes - 1));
  Out.endPass();
  if (isLocal(R.Kind))
    return addLocal(R, Sm, Local, Out);
  if (R.Operator == CacheOperator::Bulk)
    return addBulk(R, Out);
  if (PassBytes == 0) {
    if (!R.Affine)
      return addLanes(R, 0, R.Mask, Out);
    const unsigned Count = R.RowLanes;
    for (unsigned Lane = 0; Lane < WarpLanes; Lane += Count)
      addRow(R, Lane, Count, R.Mask >> Lane & firstLanes(Count), Out);
    return;
  }
  const unsigned PassLanes = std::clamp(PassBytes / R.Size, 1U, WarpLanes);
  // A pass covers several rows, or a row several passes.
  const unsigned Lanes = R.Affine ? std::min<unsigned>(PassLanes, R.RowLanes) : PassLanes;
  const bool InRows = R.Affine && PassLanes % Lanes == 0 && R.RowLanes % Lanes == 0;
  const unsigned Count = InRows ? Lanes : PassLanes;
  for (unsigned Lane = 0; Lane < WarpLanes; Lane += Count) {
    const uint32_t Active = R.Mask >> Lane & firstLanes(Count);
    if (InRows)
      addRow(R, Lane, Count, Active, Out);
    else
      addLanes(R, Lane, Active, Out);
    if ((Lane + Count) % PassLanes == 0)
      Out.endPass();
  }
}

} // namespace gmprof::cache
