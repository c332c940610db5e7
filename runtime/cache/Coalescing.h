//===- Coalescing.h - Which sectors a request takes -------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Lanes of a warp that access the same 32 bytes share one transaction; so a request costs its
// distinct sectors (von Buelow et al., Section 4.1). Those of one 128-byte line are looked up
// together.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_CACHE_COALESCING_H
#define GMPROF_CACHE_COALESCING_H

#include "cache/LocalMemory.h"
#include "cache/Request.h"
#include <array>
#include <cstddef>
#include <emmintrin.h>

namespace gmprof::cache {

inline constexpr unsigned SectorBytes = 32, LineBytes = 128, LineSectors = 4;

/// Sectors of a line, a bit each.
inline unsigned countSectors(unsigned Sectors) {
  return static_cast<unsigned>(0x4332322132212110 >> 4 * Sectors) & 15;
}

/// Which bytes of a line.
struct ByteMask {
  std::array<uint64_t, 2> Words = {};

  void add(unsigned First, unsigned Bytes) { // First + Bytes <= 128
    if (First % 64 + Bytes < 64) {           // as all but whole lines are
      Words[First / 64] |= ((uint64_t(1) << Bytes) - 1) << First % 64;
      return;
    }
    while (Bytes != 0) {
      const unsigned Bit = First % 64, Take = Bytes < 64 - Bit ? Bytes : 64 - Bit;
      Words[First / 64] |= (Take == 64 ? ~uint64_t(0) : (uint64_t(1) << Take) - 1) << Bit;
      First += Take;
      Bytes -= Take;
    }
  }
  bool has(const ByteMask &O) const {
    return (O.Words[0] & ~Words[0]) == 0 && (O.Words[1] & ~Words[1]) == 0;
  }
  uint32_t sector(unsigned S) const { return static_cast<uint32_t>(Words[S / 2] >> (S % 2 * 32)); }
  /// The sectors with any of the bytes, a bit each.
  unsigned sectors() const { return sectorsOf(0) ^ 0b1111; }
  /// Those with all of their bytes.
  unsigned fullSectors() const { return sectorsOf(~0); }
  /// Of any.
  unsigned first() const {
    const unsigned Word = Words[0] == 0;
    return Word * 64 + static_cast<unsigned>(std::countr_zero(Words[Word]));
  }
  unsigned count() const {
    return static_cast<unsigned>(std::popcount(Words[0]) + std::popcount(Words[1]));
  }
  /// Without the bytes of these sectors.
  void clear(unsigned Sectors) {
    for (unsigned S = 0; S < LineSectors; ++S)
      if (Sectors >> S & 1)
        Words[S / 2] &= ~(uint64_t(0xffffffff) << (S % 2 * 32));
  }
  /// All bytes of these sectors.
  void addSectors(unsigned Sectors) {
    for (unsigned S = 0; S < LineSectors; ++S)
      if (Sectors >> S & 1)
        Words[S / 2] |= uint64_t(0xffffffff) << (S % 2 * 32);
  }
  void remove(const ByteMask &Other) {
    Words[0] &= ~Other.Words[0];
    Words[1] &= ~Other.Words[1];
  }
  ByteMask &operator|=(const ByteMask &Other) {
    Words[0] |= Other.Words[0];
    Words[1] |= Other.Words[1];
    return *this;
  }
  bool operator==(const ByteMask &) const = default;

private:
  /// The sectors that are this word.
  unsigned sectorsOf(int Word) const {
    const __m128i All =
        _mm_set_epi64x(static_cast<int64_t>(Words[1]), static_cast<int64_t>(Words[0]));
    return static_cast<unsigned>(
        _mm_movemask_ps(_mm_castsi128_ps(_mm_cmpeq_epi32(All, _mm_set1_epi32(Word)))));
  }
};

struct CoalescedLine {
  uint64_t Line; ///< address / 128
  ByteMask Bytes;
};

/// The lines of a request, in the order of the lanes that access them first.
class CoalescedLines {
  /// A lane accesses two at most; of local memory, one for each word of 32 bytes.
  static constexpr size_t Most = size_t{WarpLanes} * 9;
  std::array<CoalescedLine, Most> Lines;
  unsigned Count = 0;
  unsigned First = 0; ///< of the lines that lanes now share
  // By a hash of those: whether there are any, and the last one.
  static constexpr unsigned HashBits = 10;
  std::array<uint64_t, (1 << HashBits) / 64> Seen = {};
  std::array<uint16_t, 1 << HashBits> LastOf;

  void addAcross(uint64_t Address, unsigned Bytes) {
    while (Bytes != 0) {
      const auto Offset = static_cast<unsigned>(Address % LineBytes);
      const unsigned Take = Bytes < LineBytes - Offset ? Bytes : LineBytes - Offset;
      lineOf(Address / LineBytes).add(Offset, Take);
      Address += Take;
      Bytes -= Take;
    }
  }
  /// Which one it is, of those up to the last one with its hash; First - 1 if none.
  unsigned find(uint64_t Line, unsigned Last) const {
    unsigned End = Last + 1;
    while (End > First && Lines[End - 1].Line != Line)
      --End;
    return End - 1;
  }

public:
  void clear() {
    Count = First = 0;
    Seen = {};
  }
  /// Lines so far are no longer shared with lanes to come.
  void endPass() {
    First = Count;
    Seen = {};
  }
  [[gnu::always_inline]] void add(uint64_t Address, unsigned Bytes) {
    const auto Offset = static_cast<unsigned>(Address % LineBytes);
    if (Offset + Bytes > LineBytes)
      return addAcross(Address, Bytes);
    lineOf(Address / LineBytes).add(Offset, Bytes);
  }

  /// What is accessed of a line that lanes share.
  ByteMask &lineOf(uint64_t Line) {
    if (Count > First && Lines[Count - 1].Line == Line)
      return Lines[Count - 1].Bytes;
    const uint64_t Hash = Line * 0x9e3779b97f4a7c15 >> (64 - HashBits);
    uint64_t &Word = Seen[Hash / 64];
    const uint64_t Bit = uint64_t(1) << Hash % 64;
    if (Word & Bit)
      if (const unsigned I = find(Line, LastOf[Hash]); I + 1 != First)
        return Lines[I].Bytes;
    Word |= Bit;
    LastOf[Hash] = static_cast<uint16_t>(Count);
    CoalescedLine &New = Lines[Count++];
    New = {Line, {}};
    return New.Bytes;
  }

  const CoalescedLine *begin() const { return Lines.data(); }
  const CoalescedLine *end() const { return Lines.data() + Count; }
  unsigned size() const { return Count; }
};

/// Sm: for local memory. PassBytes: what lanes may access together; those of a wider request
/// are taken in groups, as many as that allows, each of which shares nothing with others; 0
/// where all lanes are one group.
void coalesce(const Request &R, uint32_t Sm, const LocalMemory &Local, unsigned PassBytes,
              CoalescedLines &Out);

} // namespace gmprof::cache

#endif // GMPROF_CACHE_COALESCING_H
