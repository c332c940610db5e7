//===- LaunchContexts.cpp - The counters of each launch -------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "host/launch/LaunchContexts.h"
#include "profile/Mutex.h"
#include <algorithm>
#include <ctime>
#include <utility>

namespace gmprof::host {

LaunchContext *LaunchContexts::create(const ContextShape &Shape, bool Spare) {
  std::unique_ptr<LaunchContext> C = make(Shape, Spare);
  if (!C)
    return nullptr;
  C->Id = Log.nextContextId();
  C->Kernel = Shape.Kernel;
  C->InGraph = Shape.InGraph;
  C->InBody = Shape.InBody;
  ContextList &List = Shape.InGraph ? InGraphs : Counting;
  List.push_back(std::move(C));
  LaunchContext *New = List.back().get();
  if (Shape.InGraph) {
    GraphContextByKey[New->GraphKey] = New;
    GraphContextById[New->Id] = New;
  }
  return New;
}

/// Returns the newest context in which fewer than Most launches count.
LaunchContext *LaunchContexts::share(const ContextShape &Shape, uint64_t Most) {
  LaunchContext *Newest = nullptr;
  for (const std::unique_ptr<LaunchContext> &C : Shape.InGraph ? InGraphs : Counting)
    if (C->Launches + C->Launching < Most && fits(*C, Shape) && (!Newest || C->Id > Newest->Id))
      Newest = C.get();
  return Newest;
}

LaunchContext *LaunchContexts::openBatch(const ContextShape &Shape, CUstream Stream) {
  for (const std::unique_ptr<LaunchContext> &C : Counting)
    if (C->Batch && C->Stream == Stream && C->Launches < C->MostLaunches && fits(*C, Shape))
      return C.get();
  return nullptr;
}

/// Contexts that launches of this shape count in, or did.
size_t LaunchContexts::outstanding(const ContextShape &Shape) const {
  const auto Fits = [&](const std::unique_ptr<LaunchContext> &C) { return fits(*C, Shape); };
  return static_cast<size_t>(std::count_if(Counting.begin(), Counting.end(), Fits) +
                             std::count_if(Reading.begin(), Reading.end(), Fits));
}

void LaunchContexts::streamDestroyed(CUstream Stream) {
  LockGuard Guard(Lock);
  for (const std::unique_ptr<LaunchContext> &C : Counting)
    if (C->Stream == Stream)
      C->Batch = false;
}

LaunchContext *LaunchContexts::acquire(const ContextShape &Shape, CUstream Stream, bool Capturing,
                                       std::string &Why) {
  step({4, /*All=*/false, /*Large=*/false});
  LaunchContext *C = nullptr;
  {
    LockGuard Guard(Lock);
    DriverScope Scope(D.api(), D.context());
    const bool Large = !Shape.InGraph && counterBytes(Shape) > Limits.LargeBytes;
    bool Batch = !Shape.InGraph && Stream != CU_STREAM_PER_THREAD &&
                 (++LaunchesOfKernel[Shape.Kernel] > Limits.SingleLaunches || Large);
    if (Batch)
      C = openBatch(Shape, Stream);
    size_t Outstanding = Shape.InGraph ? InGraphs.size() : Counting.size() + Reading.size();
    if (!C && Outstanding < Limits.Outstanding &&
        (!Large || outstanding(Shape) < Limits.LargeOutstanding))
      if ((C = create(Shape, /*Spare=*/false)) && Batch) {
        C->Batch = true;
        C->MostLaunches = mostLaunches(Shape);
        C->Stream = Stream;
        C->MadeNs = steadyNs();
      }
    if (!C)
      C = share(Shape, mostLaunches(Shape));
    if (!C && Large)
      C = share(Shape, UINT64_MAX);
    if (!C && Outstanding < Limits.MostOutstanding)
      C = create(Shape, /*Spare=*/true);
    if (!C)
      C = share(Shape, UINT64_MAX);
    if (!C)
      C = create(Shape, /*Spare=*/true);
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

void LaunchContexts::launched(LaunchContext *C, CUstream Stream, uint64_t Case) {
  LockGuard Guard(Lock);
  DriverScope Scope(D.api(), D.context());
  --C->Launching;
  ++C->Launches;
  if (Case != 0)
    ++C->LaunchesOfCase[Case];
  follow(*C, Stream);
  // The last event of a stream stands for those before it.
  if (C->Batch && C->Stream == Stream && !C->Pending.empty()) {
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
  LockGuard Guard(Lock);
  --C->Launching;
  if (C->Launching != 0 || C->Launches != 0)
    return;
  if (C->InGraph) {
    GraphContextByKey.erase(C->GraphKey);
    GraphContextById.erase(C->Id);
  }
  release(*C);
  std::erase_if(C->InGraph ? InGraphs : Counting,
                [&](const std::unique_ptr<LaunchContext> &Each) { return Each.get() == C; });
}

void LaunchContexts::beforeGraphLaunch(CUstream Stream, bool Capturing) {
  LockGuard Guard(Lock);
  DriverScope Scope(D.api(), D.context());
  D.waitForZero(Stream, Capturing);
  ++LaunchingGraphs;
}

void LaunchContexts::afterGraphLaunch() {
  LockGuard Guard(Lock);
  --LaunchingGraphs;
}

void LaunchContexts::graphLaunched(std::span<const uint64_t> ContextIds, CUstream Stream) {
  LockGuard Guard(Lock);
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

LaunchContext *LaunchContexts::findGraphContext(uint64_t Key) {
  LockGuard Guard(Lock);
  auto It = GraphContextByKey.find(Key);
  return It == GraphContextByKey.end() ? nullptr : It->second;
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

size_t LaunchContexts::nextPartBytes(const LaunchContext &C) const {
  return C.OfReplays ? C.Bytes : std::min(endOfCounts(C) - C.ReadFrom, Limits.PartBytes);
}

CUresult LaunchContexts::copyPart(const LaunchContext &C, size_t Bytes, CUstream In) {
  return D.api().cuMemcpyDtoHAsync(reinterpret_cast<void *>(C.Copy.Address),
                                   C.Memory.Address + C.ReadFrom, Bytes, In);
}

/// Copies the next part. The last one is followed by the zeroing of all.
CUresult LaunchContexts::startReading(LaunchContext &C) {
  const size_t Bytes = nextPartBytes(C);
  C.ReadBytes = Bytes;
  if (C.Copy.Bytes < Bytes) {
    if (C.Copy.Bytes != 0)
      D.pinned().release(std::exchange(C.Copy, {}));
    std::optional<SlabPool::Block> Copy = D.pinned().allocate(Bytes, Limits.CopyBytes);
    if (!Copy && !Reading.empty())
      return CUDA_ERROR_NOT_READY; // that memory comes back
    if (!Copy)
      Copy = D.pinned().allocate(Bytes);
    if (!Copy)
      return D.memoryError();
    C.Copy = *Copy;
  }
  const DriverApi &Api = D.api();
  // The next replay of a graph waits for what is in our first stream.
  CUstream In = C.OfReplays ? D.stream() : D.readStream();
  CUresult Error = copyPart(C, Bytes, In);
  if (Error == CUDA_SUCCESS && zeroedByReading() && C.ReadFrom + Bytes == C.Bytes)
    Error = Api.cuMemsetD8Async(C.Memory.Address, 0, C.Bytes, In);
  CUevent Event = D.takeEvent();
  if (Error == CUDA_SUCCESS)
    Error = Event ? Api.cuEventRecord(Event, In) : CUDA_ERROR_OUT_OF_MEMORY;
  if (Error == CUDA_SUCCESS)
    C.Pending.push_back(Event);
  return Error;
}

void LaunchContexts::readReplays() {
  if (LaunchingGraphs != 0 || query(GraphLaunches) != CUDA_SUCCESS)
    return;
  bool Any = false;
  for (const std::unique_ptr<LaunchContext> &C : InGraphs) {
    std::unique_ptr<LaunchContext> Replays = C->Launches != 0 ? copyOf(*C) : nullptr;
    // All at once: the next replay only waits for what is in our stream by then.
    if (!Replays || C->Bytes > Limits.CopyBytes)
      continue;
    Replays->OfReplays = true;
    if (startReading(*Replays) != CUDA_SUCCESS)
      continue;
    C->Launches = 0;
    Reading.push_back(std::move(Replays));
    Any = true;
  }
  if (Any)
    D.zeroing();
}

void LaunchContexts::lose(const LaunchContext &C, const std::string &Why) {
  Log.gap("launch counts", Why, C.Launches);
}

void LaunchContexts::stepReading(Steps S, ContextList &Done) {
  // Reads end in the order of their stream.
  for (auto Next = Reading.begin(); S.Max > 0 && Next != Reading.end();) {
    auto At = Next++;
    if (isLarge(**At) && !S.Large)
      continue;
    CUresult State = query((*At)->Pending);
    if (State == CUDA_ERROR_NOT_READY)
      return;
    --S.Max;
    if (State == CUDA_SUCCESS) {
      Done.splice(Done.end(), Reading, At);
      continue;
    }
    lose(**At, "they could not be read from the device: " + describe(State));
    Reading.erase(At);
  }
}

/// Returns whether further launches may count there.
bool LaunchContexts::isOpen(const LaunchContext &C, uint64_t Now) const {
  // One large context of a kernel at a time: the other one is for launches meanwhile.
  if (isLarge(C) &&
      std::any_of(Reading.begin(), Reading.end(), [&](const std::unique_ptr<LaunchContext> &Other) {
        return Other->Kernel == C.Kernel && isLarge(*Other);
      }))
    return true;
  return C.Batch && C.Launches < C.MostLaunches &&
         Now - C.MadeNs < (isLarge(C) ? Limits.LargeBatchNs : Limits.BatchNs);
}

bool LaunchContexts::stepCounting(Steps S) {
  bool Any = false;
  uint64_t Now = steadyNs();
  for (size_t Left = std::min(S.Max, Counting.size()); Left > 0; --Left) {
    auto At = Counting.begin();
    LaunchContext &C = **At;
    bool Waits = C.Launching != 0 || (isLarge(C) && !S.Large) || (!S.All && isOpen(C, Now));
    CUresult State = Waits      ? CUDA_ERROR_NOT_READY
                     : C.Unseen ? CUDA_ERROR_UNKNOWN
                                : query(C.Pending);
    if (State == CUDA_SUCCESS)
      State = startReading(C);
    if (State == CUDA_SUCCESS) {
      Reading.splice(Reading.end(), Counting, At);
      Any = true;
    } else if (State == CUDA_ERROR_NOT_READY) {
      Counting.splice(Counting.end(), Counting, At); // the next ones get their turn
    } else {
      lose(C, "they could not be read from the device: " + describe(State));
      Counting.erase(At);
    }
  }
  return Any;
}

bool LaunchContexts::step(Steps S) {
  ContextList Done;
  bool Any = false;
  {
    LockGuard Guard(Lock);
    if (Counting.empty() && Reading.empty() && InGraphs.empty())
      return false;
    S.Large = S.Large || isCrowded();
    DriverScope Scope(D.api(), D.context());
    readReplays();
    stepReading(S, Done);
    Any = stepCounting(S) || !Done.empty();
  }
  const uint64_t Begin = steadyNs();
  for (const std::unique_ptr<LaunchContext> &C : Done) {
    const std::span<const std::byte> Counts(reinterpret_cast<const std::byte *>(C->Copy.Address),
                                            C->ReadBytes);
    if (C->InBody && C->ReadFrom == 0)
      C->Launches = launchesIn(*C, Counts);
    emit(*C, Counts);
  }
  if (std::any_of(Done.begin(), Done.end(), [&](const auto &C) { return isLarge(*C); }))
    DrainNs += steadyNs() - Begin;
  LockGuard Guard(Lock);
  DriverScope Scope(D.api(), D.context());
  for (std::unique_ptr<LaunchContext> &C : Done) {
    C->ReadFrom += C->ReadBytes;
    if (C->ReadFrom == endOfCounts(*C)) {
      emitted(*C);
      D.pinned().release(C->Copy);
      if (!C->OfReplays)
        release(*C);
    } else if (CUresult Error = startReading(*C)) {
      lose(*C, "they could not be read from the device: " + describe(Error));
    } else {
      Reading.push_back(std::move(C));
    }
  }
  return Any;
}

void LaunchContexts::poll() {
  const auto IsFilling = [this] {
    LockGuard Guard(Lock);
    return !(Counting.empty() && Reading.empty()) && isFilling();
  };
  step(steps(SIZE_MAX, /*All=*/false));
  while (IsFilling()) {
    settle();
    if (!step({SIZE_MAX, /*All=*/false, /*Large=*/true}))
      break;
  }
  prepare();
  settle();
}

void LaunchContexts::finishEnded(bool All) {
  for (;;) {
    const Steps S = steps(SIZE_MAX, All);
    step(S);
    {
      LockGuard Guard(Lock);
      const bool Large = S.Large || isCrowded();
      if (std::all_of(Reading.begin(), Reading.end(),
                      [&](const auto &C) { return !Large && isLarge(*C); }))
        return;
    }
    // Only our own copies are in these streams.
    DriverScope Scope(D.api(), D.context());
    if (D.api().cuStreamSynchronize(D.readStream()) != CUDA_SUCCESS ||
        D.api().cuStreamSynchronize(D.stream()) != CUDA_SUCCESS) {
      poll();
      return;
    }
  }
}

void LaunchContexts::retireGraphs() {
  if (query(GraphLaunches) == CUDA_ERROR_NOT_READY)
    return;
  GraphContextByKey.clear();
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
      LockGuard Guard(Lock);
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
  LockGuard Guard(Lock);
  for (ContextList *List : {&Counting, &Reading, &InGraphs}) {
    for (const std::unique_ptr<LaunchContext> &C : *List)
      lose(*C, "its kernel was still running when the program ended");
    List->clear();
  }
  GraphContextByKey.clear();
  GraphContextById.clear();
}

} // namespace gmprof::host
