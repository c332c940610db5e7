//===- ChunkCopies.h - Chunks of records, copied ----------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Chunks go back to the kernel at once, and what was in them is kept here. As copies never
// move, and lie one behind the other whichever SM they are of, memory is touched once.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_HOST_CHUNKCOPIES_H
#define GMPROF_HOST_CHUNKCOPIES_H

#include <algorithm>
#include <cstddef>
#include <memory>
#include <span>
#include <vector>

namespace gmprof::host {

class ChunkCopies {
  static constexpr size_t BlockBytes = size_t(1) << 20;
  std::vector<std::unique_ptr<std::byte[]>> Blocks;
  std::span<std::byte> Room; ///< of the last block

public:
  /// Chunk: not larger than a block.
  std::span<const std::byte> add(std::span<const std::byte> Chunk) {
    if (Chunk.size() > Room.size()) {
      Blocks.push_back(std::make_unique_for_overwrite<std::byte[]>(BlockBytes));
      Room = {Blocks.back().get(), BlockBytes};
    }
    const std::span<std::byte> Copy = Room.first(Chunk.size());
    std::ranges::copy(Chunk, Copy.begin());
    Room = Room.subspan(Chunk.size());
    return Copy;
  }
  void clear() {
    Blocks.clear();
    Room = {};
  }
};

} // namespace gmprof::host

#endif // GMPROF_HOST_CHUNKCOPIES_H
