//===- ElementSet.cpp - The set of accessed elements ----------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "analysis/elements/ElementSet.h"
#include <algorithm>
#include <bit>

namespace gmprof::analysis {

void ElementSet::add(ElementRun Run) {
  const uint64_t End = std::min(Run.end(), Elements);
  for (uint64_t At = Run.First; At < End;) {
    const uint64_t Number = At / ChunkElements, Start = Number * ChunkElements;
    const uint64_t Stop = std::min(End, Start + ChunkElements);
    addTo(Number, At - Start, Stop - Start);
    At = Stop;
  }
}

void ElementSet::add(const ElementSet &Others) {
  for (const auto &[Number, Other] : Others.Chunks) {
    auto [It, New] = Chunks.try_emplace(Number, Other);
    Chunk &C = It->second;
    Size -= New ? 0 : C.Size;
    if (!New && Other.Words.empty()) {
      C = Other;
    } else if (!New && !C.Words.empty()) {
      C.Size = 0;
      for (size_t I = 0; I < C.Words.size(); ++I) {
        C.Words[I] |= Other.Words[I];
        C.Size += static_cast<uint64_t>(std::popcount(C.Words[I]));
      }
      if (C.Size == elementsOf(Number))
        C.Words = {};
    }
    Size += C.Size;
  }
}

/// Adds the elements Begin to End - 1 of a chunk.
void ElementSet::addTo(uint64_t Number, uint64_t Begin, uint64_t End) {
  const uint64_t All = elementsOf(Number);
  auto [It, New] = Chunks.try_emplace(Number);
  Chunk &C = It->second;
  if (C.Size == All)
    return;
  Size -= C.Size;
  if (End - Begin == All) {
    C.Size = All;
  } else {
    C.Words.resize((All + WordBits - 1) / WordBits);
    for (uint64_t At = Begin; At < End;) {
      const uint64_t Word = At / WordBits, Bit = At % WordBits;
      const uint64_t Bits = std::min(End - At, WordBits - Bit);
      const uint64_t Mask = (Bits == WordBits ? ~uint64_t(0) : (uint64_t(1) << Bits) - 1) << Bit;
      C.Size += static_cast<uint64_t>(std::popcount(Mask & ~C.Words[Word]));
      C.Words[Word] |= Mask;
      At += Bits;
    }
  }
  if (C.Size == All)
    C.Words = {};
  Size += C.Size;
}

void ElementSet::forEachGap(const std::function<void(ElementRun)> &Emit) const {
  uint64_t GapBegin = 0; // start of the current gap
  const auto EndGap = [&](uint64_t At, uint64_t Next) {
    if (GapBegin < At)
      Emit({GapBegin, At - GapBegin});
    GapBegin = Next;
  };
  for (const auto &[Number, C] : Chunks) {
    const uint64_t Start = Number * ChunkElements;
    if (C.Words.empty()) {
      EndGap(Start, std::min(Start + ChunkElements, Elements));
      continue;
    }
    for (size_t I = 0; I < C.Words.size(); ++I)
      for (uint64_t Word = C.Words[I], At = Start + I * WordBits; Word != 0;) {
        const int Zeros = std::countr_zero(Word);
        const int Ones = std::countr_one(Word >> Zeros);
        At += static_cast<uint64_t>(Zeros);
        EndGap(At, At + static_cast<uint64_t>(Ones));
        At += static_cast<uint64_t>(Ones);
        Word = Zeros + Ones == int(WordBits) ? 0 : Word >> Zeros >> Ones;
      }
  }
  EndGap(Elements, Elements);
}

} // namespace gmprof::analysis
