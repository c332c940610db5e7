//===- RequestCoder.cpp - Requests in few bytes ---------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "cache/RequestCoder.h"
#include "profile/Leb128.h"
#include "profile/Payload.h"
#include <algorithm>
#include <cstring>
#include <limits>

namespace gmprof::cache {

/// Of the head: what is as expected.
static constexpr unsigned SameWarp = 1, SameSite = 2, SameForm = 4, SameDifference = 8,
                          AllSame = 15;
/// Of the form: the kind, and these.
static constexpr unsigned KindBits = 7, IsAffine = 8, HasAllLanes = 16, IsInRows = 32,
                          AllForms = 63;
/// Of the size: its logarithm, and from OperatorShift on the operator.
static constexpr unsigned SizeBits = 7, OperatorShift = 3, MostSizeLog = 5;
/// Of the lanes' shape: the bytes of each, and from ShiftShift on of how many bits they lack the
/// lowest ones, which are 0.
static constexpr unsigned WidthBits = 15, ShiftShift = 4, MostShift = 15;
/// A head, a slot, a block, a warp, a site, a form with its size, mask, stride and rows, an
/// address, and the lanes with their shape, behind which as many bytes as one has are written.
static constexpr size_t MostBytes = 1 + 4 * MostLeb128Bytes + 2 + 4 + 1 + 2 * MostLeb128Bytes +
                                    MostLeb128Bytes + 1 + (WarpLanes + 1) * sizeof(uint64_t);

static unsigned firstLane(uint32_t Mask) { return static_cast<unsigned>(std::countr_zero(Mask)); }

/// Calls Do for each active lane, in their order.
template <typename Callable> static void eachLane(uint32_t Mask, const Callable &Do) {
  if (Mask == AllLanes)
    for (unsigned Lane = 0; Lane < WarpLanes; ++Lane)
      Do(Lane);
  else
    for (; Mask != 0; Mask &= Mask - 1)
      Do(firstLane(Mask));
}

/// The address that others are compared with.
static uint64_t addressOf(const Request &R) {
  if (R.Affine)
    return R.address(firstLane(R.Mask));
  uint64_t Lowest = ~uint64_t(0);
  eachLane(R.Mask, [&](unsigned Lane) { Lowest = std::min(Lowest, R.Addresses[Lane]); });
  return Lowest;
}

static uint8_t formOf(const Request &R) {
  unsigned Form = static_cast<unsigned>(R.Kind);
  Form |= R.Affine ? IsAffine : 0;
  Form |= R.Mask == AllLanes ? HasAllLanes : 0;
  Form |= R.Affine && R.RowLanes != WarpLanes ? IsInRows : 0;
  return static_cast<uint8_t>(Form);
}

static uint8_t sizeOf(const Request &R) {
  return static_cast<uint8_t>(static_cast<unsigned>(std::countr_zero(R.Size)) |
                              static_cast<unsigned>(R.Operator) << OperatorShift);
}

/// Whether all but the addresses is as in the last one.
static bool isAsBefore(const Request &R, uint8_t Form, uint8_t Size,
                       const CoderState::OfAccess &Last) {
  return Form == Last.Form && Size == Last.Size && R.Mask == Last.Mask &&
         (!R.Affine || (R.Stride == Last.Stride && R.RowLanes == Last.RowLanes &&
                        (R.RowLanes == WarpLanes || R.Step == Last.Step)));
}

/// Later requests are compared with this one.
static void remember(const Request &R, uint8_t Form, uint8_t Size, uint64_t Address,
                     CoderState::OfAccess &Last) {
  Last.Difference = Address - Last.Address;
  Last.Address = Address;
  Last.Mask = R.Mask;
  Last.Form = Form;
  Last.Size = Size;
  if (R.Affine) {
    Last.Stride = R.Stride;
    Last.RowLanes = R.RowLanes;
    Last.Step = R.Step;
  }
}

static std::byte *writeForm(std::byte *Next, const Request &R, uint8_t Form, uint8_t Size) {
  *Next++ = static_cast<std::byte>(Form);
  *Next++ = static_cast<std::byte>(Size);
  if (!(Form & HasAllLanes)) {
    std::memcpy(Next, &R.Mask, sizeof(R.Mask));
    Next += sizeof(R.Mask);
  }
  if (Form & IsAffine)
    Next = writeLeb128(Next, zigzag(static_cast<uint64_t>(R.Stride)));
  if (Form & IsInRows) {
    *Next++ = static_cast<std::byte>(std::countr_zero(R.RowLanes));
    Next = writeLeb128(Next, zigzag(static_cast<uint64_t>(R.Step)));
  }
  return Next;
}

/// Bytes for each lane, if one of them has so many bits: any number of bytes would do, but who
/// reads them has a loop for each.
static unsigned widthFor(unsigned Bits) { return Bits <= 32 ? std::max((Bits + 7) / 8, 1U) : 8; }

/// Of each active lane, how far it is from the lowest one, without the lowest bits, which are 0 in
/// all of them, and in as many bytes as the farthest one takes.
static std::byte *writeLanes(std::byte *Next, const Request &R, uint64_t Lowest) {
  uint64_t Any = 0;
  eachLane(R.Mask, [&](unsigned Lane) { Any |= R.Addresses[Lane] - Lowest; });
  const unsigned Shift =
      Any == 0 ? 0 : std::min(static_cast<unsigned>(std::countr_zero(Any)), MostShift);
  const unsigned Width = widthFor(static_cast<unsigned>(std::bit_width(Any >> Shift)));
  *Next++ = static_cast<std::byte>(Width | Shift << ShiftShift);
  eachLane(R.Mask, [&](unsigned Lane) {
    const uint64_t Number = (R.Addresses[Lane] - Lowest) >> Shift;
    std::memcpy(Next, &Number, sizeof(Number));
    Next += Width;
  });
  return Next;
}

void encode(const Request &R, CoderState &State, GrowingArray<std::byte> &To) {
  std::byte *const Bytes = To.roomFor(MostBytes);
  std::byte *Next = Bytes + 1;
  Next = writeLeb128(Next, R.Slot);
  unsigned Head = AllSame;
  CoderState::OfSlot &Slot = State.of(R.Slot);
  if (R.Block != Slot.Block || R.Warp != Slot.Warp) {
    Head &= ~SameWarp;
    Next = writeLeb128(Next, zigzag(R.Block - Slot.Block));
    Next = writeLeb128(Next, R.Warp);
  }
  uint32_t &Expected = State.of(Slot.Site, R.Slot).Next;
  if (R.Site != Expected) {
    Head &= ~SameSite;
    Next = writeLeb128(Next, R.Site);
  }
  Expected = R.Site;
  Slot = {R.Block, R.Site, R.Warp};

  CoderState::OfAccess &Last = State.of(R.Site, R.Slot);
  const uint8_t Form = formOf(R), Size = sizeOf(R);
  if (!isAsBefore(R, Form, Size, Last)) {
    Head &= ~SameForm;
    Next = writeForm(Next, R, Form, Size);
  }
  const uint64_t Address = addressOf(R), Difference = Address - Last.Address;
  if (Difference != Last.Difference) {
    Head &= ~SameDifference;
    Next = writeLeb128(Next, zigzag(Difference));
  }
  if (!R.Affine)
    Next = writeLanes(Next, R, Address);
  remember(R, Form, Size, Address, Last);
  Bytes[0] = static_cast<std::byte>(Head);
  To.endAt(Next);
}

template <typename T> static bool takeNumber(std::span<const std::byte> &From, T &To) {
  uint64_t Number = 0;
  if (!takeLeb128(From, Number) || Number > std::numeric_limits<T>::max())
    return false;
  To = static_cast<T>(Number);
  return true;
}

static bool takeDifference(std::span<const std::byte> &From, uint64_t &To) {
  uint64_t Number = 0;
  if (!takeLeb128(From, Number))
    return false;
  To = unzigzag(Number);
  return true;
}

static bool takeWarp(std::span<const std::byte> &From, CoderState::OfSlot &Slot) {
  uint64_t Difference = 0;
  if (!takeDifference(From, Difference) || !takeNumber(From, Slot.Warp))
    return false;
  Slot.Block += Difference;
  return true;
}

static bool takeStride(std::span<const std::byte> &From, int64_t &Stride) {
  uint64_t Number = 0;
  if (!takeDifference(From, Number))
    return false;
  Stride = static_cast<int64_t>(Number);
  return true;
}

static bool takeRows(std::span<const std::byte> &From, CoderState::OfAccess &To) {
  uint8_t Log = 0;
  if (!take(From, Log) || Log == 0 || 1U << Log >= WarpLanes)
    return false;
  To.RowLanes = static_cast<uint8_t>(1U << Log);
  return takeStride(From, To.Step);
}

static bool takeForm(std::span<const std::byte> &From, CoderState::OfAccess &To) {
  if (!take(From, To.Form) || To.Form > AllForms || (To.Form & KindBits) >= AccessKinds ||
      ((To.Form & IsInRows) && !(To.Form & IsAffine)))
    return false;
  if (!take(From, To.Size) || (To.Size & SizeBits) > MostSizeLog ||
      To.Size >> OperatorShift >= static_cast<int>(CacheOperators))
    return false;
  To.Mask = AllLanes;
  if (!(To.Form & HasAllLanes) && (!take(From, To.Mask) || To.Mask == 0))
    return false;
  if ((To.Form & IsAffine) && !takeStride(From, To.Stride))
    return false;
  To.RowLanes = To.Form & IsAffine ? WarpLanes : To.RowLanes;
  return !(To.Form & IsInRows) || takeRows(From, To);
}

template <unsigned Width>
static bool takeLanes(std::span<const std::byte> &From, Request &R, uint64_t Lowest,
                      unsigned Shift) {
  const size_t Bytes = size_t{Width} * R.lanes();
  if (From.size() < Bytes)
    return false;
  const std::byte *Next = From.data();
  eachLane(R.Mask, [&](unsigned Lane) {
    uint64_t Number = 0;
    std::memcpy(&Number, Next, Width);
    Next += Width;
    R.Addresses[Lane] = Lowest + (Number << Shift);
  });
  From = From.subspan(Bytes);
  return true;
}

static bool takeLanes(std::span<const std::byte> &From, Request &R, uint64_t Lowest) {
  uint8_t Shape = 0;
  if (!take(From, Shape))
    return false;
  const unsigned Shift = Shape >> ShiftShift;
  switch (Shape & WidthBits) {
  case 1:
    return takeLanes<1>(From, R, Lowest, Shift);
  case 2:
    return takeLanes<2>(From, R, Lowest, Shift);
  case 3:
    return takeLanes<3>(From, R, Lowest, Shift);
  case 4:
    return takeLanes<4>(From, R, Lowest, Shift);
  case 8:
    return takeLanes<8>(From, R, Lowest, Shift);
  default:
    return false;
  }
}

/// The first lanes, as those of bulk copies are.
static bool areSideBySide(const Request &R) {
  return R.Stride == R.Size && R.RowLanes == WarpLanes && (R.Mask & (R.Mask + 1)) == 0;
}

bool decode(std::span<const std::byte> &From, CoderState &State, uint32_t Sites, Request &R) {
  uint8_t Head = 0;
  if (!take(From, Head) || Head > AllSame || !takeNumber(From, R.Slot))
    return false;
  CoderState::OfSlot &Slot = State.of(R.Slot);
  if (!(Head & SameWarp) && !takeWarp(From, Slot))
    return false;
  uint32_t &Expected = State.of(Slot.Site, R.Slot).Next;
  if (!(Head & SameSite) && !takeNumber(From, Expected))
    return false;
  R.Site = Slot.Site = Expected;
  if (R.Site >= Sites)
    return false;
  R.Block = Slot.Block;
  R.Warp = Slot.Warp;

  CoderState::OfAccess &Last = State.of(R.Site, R.Slot);
  if (!(Head & SameForm) && !takeForm(From, Last))
    return false;
  if (Last.Mask == 0 || (!(Head & SameDifference) && !takeDifference(From, Last.Difference)))
    return false;
  R.Kind = static_cast<AccessKind>(Last.Form & KindBits);
  R.Operator = static_cast<CacheOperator>(Last.Size >> OperatorShift);
  R.Size = static_cast<uint8_t>(1U << (Last.Size & SizeBits));
  R.Mask = Last.Mask;
  R.Affine = Last.Form & IsAffine;
  R.RowLanes = WarpLanes;
  R.Stride = R.Step = 0;
  Last.Address += Last.Difference;
  if (!R.Affine)
    return R.Operator != CacheOperator::Bulk && takeLanes(From, R, Last.Address);
  R.Stride = Last.Stride;
  if (Last.Form & IsInRows) {
    R.RowLanes = Last.RowLanes;
    R.Step = Last.Step;
  }
  R.Addresses[0] = Last.Address - R.offset(firstLane(R.Mask));
  return R.Operator != CacheOperator::Bulk || areSideBySide(R);
}

} // namespace gmprof::cache
