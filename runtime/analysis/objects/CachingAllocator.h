//===- CachingAllocator.h - Model of PyTorch's allocator --------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// How much memory PyTorch's caching allocator takes from CUDA for a sequence of tensors, as in
// c10/cuda/CUDACachingAllocator.cpp: tensors up to 1 MiB come from slabs of 2 MiB, larger ones from
// slabs of 20 MiB, or of their own size in multiples of 2 MiB if that is 10 MiB or more. A tensor
// gets the smallest free block that is large enough; the rest of the block stays free, except at
// most 1 MiB in the slabs of large tensors. Neighbouring free blocks are merged. With expandable
// segments, each of the two kinds has one slab that grows at its end by 2 MiB or 20 MiB.
//
// The model has one stream and returns no memory to CUDA; each stream or private pool of a program
// has a model of its own.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_ANALYSIS_OBJECTS_CACHINGALLOCATOR_H
#define GMPROF_ANALYSIS_OBJECTS_CACHINGALLOCATOR_H

#include <array>
#include <cstdint>
#include <map>
#include <set>
#include <unordered_map>

namespace gmprof::analysis {

/// The function of CUDA that makes expandable segments, which are mapped part by part.
inline constexpr char MappingApi[] = "cuMemMap";

class CachingAllocator {
public:
  explicit CachingAllocator(bool Expandable) : Expandable(Expandable) {}

  /// Tensors up to this size come from the slabs of small ones, which have the second size.
  static constexpr uint64_t MostSmall = uint64_t(1) << 20, SmallSlab = 2 * MostSmall;

  void allocate(uint32_t Tensor, uint64_t Bytes);
  /// Ignores tensors that were not allocated.
  void release(uint32_t Tensor);
  /// Returns the bytes of all slabs.
  uint64_t reserved() const { return Reserved; }

private:
  struct Block {
    uint64_t Bytes = 0;
    bool Free = false;
    bool First = false; ///< of its slab
  };
  /// The slabs of small tensors, or those of large ones. Addresses are of the model.
  struct Kind {
    std::map<uint64_t, Block> Blocks;             ///< by address
    std::set<std::pair<uint64_t, uint64_t>> Free; ///< size and address
  };
  struct Place {
    bool IsSmall = false;
    uint64_t Address = 0;
  };

  uint64_t findRoom(Kind &In, uint64_t Bytes, bool IsSmall);
  uint64_t grow(Kind &In, uint64_t Bytes, bool IsSmall);
  void setFree(Kind &In, uint64_t Address);

  const bool Expandable;
  std::array<Kind, 2> Kinds;
  std::unordered_map<uint32_t, Place> Tensors;
  uint64_t Reserved = 0;
  uint64_t NextAddress = 0;
};

} // namespace gmprof::analysis

#endif // GMPROF_ANALYSIS_OBJECTS_CACHINGALLOCATOR_H
