//===- ChunkCopies.h - Chunks of records, copied ----------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Chunks go back to the kernel at once, and what was in them is kept here. Copies never move, and
// lie one behind the other whichever SM they are of. Much of what they cost is the work of the
// operating system for memory that is touched first, so that blocks are used again.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_HOST_CACHE_CHUNKCOPIES_H
#define GMPROF_HOST_CACHE_CHUNKCOPIES_H

#include "host/core/LargePages.h"
#include <algorithm>
#include <cstddef>
#include <emmintrin.h>
#include <mutex>
#include <new>
#include <span>
#include <vector>

namespace gmprof::host {

/// Blocks that are in nobody's use. Threads may take and give them at the same time.
class ChunkBlocks {
public:
  static constexpr size_t Bytes = LargePageBytes;
  using Block = LargePages;

  Block take() {
    std::lock_guard Guard(Lock);
    if (Blocks.empty()) {
      if (Block Ahead = takeLargePages(Bytes))
        return Ahead;
      map();
    }
    Block Last = std::move(Blocks.back());
    Blocks.pop_back();
    return Last;
  }
  void give(std::vector<Block> All) {
    std::lock_guard Guard(Lock);
    for (Block &Each : All)
      if (Blocks.size() < Most)
        Blocks.push_back(std::move(Each));
  }

private:
  /// Some together: threads that touch theirs wait for each one who changes what is mapped.
  void map() {
    constexpr size_t Together = 16;
    LargePages All = mapLargePages(Together * Bytes);
    if (!All)
      throw std::bad_alloc();
    std::byte *const First = All.release();
    for (size_t I = 0; I < Together; ++I)
      Blocks.push_back(Block(First + I * Bytes, UnmapLargePages{Bytes}));
  }

  static constexpr size_t Most = 128;
  std::mutex Lock;
  std::vector<Block> Blocks;
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

  /// Chunk: not larger than a block. Other threads may read the copy after settle().
  std::span<const std::byte> add(std::span<const std::byte> Chunk) {
    const size_t Bytes = (Chunk.size() + LineBytes - 1) / LineBytes * LineBytes;
    if (Bytes > Room.size()) {
      Blocks.push_back(From->take());
      Room = {Blocks.back().get(), ChunkBlocks::Bytes};
    }
    const std::span<std::byte> Copy = Room.first(Chunk.size());
    copyPastCaches(Chunk, Copy.data());
    Room = Room.subspan(Bytes);
    return Copy;
  }
  /// By the thread that added them.
  static void settle() { _mm_sfence(); }

private:
  static constexpr size_t LineBytes = 64;

  /// To: at the beginning of a line. Half of the time of an ordinary copy goes to read what it
  /// overwrites; and who reads this one comes when it is in no cache any more.
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
