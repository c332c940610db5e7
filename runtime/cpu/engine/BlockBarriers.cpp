//===- BlockBarriers.cpp - Barriers of a block and of its cluster ---------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "cpu/engine/Block.h"
#include "cpu/engine/Cluster.h"
#include "cpu/engine/Launch.h"
#include <algorithm>
#include <bit>

namespace gmprof::cpu {

uint32_t Block::barrier(Lane &L, uint32_t Site, BarrierKind Kind, uint32_t Id, uint32_t Count,
                        bool Predicate) {
  Id %= NumBarriers;
  Barrier &Bar = Barriers[Id];
  UsedBarriers |= 1u << Id;
  ++Bar.Arrived;
  Bar.Count = Count == NumThreads ? 0 : Count;
  Bar.True += Predicate;
  L.Site = Site;
  if (Kind == BarrierKind::Arrive) {
    if (isComplete(Bar))
      complete(Bar);
    return 0;
  }
  Bar.Waiting[L.State.Warp] |= bit(L);
  // Each thread computes its result from the counts at the barrier's completion.
  bool Reduces = Kind != BarrierKind::Sync;
  Bar.Reducing += Reduces;
  if (isComplete(Bar)) {
    complete(Bar);
    CurrentWarp = std::countr_zero(ReadyWarps); // all continue in order
  }
  stop(L);
  if (!Reduces)
    return 0;
  auto Arrived = uint32_t(L.Result >> 32), True = uint32_t(L.Result);
  switch (Kind) {
  case BarrierKind::And:
    return True == Arrived;
  case BarrierKind::Or:
    return True != 0;
  default:
    return True;
  }
}

/// Returns whether a barrier is complete. Threads that have exited count as arrived, unless the
/// barrier is for a part of the block.
bool Block::isComplete(const Barrier &Bar) const {
  return Bar.Arrived >= (Bar.Count ? Bar.Count : NumLive);
}

void Block::complete(Barrier &Bar) {
  uint64_t Result = uint64_t(Bar.Arrived) << 32 | Bar.True;
  for (unsigned I = 0; I * WarpSize < NumThreads; ++I) {
    uint32_t Waiting = std::exchange(Bar.Waiting[I], 0);
    if (!Waiting)
      continue;
    if (Bar.Reducing)
      for (uint32_t Rest = Waiting; Rest; Rest &= Rest - 1)
        Lanes[I * WarpSize + std::countr_zero(Rest)].Result = Result;
    Warps[I].Runnable |= Waiting;
    ReadyWarps |= 1u << I;
  }
  Bar.Arrived = Bar.True = Bar.Reducing = 0;
  if (Order)
    ++Order->Barrier;
  Progress = true;
}

/// Completes barriers for which an exited thread was the last to wait for.
void Block::completeBarriers() {
  for (uint32_t Rest = UsedBarriers; Rest; Rest &= Rest - 1)
    if (Barrier &Bar = Barriers[std::countr_zero(Rest)]; Bar.Arrived && isComplete(Bar))
      complete(Bar);
}

/// Completes a barrier for a part of the block by counting whole warps, including exited threads,
/// as hardware does. Used only when the block cannot proceed otherwise.
bool Block::releaseByWarps() {
  for (uint32_t Used = UsedBarriers; Used; Used &= Used - 1) {
    Barrier &Bar = Barriers[std::countr_zero(Used)];
    uint32_t Arrived = 0;
    for (unsigned I = 0; I * WarpSize < NumThreads; ++I)
      if (Bar.Waiting[I] && (Bar.Waiting[I] & Warps[I].Live) == Warps[I].Live)
        Arrived += WarpSize;
    if (!Bar.Count || !Arrived || Arrived < Bar.Count)
      continue;
    complete(Bar);
    CurrentWarp = std::countr_zero(ReadyWarps);
    return true;
  }
  return false;
}

//===----------------------------------------------------------------------===//
// Cluster
//===----------------------------------------------------------------------===//

void Block::join(std::shared_ptr<Cluster> Of) {
  TheCluster = std::move(Of);
  TheCluster->add(*this, NumLive);
  for (unsigned I = 0; I < NumLanes; ++I)
    Lanes[I].ArrivedIn = 0;
}

Cluster &Block::cluster() {
  if (!TheCluster)
    join(std::make_shared<Cluster>());
  return *TheCluster;
}

void Block::setPeers(std::span<const uint64_t> Bases) {
  const auto [Low, High] = std::minmax_element(Bases.begin(), Bases.end());
  State.PeerBases = Bases.data();
  State.PeersLow = *Low;
  State.PeersHigh = *High + State.SharedBytes;
}

void Block::waitForCluster(Lane &L, uint32_t Site) {
  if (!cluster().mustWait(L))
    return;
  L.Site = Site;
  AtCluster[L.State.Warp] |= bit(L);
  ++NumAtCluster;
  stop(L);
}

void Block::releaseFromCluster() {
  for (unsigned I = 0; NumAtCluster && I * WarpSize < NumThreads; ++I)
    if (uint32_t Waiting = std::exchange(AtCluster[I], 0)) {
      Warps[I].Runnable |= Waiting;
      ReadyWarps |= 1u << I;
    }
  NumAtCluster = 0;
  if (Order) {
    ++Order->Barrier;
    Order->Atomics = true; // it may have waited for other blocks by the barrier
  }
  Progress = true;
}

unsigned Block::arrivedIn(uint32_t Turn) const {
  return std::count_if(&Lanes[0], &Lanes[NumLanes],
                       [&](const Lane &L) { return L.ArrivedIn == Turn; });
}

void Block::leaveCluster() {
  if (std::shared_ptr<Cluster> Left = std::exchange(TheCluster, nullptr))
    Left->leave(*this, NumLive);
}

} // namespace gmprof::cpu
