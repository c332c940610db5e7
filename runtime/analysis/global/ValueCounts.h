//===- ValueCounts.h - Aggregates equal values ------------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Most elements of an object have equal or few distinct access counts. Processing a count takes
// longer than counting its occurrences, so occurrences are first counted in a small direct-mapped
// table. An entry is emitted when another value takes its place, and at the end.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_ANALYSIS_GLOBAL_VALUECOUNTS_H
#define GMPROF_ANALYSIS_GLOBAL_VALUECOUNTS_H

#include <array>
#include <bit>
#include <cstdint>

namespace gmprof::analysis {

/// A number of accesses; AtLeast if counters reached their threshold.
struct CountedValue {
  double Value = 0;
  bool AtLeast = false;

  bool operator==(const CountedValue &) const = default;
};

/// Calls Emit(CountedValue, Number), in no order; the numbers of a value add up to its occurrences.
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
  /// Emits all remaining entries.
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

#endif // GMPROF_ANALYSIS_GLOBAL_VALUECOUNTS_H
