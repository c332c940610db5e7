//===- HeatReach.cpp - Where a launch's closed forms access memory --------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "profile/HeatReach.h"
#include "profile/Saturating.h"
#include "profile/WarpRequests.h"

namespace gmprof {

using namespace profile;

std::optional<HeatReach> reachOf(const HeatForm &Form, const ClosedForm &Words,
                                 const DescribedLaunch &Launch) {
  const std::optional<BoundForm> Bound =
      bindForm(Words, {Launch.Grid, Launch.Block, Launch.Values, {}});
  if (!Bound)
    return std::nullopt;
  const WarpRequests Requests(*Bound, Form.ProgramLoops, Launch.Grid, Launch.Block);
  if (!Requests.evaluable())
    return std::nullopt;
  HeatReach Reach;
  Reach.Requests = mulSaturating(mulSaturating<uint64_t>(Requests.mostOfBlock(), Form.pieces()),
                                 Launch.Noted.count(Launch.blocks()));
  Reach.Lowest = Bound->LowestAddress + Form.Offset;
  Reach.Highest = Bound->HighestAddress + Form.Offset + int64_t(Form.Bytes) - 1;
  return Reach;
}

} // namespace gmprof
