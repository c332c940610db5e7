//===- RequestCoder.cpp - Compact encoding of requests --------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "cache/RequestCoder.h"
#include "profile/Leb128.h"
#include <algorithm>
#include <cstring>
#include <limits>

namespace gmprof::cache {

/// Bits of the head: predictions that hold.
static constexpr unsigned SameWarp = 1, SameSite = 2, SameForm = 4, SameDifference = 8,
                          AllSame = 15;
/// Bits of the form: the kind, and flags.
static constexpr unsigned KindBits = 7, IsAffine = 8, HasAllLanes = 16, IsInRows = 32,
                          AllForms = 63;
/// Bits of the size: its logarithm, and from OperatorShift on the operator.
static constexpr unsigned SizeBits = 7, OperatorShift = 3, MostSizeLog = 5;
/// Bits of the lanes' shape: bytes per lane, and from ShiftShift on the number of omitted low bits,
/// which are 0.
static constexpr unsigned WidthBits = 15, ShiftShift = 4, MostShift = 15;
/// Maximum size: head, slot, block, warp, site, form with size, mask, stride and rows, address, and
/// the lanes with their shape; writing the last lane overruns by up to the bytes of one lane.
static constexpr size_t MostBytes = 1 + 4 * MostLeb128Bytes + 2 + 4 + 1 + 2 * MostLeb128Bytes +
                                    MostLeb128Bytes + 1 + (WarpLanes + 1) * sizeof(uint64_t);

static unsigned firstLane(uint32_t Mask) { return static_cast<unsigned>(std::countr_zero(Mask)); }

static uint64_t lowestAddress(const Request &R) {
  uint64_t Lowest = ~uint64_t(0);
  if (R.Mask != AllLanes) {
    eachLane(R.Mask, [&](unsigned Lane) { Lowest = std::min(Lowest, R.Addresses[Lane]); });
    return Lowest;
  }
  // Four independent minima shorten the dependency chain.
  std::array<uint64_t, 4> Each = {Lowest, Lowest, Lowest, Lowest};
  for (unsigned Lane = 0; Lane < WarpLanes; ++Lane)
    Each[Lane % Each.size()] = std::min(Each[Lane % Each.size()], R.Addresses[Lane]);
  return std::ranges::min(Each);
}

/// Returns the address that is predicted and compared.
static uint64_t addressOf(const Request &R) {
  return R.Affine ? R.address(firstLane(R.Mask)) : lowestAddress(R);
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

/// Returns whether all fields except the addresses match the last request.
static bool isAsBefore(const Request &R, uint8_t Form, uint8_t Size,
                       const CoderState::OfAccess &Last) {
  return Form == Last.Form && Size == Last.Size && R.Mask == Last.Mask &&
         (!R.Affine || (R.Stride == Last.Stride && R.RowLanes == Last.RowLanes &&
                        (R.RowLanes == WarpLanes || R.Step == Last.Step)));
}

/// Updates the prediction for later requests.
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

/// Returns the bytes per lane for numbers of `Bits` bits. Restricted to widths for which the
/// decoder has a loop.
static unsigned widthFor(unsigned Bits) { return Bits <= 32 ? std::max((Bits + 7) / 8, 1U) : 8; }

/// Writes each active lane's distance from the lowest address, without common low zero bits, in as
/// many bytes as the largest one needs.
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

// Readers of a request's parts. MostBytes bytes are readable from its start.

template <typename T> [[gnu::always_inline]] static void read(const std::byte *&Next, T &To) {
  std::memcpy(&To, Next, sizeof(T));
  Next += sizeof(T);
}

[[gnu::always_inline]] static bool readAny(const std::byte *&Next, uint64_t &Number) {
  Next = readLeb128(Next, MostLeb128Bytes, Number);
  return Next != nullptr;
}

template <typename T> [[gnu::always_inline]] static bool readNumber(const std::byte *&Next, T &To) {
  uint64_t Number = 0;
  if (!readAny(Next, Number) || Number > std::numeric_limits<T>::max())
    return false;
  To = static_cast<T>(Number);
  return true;
}

[[gnu::always_inline]] static bool readDifference(const std::byte *&Next, uint64_t &To) {
  uint64_t Number = 0;
  if (!readAny(Next, Number))
    return false;
  To = unzigzag(Number);
  return true;
}

static bool readWarp(const std::byte *&Next, CoderState::OfSlot &Slot) {
  uint64_t Difference = 0;
  if (!readDifference(Next, Difference) || !readNumber(Next, Slot.Warp))
    return false;
  Slot.Block += Difference;
  return true;
}

static bool readStride(const std::byte *&Next, int64_t &Stride) {
  uint64_t Number = 0;
  if (!readDifference(Next, Number))
    return false;
  Stride = static_cast<int64_t>(Number);
  return true;
}

static bool readRows(const std::byte *&Next, CoderState::OfAccess &To) {
  uint8_t Log = 0;
  read(Next, Log);
  if (Log == 0 || Log > std::countr_zero(WarpLanes / 2))
    return false;
  To.RowLanes = static_cast<uint8_t>(1U << Log);
  return readStride(Next, To.Step);
}

static bool readForm(const std::byte *&Next, CoderState::OfAccess &To) {
  read(Next, To.Form);
  read(Next, To.Size);
  if (To.Form > AllForms || (To.Form & KindBits) >= AccessKinds ||
      ((To.Form & IsInRows) && !(To.Form & IsAffine)) || (To.Size & SizeBits) > MostSizeLog ||
      To.Size >> OperatorShift >= static_cast<int>(CacheOperators))
    return false;
  To.Mask = AllLanes;
  if (!(To.Form & HasAllLanes))
    read(Next, To.Mask);
  if (To.Mask == 0 || ((To.Form & IsAffine) && !readStride(Next, To.Stride)))
    return false;
  To.RowLanes = To.Form & IsAffine ? WarpLanes : To.RowLanes;
  return !(To.Form & IsInRows) || readRows(Next, To);
}

/// Reads lanes of `Bytes` bytes each; may read past the last lane.
template <typename Word, unsigned Bytes>
[[gnu::always_inline]] static void readLanes(const std::byte *&Next, Request &R, uint64_t Lowest,
                                             unsigned Shift) {
  eachLane(R.Mask, [&](unsigned Lane) {
    Word Number = 0;
    std::memcpy(&Number, Next, sizeof(Number));
    Next += Bytes;
    constexpr Word Used = static_cast<Word>(~Word(0)) >> 8 * (sizeof(Word) - Bytes);
    R.Addresses[Lane] = Lowest + (uint64_t{static_cast<Word>(Number & Used)} << Shift);
  });
}

static bool readLanes(const std::byte *&Next, Request &R, uint64_t Lowest) {
  uint8_t Shape = 0;
  read(Next, Shape);
  const unsigned Shift = Shape >> ShiftShift;
  switch (Shape & WidthBits) {
  case 1:
    readLanes<uint8_t, 1>(Next, R, Lowest, Shift);
    return true;
  case 2:
    readLanes<uint16_t, 2>(Next, R, Lowest, Shift);
    return true;
  case 3:
    readLanes<uint32_t, 3>(Next, R, Lowest, Shift);
    return true;
  case 4:
    readLanes<uint32_t, 4>(Next, R, Lowest, Shift);
    return true;
  case 8:
    readLanes<uint64_t, 8>(Next, R, Lowest, Shift);
    return true;
  default:
    return false;
  }
}

/// Returns whether the lanes are the first ones and contiguous, as in bulk copies.
static bool areSideBySide(const Request &R) {
  return R.Stride == R.Size && R.RowLanes == WarpLanes && (R.Mask & (R.Mask + 1)) == 0;
}

/// Reads a request; returns its end, or null if it is damaged.
static const std::byte *readRequest(const std::byte *Next, CoderState &State, uint32_t Sites,
                                    Request &R) {
  uint8_t Head = 0;
  read(Next, Head);
  if (Head > AllSame || !readNumber(Next, R.Slot))
    return nullptr;
  CoderState::OfSlot &Slot = State.of(R.Slot);
  if (!(Head & SameWarp) && !readWarp(Next, Slot))
    return nullptr;
  uint32_t &Expected = State.of(Slot.Site, R.Slot).Next;
  if (!(Head & SameSite) && !readNumber(Next, Expected))
    return nullptr;
  R.Site = Slot.Site = Expected;
  if (R.Site >= Sites)
    return nullptr;
  R.Block = Slot.Block;
  R.Warp = Slot.Warp;

  CoderState::OfAccess &Last = State.of(R.Site, R.Slot);
  if (!(Head & SameForm) && !readForm(Next, Last))
    return nullptr;
  if (Last.Mask == 0 || (!(Head & SameDifference) && !readDifference(Next, Last.Difference)))
    return nullptr;
  R.Kind = static_cast<AccessKind>(Last.Form & KindBits);
  R.Operator = static_cast<CacheOperator>(Last.Size >> OperatorShift);
  R.Size = static_cast<uint8_t>(1U << (Last.Size & SizeBits));
  R.Mask = Last.Mask;
  R.Affine = Last.Form & IsAffine;
  R.RowLanes = WarpLanes;
  R.Stride = R.Step = 0;
  Last.Address += Last.Difference;
  if (!R.Affine)
    return R.Operator != CacheOperator::Bulk && readLanes(Next, R, Last.Address) ? Next : nullptr;
  R.Stride = Last.Stride;
  if (Last.Form & IsInRows) {
    R.RowLanes = Last.RowLanes;
    R.Step = Last.Step;
  }
  R.Addresses[0] = Last.Address - R.offset(firstLane(R.Mask));
  return R.Operator != CacheOperator::Bulk || areSideBySide(R) ? Next : nullptr;
}

/// Reads a request near the end of the buffer, which may be incomplete.
[[gnu::noinline]] static const std::byte *
readOneOfTheLast(std::span<const std::byte> From, CoderState &State, uint32_t Sites, Request &R) {
  std::array<std::byte, MostBytes> Padded = {};
  std::ranges::copy(From, Padded.begin());
  const std::byte *const End = readRequest(Padded.data(), State, Sites, R);
  return End && End <= Padded.data() + From.size() ? From.data() + (End - Padded.data()) : nullptr;
}

bool decode(std::span<const std::byte> &From, CoderState &State, uint32_t Sites, Request &R) {
  const std::byte *const Begin = From.data();
  const std::byte *const End = From.size() >= MostBytes ? readRequest(Begin, State, Sites, R)
                                                        : readOneOfTheLast(From, State, Sites, R);
  if (!End)
    return false;
  From = From.subspan(static_cast<size_t>(End - Begin));
  return true;
}

} // namespace gmprof::cache
