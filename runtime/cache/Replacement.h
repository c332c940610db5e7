//===- Replacement.h - Replacement policies ---------------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A policy manages Sets * Ways places. touch() registers a hit, fill() a new line; victim() returns
// the way to replace next. Before any touch or fill, victims start at way 0, except for Random.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_CACHE_REPLACEMENT_H
#define GMPROF_CACHE_REPLACEMENT_H

#include "cache/ComparedBytes.h"
#include <bit>

namespace gmprof::cache {

enum class Replacement : uint8_t { TreePlru, GroupedPlru, Lru, Nru, Fifo, Random };
inline constexpr unsigned Replacements = 6;
inline constexpr const char *ReplacementNames[Replacements] = {
    "tree_plru", "grouped_plru", "lru", "nru", "fifo", "random"};

/// Tree PLRU for any number of ways (von Buelow et al., Section 4.2): the ways are the leaves of a
/// left-complete binary tree in breadth-first order, and each inner node points to the half that
/// holds the victim. Node n has children 2n+1 and 2n+2; way w is node Ways-1+w.
class TreePlru {
  uint32_t Ways;
  std::vector<uint8_t> Right; ///< Ways-1 nodes per set: whether they point to 2n+2

public:
  TreePlru(uint32_t Sets, uint32_t Ways) : Ways(Ways), Right(uint64_t(Sets) * (Ways - 1)) {}

  void touch(uint32_t Set, uint32_t Way) {
    uint8_t *Nodes = Right.data() + uint64_t(Set) * (Ways - 1);
    for (uint32_t N = Ways - 1 + Way; N != 0;) {
      const uint32_t Parent = (N - 1) / 2;
      Nodes[Parent] = N & 1; // a left child is odd; point away from it
      N = Parent;
    }
  }
  void fill(uint32_t Set, uint32_t Way) { touch(Set, Way); }
  uint32_t victim(uint32_t Set) const {
    const uint8_t *Nodes = Right.data() + uint64_t(Set) * (Ways - 1);
    uint32_t N = 0;
    while (N < Ways - 1)
      N = 2 * N + 1 + Nodes[N];
    return N - (Ways - 1);
  }
};

/// Tree PLRU in groups of about 16 ways, which provide the victim in turn; way w is in group w
/// modulo the number of groups. Matches the L1 of an H200 if free ways are filled first
/// (docs/cache-model.md). The nodes of a tree are bits of a word.
class GroupedPlru {
  uint32_t Groups, GroupWays;
  uint32_t Larger; ///< number of leading groups with one way more
  struct Path {
    uint32_t Nodes = 0, Right = 0; ///< nodes from a leaf to the root, and those that then point
                                   ///< right
  };
  std::vector<Path> Paths; ///< by way of a larger tree, then of a smaller one
  struct Place {
    uint16_t Group, Path;
  };
  std::vector<Place> Places;   ///< by way; avoids a division
  std::vector<uint32_t> Right; ///< by set and group, as in TreePlru
  std::vector<uint32_t> Next;  ///< by set: group of the next victim

  void addPaths(uint32_t Ways) {
    for (uint32_t Way = 0; Way < Ways; ++Way) {
      Path &P = Paths.emplace_back();
      for (uint32_t N = Ways - 1 + Way; N != 0;) {
        const uint32_t Parent = (N - 1) / 2;
        P.Nodes |= uint32_t(1) << Parent;
        P.Right |= (N & 1) << Parent;
        N = Parent;
      }
    }
  }

public:
  GroupedPlru(uint32_t Sets, uint32_t Ways)
      : Groups(Ways < 32 ? 1 : Ways / 16), GroupWays(Ways / Groups), Larger(Ways % Groups),
        Right(uint64_t(Sets) * Groups), Next(Sets) {
    addPaths(GroupWays + 1);
    addPaths(GroupWays);
    for (uint32_t Way = 0; Way < Ways; ++Way) {
      const uint32_t Group = Way % Groups, OfGroup = Way / Groups;
      const uint32_t First = Group < Larger ? 0 : GroupWays + 1;
      Places.push_back({static_cast<uint16_t>(Group), static_cast<uint16_t>(First + OfGroup)});
    }
  }

  void touch(uint32_t Set, uint32_t Way) {
    const Place At = Places[Way];
    const Path P = Paths[At.Path];
    uint32_t &Nodes = Right[uint64_t(Set) * Groups + At.Group];
    Nodes = (Nodes & ~P.Nodes) | P.Right;
  }
  void fill(uint32_t Set, uint32_t Way) {
    touch(Set, Way);
    const uint32_t Group = Places[Way].Group;
    Next[Set] = Group + 1 == Groups ? 0 : Group + 1;
  }
  uint32_t victim(uint32_t Set) const {
    const uint32_t Group = Next[Set], Inner = GroupWays - (Group < Larger ? 0 : 1);
    const uint32_t Pointing = Right[uint64_t(Set) * Groups + Group];
    uint32_t N = 0;
    while (N < Inner)
      N = 2 * N + 1 + (Pointing >> N & 1);
    return Group + Groups * (N - Inner);
  }
};

/// LRU as a ring of ways per set, from the most recently used way to the victim.
class Lru {
  uint32_t Ways;
  struct Links {
    uint16_t Newer, Older;
  };
  std::vector<Links> Of;
  std::vector<uint16_t> Newest;

public:
  Lru(uint32_t Sets, uint32_t Ways)
      : Ways(Ways), Of(uint64_t(Sets) * Ways), Newest(Sets, static_cast<uint16_t>(Ways - 1)) {
    for (uint64_t I = 0; I < Of.size(); ++I) {
      const auto Way = static_cast<uint32_t>(I % Ways);
      Of[I] = {static_cast<uint16_t>(Way + 1 == Ways ? 0 : Way + 1),
               static_cast<uint16_t>(Way == 0 ? Ways - 1 : Way - 1)};
    }
  }

