//===- BlockDeadlock.cpp - Reports where threads wait ---------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "cpu/engine/Block.h"
#include "cpu/engine/Launch.h"
#include "cpu/engine/Sites.h"
#include <map>

namespace gmprof::cpu {

/// Formats ascending numbers as "0-31, 40".
static std::string ranges(const std::vector<unsigned> &Numbers) {
  std::string Text;
  for (size_t I = 0; I < Numbers.size();) {
    size_t End = I + 1;
    while (End < Numbers.size() && Numbers[End] == Numbers[End - 1] + 1)
      ++End;
    Text += (Text.empty() ? "" : ", ") + std::to_string(Numbers[I]);
    if (End - I > 1)
      Text += "-" + std::to_string(Numbers[End - 1]);
    I = End;
  }
  return Text;
}

std::string Block::describeWaiting() const {
  std::map<std::string, std::vector<unsigned>> At;
  for (unsigned I = 0; I < NumThreads; ++I) {
    const Lane &L = Lanes[I];
    if (!(Warps[I / WarpSize].Live & bit(L)))
      continue;
    const Site S = siteOf(L.Site);
    At[S.What + " at " + S.Where].push_back(I);
  }
  std::string Text;
  for (const auto &[Place, Threads] : At)
    Text += (Text.empty() ? "" : "; ") + std::string(Threads.size() == 1 ? "thread " : "threads ") +
            ranges(Threads) + (Threads.size() == 1 ? " waits in " : " wait in ") + Place;
  if (NumLive < NumThreads)
    Text += "; " + std::to_string(NumThreads - NumLive) + " have exited";
  return Text;
}

void Block::reportDeadlock(const std::string &Why, const std::string &Remark) {
  const Lane *Waiting = &Lanes[0];
  while (!(Warps[Waiting->State.Warp].Live & bit(*Waiting)))
    ++Waiting;
  TheLaunch->report(*this, Waiting->State, FaultKind::Deadlock, 0,
                    "deadlock, " + Why + ": " + describeWaiting() + Remark);
}

} // namespace gmprof::cpu
