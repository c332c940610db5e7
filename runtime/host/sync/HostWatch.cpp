//===- HostWatch.cpp - Finds host uses of GPU results ---------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "host/sync/HostWatch.h"
#include "host/core/RealSystem.h"
#include "host/core/Session.h"
#include "host/sync/FaultHandler.h"
#include "host/sync/HostCode.h"
#include "host/sync/PageProtections.h"
#include <algorithm>
#include <sys/mman.h>
#include <ucontext.h>
#include <utility>

namespace gmprof::host {

using log::UseKind;

std::atomic<HostWatch *> HostWatch::Active{nullptr};
std::atomic<uint64_t> HostWatch::Watched{0};
constinit SpinLock HostWatch::Lock;
thread_local constinit bool HostWatch::InFork = false;
sigset_t HostWatch::BeforeFork;

namespace {

constexpr uint64_t PageBytes = 4096;

uint64_t pageOf(uint64_t Address) { return Address & ~(PageBytes - 1); }

} // namespace

/// Holds the lock for a short time. Blocks signals meanwhile, as the program's handlers could
/// fault.
class GMPROF_LOCK_GUARD HostWatch::Locked {
public:
  explicit Locked(bool InHandler = false) GMPROF_ACQUIRES(Lock) GMPROF_UNCHECKED_LOCKS
      : InHandler(InHandler) {
    // Fork handlers of other libraries may fault while this thread holds the lock.
    if (InFork)
      return;
    if (!InHandler)
      blockSignals(Before);
    Lock.lock();
  }
  ~Locked() GMPROF_RELEASES() GMPROF_UNCHECKED_LOCKS {
    if (InFork)
      return;
    Lock.unlock();
    if (!InHandler)
      restoreSignals(Before);
  }
  Locked(const Locked &) = delete;
  Locked &operator=(const Locked &) = delete;

private:
  const bool InHandler;
  sigset_t Before;
};

HostWatch::HostWatch(Recorder &Log, CallPaths &Paths, bool DeviceUsesPages)
    : HostWatch(&Log, &Paths, nullptr, DeviceUsesPages) {}

HostWatch::HostWatch(Waiter Wait) : HostWatch(nullptr, nullptr, Wait, /*DeviceUsesPages=*/false) {}

HostWatch::HostWatch(Recorder *Log, CallPaths *Paths, Waiter Wait, bool DeviceUsesPages)
    : Log(Log), Paths(Paths), Wait(Wait), DeviceUsesPages(DeviceUsesPages) {
  if (!FaultHandler::prepared())
    FaultHandler::prepare(ask);
  // Unwinds once now, because unwinders allocate at their first use.
  FrameArray Frames;
  CallPaths::unwind(Frames);
  Active.store(this, std::memory_order_release);
}

HostWatch::Region *HostWatch::newRegion() {
  for (size_t I = 0; I < RegionCount; ++I)
    if (!Regions[I].inUse())
      return &Regions[I];
  return RegionCount == MaxRegions ? nullptr : &Regions[RegionCount++];
}

/// Restores access to these pages of the region. Other regions that they protect are exposed.
void HostWatch::unprotect(Region &R, uint64_t FirstPage, uint64_t EndPage) {
  if (FirstPage >= EndPage)
    return;
  for (size_t I = 0; I < RegionCount; ++I)
    Regions[I].Exposed |= &Regions[I] != &R && Regions[I].protects(FirstPage, EndPage);
  realSystem().mprotect(reinterpret_cast<void *>(FirstPage), EndPage - FirstPage,
                        PROT_READ | PROT_WRITE);
  Releases.fetch_add(1, std::memory_order_release);
  if (FirstPage == R.FirstPage && EndPage == R.EndPage)
    R.FirstPage = R.EndPage = 0;
  else if (FirstPage == R.FirstPage)
    R.FirstPage = EndPage;
  else
    R.EndPage = FirstPage;
  if (!R.isProtected())
    Watched.fetch_sub(1, std::memory_order_relaxed);
}

/// Watches the region by instrumented code; other data in its pages stays accessible.
void HostWatch::watchByCode(Region &R) {
  if (R.ByCode)
    return;
  R.ByCode = true;
  auto *Free = std::find_if(CodeRanges.begin(), CodeRanges.end(),
                            [](const CodeRange &Each) { return Each.End.load() == 0; });
  R.CodeRange = static_cast<size_t>(Free - CodeRanges.begin());
  if (Free == CodeRanges.end()) {
    ++BeyondCodeRanges;
  } else {
    Free->Begin = R.Begin;
    Free->End = R.End;
  }
  HostCode::watch(pageOf(R.Begin), pageOf(R.End - 1) + PageBytes, /*On=*/true);
  Watched.fetch_add(1, std::memory_order_relaxed);
}

void HostWatch::release(Region &R) {
  unprotect(R, R.FirstPage, R.EndPage);
  if (R.ByCode) {
    if (R.CodeRange == MaxCodeRanges)
      --BeyondCodeRanges;
    else
      CodeRanges[R.CodeRange].End = 0;
    HostCode::watch(pageOf(R.Begin), pageOf(R.End - 1) + PageBytes, /*On=*/false);
    Watched.fetch_sub(1, std::memory_order_relaxed);
  }
  R = {};
}

/// Handles a region whose pages cannot be protected.
void HostWatch::unseen(Region &R, uint64_t TimeNs) {
  see(R, AllCode ? UseKind::OnlyByCode : UseKind::Assumed, R.Begin, TimeNs);
  if (AllCode)
    watchByCode(R);
  else
    release(R);
}

/// Handles regions of which some pages have become accessible because of another region: uses of
/// them are unseen from now on.
void HostWatch::giveUpExposed(uint64_t TimeNs) {
  for (bool Any = true; Any;) {
    Any = false;
    for (size_t I = 0; I < RegionCount; ++I) {
      Region &R = Regions[I];
      if (!R.Exposed)
        continue;
      R.Exposed = false;
      if (!R.isProtected())
        continue;
      unprotect(R, R.FirstPage, R.EndPage);
      unseen(R, TimeNs);
      Any = true;
    }
  }
}

/// Returns whether unfinished operations use the region's pages. Threads of the CPU device execute
/// them, so the pages must be accessible.
bool HostWatch::usedByDevice(const Region &R) const {
  if (!DeviceUsesPages)
    return false;
  if (R.WaitsFor != 0)
    return true;
  const uint64_t First = pageOf(R.Begin), End = pageOf(R.End - 1) + PageBytes;
  return std::any_of(Regions.begin(), Regions.begin() + static_cast<std::ptrdiff_t>(RegionCount),
                     [&](const Region &Other) {
                       return Other.inUse() && Other.WaitsFor != 0 && Other.overlaps(First, End);
                     });
}

void HostWatch::see(const Region &R, UseKind Kind, uint64_t Address, uint64_t TimeNs,
                    std::span<const uint64_t> Frames, bool ByCode) {
  AnySeen.store(true, std::memory_order_release);
  if (UseCount == MaxSeen) {
    ++Lost;
    return;
  }
  Seen &S = Uses[Filled][UseCount++];
  S.Use = {R.Operation, TimeNs, Address, Kind, threadId(), 0, ByCode};
  S.FrameCount = static_cast<unsigned>(Frames.size());
  std::copy(Frames.begin(), Frames.end(), S.Frames.begin());
}

bool HostWatch::protectPages(Region &R, int Allowed) {
  const uint64_t First = pageOf(R.Begin), End = pageOf(R.End - 1) + PageBytes;
  Watched.fetch_add(1, std::memory_order_relaxed); // before a thread can fault and ask any()
  if (FaultHandler::onStack(First, End) || PageProtections::limited(First, End) ||
      realSystem().mprotect(reinterpret_cast<void *>(First), End - First, Allowed) != 0) {
    Watched.fetch_sub(1, std::memory_order_relaxed);
    return false;
  }
  R.FirstPage = First;
  R.EndPage = End;
  if (Allowed != PROT_NONE) // which may be more than others allow
    for (size_t I = 0; I < RegionCount; ++I)
      Regions[I].Exposed |=
          &Regions[I] != &R && !Regions[I].StoresOnly && Regions[I].protects(First, End);
  return true;
}

void HostWatch::protect(Region &R) {
  if (!protectPages(R, R.StoresOnly ? PROT_READ : PROT_NONE))
    unseen(R, steadyNs());
}

//===----------------------------------------------------------------------===//
// Memory that is protected until a wait
//===----------------------------------------------------------------------===//

bool HostWatch::takeAway(uint64_t Until, uint64_t Address, uint64_t Bytes, Notice By) {
  FaultHandler::install();
  AllCode = HostCode::whole();
  const uint64_t End = Address + Bytes;
  Locked Guard;
  for (size_t I = 0; I < RegionCount; ++I)
    if (Regions[I].inUse() && Regions[I].Begin == Address && Regions[I].End == End) {
      Regions[I].Operation = Until;
      return true;
    }
  Region *R = newRegion();
  if (!R)
    return false;
  *R = {};
  R->Begin = Address;
  R->End = End;
  R->Operation = Until;
  if (By == Notice::ByPage && protectPages(*R, PROT_NONE))
    return true;
  if (!AllCode) {
    *R = {};
    return false;
  }
  watchByCode(*R);
  return true;
}

void HostWatch::giveBack(uint64_t Until, bool InHandler) {
  Locked Guard(InHandler);
  for (size_t I = 0; I < RegionCount; ++I) {
    Region &R = Regions[I];
    if (!R.inUse() || R.Operation > Until)
      continue;
    // Keeps pages protected that another region needs for a later operation.
    uint64_t Later = 0;
    for (size_t J = 0; R.isProtected() && J < RegionCount; ++J)
      if (Regions[J].Operation > Until && Regions[J].protects(R.FirstPage, R.EndPage))
        Later = Regions[J].Operation;
    if (Later != 0)
      R.Operation = Later;
    else
      release(R);
  }
}

/// Waits for the operations of these regions, and releases the regions. Returns whether there were
/// any.
template <typename Which> bool HostWatch::waitFor(Which Concerns, bool InHandler) {
  for (bool Any = false;; Any = true) {
    uint64_t Until = 0;
    {
      Locked Guard(InHandler);
      for (size_t I = 0; I < RegionCount; ++I)
        if (Regions[I].inUse() && Concerns(Regions[I]))
          Until = std::max(Until, Regions[I].Operation);
    }
    if (Until == 0)
      return Any;
    Wait(Until, InHandler);
    giveBack(Until, InHandler);
  }
}

//===----------------------------------------------------------------------===//
// Operations and uses
//===----------------------------------------------------------------------===//

void HostWatch::given(uint64_t Operation, uint64_t Address, uint64_t Bytes, bool Writes) {
  if (Bytes == 0)
    return;
  const uint64_t TimeNs = steadyNs();
  Locked Guard;
  const uint64_t End = Address + Bytes;
  bool Known = false;
  for (size_t I = 0; I < RegionCount; ++I) {
    Region &R = Regions[I];
    if (!R.inUse() || !R.overlaps(pageOf(Address), pageOf(End - 1) + PageBytes))
      continue;
    const bool Same = R.overlaps(Address, End);
    if (Same && (Writes || R.StoresOnly)) {
      release(R);
      continue;
    }
    // The host may use the region while the operation needs its pages.
    if (DeviceUsesPages && R.isProtected()) {
      unprotect(R, R.FirstPage, R.EndPage);
      unseen(R, TimeNs);
    }
    if (!Same || !R.inUse())
      continue;
    if (!R.isWatched())
      R.WaitsFor = Operation;
    Known = true;
  }
  giveUpExposed(TimeNs);
  if (!Writes && Known)
    return;
  Region Whole;
  Whole.StoresOnly = !Writes;
  Whole.Begin = Address;
  Whole.End = End;
  Whole.Operation = Whole.WaitsFor = Operation;
  Whole.Ended = false;
  if (Region *R = newRegion())
    *R = Whole;
  else
    see(Whole, UseKind::Assumed, Address, TimeNs);
}

/// Updates some regions, from First on, whose operations have ended. Any: set if there are some.
/// Returns whether there are more regions.
bool HostWatch::updateEnded(size_t First, const std::function<bool(uint64_t)> &HasEnded,
                            bool &Any) {
  struct Asked {
    uint64_t Operation = 0, WaitsFor = 0;
    bool Ended = false, WaitsNoMore = false;
  };
  std::array<Asked, RegionsAtATime> Of = {};
  size_t End = 0;
  bool More = false;
  {
    Locked Guard;
    More = First + RegionsAtATime < RegionCount;
    End = std::min(First + RegionsAtATime, RegionCount);
    for (size_t I = First; I < End; ++I)
      if (Regions[I].inUse())
        Of[I - First] = {Regions[I].Operation, Regions[I].WaitsFor, Regions[I].Ended, false};
  }
  // HasEnded takes locks of its own, so it is called without ours.
  uint64_t Last = 0;
  bool LastEnded = false, Found = false;
  const auto Ask = [&](uint64_t Operation) {
    if (Operation != std::exchange(Last, Operation))
      LastEnded = HasEnded(Operation);
    return LastEnded;
  };
  for (Asked &A : Of) {
    if (A.WaitsFor == 0)
      continue;
    A.WaitsNoMore = Ask(A.WaitsFor);
    A.Ended = A.Ended || Ask(A.Operation);
    Found |= A.Ended;
  }
  if (!Found)
    return More;
  Any = true;
  Locked Guard;
  for (size_t I = First; I < End; ++I) {
    Region &R = Regions[I];
    const Asked &A = Of[I - First];
    if (A.WaitsFor == 0 || R.Operation != A.Operation)
      continue;
    R.Ended |= A.Ended;
    if (A.WaitsNoMore && R.WaitsFor == A.WaitsFor)
      R.WaitsFor = 0;
  }
  return More;
}

void HostWatch::operationsEnded(const std::function<bool(uint64_t)> &HasEnded) {
  drain();
  bool Any = false;
  for (size_t First = 0; updateEnded(First, HasEnded, Any);)
    First += RegionsAtATime;
  if (!Any)
    return;
  FaultHandler::install();
  AllCode = HostCode::whole();
  Locked Guard;
  for (size_t I = 0; I < RegionCount; ++I) {
    Region &R = Regions[I];
    if (!R.inUse() || !R.Ended || R.isWatched())
      continue;
    if (usedByDevice(R))
      unseen(R, steadyNs());
    else
      protect(R);
  }
  giveUpExposed(steadyNs());
}

void HostWatch::used(const void *Caller, uint64_t Address, uint64_t Bytes, bool Stores) {
  if (!any() || Bytes == 0)
    return;
  // Clamps sizes beyond the address space, which the call rejects.
  const uint64_t End = Address + std::min(Bytes, UINT64_MAX - Address);
  auto Concerns = [&](const Region &R) {
    return R.inUse() && (R.protects(Address, End) || (R.ByCode && R.overlaps(Address, End))) &&
           (!R.StoresOnly || Stores);
  };
  if (Wait) {
    waitFor(Concerns);
    return;
  }
  {
    Locked Guard;
    const auto Last = Regions.begin() + static_cast<std::ptrdiff_t>(RegionCount);
    if (std::none_of(Regions.begin(), Last, Concerns))
      return;
  }
  // Unwinds without the lock: unwinding takes locks whose holders may wait for ours.
  FrameArray Frames;
  const size_t FrameCount = Caller ? pathFrom(static_cast<const uint64_t *>(Caller)[1], Frames) : 0;
  Locked Guard;
  for (size_t I = 0; I < RegionCount; ++I) {
    Region &R = Regions[I];
    if (!Concerns(R))
      continue;
    const bool Inside = R.overlaps(Address, End);
    see(R, Inside ? UseKind::Call : UseKind::Assumed, std::max(Address, R.Begin), steadyNs(),
        {Frames.data(), FrameCount});
    release(R);
  }
  giveUpExposed(steadyNs());
}

void HostWatch::forget(uint64_t Address, uint64_t Bytes) {
  if (!any())
    return;
  if (Wait) {
    // The GPU may still use the memory and the other data in its pages.
    used(nullptr, Address, Bytes, /*Stores=*/true);
    return;
  }
  Locked Guard;
  for (size_t I = 0; I < RegionCount; ++I)
    if (Regions[I].inUse() && Regions[I].overlaps(Address, Address + Bytes))
      release(Regions[I]);
  giveUpExposed(steadyNs());
}

void HostWatch::giveUp(uint64_t Address, uint64_t Bytes) {
  if (!any())
    return;
  if (Wait) {
    used(nullptr, Address, Bytes, /*Stores=*/true);
    return;
  }
  Locked Guard;
  for (size_t I = 0; I < RegionCount; ++I) {
    Region &R = Regions[I];
    if (!R.protects(Address, Address + Bytes))
      continue;
    unprotect(R, R.FirstPage, R.EndPage);
    unseen(R, steadyNs());
  }
  giveUpExposed(steadyNs());
}

bool HostWatch::mayBeWatchedByCode(uint64_t Address, uint64_t Bytes) const {
  return BeyondCodeRanges.load(std::memory_order_relaxed) != 0 ||
         std::any_of(CodeRanges.begin(), CodeRanges.end(), [&](const CodeRange &R) {
           return Address < R.End.load(std::memory_order_relaxed) &&
                  R.Begin.load(std::memory_order_relaxed) < Address + Bytes;
         });
}

void HostWatch::seenByCode(const void *Caller, UseKind Kind, uint64_t Address, uint64_t Bytes,
                           bool Store) {
  if (Wait) {
    waitFor([&](const Region &R) { return R.ByCode && R.overlaps(Address, Address + Bytes); });
    return;
  }
  const uint64_t TimeNs = steadyNs();
  FrameArray Frames;
  const size_t FrameCount = pathFrom(static_cast<const uint64_t *>(Caller)[1], Frames);
  Locked Guard;
  for (size_t I = 0; I < RegionCount; ++I) {
    Region &R = Regions[I];
    if (!R.ByCode || !R.overlaps(Address, Address + Bytes) || (R.StoresOnly && !Store))
      continue;
    see(R, Kind, std::max(Address, R.Begin), TimeNs, {Frames.data(), FrameCount}, /*ByCode=*/true);
    release(R);
  }
  giveUpExposed(TimeNs);
}

void HostWatch::accessed(const void *Caller, uint64_t Address, uint64_t Bytes, bool Store) {
  seenByCode(Caller, Store ? UseKind::Store : UseKind::Load, Address, Bytes, Store);
}

void HostWatch::givenToCode(const void *Caller, uint64_t Address, uint64_t Bytes, bool Stores) {
  seenByCode(Caller, UseKind::Call, Address, Bytes, Stores);
}

/// Handles an access outside of the region, but in one of its pages.
void HostWatch::faultBeside(Region &R, uint64_t Page, uint64_t TimeNs) {
  const bool IsEdge = Page == R.FirstPage || Page + PageBytes == R.EndPage;
  if (AllCode && IsEdge)
    unprotect(R, Page, Page + PageBytes);
  else
    unprotect(R, R.FirstPage, R.EndPage);
  if (R.isProtected())
    watchByCode(R); // watches the part in that page
  else
    unseen(R, TimeNs);
}

/// Returns whether the access should be retried: another thread may have faulted at the same time
/// and released the pages since this thread last asked about the access.
bool HostWatch::tryAgain(uint64_t Address, uint64_t Instruction) {
  struct Fault {
    uint64_t Address, Instruction, Releases;
    bool operator==(const Fault &) const = default;
  };
  thread_local constinit Fault Last = {};
  const Fault This = {Address, Instruction, Releases.load(std::memory_order_acquire)};
  const bool Asked = Last == This;
  Last = This;
  return !Asked && This.Releases != 0;
}

/// Collects the call path of the call that returns to Return, as far as it is known.
size_t HostWatch::pathFrom(uint64_t Return, FrameArray &Frames) {
  struct Walk {
    FrameArray &Frames;
    size_t Count;
  } W = {Frames, 0};
  // Unwinders fault on stacks that they do not know, such as those of GPU threads on the CPU
  // device.
  guardedFromFaults(
      [](void *To) {
        auto *Its = static_cast<Walk *>(To);
        Its->Count = CallPaths::unwind(Its->Frames);
      },
      &W);
  uint64_t *End = Frames.data() + W.Count;
  uint64_t *At = std::find(Frames.data(), End, Return);
  // Unwinding ends early without unwind tables: the path is the return address.
  if (At == End) {
    At = Frames.data();
    End = At + 1;
    *At = Return;
  }
  std::copy(At, End, Frames.data());
  return static_cast<size_t>(End - At);
}

bool HostWatch::fault(const siginfo_t &Info, void *Context) {
  constexpr uint64_t WriteAccess = 2; // of a page fault's error code
  if (Info.si_code != SEGV_ACCERR && Info.si_code != SEGV_MAPERR)
    return false;
  const uint64_t TimeNs = steadyNs();
  const auto Address = reinterpret_cast<uint64_t>(Info.si_addr);
  const uint64_t Page = pageOf(Address);
  const auto &Registers = static_cast<ucontext_t *>(Context)->uc_mcontext.gregs;
  const auto Instruction = static_cast<uint64_t>(Registers[REG_RIP]);
  const bool Store = (static_cast<uint64_t>(Registers[REG_ERR]) & WriteAccess) != 0;
  if (!any())
    return tryAgain(Address, Instruction);
  if (Wait)
    return waitFor([&](const Region &R) { return R.protects(Address, Address + 1); },
                   /*InHandler=*/true) ||
           tryAgain(Address, Instruction);
  FrameArray Frames;
  const size_t FrameCount = pathFrom(Instruction, Frames);
  // A path consists of return addresses, which follow the calls.
  ++Frames[0];
  bool Found = false;
  Locked Guard(/*InHandler=*/true);
  for (size_t I = 0; I < RegionCount; ++I) {
    Region &R = Regions[I];
    if (!R.isProtected() || Address < R.FirstPage || Address >= R.EndPage)
      continue;
    Found = true;
    const bool Exact = Address >= R.Begin && Address < R.End;
    if (R.StoresOnly && !Store)
      continue;
    if (!Exact || Inside::now()) {
      faultBeside(R, Page, TimeNs);
      continue;
    }
    see(R, Store ? UseKind::Store : UseKind::Load, Address, TimeNs, {Frames.data(), FrameCount});
    release(R);
  }
  giveUpExposed(TimeNs);
  return Found || tryAgain(Address, Instruction);
}

/// Records the uses that the handler has seen.
void HostWatch::drain() {
  if (!AnySeen.exchange(false, std::memory_order_acquire))
    return;
  LockGuard OneAtATime(Draining);
  std::span<Seen> Taken;
  uint64_t TakenLost = 0;
  {
    Locked Guard;
    Taken = {Uses[Filled].data(), std::exchange(UseCount, 0)};
    Filled = 1 - Filled;
    TakenLost = std::exchange(Lost, 0);
  }
  for (Seen &S : Taken) {
    S.Use.callPath = Paths->add({S.Frames.data(), S.FrameCount});
    Log->hostUse(S.Use);
  }
  if (TakenLost != 0)
    Log->gap("uses by the host", "more of them came at a time than there is room for", TakenLost);
}

void HostWatch::finish() {
  {
    Locked Guard;
    for (size_t I = 0; I < RegionCount; ++I)
      if (Regions[I].inUse())
        release(Regions[I]);
  }
  drain();
  if (HostCode::any() && !HostCode::whole())
    Log->gap("host code",
             "not all of the program was compiled with --gmprof-host-accesses, so that uses of "
             "stacks and of memory that shares pages are assumed: not " +
                 HostCode::missing(),
             1);
}

bool HostWatch::ask(const siginfo_t &Info, void *Context) {
  HostWatch *W = active();
  return W && W->fault(Info, Context);
}

void HostWatch::beforeFork() {
  if (InFork)
    return; // two users asked to be called
  sigset_t Before;
  blockSignals(Before);
  Lock.lock();
  BeforeFork = Before;
  InFork = true;
}

void HostWatch::afterForkInParent() {
  if (!InFork)
    return;
  InFork = false;
  const sigset_t Mask = BeforeFork;
  Lock.unlock();
  restoreSignals(Mask);
}

void HostWatch::afterForkInChild() {
  if (HostWatch *W = Active.load())
    for (size_t I = 0; I < W->RegionCount; ++I)
      if (W->Regions[I].inUse())
        W->release(W->Regions[I]);
  Active.store(nullptr);
  afterForkInParent();
}

} // namespace gmprof::host
