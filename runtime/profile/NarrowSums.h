//===- NarrowSums.h - Many numbers, in as few bytes as they need -*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A number for each element of an object, of 1, 2, 4 or 8 bytes, all alike: there may be thousands
// of millions, and most are small, so what takes time is their memory. Most are equal to their
// neighbours, too: endOfRun() passes those without a look at each.
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

  /// Calls Do with a null pointer to the type of the numbers.
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
  /// The first element behind I whose number differs from that of I, or size().
  size_t endOfRun(size_t I) const {
    return withType([&]<typename Number>(Number *) { return endOfRunOf<Number>(I); });
  }

  /// Calls Emit(First, End) for elements side by side that are not 0, in their order, and as many
  /// together as there are.
  template <typename Callable> void forEachTouched(const Callable &Emit) const {
    withType([&]<typename Number>(Number *) { forEachTouchedOf<Number>(Emit); });
  }
  /// Calls Emit with the values of elements First to End - 1, and for each with how often it comes
  /// there, all calls with the value together.
  template <typename Callable>
  void forEachValue(size_t First, size_t End, const Callable &Emit) const {
    if (TheWidth == 1)
      return forEachByte(First, End, Emit);
    withType([&]<typename Number>(Number *) {
      for (size_t I = First; I < End; ++I)
        Emit(uint64_t(numbers<Number>()[I]), uint64_t(1));
    });
  }

  /// Makes them all 0, in memory that is there already.
  void reset(size_t Count, unsigned Width) {
    TheWidth = Width;
    Bytes.assign(Count * Width, std::byte{0});
  }
  /// Has room for numbers up to Most.
  void widen(uint64_t Most);
  /// No more than Most each, to elements from First on; sums have to fit.
  template <typename Number>
  void add(size_t First, std::span<const Number> Numbers, uint64_t Most) {
    withType([&]<typename Sum>(Sum *) {
      // What bytes are written to could be anything that is not in a register.
      Sum *To = numbers<Sum>() + First;
      const Number *From = Numbers.data();
      const size_t Count = Numbers.size();
      const auto Bound = static_cast<Number>(Most);
      for (size_t I = 0; I < Count; ++I)
        To[I] = static_cast<Sum>(To[I] + (From[I] < Bound ? From[I] : Bound));
    });
  }
  /// Adds elements From to End - 1 of Others to those from First on; sums have to fit.
  void add(size_t First, const NarrowSums &Others, size_t From, size_t End);
  /// Puts Others, whose width is no larger, in the place of elements from First on.
  void put(size_t First, const NarrowSums &Others);

private:
  template <typename Number> Number *numbers() { return reinterpret_cast<Number *>(Bytes.data()); }
  template <typename Number> const Number *numbers() const {
    return reinterpret_cast<const Number *>(Bytes.data());
  }
  template <typename Number> size_t endOfRunOf(size_t I) const;
  template <typename Number, typename Callable> void forEachTouchedOf(const Callable &Emit) const {
    // Where they begin and end: of 64 elements at a time, unless more are equal.
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
    // Two tables: what was just written is slow to read again.
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