  void touch(uint32_t Set, uint32_t Way) {
    const auto W = static_cast<uint16_t>(Way);
    uint16_t &Last = Newest[Set];
    if (Last == W)
      return;
    Links *L = Of.data() + uint64_t(Set) * Ways;
    const uint16_t Oldest = L[Last].Newer;
    if (Oldest != W) {
      L[L[W].Newer].Older = L[W].Older;
      L[L[W].Older].Newer = L[W].Newer;
      L[W] = {Oldest, Last};
      L[Last].Newer = W;
      L[Oldest].Older = W;
    }
    Last = W;
  }
  void fill(uint32_t Set, uint32_t Way) { touch(Set, Way); }
  uint32_t victim(uint32_t Set) const { return Of[uint64_t(Set) * Ways + Newest[Set]].Newer; }
};

/// LRU for up to 32 ways, without branches: with Lru, `gmreport simulate` takes 14 % longer
/// (docs/optimisations.md). Holds a byte per way: 0 for the victim, -1 for the next one, and so on.
class LruOfFew {
  const uint32_t AllWays; ///< mask
  const uint8_t Newest;
  BytesOfSets Ages;

  static constexpr uint8_t NoWay = 0x7f;

public:
  LruOfFew(uint32_t Sets, uint32_t Ways)
      : AllWays(firstBits(Ways)), Newest(static_cast<uint8_t>(1 - Ways)), Ages(Sets) {
    for (uint32_t Set = 0; Set < Sets; ++Set)
      for (uint32_t Way = 0; Way < BytesOfSets::Most; ++Way)
        Ages.of(Set)[Way] = Way < Ways ? static_cast<uint8_t>(-Way) : NoWay;
  }

  [[gnu::always_inline]] void touch(uint32_t Set, uint32_t Way) {
    uint8_t &Age = Ages.of(Set)[Way];
    __m128i *Halves = Ages.halves(Set);
    const __m128i Before = sixteenOf(Age), First = Halves[0], Second = Halves[1];
    Halves[0] = _mm_sub_epi8(First, _mm_cmplt_epi8(First, Before));
    Halves[1] = _mm_sub_epi8(Second, _mm_cmplt_epi8(Second, Before));
    Age = Newest;
  }
  [[gnu::always_inline]] void fill(uint32_t Set, uint32_t Way) { touch(Set, Way); }
  [[gnu::always_inline]] uint32_t victim(uint32_t Set) const {
    const __m128i *Halves = Ages.halves(Set);
    const uint32_t Others = highestBits(Halves[0], Halves[1]);
    return static_cast<uint32_t>(std::countr_zero(Others ^ AllWays));
  }
  void prefetch(uint32_t Set) const { Ages.prefetch(Set); }
};

/// Not-recently-used: a bit per way, set on use; setting the last one clears the others. The victim
/// is the first way whose bit is clear.
class Nru {
  uint32_t Ways, Words;
  std::vector<uint64_t> Used;
  std::vector<uint32_t> Count;

public:
  Nru(uint32_t Sets, uint32_t Ways)
      : Ways(Ways), Words((Ways + 63) / 64), Used(uint64_t(Sets) * Words), Count(Sets) {}

  void touch(uint32_t Set, uint32_t Way) {
    uint64_t *Of = Used.data() + uint64_t(Set) * Words;
    const uint64_t Bit = uint64_t(1) << Way % 64;
    if (Of[Way / 64] & Bit)
      return;
    if (++Count[Set] == Ways && Ways > 1) {
      for (uint32_t I = 0; I < Words; ++I)
        Of[I] = 0;
      Count[Set] = 1;
    }
    Of[Way / 64] |= Bit;
  }
  void fill(uint32_t Set, uint32_t Way) { touch(Set, Way); }
  uint32_t victim(uint32_t Set) const {
    const uint64_t *Of = Used.data() + uint64_t(Set) * Words;
    uint32_t I = 0;
    while (I + 1 < Words && Of[I] == ~uint64_t(0))
      ++I;
    const auto Way = I * 64 + static_cast<uint32_t>(std::countr_one(Of[I]));
    return Way < Ways ? Way : 0; // one way only
  }
};

/// First in, first out.
class Fifo {
  uint32_t Ways;
  std::vector<uint32_t> Next;

public:
  Fifo(uint32_t Sets, uint32_t Ways) : Ways(Ways), Next(Sets) {}
  void touch(uint32_t, uint32_t) {}
  void fill(uint32_t Set, uint32_t Way) { Next[Set] = Way + 1 == Ways ? 0 : Way + 1; }
  uint32_t victim(uint32_t Set) const { return Next[Set]; }
};

/// Pseudo-random victims, the same sequence in each run (xorshift64).
class Random {
  uint32_t Ways;
  uint64_t State = 0x9e3779b97f4a7c15;

public:
  Random(uint32_t, uint32_t Ways) : Ways(Ways) {}
  void touch(uint32_t, uint32_t) {}
  void fill(uint32_t, uint32_t) { State = next(); }
  uint32_t victim(uint32_t) const { return static_cast<uint32_t>((next() >> 32) * Ways >> 32); }

private:
  uint64_t next() const {
    uint64_t Next = State;
    Next ^= Next << 13;
    Next ^= Next >> 7;
    return Next ^ Next << 17;
  }
};

} // namespace gmprof::cache

#endif // GMPROF_CACHE_REPLACEMENT_H
