//===- Races.cpp - Race detector ------------------------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "cpu/engine/Races.h"
#include "cpu/engine/Faults.h"
#include "cpu/engine/Sites.h"

#include <algorithm>
#include <cstdlib>
#include <string_view>

namespace gmprof::cpu {

bool looksForRaces() {
  const char *Text = getenv("GMPROF_CPU_RACES");
  return Text && (std::string_view(Text) == "1" || std::string_view(Text) == "fail");
}

bool failsOfRaces() {
  const char *Text = getenv("GMPROF_CPU_RACES");
  return Text && std::string_view(Text) == "fail";
}

/// Returns whether an address is in the shared memory of the block's cluster.
static bool isShared(const BlockState &B, uint64_t Address) {
  return Address - B.PeersLow < B.PeersHigh - B.PeersLow;
}

void RaceDetector::access(const ThreadState &Thread, RaceOrder &Order, uint64_t Block,
                          uint64_t Address, uint64_t Bytes, uint32_t Kind, uint32_t Site) {
  if (Bytes == 0 || (Address >= Thread.StackLow && Address < Thread.StackHigh))
    return;
  const bool Shared = isShared(*Thread.Block, Address);
  const uint64_t End = Address + Bytes;
  for (uint64_t Number = Address / 4; Number * 4 < End; ++Number) {
    const uint64_t From = std::max(Address, Number * 4) % 4,
                   To = std::min(End - Number * 4, uint64_t(4));
    const auto Mask = static_cast<uint8_t>((1u << To) - (1u << From));
    accessWord(Thread, Order, Number,
               {Block, Thread.Linear, Order.Barrier, Order.WarpOps[Thread.Warp], Site, Mask,
                static_cast<uint8_t>(Kind)},
               Shared);
  }
  if (Kind & RaceAtomic) {
    Order.AtomicAt[Thread.Linear] = Order.Barrier;
    Order.Atomics = true;
  }
}

void RaceDetector::accessWord(const ThreadState &Thread, const RaceOrder &Order, uint64_t Number,
                              Access Now, bool Shared) {
  std::unique_ptr<Page> &P = Pages[Number / 1024];
  if (!P)
    P = std::make_unique<Page>();
  Word &W = (*P)[Number % 1024];
  const auto InOrder = [&](const Access &Before) {
    if (Before.Block != Now.Block)
      return Shared || Order.Atomics;
    return Before.Thread == Now.Thread || Before.Barrier != Now.Barrier ||
           Order.AtomicAt[Now.Thread] == Now.Barrier ||
           (Before.Thread / WarpSize == Now.Thread / WarpSize && Before.WarpOps != Now.WarpOps);
  };
  const auto Compare = [&](const Access &Before) {
    if (Before.Barrier == 0 || !(Before.Bytes & Now.Bytes) ||
        (Before.Kind & Now.Kind & RaceAtomic) || InOrder(Before) ||
        !Known.insert({Before.Site, Now.Site}).second)
      return;
    Race Found = {Before, Now, Number * 4, Shared, false, {}, {}};
    if (Found.Address - Thread.Block->SharedBase < Thread.Block->SharedBytes) {
      Found.Address -= Thread.Block->SharedBase;
      Found.Own = true;
    }
    std::copy_n(Thread.Block->BlockDim, 3, Found.BlockDim);
    std::copy_n(Thread.Block->GridDim, 3, Found.GridDim);
    Races.push_back(Found);
  };
  Compare(W.Write);
  if (Now.Kind & RaceWrites) {
    for (const Access &Read : W.Reads)
      Compare(Read);
    W = {Now, {}};
    return;
  }
  Access &First = W.Reads[0];
  const bool Same =
      First.Block == Now.Block && First.Thread != Now.Thread && First.Barrier == Now.Barrier;
  W.Reads[Same ? 1 : 0] = Now;
}

static std::string index(uint64_t Linear, const uint32_t (&Dim)[3]) {
  return "(" + std::to_string(Linear % Dim[0]) + "," + std::to_string(Linear / Dim[0] % Dim[1]) +
         "," + std::to_string(Linear / Dim[0] / Dim[1]) + ")";
}

std::string RaceDetector::place(const Race &R) {
  if (!R.Shared)
    return "global memory at " + hex(R.Address);
  return R.Own ? "shared memory, byte " + std::to_string(R.Address)
               : "shared memory of another block of the cluster, at " + hex(R.Address);
}

std::string RaceDetector::report(const std::string &Kernel, ReportedRaces &Reported) const {
  std::string Text;
  for (const Race &R : Races) {
    const Site Before = siteOf(R.Before.Site), Now = siteOf(R.Now.Site);
    const auto [First, Second] = std::minmax(Before.Where, Now.Where);
    if (!Reported.insert({Kernel, First, Second}).second)
      continue;
    const bool OtherBlock = R.Before.Block != R.Now.Block;
    Text += "gmprof: race in kernel " + Kernel + ", block " + index(R.Now.Block, R.GridDim) +
            ", thread " + index(R.Now.Thread, R.BlockDim) + ", " + Now.Where + ": " + Now.What +
            (R.Now.Kind & RaceWrites ? " to " : " of ") + place(R) + ", and " + Before.What +
            " by thread " + index(R.Before.Thread, R.BlockDim) +
            (OtherBlock ? " of block " + index(R.Before.Block, R.GridDim) : "") + ", " +
            Before.Where + ": nothing orders them\n";
  }
  return Text;
}

} // namespace gmprof::cpu
