//===- CompactVector.h - Delta-compressed vector ----------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A vector of plain structs that mostly resemble their predecessor, such as records of calls. An
// element is stored as a mask of the 8-byte words that differ from the previous element, and the
// difference of each (Leb128.h). Each block of 16 elements starts without a predecessor, so reading
// any element decodes at most 16. Elements are read by value in any order. The non-const operator[]
// unpacks a block for good; change() packs it again.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_PROFILE_COMPACTVECTOR_H
#define GMPROF_PROFILE_COMPACTVECTOR_H

#include "profile/Leb128.h"
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <iterator>
#include <memory>
#include <stdexcept>
#include <type_traits>
#include <vector>

namespace gmprof {

template <typename T> class CompactVector {
  static_assert(std::is_trivially_copyable_v<T>);
  static constexpr size_t BlockSize = 16;
  static constexpr size_t WordCount = (sizeof(T) + 7) / 8;
  static_assert(WordCount <= 64, "the mask has 64 bits");
  /// Largest packed size of an element: a mask and all words.
  static constexpr size_t MostBytes = MostLeb128Bytes * (1 + WordCount);
  using Words = std::array<uint64_t, WordCount>;
  using Elements = std::array<T, BlockSize>;

  struct Block {
    std::unique_ptr<std::byte[]> Packed;
    std::unique_ptr<Elements> Plain; ///< if set, replaces Packed
  };

public:
  /// Input iterator. It reads copies: assigning to an element changes nothing.
  class Iterator {
  public:
    using value_type = T;                              // NOLINT(readability-identifier-naming)
    using difference_type = ptrdiff_t;                 // NOLINT(readability-identifier-naming)
    using reference = const T &;                       // NOLINT(readability-identifier-naming)
    using pointer = const T *;                         // NOLINT(readability-identifier-naming)
    using iterator_category = std::input_iterator_tag; // NOLINT(readability-identifier-naming)

    Iterator(const CompactVector &Of, size_t Index) : Of(&Of), Index(Index) { load(); }
    const T &operator*() const { return Element; }
    const T *operator->() const { return &Element; }
    Iterator &operator++() {
      ++Index;
      load();
      return *this;
    }
    void operator++(int) { ++*this; }
    friend bool operator==(const Iterator &A, const Iterator &B) { return A.Index == B.Index; }

  private:
    void load() {
      if (Index >= Of->size())
        return;
      if (Index / BlockSize == Of->Blocks.size()) {
        Element = Of->Tail[Index % BlockSize];
        return;
      }
      const Block &In = Of->Blocks[Index / BlockSize];
      if (In.Plain) {
        Element = (*In.Plain)[Index % BlockSize];
        At = nullptr;
        return;
      }
      if (Index % BlockSize == 0 || !At) {
        At = In.Packed.get();
        Before = {};
        for (size_t Skip = Index % BlockSize; Skip != 0; --Skip)
          At = decode(At, Before);
      }
      At = decode(At, Before);
      std::memcpy(static_cast<void *>(&Element), Before.data(), sizeof(T));
    }

    const CompactVector *Of;
    size_t Index;
    const std::byte *At = nullptr;
    Words Before = {};
    T Element = {};
  };
  using iterator = Iterator;       // NOLINT(readability-identifier-naming)
  using const_iterator = Iterator; // NOLINT(readability-identifier-naming)
  using value_type = T;            // NOLINT(readability-identifier-naming)

  CompactVector() = default;
  CompactVector(std::initializer_list<T> Elements) {
    for (const T &Each : Elements)
      push_back(Each);
  }
  CompactVector(const std::vector<T> &Elements) {
    for (const T &Each : Elements)
      push_back(Each);
  }
  CompactVector(CompactVector &&) noexcept = default;
  CompactVector &operator=(CompactVector &&) noexcept = default;
  CompactVector(const CompactVector &Other) {
    for (const T &Each : Other)
      push_back(Each);
  }
  CompactVector &operator=(const CompactVector &Other) { return *this = CompactVector(Other); }

  size_t size() const { return Blocks.size() * BlockSize + Tail.size(); }
  bool empty() const { return size() == 0; }
  Iterator begin() const { return {*this, 0}; }
  Iterator end() const { return {*this, size()}; }
  T at(size_t Index) const {
    if (Index >= size())
      throw std::out_of_range("CompactVector");
    return (*this)[Index];
  }
  T &back() { return Tail.back(); }
  const T &back() const { return Tail.back(); }

  /// Unpacks the element's block. The reference is valid until the next element is appended.
  T &operator[](size_t Index) {
    if (Index / BlockSize == Blocks.size())
      return Tail[Index % BlockSize];
    Block &In = Blocks[Index / BlockSize];
    if (!In.Plain)
      In.Plain = std::make_unique<Elements>(unpacked(In));
    return (*In.Plain)[Index % BlockSize];
  }
  T operator[](size_t Index) const {
    if (Index / BlockSize == Blocks.size())
      return Tail[Index % BlockSize];
    const Block &In = Blocks[Index / BlockSize];
    if (In.Plain)
      return (*In.Plain)[Index % BlockSize];
    Words Element = {};
    const std::byte *At = In.Packed.get();
    for (size_t Steps = Index % BlockSize + 1; Steps != 0; --Steps)
      At = decode(At, Element);
    T Result;
    std::memcpy(static_cast<void *>(&Result), Element.data(), sizeof(T));
    return Result;
  }

  void push_back(const T &Element) { // NOLINT(readability-identifier-naming)
    if (Tail.size() == BlockSize) {
      Blocks.push_back({pack(Tail.data()), nullptr});
      Tail.clear();
    }
    Tail.push_back(Element);
  }
  T &emplace_back() { // NOLINT(readability-identifier-naming)
    push_back(T());
    return Tail.back();
  }

  void pop_back() { // NOLINT(readability-identifier-naming)
    Tail.pop_back();
    if (!Tail.empty() || Blocks.empty())
      return;
    const Block &In = Blocks.back();
    const Elements All = In.Plain ? *In.Plain : unpacked(In);
    Tail.assign(All.begin(), All.end());
    Blocks.pop_back();
  }

  /// Calls Change with a reference to the element, and packs its block again.
  template <typename F> void change(size_t Index, F Change) {
    if (Index / BlockSize == Blocks.size()) {
      Change(Tail[Index % BlockSize]);
      return;
    }
    Block &In = Blocks[Index / BlockSize];
    Elements All = In.Plain ? *In.Plain : unpacked(In);
    Change(All[Index % BlockSize]);
    In = {pack(All.data()), nullptr};
  }

private:
  static std::unique_ptr<std::byte[]> pack(const T *Block) {
    std::array<std::byte, BlockSize * MostBytes> Buffer;
    std::byte *To = Buffer.data();
    Words Before = {};
    for (size_t I = 0; I < BlockSize; ++I) {
      Words Element = {};
      std::memcpy(Element.data(), &Block[I], sizeof(T));
      uint64_t Mask = 0;
      for (size_t W = 0; W < WordCount; ++W)
        Mask |= static_cast<uint64_t>(Element[W] != Before[W]) << W;
      To = writeLeb128(To, Mask);
      for (size_t W = 0; W < WordCount; ++W)
        if (const uint64_t Difference = Element[W] - Before[W])
          To = writeLeb128(To, zigzag(Difference));
      Before = Element;
    }
    const auto Bytes = static_cast<size_t>(To - Buffer.data());
    auto Result = std::make_unique_for_overwrite<std::byte[]>(Bytes);
    std::memcpy(Result.get(), Buffer.data(), Bytes);
    return Result;
  }
  static Elements unpacked(const Block &From) {
    Elements All;
    Words Element = {};
    const std::byte *At = From.Packed.get();
    for (T &Each : All) {
      At = decode(At, Element);
      std::memcpy(static_cast<void *>(&Each), Element.data(), sizeof(T));
    }
    return All;
  }
  /// Decodes the next element over the previous one in `Element`; returns where its bytes end.
  static const std::byte *decode(const std::byte *From, Words &Element) {
    uint64_t Mask;
    From = readLeb128(From, Mask);
    for (; Mask != 0; Mask &= Mask - 1) {
      uint64_t Difference;
      From = readLeb128(From, Difference);
      Element[static_cast<size_t>(__builtin_ctzll(Mask))] += unzigzag(Difference);
    }
    return From;
  }

  std::vector<Block> Blocks;
  std::vector<T> Tail; ///< the last 1 to 16 elements, unpacked; empty only if the vector is
};

} // namespace gmprof

#endif // GMPROF_PROFILE_COMPACTVECTOR_H
