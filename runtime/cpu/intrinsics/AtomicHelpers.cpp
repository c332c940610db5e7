//===- AtomicHelpers.cpp - Atomics that x86 lacks -------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Helpers.h"
#include "SoftFloat.h"

#include <atomic>
#include <bit>

namespace gmprof::cpu {

enum class NarrowOperation : uint32_t { Add, Min, Max };

static bool isNaN(const FloatFormat &Format, uint64_t Bits) {
  return unpack(Format, Bits).Kind == Unpacked::NaN;
}

/// A sign-magnitude encoding as a number of the same order.
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

template <typename Word, typename Function> static uint32_t change(Word *Address, Function Fn) {
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

std::span<const Helper> atomicHelpers() {
  static const Helper Helpers[] = {
      helper("gm_atomic_narrow", narrow),
      helper("gm_atomic_narrow_pair", narrowPair),
  };
  return Helpers;
}

} // namespace gmprof::cpu
