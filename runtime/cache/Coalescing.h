//===- Coalescing.h - Lines and sectors of a request ------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Lanes of a warp that access the same 32 bytes share one transaction, so a request costs its
// distinct sectors (von Buelow et al., Section 4.1). Sectors of one 128-byte line are looked up
// together.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_CACHE_COALESCING_H
#define GMPROF_CACHE_COALESCING_H

#include "cache/LocalMemory.h"
#include "cache/Request.h"
#include <algorithm>
#include <array>
#include <cstddef>
#include <emmintrin.h>
#include <span>

namespace gmprof::cache {

inline constexpr unsigned SectorBytes = 32, LineBytes = 128, LineSectors = 4;

/// Returns the number of sectors in a mask with a bit for each sector of a line.
inline unsigned countSectors(unsigned Sectors) {
  return static_cast<unsigned>(std::popcount(Sectors));
}

/// Set of bytes of a 128-byte line.
struct ByteMask {
  std::array<uint64_t, 2> Words = {};

  /// Returns the mask of `Bytes` bytes from First on; First + Bytes <= 128.
  static ByteMask of(unsigned First, unsigned Bytes) {
    using Wide = unsigned __int128;
    if (Bytes == 128)
      return {{~uint64_t(0), ~uint64_t(0)}};
    const Wide All = ((Wide(1) << Bytes) - 1) << First;
    return {{static_cast<uint64_t>(All), static_cast<uint64_t>(All >> 64)}};
  }
  void add(unsigned First, unsigned Bytes) { *this |= of(First, Bytes); }
  bool has(const ByteMask &O) const {
    return (O.Words[0] & ~Words[0]) == 0 && (O.Words[1] & ~Words[1]) == 0;
  }
  uint32_t sector(unsigned S) const { return static_cast<uint32_t>(Words[S / 2] >> (S % 2 * 32)); }
  /// Returns the mask of sectors with any of the bytes.
  unsigned sectors() const { return sectorsOf(0) ^ 0b1111; }
  /// Returns the mask of sectors whose bytes are all in the set.
  unsigned fullSectors() const { return sectorsOf(~0); }
  bool empty() const { return (Words[0] | Words[1]) == 0; }
  /// Returns the first byte of a non-empty set.
  unsigned first() const {
    const unsigned Word = Words[0] == 0;
    return Word * 64 + static_cast<unsigned>(std::countr_zero(Words[Word]));
  }
  unsigned count() const {
    return static_cast<unsigned>(std::popcount(Words[0]) + std::popcount(Words[1]));
  }
  /// Removes the bytes of these sectors.
  void clear(unsigned Sectors) {
    for (unsigned S = 0; S < LineSectors; ++S)
      if (Sectors >> S & 1)
        Words[S / 2] &= ~(uint64_t(0xffffffff) << (S % 2 * 32));
  }
  /// Adds all bytes of these sectors.
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
  /// Returns the mask of sectors whose word equals Word.
  unsigned sectorsOf(int Word) const {
    const __m128i All = _mm_loadu_si128(reinterpret_cast<const __m128i *>(Words.data()));
    return static_cast<unsigned>(
        _mm_movemask_ps(_mm_castsi128_ps(_mm_cmpeq_epi32(All, _mm_set1_epi32(Word)))));
  }
};

/// Accessed bytes of a line.
struct CoalescedLine {
  uint64_t Line; ///< address / 128
  ByteMask Bytes;
};

/// Lines of several requests, one request after the other; lines of a request are in the order of
/// the lanes that access them first.
class CoalescedLines {
  /// Maximum lines of one request: a lane accesses two at most, or one for each 4-byte word of 32
  /// bytes of local memory.
  static constexpr size_t MostOfRequest = size_t{WarpLanes} * 9, MostOfOthers = 256;
  std::array<CoalescedLine, MostOfOthers + MostOfRequest> Lines;
  unsigned Count = 0;
  unsigned First = 0; ///< first line that later lanes may share
  static constexpr unsigned HashBits = 10;
  std::array<uint64_t, (1 << HashBits) / 64> Seen = {}; ///< hash filter of the shared lines

