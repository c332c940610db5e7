//===- AtomicHelpers.cpp - Atomics that x86 lacks -------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BulkReduction.h"
#include "Helpers.h"
#include "SoftFloat.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <type_traits>

namespace gmprof::cpu {

enum class NarrowOperation : uint32_t { Add, Min, Max };

static bool isNaN(const FloatFormat &Format, uint64_t Bits) {
  return unpack(Format, Bits).Kind == Unpacked::NaN;
}

/// Maps a sign-magnitude encoding to an integer of the same order.
static int32_t ordered(uint16_t Bits) { return Bits & 0x8000 ? -int32_t(Bits & 0x7fff) - 1 : Bits; }

static uint16_t apply(const FloatFormat &Format, NarrowOperation Operation, uint16_t A,
                      uint16_t B) {
  if (Operation == NarrowOperation::Add) {
    uint64_t One = uint64_t(Format.bias()) << Format.FractionBits;
    return softFma(Format, A, One, B, Rounding::RN);
  }
  if (isNaN(Format, A) && isNaN(Format, B))
    return Format.DefaultNaN;
  if (isNaN(Format, A))
    return B;
  if (isNaN(Format, B))
    return A;
  bool First =
      Operation == NarrowOperation::Min ? ordered(A) < ordered(B) : ordered(A) > ordered(B);
  return First ? A : B;
}

template <typename Word, typename Function> static Word change(Word *Address, Function Fn) {
  std::atomic_ref<Word> Ref(*Address);
  Word Old = Ref.load();
  while (!Ref.compare_exchange_weak(Old, Fn(Old)))
    ;
  return Old;
}

static uint32_t narrow(uint16_t *Address, uint32_t Operand, uint32_t BFloat,
                       NarrowOperation Operation) {
  const FloatFormat &Format = BFloat ? BF16 : F16;
  return change(Address, [&](uint16_t Old) { return apply(Format, Operation, Old, Operand); });
}

static uint32_t narrowPair(uint32_t *Address, uint32_t Operand, uint32_t BFloat,
                           NarrowOperation Operation) {
  const FloatFormat &Format = BFloat ? BF16 : F16;
  return change(Address, [&](uint32_t Old) {
    return uint32_t(apply(Format, Operation, Old, Operand)) |
           uint32_t(apply(Format, Operation, Old >> 16, Operand >> 16)) << 16;
  });
}

template <typename Number> static Number combined(Reduction Operation, Number Old, Number Value) {
  if (Operation == Reduction::Min)
    return std::min(Old, Value);
  if (Operation == Reduction::Max)
    return std::max(Old, Value);
  if constexpr (std::is_unsigned_v<Number>) {
    switch (Operation) {
    case Reduction::Inc:
      return Old >= Value ? 0 : Old + 1;
    case Reduction::Dec:
      return Old == 0 || Old > Value ? Value : Old - 1;
    case Reduction::And:
      return Old & Value;
    case Reduction::Or:
      return Old | Value;
    case Reduction::Xor:
      return Old ^ Value;
    default:
      break;
    }
  }
  if constexpr (std::is_signed_v<Number> && std::is_integral_v<Number>)
    return static_cast<Number>(std::make_unsigned_t<Number>(Old) + Value); // may wrap
  return Old + Value;
}

template <typename Number>
static void reduceNumbers(void *To, const void *From, uint32_t Bytes, Reduction Operation) {
  for (uint32_t I = 0; I < Bytes / sizeof(Number); ++I)
    change(static_cast<Number *>(To) + I, [&](Number Old) {
      return combined(Operation, Old, static_cast<const Number *>(From)[I]);
    });
}

static void reduceNarrow(void *To, const void *From, uint32_t Bytes, const FloatFormat &Format,
                         Reduction Operation) {
  const NarrowOperation Narrow = Operation == Reduction::Min   ? NarrowOperation::Min
                                 : Operation == Reduction::Max ? NarrowOperation::Max
                                                               : NarrowOperation::Add;
  for (uint32_t I = 0; I < Bytes / sizeof(uint16_t); ++I)
    change(static_cast<uint16_t *>(To) + I, [&](uint16_t Old) {
      return apply(Format, Narrow, Old, static_cast<const uint16_t *>(From)[I]);
    });
}

static void reduceBulk(void *To, const void *From, uint32_t Bytes, ReducedType Type,
                       Reduction Operation) {
  switch (Type) {
  case ReducedType::U32:
    return reduceNumbers<uint32_t>(To, From, Bytes, Operation);
  case ReducedType::S32:
    return reduceNumbers<int32_t>(To, From, Bytes, Operation);
  case ReducedType::U64:
    return reduceNumbers<uint64_t>(To, From, Bytes, Operation);
  case ReducedType::S64:
    return reduceNumbers<int64_t>(To, From, Bytes, Operation);
  case ReducedType::F16:
    return reduceNarrow(To, From, Bytes, F16, Operation);
  case ReducedType::BF16:
    return reduceNarrow(To, From, Bytes, BF16, Operation);
  case ReducedType::F32:
    return reduceNumbers<float>(To, From, Bytes, Operation);
  case ReducedType::F64:
    return reduceNumbers<double>(To, From, Bytes, Operation);
  }
}

std::span<const Helper> atomicHelpers() {
  static const Helper Helpers[] = {
      helper("gm_atomic_narrow", narrow),
      helper("gm_atomic_narrow_pair", narrowPair),
      helper("gm_reduce_bulk", reduceBulk),
  };
  return Helpers;
}

} // namespace gmprof::cpu
