//===- Cluster.cpp - Cluster of blocks ------------------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "cpu/engine/Cluster.h"
#include "cpu/engine/Block.h"

#include <algorithm>

namespace gmprof::cpu {

void Cluster::add(Block &B, unsigned Threads) {
  Blocks.push_back(&B);
  Bases.push_back(B.state().SharedBase);
  Live += Threads;
}

void Cluster::complete() {
  for (Block *B : Blocks)
    B->setPeers(Bases);
}

void Cluster::arrive(Lane &L) {
  L.ArrivedIn = Turn;
  ++Arrived;
  releaseIfAllArrived();
}

bool Cluster::mustWait(const Lane &L) const { return L.ArrivedIn == Turn; }

void Cluster::threadEnded(Lane &L) {
  --Live;
  Arrived -= L.ArrivedIn == Turn;
  L.ArrivedIn = 0;
  releaseIfAllArrived();
}

void Cluster::leave(Block &B, unsigned LiveThreads) {
  *std::find(Blocks.begin(), Blocks.end(), &B) = nullptr;
  Live -= LiveThreads;
  Arrived -= B.arrivedIn(Turn);
  releaseIfAllArrived();
}

void Cluster::releaseIfAllArrived() {
  if (Arrived == 0 || Arrived != Live)
    return;
  Arrived = 0;
  ++Turn;
  for (Block *B : Blocks)
    if (B)
      B->releaseFromCluster();
}

} // namespace gmprof::cpu
