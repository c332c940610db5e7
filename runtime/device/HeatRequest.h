//===- HeatRequest.h - Requests of warps and their sites --------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A request in a heat profile: what it is, which lanes make it, and the sums of its site.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_DEVICE_HEATREQUEST_H
#define GMPROF_DEVICE_HEATREQUEST_H

#include "Device.h"

namespace gmprof {

/// Warp that makes a request.
struct Origin {
  gmprof_u64 Block;
  gmprof_u32 Warp; ///< number in the block

  GM_INLINE gmprof_u32 thread() const { return Warp * 32 + lane(); }
};

GM_INLINE Origin thisWarp() { return {linearBlock(), threadInBlock() / 32}; }

/// Decoder of GmprofRequest::what.
struct Access {
  gmprof_u32 What;

  GM_INLINE gmprof_u32 site() const { return What & GMPROF_SITE_MASK; }
  GM_INLINE gmprof_u32 place() const {
    return What >> GMPROF_REQUEST_PLACE_SHIFT & GMPROF_REQUEST_PLACE_MASK;
  }
  GM_INLINE gmprof_u32 kind() const {
    return What >> GMPROF_REQUEST_KIND_SHIFT & GMPROF_REQUEST_KIND_MASK;
  }
  GM_INLINE gmprof_u32 bytes() const {
    return 1u << (What >> GMPROF_REQUEST_BYTES_SHIFT & GMPROF_REQUEST_BYTES_MASK);
  }
  GM_INLINE bool isShared() const { return What & GMPROF_REQUEST_IS_SHARED; }
  /// Returns whether this is a read of a compiler's table, which is no object: it is counted, and
  /// its words are not recorded.
  GM_INLINE bool isOfTable() const { return kind() == GMPROF_COUNTER_KINDS; }
};

/// Loads a value that other blocks may change concurrently. The value may be stale, but no bit is
/// ever cleared.
template <class T> GM_INLINE T look(GlobalPointer<T> At) {
  return __atomic_load_n(At, __ATOMIC_RELAXED);
}

template <class T> GM_INLINE void setBits(GlobalPointer<T> At, T Bits) {
  if ((look(At) & Bits) != Bits)
    __atomic_fetch_or(At, Bits, __ATOMIC_RELAXED);
}

template <class T> GM_INLINE void addTo(GlobalPointer<T> At, T Value) {
  __atomic_fetch_add(At, Value, __ATOMIC_RELAXED);
}

/// Lanes that execute an access together, and the relation of their addresses.
struct Request {
  gmprof_u32 Lanes;    ///< mask of the participating lanes
  gmprof_u32 Rank;     ///< position of this lane among them
  gmprof_u32 Previous; ///< the lane before this one; itself if it is the first
  bool Wide;           ///< some addresses are too far apart for Step
  bool Ordered;        ///< addresses rise or fall from lane to lane
  gmprof_i32 Step;     ///< distance from the previous lane's address; 0 in the first lane

  GM_INLINE Request(gmprof_u32 Here, gmprof_u64 Address) {
    Lanes = Here;
    const gmprof_u32 Before = Lanes & __nvvm_read_ptx_sreg_lanemask_lt();
    Rank = laneCount(Before);
    Previous = Before ? 31 - __builtin_clz(Before) : lane();
    const auto Distance = (gmprof_i64)(Address - shuffle(Lanes, Address, firstLane(Lanes)));
    Wide = !__all_sync(Lanes, Distance == (gmprof_i32)Distance && Distance < 1 << 30 &&
                                  Distance >= -(1 << 30));
    const auto Offset = (gmprof_u32)Distance;
    Step = (gmprof_i32)(Offset - __shfl_sync(Lanes, Offset, Previous));
    Ordered = !Wide && (__all_sync(Lanes, Step >= 0) || __all_sync(Lanes, Step <= 0));
  }

