//===- NarrowSums.h - Integers of 1, 2, 4 or 8 bytes ------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One number per element of an object, all with the same width of 1, 2, 4 or 8 bytes. Objects may
// have billions of elements, mostly with small counts, so memory traffic dominates the time.
// Neighbours are mostly equal: endOfRun() skips them block by block.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_PROFILE_NARROWSUMS_H
#define GMPROF_PROFILE_NARROWSUMS_H

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace gmprof {

class NarrowSums {
public:
  NarrowSums() = default;
  explicit NarrowSums(size_t Count, unsigned Width = 1) : TheWidth(Width), Bytes(Count * Width) {}
  explicit NarrowSums(std::span<const uint64_t> Values);

  /// Calls Do with a null pointer to the numbers' type.
  template <typename Callable> auto withType(const Callable &Do) const {
    return TheWidth == 1   ? Do(static_cast<uint8_t *>(nullptr))
           : TheWidth == 2 ? Do(static_cast<uint16_t *>(nullptr))
           : TheWidth == 4 ? Do(static_cast<uint32_t *>(nullptr))
                           : Do(static_cast<uint64_t *>(nullptr));
  }

  size_t size() const { return Bytes.size() / TheWidth; }
  unsigned width() const { return TheWidth; }
  std::span<std::byte> bytes() { return Bytes; }
  std::span<const std::byte> bytes() const { return Bytes; }
  uint64_t operator[](size_t I) const {
    return withType([&]<typename Number>(Number *) { return uint64_t(numbers<Number>()[I]); });
  }
  std::vector<uint64_t> values() const;
  uint64_t total() const;
  /// Returns the first element after I with another number than I, or size().
  size_t endOfRun(size_t I) const {
    return withType([&]<typename Number>(Number *) { return endOfRunOf<Number>(I); });
  }

  /// Calls Emit(First, End) for each maximal run of nonzero elements, in order.
  template <typename Callable> void forEachTouched(const Callable &Emit) const {
    withType([&]<typename Number>(Number *) { forEachTouchedOf<Number>(Emit); });
  }
  /// Calls Emit(value, occurrences) for the elements First to End - 1. A value may be emitted
  /// several times; its occurrences add up.
  template <typename Callable>
  void forEachValue(size_t First, size_t End, const Callable &Emit) const {
    if (TheWidth == 1)
      return forEachByte(First, End, Emit);
    withType([&]<typename Number>(Number *) {
      for (size_t I = First; I < End; ++I)
        Emit(uint64_t(numbers<Number>()[I]), uint64_t(1));
    });
  }

  /// Resizes to Count zeros of this width, and reuses the memory.
  void reset(size_t Count, unsigned Width) {
    TheWidth = Width;
    Bytes.assign(Count * Width, std::byte{0});
  }
  /// Widens the numbers, if necessary, to hold Most.
  void widen(uint64_t Most);
  /// Adds numbers, each capped at Most, to the elements from First on. The sums must fit.
  template <typename Number>
  void add(size_t First, std::span<const Number> Numbers, uint64_t Most) {
    withType([&]<typename Sum>(Sum *) {
      // Local copies, because stores to bytes may alias any object in memory.
      Sum *To = numbers<Sum>() + First;
      const Number *From = Numbers.data();
      const size_t Count = Numbers.size();
      const auto Bound = static_cast<Number>(Most);
      for (size_t I = 0; I < Count; ++I)
        To[I] = static_cast<Sum>(To[I] + (From[I] < Bound ? From[I] : Bound));
    });
  }
  /// Adds the elements From to End - 1 of Others to those from First on. The sums must fit.
  void add(size_t First, const NarrowSums &Others, size_t From, size_t End);
  /// Overwrites the elements from First on with Others, which must not be wider.
  void put(size_t First, const NarrowSums &Others);

private:
  template <typename Number> Number *numbers() { return reinterpret_cast<Number *>(Bytes.data()); }
  template <typename Number> const Number *numbers() const {
    return reinterpret_cast<const Number *>(Bytes.data());
  }
  template <typename Number> size_t endOfRunOf(size_t I) const;
  template <typename Number, typename Callable> void forEachTouchedOf(const Callable &Emit) const {
    // Compare 64 elements at a time, and skip longer constant runs.
    const Number *Of = numbers<Number>();
    const size_t Count = size();
    size_t Begin = 0;
    bool Touched = false;
    const auto Change = [&](size_t At) {
      if (Touched)
        Emit(Begin, At);
      Begin = At;
      Touched = !Touched;
    };
    for (size_t First = 0, End = 0; First < Count; First = End) {
      End = endOfRunOf<Number>(First);
      if (End - First >= 64) {
        if (Touched != (Of[First] != 0))
          Change(First);
        continue;
      }
      End = Count - First < 64 ? Count : First + 64;
      uint64_t Bits = 0;
      for (size_t I = First; I < End; ++I)
        Bits |= uint64_t(Of[I] != 0) << (I - First);
      for (uint64_t Left = Bits ^ (Bits << 1 | (Touched ? 1 : 0)); Left != 0; Left &= Left - 1)
        Change(First + static_cast<size_t>(std::countr_zero(Left)));
    }
    if (Touched)
      Change(Count);
  }
  template <typename Callable>
  void forEachByte(size_t First, size_t End, const Callable &Emit) const {
    // Two tables, because reloading a counter right after its store stalls.
    std::array<std::array<uint64_t, 256>, 2> Times = {};
    for (size_t I = First; I < End; ++I)
      ++Times[I % 2][numbers<uint8_t>()[I]];
    for (uint64_t Value = 0; Value < 256; ++Value)
      if (const uint64_t Number = Times[0][Value] + Times[1][Value])
        Emit(Value, Number);
  }

  unsigned TheWidth = 1;
  std::vector<std::byte> Bytes;
};

} // namespace gmprof

#endif // GMPROF_PROFILE_NARROWSUMS_H
