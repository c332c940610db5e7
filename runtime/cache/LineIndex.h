//===- LineIndex.h - Lookup of a line's slot in L1 --------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_CACHE_LINEINDEX_H
#define GMPROF_CACHE_LINEINDEX_H

#include "cache/ComparedBytes.h"
#include "cache/LineHash.h"
#include <bit>

namespace gmprof::cache {

/// Maps lines to slots, of which there are less than 65535. Lines are in buckets of 16 places, a
/// quarter of which are in use, with one hash byte per line. Compact, as each SM has one. The hot
/// paths are always inlined: the compiler's own choice makes L1 a fifth slower.
class LineIndex {
  static constexpr unsigned Places = 16;
  static constexpr uint32_t NoPlace = ~uint32_t(0);
  enum class Tag : uint8_t { Free };
  std::vector<Tag> Tags;         ///< by place
  std::vector<uint16_t> Slots;   ///< by place
  std::vector<uint32_t> PlaceOf; ///< by slot
  struct Extra {
    uint64_t Line;
    uint32_t Slot;
  };
  std::vector<Extra> Extras; ///< the few lines whose bucket is full
  bool HasExtras = false;
  const uint64_t Mask;

  /// Returns the first place of the bucket.
  uint64_t firstOf(uint64_t Hash) const { return Hash >> 36 & Mask; }
  static uint8_t tagOf(uint64_t Hash) { return static_cast<uint8_t>((Hash >> 57) + 1); }
  uint32_t equal(uint64_t First, uint8_t Tag) const {
    const auto *Bucket = reinterpret_cast<const __m128i *>(&Tags[First]);
    return equalBytes(_mm_loadu_si128(Bucket), sixteenOf(Tag));
  }
  static unsigned lowest(uint32_t Bits) { return static_cast<unsigned>(std::countr_zero(Bits)); }

  [[gnu::noinline]] uint32_t findExtra(uint64_t Line) const {
    for (const Extra &E : Extras)
      if (E.Line == Line)
        return E.Slot;
    return None;
  }
  [[gnu::noinline]] void addExtra(uint64_t Line, uint32_t Slot) {
    PlaceOf[Slot] = NoPlace;
    Extras.push_back({Line, Slot});
    HasExtras = true;
  }
  /// Removes the extra entry of a slot, if it has one.
  [[gnu::noinline]] void removeExtra(uint32_t Slot) {
    std::erase_if(Extras, [Slot](const Extra &E) { return E.Slot == Slot; });
    HasExtras = !Extras.empty();
  }

public:
  static constexpr uint32_t None = ~uint32_t(0);

  explicit LineIndex(uint64_t Lines)
      : Tags(Places * std::bit_ceil(Lines / 6 + 1)), Slots(Tags.size()), PlaceOf(Lines, NoPlace),
        Mask(Tags.size() - Places) {}

  /// Returns the slot of a line, or None. IsIn(Slot) tells whether the slot holds the line.
  template <typename Predicate>
  [[gnu::always_inline]] uint32_t find(uint64_t Line, const Predicate &IsIn) const {
    const uint64_t Hash = multiplied(Line), First = firstOf(Hash);
    for (uint32_t Likely = equal(First, tagOf(Hash)); Likely != 0; Likely &= Likely - 1)
      if (const uint32_t Slot = Slots[First + lowest(Likely)]; IsIn(Slot))
        return Slot;
    return HasExtras ? findExtra(Line) : None;
  }
  /// Assigns a slot to a line; removes the slot's previous line.
  [[gnu::always_inline]] void put(uint32_t Slot, uint64_t Line) {
    if (PlaceOf[Slot] != NoPlace) [[likely]]
      Tags[PlaceOf[Slot]] = Tag::Free;
    else if (HasExtras)
      removeExtra(Slot);
    const uint64_t Hash = multiplied(Line), First = firstOf(Hash);
    const uint32_t Free = equal(First, 0);
    if (Free == 0) [[unlikely]]
      return addExtra(Line, Slot);
    const uint64_t Place = First + lowest(Free);
    Tags[Place] = static_cast<Tag>(tagOf(Hash));
    Slots[Place] = static_cast<uint16_t>(Slot);
    PlaceOf[Slot] = static_cast<uint32_t>(Place);
  }
};

} // namespace gmprof::cache

#endif // GMPROF_CACHE_LINEINDEX_H
