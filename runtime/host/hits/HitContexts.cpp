//===- HitContexts.cpp - Which objects launches accessed ------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "host/hits/HitContexts.h"
#include <algorithm>
#include <bit>
#include <cstring>

namespace gmprof::host {

/// Blocks that set the same hit at the same time do so in different lines.
static constexpr uint32_t MostReplicas = 16, SmallestReplica = 32;
static constexpr size_t MostSlotBytes = 4096, ContextBytes = size_t(64) << 10;

ContextLimits HitContexts::limits() {
  ContextLimits Limits;
  Limits.SingleLaunches = 0;
  Limits.BatchLaunches = 256;
  return Limits;
}

static uint32_t replicaBytes(const LaunchObjects &Objects) {
  return std::max(std::bit_ceil(static_cast<uint32_t>(Objects.hitBytes())), SmallestReplica);
}

static uint32_t chooseReplicas(const LaunchObjects &Objects, uint64_t Blocks) {
  uint32_t Replicas = MostReplicas;
  while (Replicas > 1 && (Replicas > std::bit_ceil(Blocks) ||
                          size_t(Replicas) * replicaBytes(Objects) > MostSlotBytes))
    Replicas /= 2;
  return Replicas;
}

LaunchContext *HitContexts::acquire(uint32_t Kernel, bool InGraph,
                                    const std::shared_ptr<const LaunchObjects> &Objects,
                                    uint64_t Blocks, CUstream Stream, bool Capturing, size_t &Slot,
                                    std::string &Why) {
  LaunchContext *Of = LaunchContexts::acquire(
      Wanted{{Kernel, InGraph ? LaunchPlace::Graph : LaunchPlace::Stream}, Objects, Blocks}, Stream,
      Capturing, Why);
  if (!Of)
    return nullptr;
  auto &C = static_cast<HitContext &>(*Of);
  Slot = C.Taken.fetch_add(1);
  if (Slot < C.Slots.size()) {
    C.Slots[Slot].Objects = Objects;
    return Of;
  }
  abandoned(Of); // other threads were quicker
  Why = "there was no room for its hits";
  return nullptr;
}

uint64_t HitContexts::mostLaunches(const ContextShape &Shape) const {
  const auto &W = static_cast<const Wanted &>(Shape);
  const size_t Bytes = size_t(chooseReplicas(*W.Objects, W.Blocks)) * replicaBytes(*W.Objects);
  return std::clamp<uint64_t>(ContextBytes / Bytes, 1, Limits.BatchLaunches);
}

bool HitContexts::fits(const LaunchContext &Of, const ContextShape &Shape) const {
  const auto &C = static_cast<const HitContext &>(Of);
  const auto &W = static_cast<const Wanted &>(Shape);
  return C.Kernel == W.Kernel && C.InGraph == W.InGraph && C.Ranges == W.Objects->Ranges &&
         C.FlagBytes == W.Objects->FlagBytes &&
         C.Replicas == chooseReplicas(*W.Objects, W.Blocks) && C.Taken < C.Slots.size();
}

std::unique_ptr<LaunchContext> HitContexts::make(const ContextShape &Shape, bool Spare) {
  const auto &W = static_cast<const Wanted &>(Shape);
  auto C = std::make_unique<HitContext>();
  C->Slots.resize(W.InGraph ? 1 : mostLaunches(W));
  C->Ranges = W.Objects->Ranges;
  C->FlagBytes = W.Objects->FlagBytes;
  C->Replicas = chooseReplicas(*W.Objects, W.Blocks);
  C->ReplicaShift = static_cast<uint32_t>(std::countr_zero(replicaBytes(*W.Objects)));
  C->Bytes = C->slotBytes() * C->Slots.size();
  std::optional<SlabPool::Block> Memory =
      D.memory().allocate(C->Bytes, Spare ? 4 * Limits.Bytes : Limits.Bytes);
  if (!Memory)
    return nullptr;
  C->Memory = *Memory;
  C->GraphKey = C->Memory.Address;
  if (C->Ranges && !C->Ranges->Ranges.empty() && !uploadTable(*C)) {
    release(*C);
    return nullptr;
  }
  return C;
}

bool HitContexts::uploadTable(HitContext &C) {
  const std::vector<GmprofObjectRange> &Ranges = C.Ranges->Ranges;
  const size_t Bytes = Ranges.size() * sizeof(Ranges[0]);
  std::optional<SlabPool::Block> Table = D.memory().allocate(Bytes), Copy;
  if (Table)
    Copy = D.pinned().allocate(Bytes);
  if (!Copy) {
    if (Table)
      D.memory().release(*Table);
    return false;
  }
  C.Table = *Table;
  C.TableCopy = *Copy;
  std::memcpy(reinterpret_cast<void *>(Copy->Address), Ranges.data(), Bytes);
  return D.upload(Table->Address, Copy->Address, Bytes) == CUDA_SUCCESS;
}

void HitContexts::release(LaunchContext &Of) {
  auto &C = static_cast<HitContext &>(Of);
  D.memory().release(C.Memory);
  if (C.Table.Bytes == 0)
    return;
  D.pinned().release(C.TableCopy);
  // That memory has to be zero again.
  if (D.api().cuMemsetD8Async(C.Table.Address, 0, C.Table.Bytes, D.stream()) == CUDA_SUCCESS &&
      D.zeroing() == CUDA_SUCCESS)
    D.memory().release(C.Table);
}

GmprofObjectsLaunch HitContexts::parameter(const LaunchContext &Of, size_t Slot) const {
  const auto &C = static_cast<const HitContext &>(Of);
  GmprofObjectsLaunch P = {};
  P.objects = C.Table.Address;
  P.hits = C.Memory.Address + Slot * C.slotBytes();
  P.objectCount = C.Ranges ? static_cast<gmprof_u32>(C.Ranges->Ranges.size()) : 0;
  P.objectHits = C.FlagBytes;
  P.replicas = C.Replicas;
  P.replicaShift = C.ReplicaShift;
  return P;
}

void HitContexts::recorded(LaunchContext &Of, size_t Slot, uint64_t Launch) {
  static_cast<HitContext &>(Of).Slots[Slot].Launch = Launch;
}

void HitContexts::emit(const LaunchContext &Of, std::span<const std::byte> Copy) {
  const auto &C = static_cast<const HitContext &>(Of);
  for (size_t I = 0; I < C.Slots.size(); ++I) {
    const HitContext::Slot &S = C.Slots[I];
    if (S.Launch == 0)
      continue;
    std::vector<std::byte> Hits(size_t(1) << C.ReplicaShift);
    for (size_t R = 0; R < C.Replicas; ++R)
      for (size_t At = 0; At < Hits.size(); ++At)
        Hits[At] |= Copy[I * C.slotBytes() + (R << C.ReplicaShift) + At];
    Log.launchAccesses(S.Launch, S.Objects->withHits(Hits, Sets));
    Outside += Hits[GMPROF_HIT_OUTSIDE] != std::byte{0};
  }
}

void HitContexts::finish() {
  if (const uint64_t Count = Outside.exchange(0))
    Log.gap("launches whose accesses are not all known",
            "they also accessed memory that is in no known object, as that of malloc in a kernel "
            "or of cuMemAlloc is",
            Count);
}

} // namespace gmprof::host
