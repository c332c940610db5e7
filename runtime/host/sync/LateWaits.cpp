//===- LateWaits.cpp - Moves waits to the first use -----------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "host/sync/LateWaits.h"
#include "host/core/Device.h"
#include "host/core/Session.h"
#include "host/sync/HostCode.h"
#include <algorithm>
#include <linux/futex.h>
#include <sched.h>
#include <sys/syscall.h>

namespace gmprof::host {

using log::CallKind;

std::atomic<LateWaits *> LateWaits::Active{nullptr};

/// Limits beyond which waits are not moved.
static constexpr size_t MostPieces = 4096, MostStreams = 64;

LateWaits::LateWaits(KernelMemory OfKernels, bool OnCpu)
    : OfKernels(OfKernels), OnCpu(OnCpu), Watch(waitFor) {}

void LateWaits::begin(KernelMemory OfKernels, bool OnCpu) {
  Active.store(new LateWaits(OfKernels, OnCpu), std::memory_order_release);
  pthread_atfork(
      [] {
        // Makes all waits, so that the child gets the memory as it is after them.
        if (LateWaits *L = active()) {
          Inside Guard;
          L->finish();
        }
        HostWatch::beforeFork();
      },
      HostWatch::afterForkInParent,
      [] {
        Active.store(nullptr, std::memory_order_release);
        HostWatch::afterForkInChild();
      });
}

bool LateWaits::load() {
  std::call_once(Loaded, [&] {
    Problem = Api.load();
    if (!Problem.empty())
      return;
    sigset_t Before;
    blockSignals(Before);
    Helper = std::thread([this] { serveHandlers(); });
    restoreSignals(Before);
  });
  return Problem.empty();
}

//===----------------------------------------------------------------------===//
// Waiting at the first use
//===----------------------------------------------------------------------===//

/// Returns the events of a wait that has ended for reuse.
void LateWaits::ended(Wait &W) { Free.insert(Free.end(), W.Events.begin(), W.Events.end()); }

void LateWaits::wait(uint64_t Until) {
  for (;;) {
    Wait First;
    {
      LockGuard Guard(Lock);
      if (Open.empty() || Open.front().Id > Until)
        return;
      First = Open.front();
    }
    {
      // Another thread may finish this wait and reuse its events, which only makes this thread wait
      // too long.
      DriverScope Scope(Api, First.Context);
      RelaxedCapture Relaxed(Api);
      for (CUevent Event : First.Events)
        while (Api.cuEventQuery(Event) == CUDA_ERROR_NOT_READY)
          sched_yield();
    }
    LockGuard Guard(Lock);
    if (!Open.empty() && Open.front().Id == First.Id) {
      ended(Open.front());
      Open.pop_front();
    }
  }
}

static void futex(std::atomic<uint32_t> &Word, int What, uint32_t Value) {
  realSystem().syscall(SYS_futex, &Word, What | FUTEX_PRIVATE_FLAG, Value, nullptr, nullptr, 0);
}

/// Waits on behalf of signal handlers, in a thread of its own.
void LateWaits::serveHandlers() {
  Inside Guard;
  for (;;) {
    const uint32_t Before = Asked.load(std::memory_order_acquire);
    const uint64_t Until = Wanted.load(std::memory_order_acquire);
    if (Stop.load(std::memory_order_acquire))
      return;
    if (Until > Made.load(std::memory_order_relaxed)) {
      wait(Until);
      Made.store(Until, std::memory_order_release);
      continue;
    }
    futex(Asked, FUTEX_WAIT, Before);
  }
}

/// Waits in a signal handler, through the helper thread.
void LateWaits::waitElsewhere(uint64_t Until) {
  // If CUDA itself has faulted, it may hold locks that the helper thread needs: gives up after 20
  // s.
  constexpr uint64_t MostNs = 20'000'000'000;
  uint64_t Known = Wanted.load(std::memory_order_relaxed);
  while (Known < Until && !Wanted.compare_exchange_weak(Known, Until))
    ;
  Asked.fetch_add(1, std::memory_order_release);
  futex(Asked, FUTEX_WAKE, 1);
  const uint64_t Begin = steadyNs();
  while (Made.load(std::memory_order_acquire) < Until) {
    sched_yield();
    if (steadyNs() - Begin > MostNs) {
      GaveUp = true;
      return;
    }
  }
}

/// Implements HostWatch::Waiter.
void LateWaits::waitFor(uint64_t Until, bool InHandler) {
  LateWaits *L = active();
  if (!L)
    return;
  L->Uses.fetch_add(1, std::memory_order_relaxed);
  if (InHandler) {
    L->waitElsewhere(Until);
    return;
  }
  Inside Guard;
  L->wait(Until);
}

void LateWaits::finish() {
  uint64_t Until = 0;
  {
    LockGuard Guard(Lock);
    Until = LastId;
  }
  if (Until == 0)
    return;
  wait(Until);
  Watch.giveBack(Until);
}

LateWaits::Counts LateWaits::end() {
  {
    LockGuard Guard(Lock);
    Ending = true;
  }
  finish();
  // From here on no memory is taken away for work that has not ended.
  Active.store(nullptr, std::memory_order_release);
  if (Helper.joinable()) {
    Stop = true;
    Asked.fetch_add(1, std::memory_order_release);
    futex(Asked, FUTEX_WAKE, 1);
    Helper.join();
  }
  LockGuard Guard(Lock);
  Seen.Uses = Uses;
  Seen.GaveUp = GaveUp;
  return Seen;
}

//===----------------------------------------------------------------------===//
// Moving waits
//===----------------------------------------------------------------------===//

bool LateWaits::record(Wait &W, cudaStream_t Stream) {
  CUevent Event = nullptr;
  if (!Free.empty()) {
    Event = Free.back();
    Free.pop_back();
  } else if (Api.cuEventCreate(&Event, CU_EVENT_DISABLE_TIMING) != CUDA_SUCCESS) {
    return false;
  }
  if (Api.cuEventRecord(Event, Stream) != CUDA_SUCCESS) {
    Free.push_back(Event);
    return false;
  }
  W.Events.push_back(Event);
  return true;
}

/// Records events behind the work that the wait covers. Returns null, or the reason why that is not
/// possible.
const char *LateWaits::recordBehind(Wait &W, CallKind Kind, cudaStream_t Stream,
                                    cudaEvent_t Event) {
  constexpr const char *Refused = "the driver refused the event that it would be moved with";
  if (Api.cuCtxGetCurrent(&W.Context) != CUDA_SUCCESS || !W.Context)
    return Refused;
  if (Kind == CallKind::StreamSynchronized) {
    W.Ordered = {Stream};
    return record(W, Stream) ? nullptr : Refused;
  }
  if (Kind == CallKind::EventSynchronized) {
    // The program may record its event again, so that a copy of it is needed.
    if (!ForEvents && Api.cuStreamCreate(&ForEvents, CU_STREAM_NON_BLOCKING) != CUDA_SUCCESS)
      return Refused;
    return Api.cuStreamWaitEvent(ForEvents, Event, 0) == CUDA_SUCCESS && record(W, ForEvents)
               ? nullptr
               : Refused;
  }
  const int Device = Api.currentDevice();
  for (const Work &Each : Given) {
    if (Each.Device != Device)
      continue;
    if (Each.Thread != 0 && Each.Thread != threadId())
      return "another thread has work in its own default stream";
    if (!record(W, Each.Stream))
      return Refused;
    W.Ordered.push_back(Each.Stream);
  }
  if (W.Events.size() != 1)
    W.Ordered.clear();
  std::erase_if(Given, [&](const Work &Each) { return Each.Device == Device; });
  return nullptr;
}

const LateWaits::Memory *LateWaits::memoryAt(uint64_t Address) const {
  auto It = Memories.upper_bound(Address);
  if (It == Memories.begin())
    return nullptr;
  --It;
  return Address < It->second.End ? &It->second : nullptr;
}

bool LateWaits::ofKernels(const Memory &M) const {
  return M.Managed ? OfKernels.Managed : OfKernels.Pinned;
}

/// Returns how accesses can be noticed. Pages can be protected if they hold nothing that malloc()
/// needs and if, on the CPU device, neither kernels nor sets access them.
HostWatch::Notice LateWaits::noticeOf(uint64_t Begin, uint64_t End, bool Set) const {
  const Memory *M = memoryAt(Begin);
  const bool Whole = Begin % PageBytes == 0 && End % PageBytes == 0;
  const bool Pages = M && (!M->Registered || Whole) && !(OnCpu && (Set || ofKernels(*M)));
  return Pages ? HostWatch::Notice::ByPage : HostWatch::Notice::ByCode;
}

const char *LateWaits::putOff(CallKind Kind, cudaStream_t Stream, cudaEvent_t Event) {
  struct Taken {
    uint64_t Begin, End;
    HostWatch::Notice By;
  };
  std::vector<Taken> All;
  const char *Why = nullptr;
  uint64_t Id = 0;
  if (load()) {
    LockGuard Guard(Lock);
    RelaxedCapture Relaxed(Api);
    Wait W;
    Why = Ending    ? "the program is about to end"
          : Unknown ? Unknown
                    : recordBehind(W, Kind, Stream, Event);
    if (!Why && W.Events.empty()) {
      ++Seen.PutOff; // a later wait covers all of it
      return nullptr;
    }
    if (Why) {
      ended(W);
      ++Seen.AtOnce[Why];
      return Why;
    }
    for (const Piece &P : Pieces)
      All.push_back({P.Begin, P.End, noticeOf(P.Begin, P.End, P.Set)});
    for (const auto &[Begin, M] : Memories)
      if (ofKernels(M))
        All.push_back({Begin, M.End, noticeOf(Begin, M.End, false)});
    if (Kind != CallKind::EventSynchronized)
      std::erase_if(Pieces, [&](const Piece &P) {
        return Kind == CallKind::DeviceSynchronized || P.Stream == Stream;
      });
    Id = W.Id = ++LastId;
    Open.push_back(std::move(W));
  } else {
    Why = "the driver lacks functions that it would be moved with";
  }
  for (const Taken &Each : All)
    if (!Why && !Watch.takeAway(Id, Each.Begin, Each.End - Each.Begin, Each.By))
      Why = Each.By == HostWatch::Notice::ByCode
                ? (OnCpu ? "kernels of the CPU device use the same pages as the host, whose uses "
                           "can be seen only in code compiled with --gmprof-host-accesses"
                         : "the memory shares its pages with other data, so that its uses can be "
                           "seen only in code compiled with --gmprof-host-accesses")
                : "the pages of the memory cannot be protected";
  if (Why && Id != 0) {
    wait(Id);
    Watch.giveBack(Id);
  }
  LockGuard Guard(Lock);
  if (Why)
    ++Seen.AtOnce[Why];
  else
    ++Seen.PutOff;
  return Why;
}

//===----------------------------------------------------------------------===//
// The program's other calls
//===----------------------------------------------------------------------===//

void LateWaits::waited(CallKind Kind, cudaStream_t Stream) {
  if (!load())
    return;
  uint64_t Until = 0;
  {
    LockGuard Guard(Lock);
    RelaxedCapture Relaxed(Api);
    if (Kind == CallKind::DeviceSynchronized) {
      Unknown = nullptr;
      Pieces.clear();
      std::erase_if(Given, [Device = Api.currentDevice()](const Work &Each) {
        return Each.Device == Device;
      });
    } else if (Kind == CallKind::StreamSynchronized) {
      std::erase_if(Pieces, [&](const Piece &P) { return P.Stream == Stream; });
    }
    while (!Open.empty() &&
           std::all_of(Open.front().Events.begin(), Open.front().Events.end(), [&](CUevent Event) {
             return Api.cuEventQuery(Event) != CUDA_ERROR_NOT_READY;
           })) {
      Until = Open.front().Id;
      ended(Open.front());
      Open.pop_front();
    }
  }
  if (Until != 0)
    Watch.giveBack(Until);
}

/// Orders the stream's next work behind everything that the program has waited for.
void LateWaits::enqueueing(cudaStream_t Stream) {
  if (!load())
    return;
  LockGuard Guard(Lock);
  RelaxedCapture Relaxed(Api);
  const Work This = {Api.currentDevice(), Stream, Stream == cudaStreamPerThread ? threadId() : 0};
  if (std::find(Given.begin(), Given.end(), This) == Given.end()) {
    if (Given.size() == MostStreams)
      Unknown = "there are more streams than can be followed";
    else
      Given.push_back(This);
  }
  if (Open.empty())
    return;
  CUstreamCaptureStatus Status = CU_STREAM_CAPTURE_STATUS_NONE;
  if (Api.cuStreamIsCapturing(Stream, &Status) != CUDA_SUCCESS ||
      Status != CU_STREAM_CAPTURE_STATUS_NONE)
    return;
  for (Wait &W : Open) {
    if (std::find(W.Ordered.begin(), W.Ordered.end(), Stream) != W.Ordered.end())
      continue;
    for (CUevent Event : W.Events)
      Api.cuStreamWaitEvent(Stream, Event, 0);
    W.Ordered.push_back(Stream);
  }
}

void LateWaits::calling(const ApiCalls::Call &C) {
  switch (C.Kind) {
  case CallKind::Launch:
  case CallKind::Copy:
  case CallKind::Set:
  case CallKind::EventRecorded:
  case CallKind::HostFunction:
    enqueueing(C.Stream);
    break;
  case CallKind::Release:
    if (C.Stream)
      enqueueing(C.Stream);
    else
      finish();
    break;
  case CallKind::EventRead:
    finish();
    break;
  case CallKind::StreamDestroyed: {
    LockGuard Guard(Lock);
    if (std::any_of(Given.begin(), Given.end(),
                    [&](const Work &Each) { return Each.Stream == C.Stream; }))
      Unknown = "a stream was destroyed that may have had work";
    std::erase_if(Given, [&](const Work &Each) { return Each.Stream == C.Stream; });
    break;
  }
  default:
    break;
  }
}

void LateWaits::transferring(const Transfer &T, cudaStream_t Stream, bool Async) {
  for (const TransferSide *Side : {&T.To, &T.From}) {
    const auto Begin = reinterpret_cast<uint64_t>(Side->Pointer) + Side->Offset;
    if (Side->Is != TransferSide::What::Memory || !Side->Pointer || T.RowBytes == 0 ||
        T.Rows == 0 || T.Slices == 0)
      continue;
    if (Side->Opaque) {
      notKnown("a copy was made of which it is not known how much it moves");
      continue;
    }
    const uint64_t Bytes =
        T.RowBytes + (T.Rows - 1) * Side->Pitch + (T.Slices - 1) * Side->SlicePitch;
    Watch.used(nullptr, Begin, Bytes, /*Stores=*/true);
    const Piece New = {Begin, Begin + Bytes, Stream, T.Set};
    LockGuard Guard(Lock);
    if (!Async || !memoryAt(Begin))
      continue;
    if (std::none_of(Pieces.begin(), Pieces.end(), [&](const Piece &P) {
          return P.Begin == New.Begin && P.End == New.End && P.Stream == Stream;
        }))
      Pieces.push_back(New);
    if (Pieces.size() > MostPieces)
      Unknown = "more copies are under way than can be followed";
  }
  enqueueing(Stream);
}

void LateWaits::allocated(uint64_t Address, uint64_t Bytes, bool Managed, bool Registered) {
  LockGuard Guard(Lock);
  Memories[Address] = {Address + Bytes, Managed, Registered};
}

void LateWaits::releasing(uint64_t Address) {
  uint64_t Bytes = 0;
  {
    LockGuard Guard(Lock);
    auto It = Memories.find(Address);
    if (It == Memories.end())
      return;
    Bytes = It->second.End - Address;
    std::erase_if(Pieces,
                  [&](const Piece &P) { return P.Begin >= Address && P.Begin < Address + Bytes; });
    Memories.erase(It);
  }
  Watch.forget(Address, Bytes);
}

void LateWaits::notKnown(const char *Why) {
  LockGuard Guard(Lock);
  Unknown = Why;
}

//===----------------------------------------------------------------------===//
// The CPU device
//===----------------------------------------------------------------------===//

bool LateWaits::copyAnyway(void *To, const void *From, size_t Bytes) {
  if (!active())
    return false;
  // Writes through this file ignore page protections.
  static const int Self = realSystem().open("/proc/self/mem", O_RDWR | O_CLOEXEC);
  std::vector<char> Buffer(std::min(Bytes, size_t(1) << 20));
  for (size_t Done = 0; Done < Bytes;) {
    const size_t Part = std::min(Bytes - Done, Buffer.size());
    const auto Source = static_cast<off_t>(reinterpret_cast<uint64_t>(From) + Done);
    const auto Target = static_cast<off_t>(reinterpret_cast<uint64_t>(To) + Done);
    const auto Wanted = static_cast<ssize_t>(Part);
    if (realSystem().pread(Self, Buffer.data(), Part, Source) != Wanted ||
        realSystem().pwrite(Self, Buffer.data(), Part, Target) != Wanted)
      return false;
    Done += Part;
  }
  return true;
}

} // namespace gmprof::host
