//===- Lanes.cu - The lanes of a warp that are together ---------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which lanes execute an access together is what requests are. The hooks of a clone must not
// change it: after a call that some of the lanes took, hardware may let them go on apart.
//
//===----------------------------------------------------------------------===//

#include "Device.h"

using namespace gmprof;

/// Known only where the access is. In a function that is called from many places, lanes from two
/// of them may run together.
GM_HOOK gmprof_u32 __gm_active_lanes() { return activeLanes(); }

/// Those of Lanes, all of which are here, where it holds.
GM_HOOK gmprof_u32 __gm_lanes_where(gmprof_u32 Lanes, bool Holds) {
  return __ballot_sync(Lanes, Holds);
}

/// Those of them that have the same Kind as this lane.
GM_HOOK gmprof_u32 __gm_lanes_alike(gmprof_u32 Lanes, bool Holds, bool Kind) {
  const gmprof_u32 Where = __ballot_sync(Lanes, Holds), OfKind = __ballot_sync(Lanes, Kind);
  return Where & (Kind ? OfKind : ~OfKind);
}

/// All of Lanes come here, and go on together. A vote waits for all of them, but the last to come
/// may go on by itself: they vote until they were together before the vote.
GM_HOOK void __gm_bring_together(gmprof_u32 Lanes) {
  constexpr int MostVotes = 8;
#pragma unroll 1
  for (int Vote = 0; Vote < MostVotes; ++Vote)
    if (__nvvm_vote_all_sync(Lanes, activeLanes() == Lanes))
      return;
}
