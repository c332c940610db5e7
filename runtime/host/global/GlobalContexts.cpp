//===- GlobalContexts.cpp - Counters of global memory ---------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "host/global/GlobalContexts.h"
#include "profile/Mutex.h"
#include <algorithm>
#include <cstring>
#include <tuple>

namespace gmprof::host {

/// Totals and counters begin where 64-byte lines do.
static constexpr size_t TotalsBytes = 64;
static_assert(sizeof(GmprofGlobalTotals) <= TotalsBytes);

GlobalContexts::GlobalContexts(Device &D, Recorder &Log, const Options &O, ContextLimits Limits)
    : LaunchContexts(D, Log, Limits), ElementsProfile(O.Profiles.has(ProfileChoice::Elements)),
      Memory(D, O.Memory), Sums(Log) {}

ContextLimits GlobalContexts::limits() {
  ContextLimits Limits;
  Limits.Outstanding = 64;
  Limits.PartBytes = size_t(16) << 20;
  Limits.SingleLaunches = 16;
  Limits.LargeBytes = size_t(1) << 20;
  return Limits;
}

LaunchContext *GlobalContexts::acquire(const std::shared_ptr<const GlobalCase> &Case,
                                       CUstream Stream, bool Capturing, std::string &Why) {
  return LaunchContexts::acquire(Wanted{{Case->Kernel, Case->Place}, Case}, Stream, Capturing, Why);
}

bool GlobalContexts::fits(const LaunchContext &C, const ContextShape &Shape) const {
  const GlobalCase &Case = *static_cast<const Wanted &>(Shape).Case;
  const auto &Global = static_cast<const GlobalContext &>(C);
  return counts(C, Case) || (!Shape.InGraph && !C.InGraph && !Global.Apart && !isApart(Case) &&
                             Global.Case->countsLike(Case));
}

size_t GlobalContexts::counterBytes(const ContextShape &Shape) const {
  return static_cast<const Wanted &>(Shape).Case->counterBytes();
}

uint64_t GlobalContexts::mostLaunches(const ContextShape &Shape) const {
  const GlobalCase &Case = *static_cast<const Wanted &>(Shape).Case;
  if (Case.OfOneLaunch)
    return 1;
  const bool HasThreshold =
      Case.Threshold != 0 && std::any_of(Case.Objects.begin(), Case.Objects.end(),
                                         [](const CountedObject &O) { return O.Replicas == 0; });
  if (!HasThreshold)
    return Limits.BatchLaunches;
  const std::optional<uint64_t> Most = Sums.mostPerLaunch(Case.Kernel);
  if (!Most)
    return 1;
  // Twice as many as ever before would still be counted.
  const uint64_t Fitting = Case.Threshold / (2 * std::max<uint64_t>(*Most, 1));
  return std::clamp<uint64_t>(Fitting, 1, Limits.BatchLaunches);
}

void GlobalContexts::chooseParts(GlobalContext &C, size_t Bytes) const {
  const GlobalCase &Case = *C.Case;
  std::vector<std::pair<uint64_t, GlobalContext::Part>> Candidates; // by times counted
  for (size_t I = 0; I < Case.Objects.size(); ++I) {
    const CountedObject &O = Case.Objects[I];
    for (unsigned Kind = 0; Kind < GMPROF_COUNTER_KINDS; ++Kind) {
      if (((O.Kinds >> Kind) & 1) == 0)
        continue;
      auto Times = TimesCounted.find({Case.Kernel, O.Id, Kind});
      Candidates.push_back(
          {Times == TimesCounted.end() ? 0 : Times->second,
           {I, static_cast<GmprofCounterKind>(Kind), 0, host::counterBytes(O, Case.CounterBits)}});
    }
  }
  std::sort(Candidates.begin(), Candidates.end(), [](const auto &A, const auto &B) {
    return std::tie(A.first, A.second.Object, A.second.Kind) <
           std::tie(B.first, B.second.Object, B.second.Kind);
  });
  C.Bytes = TotalsBytes;
  C.Parts.clear();
  std::set<size_t> LeftOut;
  for (auto &[Times, P] : Candidates) {
    if (P.Bytes > Bytes) {
      LeftOut.insert(P.Object);
      continue;
    }
    Bytes -= P.Bytes;
    P.Offset = C.Bytes;
    C.Bytes += P.Bytes;
    C.Parts.push_back(P);
  }
  C.LeftOut = LeftOut.size();
}

bool GlobalContexts::isApart(const GlobalCase &Case) const {
  if (Case.OfOneLaunch) // which are few
    return true;
  auto OfKernel = Apart.find(Case.Kernel);
  return OfKernel != Apart.end() && OfKernel->second.count(Case.Context) != 0;
}

void GlobalContexts::keepApart(const GlobalCase &Case) {
  constexpr size_t MostApart = 64; // the log would grow without bound
  if (!ElementsProfile || Case.OfOneLaunch)
    return;
  std::set<uint64_t> &OfKernel = Apart[Case.Kernel];
  if (OfKernel.size() < MostApart)
    OfKernel.insert(Case.Context);
}

std::unique_ptr<LaunchContext> GlobalContexts::make(const ContextShape &Shape, bool Spare) {
  auto C = std::make_unique<GlobalContext>();
  C->Case = static_cast<const Wanted &>(Shape).Case;
  const GlobalCase &Case = *C->Case;
  keepApart(Case);
  C->Apart = isApart(Case);
  size_t Table = Case.Table ? Case.Objects.size() * sizeof(GmprofGlobalObject) : 0;
  size_t Available = Memory.available();
  if (TotalsBytes + Case.counterBytes() + Table > Available && !Spare)
    return nullptr; // sharing is better than leaving objects out
  Available -= std::min(Available, TotalsBytes + Table);
  std::optional<SlabPool::Block> Block;
  // There may be less than was free at first.
  for (size_t Bytes = std::min<size_t>(Case.counterBytes(), Available); !Block; Bytes /= 2) {
    chooseParts(*C, Bytes);
    Block = Memory.allocate(C->Bytes + Table);
    if (!Block && Bytes == 0)
      return nullptr;
  }
  C->Memory = *Block;
  C->GraphKey = C->Memory.Address;
  if (Table != 0 && !uploadTable(*C, C->Bytes)) {
    release(*C);
    return nullptr;
  }
  if (C->LeftOut != 0)
    for (const GlobalContext::Part &P : C->Parts)
      ++TimesCounted[{Case.Kernel, Case.Objects[P.Object].Id, static_cast<uint64_t>(P.Kind)}];
  return C;
}

/// Returns a copy that owns nothing of the original.
std::unique_ptr<LaunchContext> GlobalContexts::copyOf(const LaunchContext &C) const {
  auto Copy = std::make_unique<GlobalContext>(static_cast<const GlobalContext &>(C));
  Copy->Table = {};
  return Copy;
}

GmprofGlobalObject GlobalContexts::objectIn(const GlobalContext &C, size_t Object) const {
  const CountedObject &O = C.Case->Objects[Object];
  GmprofGlobalObject To = {};
  To.base = O.Address;
  To.bytes = O.Bytes;
  To.elementShift = O.ElementShift;
  To.replicas = static_cast<gmprof_u16>(O.Replicas);
  To.replicaShift = static_cast<gmprof_u16>(O.ReplicaShift);
  for (const GlobalContext::Part &P : C.Parts)
    if (P.Object == Object)
      To.counters[P.Kind] = C.Memory.Address + P.Offset;
  return To;
}

bool GlobalContexts::uploadTable(GlobalContext &C, size_t At) {
  std::vector<GmprofGlobalObject> Table;
  for (size_t I = 0; I < C.Case->Objects.size(); ++I)
    Table.push_back(objectIn(C, I));
  size_t Bytes = Table.size() * sizeof(GmprofGlobalObject);
  std::optional<SlabPool::Block> Copy = D.pinned().allocate(Bytes);
  if (!Copy)
    return false;
  C.Table = *Copy;
  std::memcpy(reinterpret_cast<void *>(Copy->Address), Table.data(), Bytes);
  return D.upload(C.Memory.Address + At, Copy->Address, Bytes) == CUDA_SUCCESS;
}

GmprofGlobalLaunch GlobalContexts::parameter(const LaunchContext &Of) const {
  const auto &C = static_cast<const GlobalContext &>(Of);
  GmprofGlobalLaunch P = {};
  P.totals = C.Memory.Address;
  P.blockSample = C.Case->BlockSample;
  if (C.Case->Table) {
    P.objects = C.Memory.Address + C.Bytes;
    P.objectCount = static_cast<gmprof_u32>(C.Case->Objects.size());
  }
  for (unsigned R = 0; R < GMPROF_GLOBAL_ROOTS; ++R)
    if (C.Case->Roots[R] >= 0)
      P.roots[R] = objectIn(C, C.Case->Roots[R]);
  return P;
}

void GlobalContexts::release(LaunchContext &Of) {
  auto &C = static_cast<GlobalContext &>(Of);
  Memory.release(C.Memory);
  if (C.Table.Bytes != 0)
    D.pinned().release(C.Table);
}

static CountsKey keyOf(const GlobalContext::Part &P, const GlobalContext &C) {
  const GlobalCase &Case = *C.Case;
  const CountedObject &O = Case.Objects[P.Object];
  return {O.Id,
          Case.Kernel,
          static_cast<uint32_t>(P.Kind),
          O.ElementShift,
          O.Replicas != 0 ? 0 : Case.Threshold,
          Case.BlockSample,
          C.Apart ? Case.Context : 0};
}

/// Records the totals of a context. Cases that share counters have common totals: the first one's
/// record holds them.
void GlobalContexts::addTotals(const GlobalContext &C, const GmprofGlobalTotals &Totals) {
  std::map<uint64_t, uint64_t> Launches = C.LaunchesOfCase;
  if (Launches.empty())
    Launches[C.Case->Context] = C.Launches;
  log::GlobalTotalsRecord Record = {0, 0, Totals.blocks, Totals.threads, Totals.outside};
  for (const auto &[Case, Number] : Launches) {
    Record.context = Case;
    Record.launches = Number;
    Sums.totals(Record);
    Record.blocks = Record.threads = Record.outside = 0;
  }
}

uint64_t GlobalContexts::launchesIn(const LaunchContext &C,
                                    std::span<const std::byte> Counts) const {
  GmprofGlobalTotals Totals;
  std::memcpy(&Totals, Counts.data(), sizeof(Totals));
  return Totals.blocks / static_cast<const GlobalContext &>(C).Case->CountedBlocks;
}

void GlobalContexts::emit(const LaunchContext &Of, std::span<const std::byte> Copy) {
  const auto &C = static_cast<const GlobalContext &>(Of);
  const GlobalCase &Case = *C.Case;
  if (C.ReadFrom == 0) {
    GmprofGlobalTotals Totals;
    std::memcpy(&Totals, Copy.data(), sizeof(Totals));
    addTotals(C, Totals);
  }
  for (const GlobalContext::Part &P : C.Parts) {
    // The padding behind the last counter is not counted in.
    const CountedObject &O = Case.Objects[P.Object];
    const unsigned Bits = O.counterBits(Case.CounterBits);
    size_t Used = O.elements() * (Bits / 8);
    for (size_t R = 0; R < std::max(O.Replicas, 1u); ++R) {
      size_t First = P.Offset + (R << O.ReplicaShift);
      size_t Begin = std::max(First, C.ReadFrom);
      size_t End = std::min(First + Used, C.ReadFrom + Copy.size());
      if (Begin < End)
        Sums.add(keyOf(P, C), (Begin - First) / (Bits / 8),
                 Copy.subspan(Begin - C.ReadFrom, End - Begin), Bits, C.Launches);
    }
  }
}

void GlobalContexts::emitted(const LaunchContext &Of) {
  const auto &C = static_cast<const GlobalContext &>(Of);
  for (const GlobalContext::Part &P : C.Parts)
    Sums.launches(keyOf(P, C), C.Launches);
  NotCounted += C.LeftOut * C.Launches;
}

void GlobalContexts::objectReleased(uint64_t Object) {
  poll();
  Sums.flush(Object);
  LockGuard Guard(Lock);
  std::erase_if(TimesCounted, [&](const auto &Each) { return Each.first[1] == Object; });
}

void GlobalContexts::finish() {
  Sums.flushAll();
  LockGuard Guard(Lock);
  if (NotCounted != 0)
    Log.gap("objects of launches",
            "there was no device memory for their counters: raise memory=, or compare launches, "
            "which count different objects",
            NotCounted);
  NotCounted = 0;
}

bool GlobalContexts::giveBackMemory() {
  finishEnded(/*All=*/true);
  LockGuard Guard(Lock);
  DriverScope Scope(D.api(), D.context());
  return Memory.giveBack();
}

size_t GlobalContexts::availableBytes() {
  LockGuard Guard(Lock);
  DriverScope Scope(D.api(), D.context());
  return Memory.available();
}

size_t GlobalContexts::peakBytes() const {
  LockGuard Guard(Lock);
  return Memory.peak();
}

} // namespace gmprof::host
