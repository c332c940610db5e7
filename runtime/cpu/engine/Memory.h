//===- Memory.h - Memory with guard pages --------------------- -*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Three kinds of memory that the engine owns: plain mappings between guard
// pages, windows for shared memory below 4 GiB, and the stacks of GPU threads.
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

/// Shared memory of one block: a place below 4 GiB of which just the bytes in
/// use are accessible, to the page.
class SharedWindow {
public:
  /// The most shared memory that a block may have.
  static constexpr size_t MaxBytes = 228 * 1024;

  SharedWindow() = default;
  SharedWindow(const SharedWindow &) = delete;
  SharedWindow &operator=(const SharedWindow &) = delete;
  ~SharedWindow();

  /// Makes Bytes bytes accessible, the last of them close to the end of the last
  /// page, and returns the address of the first, a multiple of 256. 0 if there
  /// is no room left below 4 GiB. Before it are Reserved bytes more.
  uint64_t resize(size_t Bytes, size_t Reserved);

  /// True if Address is in the window or the inaccessible rest of its place.
  bool covers(uint64_t Address) const;

private:
  char *Place = nullptr;
  size_t Accessible = 0;
};

/// A row of equal stacks, each with a guard page at its low end.
class StackRow {
public:
  StackRow() = default;
  StackRow(const StackRow &) = delete;
  StackRow &operator=(const StackRow &) = delete;
  ~StackRow();

  /// Has room for Count stacks of Bytes bytes; what the stacks held is lost when
  /// they must grow. False if there is no memory for them.
  bool reserve(size_t Count, size_t Bytes);

  size_t count() const { return Count; }
  size_t stackBytes() const { return Bytes; }
  /// The usable part of a stack is [low(I), high(I)).
  char *low(size_t I) const { return Start + I * Bytes + PageBytes; }
  char *high(size_t I) const { return Start + (I + 1) * Bytes; }

private:
  void release();
  char *Start = nullptr;
  size_t Count = 0, Bytes = 0;
};

} // namespace gmprof::cpu

#endif // GMPROF_CPU_ENGINE_MEMORY_H
