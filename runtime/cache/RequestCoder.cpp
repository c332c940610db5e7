//===- RequestCoder.cpp - Requests in few bytes ---------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "cache/RequestCoder.h"
#include "profile/Leb128.h"
#include "profile/Payload.h"
#include <cstring>
#include <limits>

namespace gmprof::cache {

/// Of the first byte, beside the kind.
static constexpr unsigned KindBits = 7, IsAffine = 8, HasAllLanes = 16, HasLastShape = 32,
                          HasLastBlock = 64, IsInRows = 128;
/// A head, a site, a shape, a block, a warp, a slot, a mask, 32 addresses, which take more than
/// rows do.
static constexpr size_t MostBytes = 1 + 1 + 4 + (4 + WarpLanes) * MostLeb128Bytes;

static uint8_t shapeOf(const Request &R) {
  return static_cast<uint8_t>(std::countr_zero(R.Size) | static_cast<unsigned>(R.Operator) << 3);
}

void encode(const Request &R, CoderState &State, std::vector<std::byte> &To) {
  const size_t Before = To.size();
  To.resize(Before + MostBytes);
  std::byte *Next = To.data() + Before;
  CoderState::OfSite &Site = State.of(R.Site);
  const uint8_t Shape = shapeOf(R);
  unsigned Head = static_cast<unsigned>(R.Kind);
  Head |= R.Affine ? IsAffine : 0;
  Head |= R.Mask == AllLanes ? HasAllLanes : 0;
  Head |= Shape == Site.Shape ? HasLastShape : 0;
  Head |= R.Block == State.Block ? HasLastBlock : 0;
  Head |= R.Affine && R.RowLanes != WarpLanes ? IsInRows : 0;
  *Next++ = static_cast<std::byte>(Head);
  Next = writeLeb128(Next, R.Site);
  if (!(Head & HasLastShape))
    *Next++ = static_cast<std::byte>(Shape);
  if (!(Head & HasLastBlock))
    Next = writeLeb128(Next, zigzag(R.Block - State.Block));
  Next = writeLeb128(Next, R.Warp);
  if (isLocal(R.Kind))
    Next = writeLeb128(Next, R.Slot);
  if (!(Head & HasAllLanes)) {
    std::memcpy(Next, &R.Mask, sizeof(R.Mask));
    Next += sizeof(R.Mask);
  }
  const auto First = static_cast<unsigned>(std::countr_zero(R.Mask));
  uint64_t Last = Site.Address;
  Site = {R.address(First), Shape};
  State.Block = R.Block;
  if (R.Affine) {
    Next = writeLeb128(Next, zigzag(Site.Address - Last));
    Next = writeLeb128(Next, zigzag(static_cast<uint64_t>(R.Stride)));
    if (Head & IsInRows) {
      *Next++ = static_cast<std::byte>(std::countr_zero(R.RowLanes));
      Next = writeLeb128(Next, zigzag(static_cast<uint64_t>(R.Step)));
    }
  } else {
    for (uint32_t Left = R.Mask; Left != 0; Left &= Left - 1) {
      const uint64_t Address = R.Addresses[static_cast<unsigned>(std::countr_zero(Left))];
      Next = writeLeb128(Next, zigzag(Address - Last));
      Last = Address;
    }
  }
  To.resize(static_cast<size_t>(Next - To.data()));
}

template <typename T> static bool takeNumber(std::span<const std::byte> &From, T &To) {
  uint64_t Number = 0;
  if (!takeLeb128(From, Number) || Number > std::numeric_limits<T>::max())
    return false;
  To = static_cast<T>(Number);
  return true;
}

static bool takeStride(std::span<const std::byte> &From, int64_t &Stride) {
  uint64_t Number = 0;
  if (!takeLeb128(From, Number))
    return false;
  Stride = static_cast<int64_t>(unzigzag(Number));
  return true;
}

static bool takeRows(std::span<const std::byte> &From, Request &R) {
  uint8_t Log = 0;
  if (!take(From, Log) || Log == 0 || 1U << Log >= WarpLanes)
    return false;
  R.RowLanes = static_cast<uint8_t>(1U << Log);
  return takeStride(From, R.Step);
}

static bool takeAddresses(std::span<const std::byte> &From, uint64_t Last, bool InRows,
                          Request &R) {
  uint64_t Difference = 0;
  R.RowLanes = WarpLanes;
  R.Stride = R.Step = 0;
  if (R.Affine) {
    if (!takeLeb128(From, Difference) || !takeStride(From, R.Stride) ||
        (InRows && !takeRows(From, R)))
      return false;
    R.Addresses[0] =
        Last + unzigzag(Difference) - R.offset(static_cast<unsigned>(std::countr_zero(R.Mask)));
    return true;
  }
  for (uint32_t Left = R.Mask; Left != 0; Left &= Left - 1) {
    if (!takeLeb128(From, Difference))
      return false;
    Last += unzigzag(Difference);
    R.Addresses[static_cast<unsigned>(std::countr_zero(Left))] = Last;
  }
  return true;
}

bool decode(std::span<const std::byte> &From, CoderState &State, uint32_t Sites, Request &R) {
  uint8_t Head = 0;
  if (!take(From, Head) || !takeNumber(From, R.Site) || R.Site >= Sites)
    return false;
  CoderState::OfSite &Site = State.of(R.Site);
  uint8_t Shape = Site.Shape;
  if (!(Head & HasLastShape) && !take(From, Shape))
    return false;
  uint64_t Block = 0;
  if (!(Head & HasLastBlock) && !takeLeb128(From, Block))
    return false;
  const unsigned Kind = Head & KindBits, Operator = Shape >> 3, Size = Shape & 7;
  if (Kind >= AccessKinds || Operator >= CacheOperators || Size > 5)
    return false;
  R.Kind = static_cast<AccessKind>(Kind);
  R.Operator = static_cast<CacheOperator>(Operator);
  R.Size = static_cast<uint8_t>(1U << Size);
  R.Affine = Head & IsAffine;
  if ((Head & IsInRows) && !R.Affine)
    return false;
  R.Block = State.Block += unzigzag(Block);
  R.Slot = 0;
  if (!takeNumber(From, R.Warp) || (isLocal(R.Kind) && !takeNumber(From, R.Slot)))
    return false;
  R.Mask = AllLanes;
  if (!(Head & HasAllLanes) && (!take(From, R.Mask) || R.Mask == 0))
    return false;
  if (!takeAddresses(From, Site.Address, Head & IsInRows, R))
    return false;
  Site = {R.address(static_cast<unsigned>(std::countr_zero(R.Mask))), Shape};
  return true;
}

} // namespace gmprof::cache
