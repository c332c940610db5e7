//===- ComparedBytes.h - Vector comparison of bytes -------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_CACHE_COMPAREDBYTES_H
#define GMPROF_CACHE_COMPAREDBYTES_H

#include <array>
#include <cstddef>
#include <cstdint>
#include <emmintrin.h>
#include <vector>

namespace gmprof::cache {

/// Returns 16 copies of Byte.
inline __m128i sixteenOf(uint8_t Byte) { return _mm_set1_epi8(static_cast<char>(Byte)); }

/// Returns a mask of the positions at which 16 bytes are equal.
inline uint32_t equalBytes(__m128i A, __m128i B) {
  return static_cast<uint32_t>(_mm_movemask_epi8(_mm_cmpeq_epi8(A, B)));
}

/// Returns the mask of the most significant bits of 32 bytes.
inline uint32_t highestBits(__m128i First, __m128i Second) {
  return static_cast<uint32_t>(_mm_movemask_epi8(First)) |
         static_cast<uint32_t>(_mm_movemask_epi8(Second)) << 16;
}

/// Returns a mask of the lowest Count bits; Count <= 32.
inline constexpr uint32_t firstBits(uint32_t Count) {
  return Count == 32 ? ~uint32_t(0) : (uint32_t(1) << Count) - 1;
}

/// Array of 32 bytes per set. Two neighbouring sets share a cache line of the processor.
class BytesOfSets {
  struct alignas(64) TwoSets {
    std::array<uint8_t, 64> Bytes = {};
  };
  std::vector<TwoSets> All;

public:
  static constexpr uint32_t Most = 32;

  explicit BytesOfSets(uint32_t Sets) : All((Sets + 1) / 2) {}
  uint8_t *of(uint32_t Set) { return All.data()->Bytes.data() + size_t{Set} * Most; }
  const uint8_t *of(uint32_t Set) const { return All.data()->Bytes.data() + size_t{Set} * Most; }
  __m128i *halves(uint32_t Set) { return reinterpret_cast<__m128i *>(of(Set)); }
  const __m128i *halves(uint32_t Set) const { return reinterpret_cast<const __m128i *>(of(Set)); }
  void prefetch(uint32_t Set) const { __builtin_prefetch(of(Set), /*rw=*/1); }
};

} // namespace gmprof::cache

#endif // GMPROF_CACHE_COMPAREDBYTES_H
