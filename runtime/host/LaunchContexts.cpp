//===- LaunchContexts.cpp - The counters of each launch -------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "host/LaunchContexts.h"
#include <algorithm>
#include <cstring>
#include <ctime>

namespace gmprof::host {

static constexpr size_t CounterBytesPerWord = sizeof(gmprof_u64) + sizeof(gmprof_u32);

size_t LaunchContext::sumsOffset() const {
  size_t Layout = offsetof(GmprofSharedLayout, variables) +
                  std::max<size_t>(Shape.VariableCount, 1) * sizeof(gmprof_u32);
  return (Layout + 255) / 256 * 256;
}

size_t LaunchContext::cappedOffset() const {
  return sumsOffset() + sizeof(gmprof_u64) * Replicas * Shape.Words;
}

size_t LaunchContext::totalsOffset() const {
  size_t End = sumsOffset() + CounterBytesPerWord * Replicas * Shape.Words;
  return (End + alignof(GmprofBlockTotals) - 1) / alignof(GmprofBlockTotals) *
         alignof(GmprofBlockTotals);
}

size_t LaunchContext::bytes() const {
  return totalsOffset() + sizeof(GmprofBlockTotals) * Replicas;
}

/// Blocks that end at the same time add to different copies of the sums.
static uint32_t chooseReplicas(uint64_t Blocks, uint64_t Words, const ContextLimits &Limits) {
  uint32_t Replicas = 1;
  while (Replicas * 2 <= Limits.Replicas && Replicas * 2 <= Blocks &&
         Replicas * 2 * Words * CounterBytesPerWord <= Limits.ReplicaBytes)
    Replicas *= 2;
  return Replicas;
}

LaunchContext *LaunchContexts::create(const LaunchShape &Shape, uint64_t Blocks, size_t Budget) {
  auto C = std::make_unique<LaunchContext>();
  C->Shape = Shape;
  C->Replicas = chooseReplicas(Blocks, Shape.Words, Limits);
  std::optional<SlabPool::Block> Memory = D.memory().allocate(C->bytes(), Budget);
  if (!Memory)
    return nullptr;
  C->Memory = *Memory;
  C->Id = Log.nextContextId();
  ContextList &List = Shape.InGraph ? InGraphs : Counting;
  List.push_back(std::move(C));
  LaunchContext *New = List.back().get();
  if (Shape.InGraph) {
    GraphContextBySums[New->Memory.Address + New->sumsOffset()] = New;
    GraphContextById[New->Id] = New;
  }
  return New;
}

LaunchContext *LaunchContexts::share(const LaunchShape &Shape) {
  LaunchContext *Newest = nullptr;
  for (const std::unique_ptr<LaunchContext> &C : Shape.InGraph ? InGraphs : Counting)
    if (C->Shape == Shape && (!Newest || C->Id > Newest->Id))
      Newest = C.get();
  return Newest;
}

LaunchContext *LaunchContexts::openBatch(const LaunchShape &Shape, CUstream Stream) {
  for (const std::unique_ptr<LaunchContext> &C : Counting)
    if (C->Batch && C->Stream == Stream && C->Launches < Limits.BatchLaunches && C->Shape == Shape)
      return C.get();
  return nullptr;
}

void LaunchContexts::streamDestroyed(CUstream Stream) {
  std::lock_guard<std::mutex> Guard(Lock);
  for (const std::unique_ptr<LaunchContext> &C : Counting)
    if (C->Stream == Stream)
      C->Batch = false;
}

LaunchContext *LaunchContexts::acquire(const LaunchShape &Shape, uint64_t Blocks, CUstream Stream,
                                       bool Capturing, std::string &Why) {
  poll(4);
  LaunchContext *C = nullptr;
  {
    std::lock_guard<std::mutex> Guard(Lock);
    DriverScope Scope(D.api(), D.context());
    bool Batch = !Shape.InGraph && Stream != CU_STREAM_PER_THREAD &&
                 ++LaunchesOfKernel[Shape.Kernel] > Limits.SingleLaunches;
    if (Batch)
      C = openBatch(Shape, Stream);
    size_t Outstanding = Shape.InGraph ? InGraphs.size() : Counting.size() + Reading.size();
    if (!C && Outstanding < Limits.Outstanding)
      if ((C = create(Shape, Blocks, Limits.Bytes)) && Batch) {
        C->Batch = true;
        C->Stream = Stream;
        C->MadeNs = steadyNs();
      }
    if (!C)
      C = share(Shape);
    if (!C)
      C = create(Shape, Blocks, 4 * Limits.Bytes);
    if (!C) {
      Why = "there was no device memory for its counters";
      return nullptr;
    }
    ++C->Launching;
    if (D.waitForZero(Stream, Capturing) == CUDA_SUCCESS)
      return C;
  }
  abandoned(C);
  Why = "its counters could not be zeroed";
  return nullptr;
}

GmprofSharedLaunch LaunchContexts::parameter(const LaunchContext &C) const {
  GmprofSharedLaunch P = {};
  P.sums = C.Memory.Address + C.sumsOffset();
  P.capped = C.Memory.Address + C.cappedOffset();
  P.totals = C.Memory.Address + C.totalsOffset();
  P.layout = C.Memory.Address;
  P.words = C.Shape.Words;
  P.counterOffset = C.Shape.CounterOffset;
  P.counterBytes = C.Shape.CounterBytes;
  P.replicas = C.Replicas;
  P.blockSample = BlockSample;
  P.dynamicBytes = C.Shape.DynamicShared;
  return P;
}

void LaunchContexts::launched(LaunchContext *C, CUstream Stream) {
  std::lock_guard<std::mutex> Guard(Lock);
  DriverScope Scope(D.api(), D.context());
  --C->Launching;
  ++C->Launches;
  // The last event of a stream stands for those before it.
  if (C->Batch && !C->Pending.empty()) {
    if (D.api().cuEventRecord(C->Pending.back(), Stream) != CUDA_SUCCESS)
      C->Unseen = true;
    return;
  }
  CUevent Event = D.takeEvent();
  if (Event && D.api().cuEventRecord(Event, Stream) == CUDA_SUCCESS)
    C->Pending.push_back(Event);
  else
    C->Unseen = true;
}

void LaunchContexts::abandoned(LaunchContext *C) {
  std::lock_guard<std::mutex> Guard(Lock);
  --C->Launching;
  if (C->Launching != 0 || C->Launches != 0)
    return;
  if (C->Shape.InGraph) {
    GraphContextBySums.erase(C->Memory.Address + C->sumsOffset());
    GraphContextById.erase(C->Id);
  }
  D.memory().release(C->Memory);
  std::erase_if(C->Shape.InGraph ? InGraphs : Counting,
                [&](const std::unique_ptr<LaunchContext> &Each) { return Each.get() == C; });
}

void LaunchContexts::beforeGraphLaunch(CUstream Stream, bool Capturing) {
  std::lock_guard<std::mutex> Guard(Lock);
  DriverScope Scope(D.api(), D.context());
  D.waitForZero(Stream, Capturing);
}

void LaunchContexts::graphLaunched(std::span<const uint64_t> ContextIds, CUstream Stream) {
  std::lock_guard<std::mutex> Guard(Lock);
  DriverScope Scope(D.api(), D.context());
  for (uint64_t Id : ContextIds)
    if (auto It = GraphContextById.find(Id); It != GraphContextById.end())
      ++It->second->Launches;
  // Only the drain needs to know when graphs end. One event per launch would
  // pile up; passed ones are given back here.
  query(GraphLaunches);
  CUevent Event = D.takeEvent();
  if (Event && D.api().cuEventRecord(Event, Stream) == CUDA_SUCCESS)
    GraphLaunches.push_back(Event);
}

LaunchContext *LaunchContexts::findGraphContext(uint64_t Sums) {
  std::lock_guard<std::mutex> Guard(Lock);
  auto It = GraphContextBySums.find(Sums);
  return It == GraphContextBySums.end() ? nullptr : It->second;
}

CUresult LaunchContexts::query(std::vector<CUevent> &Events) {
  while (!Events.empty()) {
    CUresult State = D.api().cuEventQuery(Events.back());
    if (State != CUDA_SUCCESS)
      return State;
    D.giveEvent(Events.back());
    Events.pop_back();
  }
  return CUDA_SUCCESS;
}

CUresult LaunchContexts::startReading(LaunchContext &C) {
  std::optional<SlabPool::Block> Copy = D.pinned().allocate(C.bytes());
  if (!Copy)
    return D.memoryError();
  C.Copy = *Copy;
  const DriverApi &Api = D.api();
  CUresult Error = Api.cuMemcpyDtoHAsync(reinterpret_cast<void *>(C.Copy.Address), C.Memory.Address,
                                         C.bytes(), D.stream());
  if (Error == CUDA_SUCCESS)
    Error = Api.cuMemsetD8Async(C.Memory.Address, 0, C.bytes(), D.stream());
  CUevent Event = D.takeEvent();
  if (Error == CUDA_SUCCESS)
    Error = Event ? Api.cuEventRecord(Event, D.stream()) : CUDA_ERROR_OUT_OF_MEMORY;
  if (Error == CUDA_SUCCESS)
    C.Pending.push_back(Event);
  return Error;
}

void LaunchContexts::lose(const LaunchContext &C, const std::string &Why) {
  Log.gap("launch counts", Why, C.Launches);
}

void LaunchContexts::stepReading(size_t &Max, ContextList &Done) {
  // Reads end in the order of their stream.
  while (Max > 0 && !Reading.empty()) {
    CUresult State = query(Reading.front()->Pending);
    if (State == CUDA_ERROR_NOT_READY)
      return;
    --Max;
    if (State == CUDA_SUCCESS) {
      Done.splice(Done.end(), Reading, Reading.begin());
      continue;
    }
    lose(*Reading.front(), "they could not be read from the device: " + describe(State));
    Reading.pop_front();
  }
}

void LaunchContexts::stepCounting(size_t Max, bool All) {
  uint64_t Now = steadyNs();
  for (size_t Left = std::min(Max, Counting.size()); Left > 0; --Left) {
    auto At = Counting.begin();
    LaunchContext &C = **At;
    bool Open =
        !All && C.Batch && C.Launches < Limits.BatchLaunches && Now - C.MadeNs < Limits.BatchNs;
    CUresult State = C.Launching != 0 || Open ? CUDA_ERROR_NOT_READY
                     : C.Unseen               ? CUDA_ERROR_UNKNOWN
                                              : query(C.Pending);
    if (State == CUDA_SUCCESS)
      State = startReading(C);
    if (State == CUDA_SUCCESS) {
      Reading.splice(Reading.end(), Counting, At);
    } else if (State == CUDA_ERROR_NOT_READY) {
      Counting.splice(Counting.end(), Counting, At); // the next ones get their turn
    } else {
      lose(C, "they could not be read from the device: " + describe(State));
      Counting.erase(At);
    }
  }
}

void LaunchContexts::poll(size_t Max, bool All) {
  ContextList Done;
  {
    std::lock_guard<std::mutex> Guard(Lock);
    if (Counting.empty() && Reading.empty())
      return;
    DriverScope Scope(D.api(), D.context());
    size_t Reads = Max;
    stepReading(Reads, Done);
    stepCounting(Max, All);
  }
  for (const std::unique_ptr<LaunchContext> &C : Done)
    emit(*C);
  std::lock_guard<std::mutex> Guard(Lock);
  for (const std::unique_ptr<LaunchContext> &C : Done) {
    D.pinned().release(C->Copy);
    D.memory().release(C->Memory);
  }
}

void LaunchContexts::emit(const LaunchContext &C) {
  const char *Copy = reinterpret_cast<const char *>(C.Copy.Address);
  const auto *Layout = reinterpret_cast<const GmprofSharedLayout *>(Copy);
  const auto *Sums = reinterpret_cast<const gmprof_u64 *>(Copy + C.sumsOffset());
  const auto *Capped = reinterpret_cast<const gmprof_u32 *>(Copy + C.cappedOffset());
  const auto *Totals = reinterpret_cast<const GmprofBlockTotals *>(Copy + C.totalsOffset());
  const auto *Variables =
      reinterpret_cast<const uint32_t *>(Copy + offsetof(GmprofSharedLayout, variables));

  std::vector<uint64_t> TotalSums(C.Shape.Words);
  std::vector<uint32_t> TotalCapped(C.Shape.Words);
  for (uint32_t R = 0; R < C.Replicas; ++R)
    for (uint32_t W = 0; W < C.Shape.Words; ++W) {
      TotalSums[W] += Sums[size_t(R) * C.Shape.Words + W];
      TotalCapped[W] += Capped[size_t(R) * C.Shape.Words + W];
    }

  log::SharedCountsRecord Record = {};
  Record.context = C.Id;
  for (uint32_t R = 0; R < C.Replicas; ++R) {
    Record.blocks += Totals[R].blocks;
    Record.threads += Totals[R].threads;
  }
  Record.lost = Layout->lost;
  Record.kernel = C.Shape.Kernel;
  Record.words = C.Shape.Words;
  Record.variableCount = C.Shape.VariableCount;
  Record.firstAddress = Layout->firstAddress;
  Record.dynamicAddress = Layout->dynamicAddress;
  Record.dynamicSharedBytes = C.Shape.DynamicShared;
  Record.blockSample = BlockSample;
  Record.counters = C.Shape.DeviceCounters ? 1 : 0;
  Log.sharedCounts(Record, TotalSums, TotalCapped, {Variables, C.Shape.VariableCount});
}

void LaunchContexts::finishEnded(bool All) {
  poll(SIZE_MAX, All);
  {
    std::lock_guard<std::mutex> Guard(Lock);
    if (Reading.empty())
      return;
  }
  {
    // Only our own copies are in this stream.
    DriverScope Scope(D.api(), D.context());
    D.api().cuStreamSynchronize(D.stream());
  }
  poll();
}

void LaunchContexts::retireGraphs() {
  if (query(GraphLaunches) == CUDA_ERROR_NOT_READY)
    return;
  GraphContextBySums.clear();
  GraphContextById.clear();
  for (std::unique_ptr<LaunchContext> &C : InGraphs)
    C->Launching = 0;
  Counting.splice(Counting.end(), InGraphs);
}

void LaunchContexts::drain() {
  uint64_t Progress = steadyNs();
  size_t Last = SIZE_MAX;
  while (steadyNs() - Progress < Limits.DrainPatienceNs) {
    finishEnded(/*All=*/true);
    size_t Left = 0;
    {
      std::lock_guard<std::mutex> Guard(Lock);
      DriverScope Scope(D.api(), D.context());
      Left = Counting.size() + Reading.size() + InGraphs.size();
      if (!InGraphs.empty())
        retireGraphs();
    }
    if (Left == 0)
      return;
    if (Left != Last)
      Progress = steadyNs();
    Last = Left;
    timespec Pause = {0, 100'000};
    nanosleep(&Pause, nullptr);
  }
  std::lock_guard<std::mutex> Guard(Lock);
  for (ContextList *List : {&Counting, &Reading, &InGraphs}) {
    for (const std::unique_ptr<LaunchContext> &C : *List)
      lose(*C, "its kernel was still running when the program ended");
    List->clear();
  }
  GraphContextBySums.clear();
  GraphContextById.clear();
}

size_t LaunchContexts::deviceBytes() const {
  std::lock_guard<std::mutex> Guard(Lock);
  return D.memory().reserved();
}

} // namespace gmprof::host
