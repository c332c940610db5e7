//===- ChunkCopies.h - Chunks of records, copied ----------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Chunks go back to the kernel at once; their records are kept here. Copies never move. With
// threads that copy past the caches, into blocks that are used again, records are received twice as
// fast.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_HOST_CACHE_CHUNKCOPIES_H
#define GMPROF_HOST_CACHE_CHUNKCOPIES_H

#include "profile/Mutex.h"
#include <algorithm>
#include <cstddef>
#include <emmintrin.h>
#include <memory>
#include <span>
#include <vector>

namespace gmprof::host {

/// Free blocks. Safe for concurrent use.
class ChunkBlocks {
  static constexpr size_t LineBytes = 64;
  struct alignas(LineBytes) Line {
    std::byte Bytes[LineBytes];
  };

public:
  static constexpr size_t Bytes = size_t(2) << 20;
  using Block = std::unique_ptr<Line[]>;

  Block take() {
    LockGuard Guard(Lock);
    if (Blocks.empty())
      return std::make_unique_for_overwrite<Line[]>(Bytes / LineBytes);
    Block Last = std::move(Blocks.back());
    Blocks.pop_back();
    return Last;
  }
  void give(std::vector<Block> All) {
    LockGuard Guard(Lock);
    for (Block &Each : All)
      if (Blocks.size() < Most)
        Blocks.push_back(std::move(Each));
  }

private:
  static constexpr size_t Most = 128;
  Mutex Lock;
  std::vector<Block> Blocks GMPROF_GUARDED_BY(Lock);
};

class ChunkCopies {
  std::shared_ptr<ChunkBlocks> From;
  std::vector<ChunkBlocks::Block> Blocks;
  std::span<std::byte> Room; ///< of the last block

public:
  explicit ChunkCopies(std::shared_ptr<ChunkBlocks> From) : From(std::move(From)) {}
  ~ChunkCopies() { From->give(std::move(Blocks)); }
  ChunkCopies(const ChunkCopies &) = delete;
  ChunkCopies &operator=(const ChunkCopies &) = delete;

  /// Copies a chunk, which must not be larger than a block, and returns the copy. Other threads may
  /// read it after settle().
  std::span<const std::byte> add(std::span<const std::byte> Chunk) {
    const size_t Bytes = (Chunk.size() + LineBytes - 1) / LineBytes * LineBytes;
    if (Bytes > Room.size()) {
      Blocks.push_back(From->take());
      Room = {Blocks.back()[0].Bytes, ChunkBlocks::Bytes};
    }
    const std::span<std::byte> Copy = Room.first(Chunk.size());
    copyPastCaches(Chunk, Copy.data());
    Room = Room.subspan(Bytes);
    return Copy;
  }
  /// Makes the copies of the calling thread visible to others.
  static void settle() { _mm_sfence(); }

private:
  static constexpr size_t LineBytes = 64;

  /// Copies to memory without reading it into caches first, which takes half of the time of an
  /// ordinary copy. The copy is read when no cache would have it any more. To is the beginning of a
  /// line.
  static void copyPastCaches(std::span<const std::byte> Chunk, std::byte *To) {
    size_t At = 0;
    for (; At + sizeof(__m128i) <= Chunk.size(); At += sizeof(__m128i)) {
      const auto *Next = reinterpret_cast<const __m128i *>(Chunk.data() + At);
      _mm_stream_si128(reinterpret_cast<__m128i *>(To + At), _mm_loadu_si128(Next));
    }
    std::ranges::copy(Chunk.subspan(At), To + At);
  }
};

} // namespace gmprof::host

#endif // GMPROF_HOST_CACHE_CHUNKCOPIES_H
