//===- Block.cpp - Execution of the threads of one block ------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "cpu/engine/Block.h"
#include "cpu/engine/Collectives.h"
#include "cpu/engine/Launch.h"
#include "cpu/engine/Switch.h"

#include <algorithm>
#include <bit>

namespace gmprof::cpu {

/// Read by signal handlers; the TLS model avoids a lazy allocation there.
[[gnu::tls_model("initial-exec")]] static thread_local Block *Current;

Block *currentBlock() { return Current; }

static_assert(offsetof(Lane, State) == 0);

//===----------------------------------------------------------------------===//
// Set-up
//===----------------------------------------------------------------------===//

/// Returns the start of a stack. Stacks are whole pages apart and would all map to the same cache
/// sets, so each starts slightly lower than the last.
static char *stackTop(const StackRow &Stacks, size_t I) {
  constexpr size_t Step = 192, Turn = 21;
  return Stacks.high(I) - (I % Turn) * Step;
}

bool Block::prepare(Launch &L) {
  TheLaunch = &L;
  Kernel = &L.Kernel;
  NumThreads = L.Config.Block.X * L.Config.Block.Y * L.Config.Block.Z;
  const LaunchConfig &C = L.Config;
  State = {};
  const unsigned Block[] = {C.Block.X, C.Block.Y, C.Block.Z};
  const unsigned Grid[] = {C.Grid.X, C.Grid.Y, C.Grid.Z};
  const Dim3 InCluster = C.Cluster.value_or(Dim3());
  const unsigned Cluster[] = {InCluster.X, InCluster.Y, InCluster.Z};
  std::copy_n(Block, 3, State.BlockDim);
  std::copy_n(Grid, 3, State.GridDim);
  std::copy_n(Cluster, 3, State.ClusterDim);
  for (int I = 0; I < 3; ++I)
    State.ClusterGrid[I] = Grid[I] / Cluster[I];
  State.ClusterSize = C.clusterSize();
  State.ExplicitCluster = C.Cluster.has_value();
  State.GridId = L.GridId;
  State.DynamicOffset = uint32_t(Kernel->DynamicOffset);
  State.DynamicBytes = uint32_t(C.DynamicShared);
  State.SharedBytes =
      C.DynamicShared ? Kernel->DynamicOffset + C.DynamicShared : Kernel->StaticShared;
  State.SharedBase = Window.resize(State.SharedBytes, ReservedSharedBytes);
  State.ReservedShared = State.SharedBase - ReservedSharedBytes;
  State.ConstantLow = L.ConstantLow;
  State.ConstantHigh = L.ConstantHigh;
  State.GridWorkspace = L.Config.Cooperative ? uint64_t(&L.Workspace) : 0;
  State.Params = L.Params.get();
  State.ParamsEnd = State.Params + L.Kernel.ParamBytes;
  return State.SharedBase != 0 && prepareLanes(C.Block);
}

bool Block::prepareLanes(const Dim3 &NewShape) {
  unsigned NumFibers = Kernel->NeedsFibers ? NumThreads : 1;
  if (NumFibers > NumLanes) {
    Lanes = std::make_unique<Lane[]>(NumFibers);
    NumLanes = NumFibers;
    Shape = {0, 0, 0};
  }
  // Fibers, and the addresses of their stacks, persist across launches.
  const char *Before = Stacks.count() ? Stacks.low(0) : nullptr;
  size_t BytesBefore = Stacks.stackBytes();
  if (!Stacks.reserve(NumLanes, Kernel->StackBytes))
    return false;
  if (Stacks.low(0) != Before || Stacks.stackBytes() != BytesBefore)
    Shape = {0, 0, 0};

  if (Shape.X != NewShape.X || Shape.Y != NewShape.Y || Shape.Z != NewShape.Z) {
    for (unsigned I = 0; I < NumLanes; ++I) {
      Lane &Lane = Lanes[I];
      Lane.Owner = this;
      Lane.Started = false;
      Lane.State = {};
      Lane.State.Block = &State;
      Lane.State.ThreadIdx[0] = I % NewShape.X;
      Lane.State.ThreadIdx[1] = I / NewShape.X % NewShape.Y;
      Lane.State.ThreadIdx[2] = I / NewShape.X / NewShape.Y;
      Lane.State.Linear = I;
      Lane.State.Lane = I % WarpSize;
      Lane.State.Warp = I / WarpSize;
      Lane.State.StackLow = uint64_t(Stacks.low(I));
      Lane.State.StackHigh = uint64_t(Stacks.high(I));
    }
    Shape = NewShape;
  }
  return true;
}

/// Sets the block's position in the grid and in its cluster.
void Block::locate() {
  constexpr uint32_t NumSms = 132;
  State.BlockIdx[0] = uint32_t(Index % State.GridDim[0]);
  State.BlockIdx[1] = uint32_t(Index / State.GridDim[0] % State.GridDim[1]);
  State.BlockIdx[2] = uint32_t(Index / State.GridDim[0] / State.GridDim[1]);
  State.SmId = uint32_t(Index % NumSms);
  for (int I = 0; I < 3; ++I) {
    State.ClusterIdx[I] = State.BlockIdx[I] / State.ClusterDim[I];
    State.InCluster[I] = State.BlockIdx[I] % State.ClusterDim[I];
  }
  State.ClusterRank =
      State.InCluster[0] +
      State.ClusterDim[0] * (State.InCluster[1] + State.ClusterDim[1] * State.InCluster[2]);
}

void Block::start(uint64_t NewIndex, std::shared_ptr<Cluster> Of) {
  Index = NewIndex;
  locate();
  NumLive = Kernel->NeedsFibers ? NumThreads : 1;
  ReadyWarps = 0;
  for (unsigned W = 0; W * WarpSize < NumLive; ++W) {
    unsigned InWarp = std::min(NumLive - W * WarpSize, WarpSize);
    uint32_t All = InWarp == WarpSize ? ~0u : (1u << InWarp) - 1;
    Warps[W] = {All, All, 0, 0, false};
    ReadyWarps |= 1u << W;
  }
  CurrentWarp = 0;
  for (; UsedBarriers; UsedBarriers &= UsedBarriers - 1)
    Barriers[std::countr_zero(UsedBarriers)] = {};
  NumAtCluster = 0;
  std::fill_n(AtCluster, MaxWarps, 0);
  setPeers({&State.SharedBase, 1});
  TheCluster = nullptr;
  if (Of)
    join(std::move(Of));
  Progress = Ends = true;
  Order = TheLaunch->Races ? std::make_unique<RaceOrder>() : nullptr;
}

//===----------------------------------------------------------------------===//
// Execution
//===----------------------------------------------------------------------===//

Block::Status Block::run() {
  Current = this;
  if (Lane *First = next()) {
    Running = First;
    announce(First);
    gm_switch(&WorkerSp, First->Sp);
    arriveOnStack();
  }
  Current = nullptr;
  return Ended;
}

/// Executes one GPU thread of one block per iteration.
void Block::fiberMain(void *Argument) {
  Lane &L = *static_cast<Lane *>(Argument);
  arriveOnStack();
  while (true) {
    L.State.CallDepth = 0;
    if (L.Owner->Kernel->NeedsFibers)
      L.Owner->Kernel->Entry(&L.State);
    else
      L.Owner->runOneAfterAnother(L);
    L.Owner->threadEnded(L);
    L.Owner->stop(L);
  }
}

void Block::runOneAfterAnother(Lane &L) {
  ThreadState &T = L.State;
  uint32_t Linear = 0;
  for (uint32_t Z = 0; Z < State.BlockDim[2]; ++Z)
    for (uint32_t Y = 0; Y < State.BlockDim[1]; ++Y)
      for (uint32_t X = 0; X < State.BlockDim[0]; ++X, ++Linear) {
        T.ThreadIdx[0] = X;
        T.ThreadIdx[1] = Y;
        T.ThreadIdx[2] = Z;
        T.Linear = Linear;
        T.Lane = Linear % WarpSize;
        T.Warp = Linear / WarpSize;
        Kernel->Entry(&T);
        if (TheLaunch->isCancelled(Index)) [[unlikely]]
          break;
      }
  // The scheduler knows only the first lane.
  T.ThreadIdx[0] = T.ThreadIdx[1] = T.ThreadIdx[2] = 0;
  T.Linear = T.Lane = T.Warp = 0;
}

/// Switches from L's stack to that of the next runnable thread.
void Block::stop(Lane &L) {
  Lane *Next = next();
  if (Next == &L && L.Started)
    return;
  if (Next)
    Running = Next;
  announce(Next);
  gm_switch(&L.Sp, Next ? Next->Sp : WorkerSp);
  arriveOnStack();
}

/// Announces a switch to a thread, or to the worker if Next is null.
void Block::announce(const Lane *Next) {
  if (Next)
    announceSwitch(reinterpret_cast<const char *>(Next->State.StackLow),
                   reinterpret_cast<const char *>(Next->State.StackHigh));
  else
    announceSwitchToThread();
}

void Block::exitThread(Lane &L) {
  L.Started = false;
  threadEnded(L);
  stop(L);
  __builtin_unreachable();
}

void Block::threadEnded(Lane &L) {
  Warps[L.State.Warp].Live &= ~bit(L);
  --NumLive;
  Progress = Ends = true;
  if (UsedBarriers)
    completeBarriers();
  if (TheCluster)
    TheCluster->threadEnded(L);
}

/// Prefetches the saved registers of the thread after the next one: a switch is bound by their
/// latency.
void Block::prefetchNext(const Warp &W) const {
  if (!W.Runnable)
    return;
  const Lane &Next = Lanes[CurrentWarp * WarpSize + std::countr_zero(W.Runnable)];
  // An integer, because a thread that never started has no stack.
  const auto Sp = uint64_t(Next.Sp);
  for (unsigned Line = 0; Line < 4; ++Line)
    __builtin_prefetch(reinterpret_cast<const void *>(Sp + Line * 64), 1);
}

/// Returns the next thread to run, or null if the block returns to its worker; then Ended is set.
Lane *Block::next() {
  while (true) {
    Warp &W = Warps[CurrentWarp];
    if (W.Runnable) {
      Lane &L = Lanes[CurrentWarp * WarpSize + std::countr_zero(W.Runnable)];
      W.Runnable &= W.Runnable - 1;
      prefetchNext(W);
      if (!L.Started) {
        forgetFrames(Stacks.low(&L - &Lanes[0]), Stacks.high(&L - &Lanes[0]));
        L.Sp = newStack(stackTop(Stacks, &L - &Lanes[0]), fiberMain, &L);
        L.Started = true;
      }
      return &L;
    }
    if (W.Waiting && releaseEarliest(W, &Lanes[CurrentWarp * WarpSize]))
      continue;
    ReadyWarps &= ~(1u << CurrentWarp);
    if (ReadyWarps) {
      CurrentWarp = std::countr_zero(ReadyWarps);
      continue;
    }
    if (NumLive == 0) {
      Ended = Status::Done;
      return nullptr;
    }
    bool Spinning = false;
    for (unsigned I = 0; I * WarpSize < NumThreads; ++I)
      if (Warps[I].Spinning) {
        Warps[I].Runnable |= std::exchange(Warps[I].Spinning, 0);
        ReadyWarps |= 1u << I;
        Spinning = true;
      }
    if (Spinning) {
      CurrentWarp = std::countr_zero(ReadyWarps);
      Ended = Status::Stalled;
      return nullptr;
    }
    if (releaseMixedSites() || releaseByWarps())
      continue;
    if (NumAtCluster) {
      Ended = Status::Stalled;
      return nullptr;
    }
    reportDeadlock("none of the block's threads can go on");
    abandon();
    return nullptr;
  }
}

void Block::fault() {
  Ended = Status::Faulted;
  void *Abandoned;
  announceSwitchToThread();
  gm_switch(&Abandoned, abandon());
  __builtin_unreachable();
}

void *Block::abandon() {
  Ended = Status::Faulted;
  for (unsigned I = 0; I < NumLanes; ++I)
    Lanes[I].Started = false;
  Shape = {0, 0, 0};
  return WorkerSp;
}

bool Block::isStackGuard(uint64_t Address) const {
  uint64_t Low = Running ? Running->State.StackLow : 0;
  return Address - (Low - PageBytes) < PageBytes;
}

//===----------------------------------------------------------------------===//
// Warp operations
//===----------------------------------------------------------------------===//

void Block::spin(Lane &L, uint32_t Site) {
  L.Site = Site;
  Warps[L.State.Warp].Spinning |= bit(L);
  stop(L);
}

/// Compares the program order of two lanes' sites by call path, then site.
static int compareOrder(const Lane &X, const Lane &Y) {
  uint32_t Depth = std::min({X.State.CallDepth, Y.State.CallDepth, MaxCallPath});
  for (uint32_t I = 0; I < Depth; ++I)
    if (X.State.CallPath[I] != Y.State.CallPath[I])
      return X.State.CallPath[I] < Y.State.CallPath[I] ? -1 : 1;
  // One of the two may be inside a call that the other has not reached or has passed.
  uint32_t XSite =
      X.State.CallDepth > Depth && Depth < MaxCallPath ? X.State.CallPath[Depth] : X.Site;
  uint32_t YSite =
      Y.State.CallDepth > Depth && Depth < MaxCallPath ? Y.State.CallPath[Depth] : Y.Site;
  return XSite < YSite ? -1 : XSite > YSite;
}

/// Returns whether two lanes are at the same operation. Lanes of __syncwarp() may be at different
/// sites.
static bool together(const Lane &X, const Lane &Y) {
  if (X.Kind != Y.Kind || X.NoMask != Y.NoMask || X.Mask != Y.Mask)
    return false;
  return X.Kind == WarpOpKind::SyncWarp || compareOrder(X, Y) == 0;
}

/// Tests quickly for a sufficient condition of together().
static bool alike(const Lane &X, const Lane &Y) {
  if (X.Site != Y.Site || X.Kind != Y.Kind || X.NoMask != Y.NoMask || X.Mask != Y.Mask ||
      X.State.CallDepth != Y.State.CallDepth)
    return false;
  for (uint32_t I = 0; I < X.State.CallDepth && I < MaxCallPath; ++I)
    if (X.State.CallPath[I] != Y.State.CallPath[I])
      return false;
  return true;
}

uint64_t Block::warpOp(Lane &L) {
  Warp &W = Warps[L.State.Warp];
  W.Alike =
      W.Waiting == 0 || (W.Alike && alike(L, (&L - L.State.Lane)[std::countr_zero(W.Waiting)]));
  W.Waiting |= bit(L);
  stop(L);
  return L.Result;
}

static bool areAllThere(const Lane &First, uint32_t Live, uint32_t Group) {
  return First.NoMask || (First.Mask & Live & ~Group) == 0;
}

/// Executes the earliest operation of a warp whose lanes have all arrived.
bool Block::releaseEarliest(Warp &W, Lane *InWarp) {
  uint32_t Candidates = W.Waiting;
  if (W.Alike) { // common case
    const bool Complete = areAllThere(InWarp[std::countr_zero(Candidates)], W.Live, Candidates);
    if (Complete)
      release(W, InWarp, Candidates);
    return Complete;
  }
  while (Candidates) {
    const Lane *First = &InWarp[std::countr_zero(Candidates)];
    for (uint32_t Rest = Candidates & (Candidates - 1); Rest; Rest &= Rest - 1)
      if (const Lane &Other = InWarp[std::countr_zero(Rest)]; compareOrder(Other, *First) < 0)
        First = &Other;
    uint32_t Group = 0;
    for (uint32_t Rest = Candidates; Rest; Rest &= Rest - 1)
      if (const Lane &Other = InWarp[std::countr_zero(Rest)]; together(Other, *First))
        Group |= bit(Other);
    if (areAllThere(*First, W.Live, Group)) {
      release(W, InWarp, Group);
      return true;
    }
    Candidates &= ~Group;
  }
  return false;
}

void Block::release(Warp &W, Lane *InWarp, uint32_t Group) {
  carryOut(InWarp, Group);
  if (Order)
    ++Order->WarpOps[InWarp->State.Warp];
  W.Waiting &= ~Group;
  W.Runnable |= Group;
  Progress = true;
}

/// Releases operations with equal masks at different sites, if all lanes of the mask wait. Used
/// only when the block cannot proceed otherwise.
bool Block::releaseMixedSites() {
  bool Released = false;
  for (unsigned I = 0; I * WarpSize < NumThreads; ++I) {
    Warp &W = Warps[I];
    Lane *InWarp = &Lanes[I * WarpSize];
    for (uint32_t Rest = W.Waiting; Rest; Rest &= Rest - 1) {
      uint32_t Mask = InWarp[std::countr_zero(Rest)].Mask, Same = 0;
      for (uint32_t Others = W.Waiting; Others; Others &= Others - 1)
        if (const Lane &Other = InWarp[std::countr_zero(Others)]; Other.Mask == Mask)
          Same |= bit(Other);
      if (Mask & W.Live & ~Same)
        continue;
      while (Same) {
        const Lane &First = InWarp[std::countr_zero(Same)];
        uint32_t Group = 0;
        for (uint32_t Others = Same; Others; Others &= Others - 1)
          if (const Lane &Other = InWarp[std::countr_zero(Others)]; together(Other, First))
            Group |= bit(Other);
        release(W, InWarp, Group);
        Same &= ~Group;
      }
      ReadyWarps |= 1u << I;
      CurrentWarp = I;
      Released = true;
      break;
    }
  }
  return Released;
}

} // namespace gmprof::cpu