  /// Returns the lanes with the same Key as this lane. Keys must be monotonic in the address.
  GM_INLINE gmprof_u32 peers(gmprof_u64 Key) const {
    if (!Ordered)
      return __match_any_sync(Lanes, Key);
    const gmprof_u32 Starts = starts(Key);
    const gmprof_u32 UpToThis = ~0u >> (31 - lane());
    const gmprof_u32 Start = 31 - __builtin_clz(Starts & UpToThis);
    const gmprof_u32 Next = Starts & ~UpToThis;
    const gmprof_u32 BelowNext = Next ? (Next & -Next) - 1 : ~0u;
    return Lanes & BelowNext & (~0u << Start);
  }

  /// Returns a mask with one lane for each distinct Key.
  GM_INLINE gmprof_u32 leaders(gmprof_u64 Key) const {
    if (Ordered)
      return starts(Key);
    return __ballot_sync(Lanes, firstLane(__match_any_sync(Lanes, Key)) == lane());
  }

  GM_INLINE bool all(bool Holds) const { return __all_sync(Lanes, Holds); }
  GM_INLINE gmprof_u32 from(gmprof_u32 Value, gmprof_u32 Lane) const {
    return __shfl_sync(Lanes, Value, Lane);
  }

private:
  /// Returns the lanes whose key differs from the previous lane's. Requires Ordered.
  GM_INLINE gmprof_u32 starts(gmprof_u64 Key) const {
    const auto Low = (gmprof_u32)Key;
    const gmprof_u32 OfPrevious = __shfl_sync(Lanes, Low, Previous);
    return __ballot_sync(Lanes, Rank == 0 || OfPrevious != Low);
  }
};

/// Adds one request to its site's sums. Each lane adds some of the fields.
GM_INLINE void addSite(const GmprofHeatContext *C, gmprof_u32 Site, bool Shared, const Request &R,
                       gmprof_u32 Bytes, gmprof_u32 Sectors, gmprof_u32 Ideal, bool Misaligned,
                       gmprof_i32 Stride) {
  const gmprof_u32 Sites = C->siteCount + C->functionSites;
  const gmprof_u32 Wanted =
      Site < GMPROF_SITE_OF_FUNCTION ? Site : C->siteCount + (Site - GMPROF_SITE_OF_FUNCTION);
  const gmprof_u32 Number = Wanted < Sites ? Wanted : Sites;
  const gmprof_u32 Replica = blockInGrid() & (C->replicas - 1);
  const gmprof_u64 Row = ((gmprof_u64)Replica * 2 + Shared) * (Sites + 1) + Number;
  auto To = globalPointer<gmprof_u64>(C->sites + Row * sizeof(GmprofHeatSite));
  constexpr gmprof_u32 Fields = sizeof(GmprofHeatSite) / sizeof(gmprof_u64);
  const gmprof_u32 Count = laneCount(R.Lanes);
  for (gmprof_u32 Field = R.Rank; Field < Fields; Field += Count) {
    const gmprof_u64 Value = Field == 0   ? 1
                             : Field == 1 ? Count
                             : Field == 2 ? Bytes
                             : Field == 3 ? Sectors
                             : Field == 4 ? Ideal
                             : Field == 5 ? Misaligned
                             : Field == 6 ? Stride != 0
                                          : (gmprof_u64)(gmprof_i64)Stride;
    if (Value != 0)
      addTo(To + Field, Value);
  }
}

/// Returns the common distance between neighbouring lanes' addresses; 0 if there is none, or if the
/// lanes are contiguous.
GM_INLINE gmprof_i32 strideOf(const Request &R, gmprof_u32 Bytes) {
  if (R.Wide || laneCount(R.Lanes) < 2)
    return 0;
  const gmprof_u32 Second = firstLane(R.Lanes & (R.Lanes - 1));
  const auto Step = (gmprof_i32)R.from((gmprof_u32)R.Step, Second);
  const bool Equal = R.all(R.Rank == 0 || R.Step == Step);
  return Equal && Step != (gmprof_i32)Bytes && Step != -(gmprof_i32)Bytes ? Step : 0;
}

/// Returns whether the distinct addresses of a request are consecutive.
GM_INLINE bool isDense(const Request &R, gmprof_u32 Bytes) {
  const auto Size = (gmprof_i32)Bytes;
  return R.Ordered && R.all(R.Step == 0 || R.Step == Size || R.Step == -Size);
}

} // namespace gmprof

#endif // GMPROF_DEVICE_HEATREQUEST_H
