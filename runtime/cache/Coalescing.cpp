//===- Coalescing.cpp - Which sectors a request takes ---------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "cache/Coalescing.h"
#include <algorithm>

namespace gmprof::cache {

static void addLocal(const Request &R, uint32_t Sm, const LocalMemory &Local, CoalescedLines &Out) {
  // Each word of a lane lies in a line of its own, which is shared with the other lanes.
  for (unsigned Done = 0; Done < R.Size;) {
    unsigned Most = 0;
    for (uint32_t Left = R.Mask; Left != 0; Left &= Left - 1) {
      const auto Lane = static_cast<unsigned>(std::countr_zero(Left));
      const uint64_t Offset = R.address(Lane) + Done;
      const unsigned Take = std::min<unsigned>(R.Size - Done, 4 - Offset % 4);
      Out.add(Local.address(Sm, R.Slot, Lane, Offset), Take);
      Most = Most ? std::min(Most, Take) : Take;
    }
    if (Most == 0)
      return;
    Done += Most;
  }
}

void coalesce(const Request &R, uint32_t Sm, const LocalMemory &Local, unsigned PassBytes,
              CoalescedLines &Out) {
  Out.clear();
  if (isLocal(R.Kind))
    return addLocal(R, Sm, Local, Out);
  const unsigned PassLanes =
      PassBytes == 0 ? WarpLanes : std::clamp(PassBytes / R.Size, 1U, WarpLanes);
  if (PassLanes == WarpLanes && R.Affine && R.Mask == AllLanes && R.Stride == R.Size)
    return Out.add(R.Addresses[0], WarpLanes * R.Size);
  if (PassLanes == WarpLanes && R.Affine && R.Stride == 0 && R.Mask != 0)
    return Out.add(R.Addresses[0], R.Size);
  for (unsigned Lane = 0; Lane < WarpLanes; Lane += PassLanes) {
    uint32_t Left = R.Mask >> Lane;
    if (PassLanes < WarpLanes)
      Left &= (uint32_t(1) << PassLanes) - 1;
    for (; Left != 0; Left &= Left - 1)
      Out.add(R.address(Lane + static_cast<unsigned>(std::countr_zero(Left))), R.Size);
    Out.endPass();
  }
}

} // namespace gmprof::cache
