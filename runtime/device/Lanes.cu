//===- Lanes.cu - Converged lanes of a warp ---------------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A request is defined by the lanes that execute an access together. The hooks of a clone must not
// change that set: after a call that only some lanes make, the hardware may not reconverge them.
//
//===----------------------------------------------------------------------===//

#include "Device.h"

using namespace gmprof;

/// Returns the active lanes. Valid only at the access itself: in a function with several call
/// sites, lanes of two of them may run together.
GM_HOOK gmprof_u32 __gm_active_lanes() { return activeLanes(); }

/// Returns those of `Lanes`, all of which are active, for which `Holds` is true.
GM_HOOK gmprof_u32 __gm_lanes_where(gmprof_u32 Lanes, bool Holds) {
  return __ballot_sync(Lanes, Holds);
}

/// Returns those of `Lanes` for which `Holds` is true and `Kind` equals this lane's.
GM_HOOK gmprof_u32 __gm_lanes_alike(gmprof_u32 Lanes, bool Holds, bool Kind) {
  const gmprof_u32 Where = __ballot_sync(Lanes, Holds), OfKind = __ballot_sync(Lanes, Kind);
  return Where & (Kind ? OfKind : ~OfKind);
}

/// Reconverges `Lanes`, all of which call this. A vote waits for all lanes, but the last to arrive
/// may continue alone, so the lanes vote until they were converged before a vote.
GM_HOOK void __gm_bring_together(gmprof_u32 Lanes) {
  constexpr int MostVotes = 8;
#pragma unroll 1
  for (int Vote = 0; Vote < MostVotes; ++Vote)
    if (__nvvm_vote_all_sync(Lanes, activeLanes() == Lanes))
      return;
}
