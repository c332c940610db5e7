//===- WatchedRegions.h - Memory whose accesses are noticed -----*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Holds the regions of memory that operations of the GPU use, and makes accesses to them
// noticeable: protects their pages, or lets instrumented code report accesses (HostCode.h). Regions
// may share pages: restoring access for one exposes the others.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_HOST_SYNC_WATCHEDREGIONS_H
#define GMPROF_HOST_SYNC_WATCHEDREGIONS_H

#include "host/sync/PageProtections.h"
#include "host/sync/WatchLock.h"
#include <array>
#include <cstdint>
#include <span>

namespace gmprof::host {

inline uint64_t pageOf(uint64_t Address) { return Address & ~(PageBytes - 1); }

struct WatchedRegion {
  uint64_t Begin = 0, End = 0; ///< End 0: not in use
  uint64_t Operation = 0;      ///< the writing operation, or the one to wait for
  uint64_t WaitsFor = 0;       ///< the last one that may use it; 0: none
  bool Ended = false;          ///< Operation
  /// Pages that are protected.
  uint64_t FirstPage = 0, EndPage = 0;
  bool StoresOnly = false; ///< the operation read it
  /// Some of the protected pages are accessible, as another region has released them.
  bool Exposed = false;
  /// Instrumented code reports uses. CodeRange: index in CodeRanges; MaxCodeRanges if none was
  /// free.
  bool ByCode = false;
  size_t CodeRange = 0;

  /// Return the address of the first page, and the end of the last one.
  uint64_t firstPageOfAll() const { return pageOf(Begin); }
  uint64_t endPageOfAll() const { return pageOf(End - 1) + PageBytes; }
  bool inUse() const { return End != 0; }
  bool isProtected() const { return FirstPage != EndPage; }
  bool isWatched() const { return isProtected() || ByCode; }
  bool overlaps(uint64_t B, uint64_t E) const { return Begin < E && B < End; }
  bool protects(uint64_t B, uint64_t E) const {
    return isProtected() && B < EndPage && FirstPage < E;
  }
};

class WatchedRegions {
public:
  /// Returns whether any memory is watched, of any object.
  static bool any() { return Watched.load(std::memory_order_relaxed) != 0; }

  /// Returns all regions; some may not be in use. Valid until add().
  std::span<WatchedRegion> all() GMPROF_REQUIRES(WatchLock::Lock) {
    return {Regions.data(), RegionCount};
  }
  std::span<const WatchedRegion> all() const GMPROF_REQUIRES(WatchLock::Lock) {
    return {Regions.data(), RegionCount};
  }
  /// Adds a region, not yet watched. Returns null if there is no room.
  WatchedRegion *add(const WatchedRegion &R) GMPROF_REQUIRES(WatchLock::Lock);

  /// Protects the region's pages; returns false if that is not possible. Allowed: the accesses that
  /// do not fault, as of mprotect.
  bool protect(WatchedRegion &R, int Allowed) GMPROF_REQUIRES(WatchLock::Lock);
  /// Restores access to all of the region's pages, or to the first or last ones.
  void unprotect(WatchedRegion &R) GMPROF_REQUIRES(WatchLock::Lock) {
    unprotect(R, R.FirstPage, R.EndPage);
  }
  void unprotect(WatchedRegion &R, uint64_t FirstPage, uint64_t EndPage)
      GMPROF_REQUIRES(WatchLock::Lock);
  /// Watches the region by instrumented code; other data in its pages stays accessible.
  void watchByCode(WatchedRegion &R) GMPROF_REQUIRES(WatchLock::Lock);
  /// Ends watching the region, which is then not in use.
  void release(WatchedRegion &R) GMPROF_REQUIRES(WatchLock::Lock);
  void releaseAll() GMPROF_REQUIRES(WatchLock::Lock);

  /// Returns false if no instrumented code must report an access. Takes no lock.
  bool mayBeWatchedByCode(uint64_t Address, uint64_t Bytes) const;
  /// Returns how often pages were released. Takes no lock.
  uint64_t releases() const { return Releases.load(std::memory_order_acquire); }

private:
  static constexpr size_t MaxRegions = 1024, MaxCodeRanges = 64;
  /// A region watched by code, for a quick check. End 0: not in use.
  struct CodeRange {
    std::atomic<uint64_t> Begin{0}, End{0};
  };

  std::array<WatchedRegion, MaxRegions> Regions GMPROF_GUARDED_BY(WatchLock::Lock) = {};
  /// Regions from here on are not in use.
  size_t RegionCount GMPROF_GUARDED_BY(WatchLock::Lock) = 0;
  std::array<CodeRange, MaxCodeRanges> CodeRanges;
  std::atomic<size_t> BeyondCodeRanges{0}; ///< regions without a code range
  std::atomic<uint64_t> Releases{0};

  static std::atomic<uint64_t> Watched;
};

} // namespace gmprof::host

#endif // GMPROF_HOST_SYNC_WATCHEDREGIONS_H
