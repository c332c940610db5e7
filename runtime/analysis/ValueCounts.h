//===- ValueCounts.h - How often values come among very many ----*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Elements of an object are accessed equally often in most cases, or a few times each. What is
// done with each number of accesses takes longer than to count how often it comes: so that is
// counted first, in a small table where a value has one place, and handed on in parts: when
// another value takes the place, and in the end.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_ANALYSIS_VALUECOUNTS_H
#define GMPROF_ANALYSIS_VALUECOUNTS_H

#include <array>
#include <bit>
#include <cstdint>

namespace gmprof::analysis {

/// A number of accesses, which is AtLeast that where counters reached their threshold.
struct CountedValue {
  double Value = 0;
  bool AtLeast = false;

  bool operator==(const CountedValue &) const = default;
};

/// Emit(CountedValue, Number) gets each value as often as it came, in no order.
template <typename Callable> class ValueCounts {
public:
  explicit ValueCounts(Callable Emit) : Emit(std::move(Emit)) {}

  void add(const CountedValue &V, uint64_t Number = 1) {
    Slot &S = Slots[place(V)];
    if (S.V != V) {
      hand(S);
      S.V = V;
    }
    S.Number += Number;
  }
  /// What has not been handed on yet.
  void finish() {
    for (Slot &S : Slots)
      hand(S);
  }

private:
  static constexpr unsigned Bits = 10;
  struct Slot {
    CountedValue V;
    uint64_t Number = 0;
  };

  static size_t place(const CountedValue &V) {
    const uint64_t Key = std::bit_cast<uint64_t>(V.Value) + (V.AtLeast ? 1 : 0);
    return Key * 0x9e3779b97f4a7c15U >> (64 - Bits);
  }
  void hand(Slot &S) {
    if (S.Number != 0)
      Emit(S.V, S.Number);
    S.Number = 0;
  }

  Callable Emit;
  std::array<Slot, size_t(1) << Bits> Slots;
};

} // namespace gmprof::analysis

#endif // GMPROF_ANALYSIS_VALUECOUNTS_H
