//===- HeatContext.h - Memory of a recorded launch --------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_HOST_HEAT_HEATCONTEXT_H
#define GMPROF_HOST_HEAT_HEATCONTEXT_H

#include "host/heat/HeatContexts.h"
#include <algorithm>
#include <cstddef>
#include <memory>
#include <vector>

namespace gmprof::host {

/// Rounds up to the alignment of the parts of a context.
inline size_t alignedPart(size_t Bytes) { return (Bytes + 63) / 64 * 64; }

struct HeatContext : LaunchContext {
  HeatShape Shape;
  std::vector<GmprofHeatObject> Objects;
  uint32_t Replicas = 1, PageLimit = 0, SharedWords = 0, ChunkLimit = 0;
  uint64_t DirectoryPages = 0;
  SlabPool::Block Table; ///< page-locked, what was uploaded
  /// The parts of the context that were read: the front, the digests, and one page of those that
  /// are equal.
  struct Progress {
    bool Noted = false; ///< the requests are
    std::vector<std::byte> Front;
    std::vector<GmprofHeatDigest> Digests;
    std::vector<GmprofHeatPage> Contents;
    std::vector<uint32_t> Different; ///< numbers in the pool of Contents
    std::vector<uint32_t> ContentOf; ///< position in Contents, per digest
  };
  std::unique_ptr<Progress> Read = std::make_unique<Progress>();

  /// Returns the number of sites in each replica.
  size_t siteCount() const { return Shape.Sites.SiteCount + Shape.Sites.OfFunctions.size() + 1; }
  size_t sites() const { return alignedPart(sizeof(GmprofHeatTotals)); }
  /// Returns the bytes of the sites of one replica, for global and shared memory.
  size_t siteBytes() const { return sizeof(GmprofHeatSite) * 2 * siteCount(); }
  size_t words() const { return sites() + siteBytes() * Replicas; }
  size_t layout() const {
    return words() + sizeof(GmprofHeatWord) * GMPROF_COUNTER_KINDS * SharedWords;
  }
  size_t pages() const {
    return alignedPart(layout() + offsetof(GmprofSharedLayout, variables) +
                       std::max<size_t>(Shape.Objects.size(), 1) * sizeof(gmprof_u32));
  }
  size_t digests() const { return pages() + sizeof(GmprofHeatPage) * PageLimit; }
  size_t directory() const { return digests() + sizeof(GmprofHeatDigest) * PageLimit; }
  size_t requests() const {
    return alignedPart(directory() + sizeof(gmprof_u32) * GMPROF_COUNTER_KINDS * DirectoryPages);
  }
  /// Returns the bytes of the context. It has one more chunk, so that the first can be aligned.
  size_t context() const {
    return requests() +
           (ChunkLimit == 0 ? 0 : GMPROF_REQUEST_CHUNK_BYTES * (size_t(ChunkLimit) + 1));
  }
  uint32_t warpsPerBlock() const { return (Shape.Threads + 31) / 32; }
  uint64_t notedBlocks() const { return Shape.Noted.count(Shape.Blocks); }
  size_t tableBytes() const {
    return sizeof(GmprofHeatContext) + sizeof(GmprofHeatObject) * Objects.size() +
           Shape.FunctionPlaces.size();
  }

  const std::byte *at(size_t Offset) const { return Read->Front.data() + Offset; }
  const GmprofHeatTotals &totals() const {
    return *reinterpret_cast<const GmprofHeatTotals *>(at(0));
  }
  uint32_t pagesUsed() const { return std::min(totals().pagesUsed, PageLimit); }

  // The parts are read one after the other (LaunchContext::ReadFrom).
  bool hasFront() const { return Read->Front.size() == pages(); }
  size_t endOfDigests() const { return pages() + sizeof(GmprofHeatDigest) * pagesUsed(); }
  bool hasDigests() const { return hasFront() && Read->Digests.size() == pagesUsed(); }
  size_t endOfContents() const {
    return endOfDigests() + sizeof(GmprofHeatPage) * Read->Different.size();
  }
  bool hasAll() const { return hasDigests() && Read->Contents.size() == Read->Different.size(); }
};

} // namespace gmprof::host

#endif // GMPROF_HOST_HEAT_HEATCONTEXT_H
