//===- NarrowSums.cpp - Integers of 1, 2, 4 or 8 bytes --------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "profile/NarrowSums.h"
#include <algorithm>
#include <bit>
#include <cstring>
#include <numeric>
#include <type_traits>

namespace gmprof {

static unsigned widthFor(uint64_t Most) {
  return std::bit_ceil((static_cast<unsigned>(std::bit_width(Most | 1)) + 7U) / 8U);
}

NarrowSums::NarrowSums(std::span<const uint64_t> Values) : TheWidth(1), Bytes(Values.size()) {
  uint64_t Bits = 0;
  for (uint64_t V : Values)
    Bits |= V;
  widen(Bits);
  add(0, Values, UINT64_MAX);
}

std::vector<uint64_t> NarrowSums::values() const {
  return withType([&]<typename Number>(Number *) {
    return std::vector<uint64_t>(numbers<Number>(), numbers<Number>() + size());
  });
}

uint64_t NarrowSums::total() const {
  return withType([&]<typename Number>(Number *) {
    // Sums of this many 8- or 16-bit numbers fit 32 bits, which vectorize better.
    constexpr size_t Block = 65536;
    using Partial = std::conditional_t<sizeof(Number) <= 2, uint32_t, uint64_t>;
    uint64_t Total = 0;
    for (size_t First = 0; First < size(); First += Block) {
      const Number *Of = numbers<Number>() + First;
      Total += std::accumulate(Of, Of + std::min(Block, size() - First), Partial(0));
    }
    return Total;
  });
}

void NarrowSums::widen(uint64_t Most) {
  const unsigned Width = widthFor(Most);
  if (Width <= TheWidth)
    return;
  NarrowSums Wide(size(), Width);
  Wide.put(0, *this);
  *this = std::move(Wide);
}

void NarrowSums::add(size_t First, const NarrowSums &Others, size_t From, size_t End) {
  Others.withType([&]<typename Number>(Number *) {
    add(First, std::span(Others.numbers<Number>() + From, End - From), UINT64_MAX);
  });
}

void NarrowSums::put(size_t First, const NarrowSums &Others) {
  Others.withType([&]<typename Number>(Number *) {
    const Number *From = Others.numbers<Number>();
    withType([&]<typename Sum>(Sum *) {
      std::transform(From, From + Others.size(), numbers<Sum>() + First,
                     [](Number N) { return static_cast<Sum>(N); });
    });
  });
}

template <typename Number> size_t NarrowSums::endOfRunOf(size_t I) const {
  constexpr size_t Block = 512;
  const Number *Of = numbers<Number>();
  const size_t Count = size();
  // A block is constant if it equals itself shifted by one element.
  size_t End = I + 1;
  while (End + Block <= Count && Of[End] == Of[I] &&
         std::memcmp(Of + End - 1, Of + End, Block * sizeof(Number)) == 0)
    End += Block;
  while (End < Count && Of[End] == Of[I])
    ++End;
  return End;
}

template size_t NarrowSums::endOfRunOf<uint8_t>(size_t) const;
template size_t NarrowSums::endOfRunOf<uint16_t>(size_t) const;
template size_t NarrowSums::endOfRunOf<uint32_t>(size_t) const;
template size_t NarrowSums::endOfRunOf<uint64_t>(size_t) const;

} // namespace gmprof
