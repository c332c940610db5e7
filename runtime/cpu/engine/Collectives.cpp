//===- Collectives.cpp - Results of warp operations -----------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "cpu/engine/Collectives.h"
#include "cpu/engine/Block.h"

#include <bit>
#include <cmath>
#include <cstring>

namespace gmprof::cpu {

/// Calls F(lane number) for each lane of a mask.
template <class Function> static void forLanes(uint32_t Mask, Function F) {
  for (; Mask; Mask &= Mask - 1)
    F(unsigned(std::countr_zero(Mask)));
}

static uint64_t withPredicate(uint32_t Value, bool Predicate) {
  return Value | uint64_t(Predicate) << 32;
}

/// Returns the result of a shuffle (PTX ISA, shfl.sync): an absent source lane yields the caller's
/// own value.
static uint64_t shuffle(const Lane *Lanes, uint32_t Group, unsigned Me) {
  const Lane &L = Lanes[Me];
  int Self = int(Me);
  int B = int(L.B & 31), Clamp = int(L.C & 31), Segment = int(L.C >> 8 & 31);
  int Last = (Self & Segment) | (Clamp & ~Segment);
  int From = Self;
  bool InRange = false;
  switch (L.Kind) {
  case WarpOpKind::ShuffleUp:
    From = Self - B;
    InRange = From >= Last;
    break;
  case WarpOpKind::ShuffleDown:
    From = Self + B;
    InRange = From <= Last;
    break;
  case WarpOpKind::ShuffleButterfly:
    From = Self ^ B;
    InRange = From <= Last;
    break;
  default:
    From = (Self & Segment) | (B & ~Segment);
    InRange = From <= Last;
    break;
  }
  if (!InRange || !(Group >> From & 1))
    From = Self;
  return withPredicate(uint32_t(Lanes[From].A), InRange);
}

static uint32_t reduceInteger(WarpOpKind Kind, uint32_t X, uint32_t Y) {
  switch (Kind) {
  case WarpOpKind::ReduceAdd:
    return X + Y;
  case WarpOpKind::ReduceMin:
    return uint32_t(std::min(int32_t(X), int32_t(Y)));
  case WarpOpKind::ReduceMax:
    return uint32_t(std::max(int32_t(X), int32_t(Y)));
  case WarpOpKind::ReduceUMin:
    return std::min(X, Y);
  case WarpOpKind::ReduceUMax:
    return std::max(X, Y);
  case WarpOpKind::ReduceAnd:
    return X & Y;
  case WarpOpKind::ReduceOr:
    return X | Y;
  default:
    return X ^ Y;
  }
}

static uint32_t reduceFloat(WarpOpKind Kind, uint32_t XBits, uint32_t YBits) {
  float X = std::bit_cast<float>(XBits), Y = std::bit_cast<float>(YBits);
  bool Min = Kind == WarpOpKind::ReduceFMin || Kind == WarpOpKind::ReduceFMinNaN;
  bool NaNWins = Kind == WarpOpKind::ReduceFMinNaN || Kind == WarpOpKind::ReduceFMaxNaN;
  if (std::isnan(X) || std::isnan(Y)) {
    constexpr uint32_t CanonicalNaN = 0x7fffffff;
    if (NaNWins || (std::isnan(X) && std::isnan(Y)))
      return CanonicalNaN;
    return std::isnan(X) ? YBits : XBits;
  }
  if (X == Y) // -0 is less than +0
    return (Min == std::signbit(X)) ? XBits : YBits;
  return (X < Y) == Min ? XBits : YBits;
}

static uint32_t reduce(const Lane *Lanes, uint32_t Group) {
  WarpOpKind Kind = Lanes[std::countr_zero(Group)].Kind;
  uint32_t Result = uint32_t(Lanes[std::countr_zero(Group)].A);
  forLanes(Group & (Group - 1), [&](unsigned I) {
    auto Value = uint32_t(Lanes[I].A);
    Result = Kind >= WarpOpKind::ReduceFMin ? reduceFloat(Kind, Result, Value)
                                            : reduceInteger(Kind, Result, Value);
  });
  return Result;
}

static void exchange(const Lane *Lanes, uint32_t Group) {
  forLanes(Group, [&](unsigned To) {
    const auto *Mine = reinterpret_cast<const ExchangeOperands *>(Lanes[To].A);
    forLanes(Group, [&](unsigned From) {
      const auto *Other = reinterpret_cast<const ExchangeOperands *>(Lanes[From].A);
      memcpy(static_cast<char *>(Mine->All) + From * Mine->Bytes, Other->Mine,
             std::min(Mine->Bytes, Other->Bytes));
    });
  });
}

void carryOut(Lane *Lanes, uint32_t Group) {
  uint32_t True = 0;
  forLanes(Group, [&](unsigned I) { True |= uint32_t(Lanes[I].A & 1) << I; });
  auto All = [&](uint64_t Result) {
    forLanes(Group, [&](unsigned I) { Lanes[I].Result = Result; });
  };
  unsigned First = std::countr_zero(Group);
  switch (Lanes[First].Kind) {
  case WarpOpKind::ActiveMask:
  case WarpOpKind::Reconverge:
  case WarpOpKind::SyncWarp:
    return All(Group);
  case WarpOpKind::VoteAll:
    return All(True == Group);
  case WarpOpKind::VoteAny:
    return All(True != 0);
  case WarpOpKind::VoteUniform:
    return All(True == 0 || True == Group);
  case WarpOpKind::Ballot:
    return All(True);
  case WarpOpKind::ShuffleUp:
  case WarpOpKind::ShuffleDown:
  case WarpOpKind::ShuffleButterfly:
  case WarpOpKind::ShuffleIndex:
    return forLanes(Group, [&](unsigned I) { Lanes[I].Result = shuffle(Lanes, Group, I); });
  case WarpOpKind::MatchAny:
    return forLanes(Group, [&](unsigned I) {
      uint32_t Same = 0;
      forLanes(Group, [&](unsigned J) { Same |= uint32_t(Lanes[I].A == Lanes[J].A) << J; });
      Lanes[I].Result = Same;
    });
  case WarpOpKind::MatchAll: {
    bool Same = true;
    forLanes(Group, [&](unsigned I) { Same &= Lanes[I].A == Lanes[First].A; });
    return All(withPredicate(Same ? Group : 0, Same));
  }
  case WarpOpKind::Elect:
    return forLanes(Group, [&](unsigned I) { Lanes[I].Result = withPredicate(First, I == First); });
  case WarpOpKind::Exchange:
    exchange(Lanes, Group);
    return All(Group);
  default:
    return All(reduce(Lanes, Group));
  }
}

} // namespace gmprof::cpu
