//===- L2Coalescer.h - Merging of simultaneous accesses to L2 ---*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In front of L2, simultaneous reads of several SMs, and simultaneous writes of several warps of an
// SM, are merged (the "L2 request coalescer" of Nsight Compute's documentation). A trace has no
// clock common to all SMs; accesses of the same code at the same step of their warps count as
// simultaneous.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_CACHE_L2COALESCER_H
#define GMPROF_CACHE_L2COALESCER_H

#include "cache/L2Queues.h"
#include <vector>

namespace gmprof::cache {

/// Coalescer of a slice. Recent accesses are kept at places selected by a hash of the line.
class L2Coalescer {
  struct Access {
    uint64_t Line;
    uint64_t Time; ///< 0: none; earlier than all launches
    uint32_t OfWarp;
    LineAccess::Op What;
    uint8_t Sectors;
    uint16_t Sm;
  };
  std::vector<Access> Lately;
  std::vector<ByteMask> Written; ///< written bytes of each place; separate, because reads do not
                                 ///< need them
  uint64_t Launch = 0;           ///< time base of the launch's requests
  uint64_t MostRequests;         ///< largest distance of simultaneous requests; 0: none are merged

public:
  explicit L2Coalescer(uint32_t MostRequests) : MostRequests(MostRequests) {}

  /// Starts a launch at a time far from all earlier requests.
  void beginLaunch() { Launch += uint64_t(1) << 33; }
  /// Allocates the places, at the first access.
  void makePlaces() {
    if (MostRequests == 0 || !Lately.empty())
      return;
    Lately.resize(L2Queue::CoalescerPlaces);
    Written.resize(L2Queue::CoalescerPlaces);
  }
  void prefetch(const QueuedLine &A) const {
    if (MostRequests != 0)
      __builtin_prefetch(&Lately[A.CoalescerPlace], /*rw=*/1);
  }

  /// Returns whether another SM has just read all of these sectors.
  [[gnu::always_inline]] bool joinsRead(const QueuedLine &A) {
    if (MostRequests == 0)
      return false;
    Access &Last = Lately[A.CoalescerPlace];
    const bool Known = isKnown(A, Last);
    const unsigned Sectors = A.Of.sectors(), Before = Known ? Last.Sectors : 0;
    if (Known && Last.Sm != A.By.Sm && (Sectors & ~Before) == 0)
      return true;
    set(Last, A, Sectors | Before);
    return false;
  }
  /// Returns whether another warp of the SM has just written all of these bytes.
  bool joinsWrite(const QueuedLine &A, const ByteMask &Bytes) {
    if (MostRequests == 0)
      return false;
    Access &Last = Lately[A.CoalescerPlace];
    const bool Known = isKnown(A, Last);
    if (Known && Last.Sm == A.By.Sm && Written[A.CoalescerPlace].has(Bytes))
      return true;
    set(Last, A, A.Of.sectors() | (Known ? Last.Sectors : 0));
    Written[A.CoalescerPlace] = Bytes;
    return false;
  }

private:
  uint64_t timeOf(const QueuedLine &A) const { return Launch + A.By.Request; }
  [[gnu::always_inline]] bool isKnown(const QueuedLine &A, const Access &Last) const {
    return Last.Line == A.Of.line() && Last.OfWarp == A.By.OfWarp && Last.What == A.By.What &&
           timeOf(A) - Last.Time <= MostRequests;
  }
  [[gnu::always_inline]] void set(Access &To, const QueuedLine &A, unsigned Sectors) const {
    To = {A.Of.line(), timeOf(A), A.By.OfWarp, A.By.What, static_cast<uint8_t>(Sectors), A.By.Sm};
  }
};

} // namespace gmprof::cache

#endif // GMPROF_CACHE_L2COALESCER_H
