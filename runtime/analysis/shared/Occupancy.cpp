//===- Occupancy.cpp - Resident blocks per multiprocessor -----------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "analysis/shared/Occupancy.h"

namespace gmprof::analysis {

using namespace profile;

static std::optional<Launch> launchWith(const Profile &P, uint32_t Kernel, const SharedArray &A) {
  for (const Launch &L : P.Launches)
    if (L.Kernel == Kernel && (!A.Dynamic || L.DynamicSharedBytes >= A.Bytes))
      return L;
  return std::nullopt;
}

uint64_t sharedBytesPerBlock(const Profile &P, uint32_t Kernel, const SharedArray &A) {
  const std::optional<Launch> L = launchWith(P, Kernel, A);
  return P.Kernels[Kernel].StaticSharedBytes + (L ? L->DynamicSharedBytes : 0);
}

bool weighFreedSharedMemory(Finding &F, const Profile &P, const SharedArray &A, uint64_t Bytes) {
  const Kernel &K = P.Kernels[F.Kernel];
  const std::optional<Launch> L = launchWith(P, F.Kernel, A);
  uint64_t PerBlock = sharedBytesPerBlock(P, F.Kernel, A);
  if (PerBlock != 0)
    F.Evidence.emplace_back("shared_bytes_per_block", PerBlock);
  if (!L || PerBlock < Bytes)
    return false;
  auto Device = std::find_if(P.Devices.begin(), P.Devices.end(),
                             [&](const profile::Device &D) { return D.Id == L->Device; });
  if (Device == P.Devices.end())
    return false;
  uint64_t Threads = uint64_t(L->Block[0]) * L->Block[1] * L->Block[2];
  auto Now = residentBlocks(*Device, PerBlock, Threads, K.Registers);
  auto Then = residentBlocks(*Device, PerBlock - Bytes, Threads, K.Registers);
  if (!Now || !Then)
    return false;
  F.Evidence.emplace_back("blocks_per_sm", *Now);
  F.Evidence.emplace_back("blocks_per_sm_after", *Then);
  return *Then > *Now;
}

} // namespace gmprof::analysis
