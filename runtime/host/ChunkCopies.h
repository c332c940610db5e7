//===- ChunkCopies.h - Chunks of records, copied ----------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Chunks go back to the kernel at once, and what was in them is kept here. Copies never move, and
// lie one behind the other whichever SM they are of. Most of what they cost is the work of the
// operating system for memory that is touched first, so that blocks are used again.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_HOST_CHUNKCOPIES_H
#define GMPROF_HOST_CHUNKCOPIES_H

#include "host/LargePages.h"
#include <algorithm>
#include <cstddef>
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
    {
      std::lock_guard Guard(Lock);
      if (!Blocks.empty()) {
        Block Last = std::move(Blocks.back());
        Blocks.pop_back();
        return Last;
      }
    }
    Block New = mapLargePages(Bytes);
    if (!New)
      throw std::bad_alloc();
    return New;
  }
  void give(std::vector<Block> All) {
    std::lock_guard Guard(Lock);
    for (Block &Each : All)
      if (Blocks.size() < Most)
        Blocks.push_back(std::move(Each));
  }

private:
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

  /// Chunk: not larger than a block.
  std::span<const std::byte> add(std::span<const std::byte> Chunk) {
    if (Chunk.size() > Room.size()) {
      Blocks.push_back(From->take());
      Room = {Blocks.back().get(), ChunkBlocks::Bytes};
    }
    const std::span<std::byte> Copy = Room.first(Chunk.size());
    std::ranges::copy(Chunk, Copy.begin());
    Room = Room.subspan(Chunk.size());
    return Copy;
  }
};

} // namespace gmprof::host

#endif // GMPROF_HOST_CHUNKCOPIES_H
