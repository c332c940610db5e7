//===- Memory.h - Memory with guard pages --------------------- -*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Memory of the engine: mappings between guard pages, windows for shared memory below 4 GiB, and
// stacks of GPU threads.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_CPU_ENGINE_MEMORY_H
#define GMPROF_CPU_ENGINE_MEMORY_H

#include <cstddef>
#include <cstdint>
#include <utility>

namespace gmprof::cpu {

constexpr size_t PageBytes = 4096;

/// Zeroed memory with an inaccessible page on either side.
class Mapping {
public:
  Mapping() = default;
  explicit Mapping(size_t Bytes);
  Mapping(Mapping &&Other) noexcept
      : Start(std::exchange(Other.Start, nullptr)), Length(std::exchange(Other.Length, 0)) {}
  Mapping &operator=(Mapping &&Other) noexcept {
    std::swap(Start, Other.Start);
    std::swap(Length, Other.Length);
    return *this;
  }
  ~Mapping();

  char *data() const { return Start; }
  size_t size() const { return Length; }
  bool contains(uint64_t Address) const { return Address - uint64_t(Start) < Length; }

private:
  char *Start = nullptr;
  size_t Length = 0; ///< whole pages
};

/// Shared memory of one block: a slot below 4 GiB in which only the used bytes are accessible, at
/// page granularity.
class SharedWindow {
public:
  /// Maximum shared memory of a block.
  static constexpr size_t MaxBytes = 228 * 1024;

  SharedWindow() = default;
  SharedWindow(const SharedWindow &) = delete;
  SharedWindow &operator=(const SharedWindow &) = delete;
  ~SharedWindow();

  /// Makes Bytes bytes accessible, the last of them close to the end of the last page, preceded by
  /// Reserved further bytes. Returns the address of the first of Bytes, a multiple of 256; 0 if no
  /// room is left below 4 GiB.
  uint64_t resize(size_t Bytes, size_t Reserved);

  /// Returns whether Address is in the window or in the inaccessible rest of its slot.
  bool covers(uint64_t Address) const;

private:
  char *Place = nullptr;
  size_t Accessible = 0;
};

/// Row of equal stacks, each with a guard page at its low end.
class StackRow {
public:
  StackRow() = default;
  StackRow(const StackRow &) = delete;
  StackRow &operator=(const StackRow &) = delete;
  ~StackRow();

  /// Makes room for Count stacks of Bytes bytes; growing discards the stacks' contents. Returns
  /// false if memory is exhausted.
  bool reserve(size_t Count, size_t Bytes);

  size_t count() const { return Count; }
  size_t stackBytes() const { return Bytes; }
  /// Return the bounds of the usable part of a stack, [low(I), high(I)).
  char *low(size_t I) const { return Start + I * Bytes + PageBytes; }
  char *high(size_t I) const { return Start + (I + 1) * Bytes; }

private:
  void release();
  char *Start = nullptr;
  size_t Count = 0, Bytes = 0;
};

} // namespace gmprof::cpu

#endif // GMPROF_CPU_ENGINE_MEMORY_H