  [[gnu::noinline]] void addSeveral(uint64_t Address, unsigned Bytes) {
    while (Bytes != 0) {
      const auto Offset = static_cast<unsigned>(Address % LineBytes);
      const unsigned Take = std::min(Bytes, LineBytes - Offset);
      Lines[Count++] = {Address / LineBytes, ByteMask::of(Offset, Take)};
      Address += Take;
      Bytes -= Take;
    }
  }
  /// Returns the index of a shared line; First - 1 if there is none.
  [[gnu::noinline]] unsigned find(uint64_t Line) const {
    unsigned End = Count;
    while (End > First && Lines[End - 1].Line != Line)
      --End;
    return End - 1;
  }

public:
  void clear() { Count = 0; }
  /// Returns whether there may be no room for another request.
  bool full() const { return Count > MostOfOthers; }
  /// Ends the sharing: later lanes get lines of their own.
  void endPass() {
    First = Count;
    Seen = {};
  }
  /// Adds bytes of a line, which lanes share.
  [[gnu::always_inline]] void addToLine(uint64_t Line, const ByteMask &Bytes) {
    const uint64_t Hash = Line * 0x9e3779b97f4a7c15 >> (64 - HashBits);
    uint64_t &Word = Seen[Hash / 64];
    const uint64_t Bit = uint64_t(1) << Hash % 64;
    if (Word & Bit) [[unlikely]]
      if (const unsigned I = find(Line); I + 1 != First) {
        Lines[I].Bytes |= Bytes;
        return;
      }
    Word |= Bit;
    Lines[Count++] = {Line, Bytes};
  }
  /// Adds bytes that may span several lines, which lanes share.
  void add(uint64_t Address, unsigned Bytes) {
    while (Bytes != 0) {
      const auto Offset = static_cast<unsigned>(Address % LineBytes);
      const unsigned Take = Bytes < LineBytes - Offset ? Bytes : LineBytes - Offset;
      addToLine(Address / LineBytes, ByteMask::of(Offset, Take));
      Address += Take;
      Bytes -= Take;
    }
  }
  /// Adds all bytes of a request, which are contiguous.
  [[gnu::always_inline]] void addAll(uint64_t Address, unsigned Bytes) {
    const auto Offset = static_cast<unsigned>(Address % LineBytes);
    if (Offset + Bytes > LineBytes)
      return addSeveral(Address, Bytes);
    Lines[Count++] = {Address / LineBytes, ByteMask::of(Offset, Bytes)};
  }
  /// Keeps the first To lines only.
  void shrink(unsigned To) { Count = To; }

  CoalescedLine *begin() { return Lines.data(); }
  std::span<const CoalescedLine> since(unsigned Begin) const {
    return {Lines.data() + Begin, Count - Begin};
  }
  const CoalescedLine *begin() const { return Lines.data(); }
  const CoalescedLine *end() const { return Lines.data() + Count; }
  unsigned size() const { return Count; }
};

/// Returns whether all lanes share lines: global memory, no bulk copy, and no limit on the bytes
/// per pass (PassBytes of coalesce()).
inline bool areOneGroup(const Request &R, unsigned PassBytes) {
  return PassBytes == 0 && !isLocal(R.Kind) && R.Operator != CacheOperator::Bulk;
}

/// Appends a request's lines to Out, which may hold lines of other requests. Sm selects the local
/// memory. PassBytes: number of bytes that lanes can access in one pass; a wider request is split
/// into groups of lanes that share no lines; 0: all lanes are one group.
void coalesce(const Request &R, uint32_t Sm, const LocalMemory &Local, unsigned PassBytes,
              CoalescedLines &Out);

} // namespace gmprof::cache

#endif // GMPROF_CACHE_COALESCING_H
