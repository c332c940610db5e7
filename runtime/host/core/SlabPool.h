//===- SlabPool.h - Blocks of memory that is never given back ---*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Freeing device memory waits for the device, so memory is kept: blocks of
// powers of two are carved from slabs and go back to a free list per size.
// Not synchronised.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_HOST_CORE_SLABPOOL_H
#define GMPROF_HOST_CORE_SLABPOOL_H

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <vector>

namespace gmprof::host {

class SlabPool {
public:
  struct Block {
    uint64_t Address = 0;
    size_t Bytes = 0; ///< a power of two
  };
  /// Memory of so many bytes, or nothing.
  using Allocator = std::function<std::optional<uint64_t>(size_t Bytes)>;

  explicit SlabPool(Allocator Allocate) : Allocate(std::move(Allocate)) {}

  static size_t blockBytes(size_t Bytes);
  /// Returns whether a block can be had without a new slab.
  bool available(size_t Bytes) const;
  /// Allocates a block. Makes new slabs while all slabs have at most Budget bytes.
  std::optional<Block> allocate(size_t Bytes, size_t Budget = SIZE_MAX);
  void release(Block B) { Free[B.Bytes].push_back(B.Address); }
  size_t reserved() const { return Reserved; }

private:
  static constexpr size_t MinBlock = 1024;
  static constexpr size_t MinSlab = size_t(2) << 20;

  Allocator Allocate;
  std::map<size_t, std::vector<uint64_t>> Free; ///< addresses by size
  uint64_t SlabAt = 0;
  size_t SlabLeft = 0;
  size_t Reserved = 0;
};

} // namespace gmprof::host

#endif // GMPROF_HOST_CORE_SLABPOOL_H
