//===- HostWatch.cpp - Finds host uses of GPU results ---------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "host/sync/HostWatch.h"
#include "host/core/Session.h"
#include "host/sync/FaultHandler.h"
#include "host/sync/HostCode.h"
#include <algorithm>
#include <sys/mman.h>
#include <ucontext.h>
#include <utility>

namespace gmprof::host {

using log::UseKind;

/// The most regions that updateEnded() asks about together.
static constexpr size_t RegionsAtATime = 64;

/// Returns where the function with this frame returns to.
static uint64_t returnAddress(const void *Frame) { return static_cast<const uint64_t *>(Frame)[1]; }

std::atomic<HostWatch *> HostWatch::Active{nullptr};

HostWatch::HostWatch(Recorder &Log, CallPaths &Paths, bool DeviceUsesPages)
    : HostWatch(&Log, &Paths, nullptr, DeviceUsesPages) {}

HostWatch::HostWatch(Waiter Wait) : HostWatch(nullptr, nullptr, Wait, /*DeviceUsesPages=*/false) {}

HostWatch::HostWatch(Recorder *Log, CallPaths *Paths, Waiter Wait, bool DeviceUsesPages)
    : Log(Log), Paths(Paths), Wait(Wait), DeviceUsesPages(DeviceUsesPages) {
  if (!FaultHandler::prepared())
    FaultHandler::prepare(ask);
  // Unwinds once now, because unwinders allocate at their first use.
  std::array<uint64_t, UsePath::MaxFrames> Frames;
  CallPaths::unwind(Frames);
  Active.store(this, std::memory_order_release);
}

void HostWatch::see(const Region &R, UseKind Kind, uint64_t Address, uint64_t TimeNs,
                    const UsePath &Path, bool ByCode) {
  Uses.see(R.Operation, Kind, Address, TimeNs, Path.frames(), ByCode);
}

/// Handles a region whose pages cannot be protected.
void HostWatch::watchUnseen(Region &R, uint64_t TimeNs) {
  see(R, AllCode ? UseKind::OnlyByCode : UseKind::Assumed, R.Begin, TimeNs);
  if (AllCode)
    Regions.watchByCode(R);
  else
    Regions.release(R);
}

/// Makes the region's pages accessible: uses of them are unseen from now on.
void HostWatch::unprotectUnseen(Region &R, uint64_t TimeNs) {
  Regions.unprotect(R);
  watchUnseen(R, TimeNs);
}

/// Handles regions of which some pages have become accessible because of another region.
void HostWatch::giveUpExposed(uint64_t TimeNs) {
  for (bool Any = true; Any;) {
    Any = false;
    for (Region &R : Regions.all())
      if (std::exchange(R.Exposed, false) && R.isProtected()) {
        unprotectUnseen(R, TimeNs);
        Any = true;
      }
  }
}

/// Returns whether unfinished operations use the region's pages. Threads of the CPU device execute
/// them, so the pages must be accessible.
bool HostWatch::usedByDevice(const Region &R) const {
  if (!DeviceUsesPages)
    return false;
  return R.WaitsFor != 0 || std::ranges::any_of(Regions.all(), [&](const Region &Other) {
           return Other.inUse() && Other.WaitsFor != 0 &&
                  Other.overlaps(R.firstPageOfAll(), R.endPageOfAll());
         });
}

//===----------------------------------------------------------------------===//
// Memory that is protected until a wait
//===----------------------------------------------------------------------===//

bool HostWatch::takeAway(uint64_t Until, uint64_t Address, uint64_t Bytes, Notice By) {
  FaultHandler::install();
  AllCode = HostCode::whole();
  const uint64_t End = Address + Bytes;
  WatchLock::Guard Guard;
  for (Region &R : Regions.all())
    if (R.inUse() && R.Begin == Address && R.End == End) {
      R.Operation = Until;
      return true;
    }
  Region Taken;
  Taken.Begin = Address;
  Taken.End = End;
  Taken.Operation = Until;
  Region *R = Regions.add(Taken);
  if (!R)
    return false;
  if (By == Notice::ByPage && Regions.protect(*R, PROT_NONE))
    return true;
  if (AllCode)
    Regions.watchByCode(*R);
  else
    Regions.release(*R);
  return AllCode;
}

void HostWatch::giveBack(uint64_t Until, bool InHandler) {
  WatchLock::Guard Guard(InHandler);
  for (Region &R : Regions.all()) {
    if (!R.inUse() || R.Operation > Until)
      continue;
    // Keeps pages protected that another region needs for a later operation.
    uint64_t Later = 0;
    if (R.isProtected())
      for (const Region &Other : Regions.all())
        if (Other.Operation > Until && Other.protects(R.FirstPage, R.EndPage))
          Later = Other.Operation;
    if (Later != 0)
      R.Operation = Later;
    else
      Regions.release(R);
  }
}

/// Waits for the operations of these regions, and releases the regions. Returns whether there were
/// any.
template <typename Which> bool HostWatch::waitFor(Which Concerns, bool InHandler) {
  for (bool Any = false;; Any = true) {
    uint64_t Until = 0;
    {
      WatchLock::Guard Guard(InHandler);
      for (const Region &R : Regions.all())
        if (R.inUse() && Concerns(R))
          Until = std::max(Until, R.Operation);
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
  Region Given;
  Given.StoresOnly = !Writes;
  Given.Begin = Address;
  Given.End = Address + Bytes;
  Given.Operation = Given.WaitsFor = Operation;
  const uint64_t TimeNs = steadyNs();
  WatchLock::Guard Guard;
  bool Known = false;
  for (Region &R : Regions.all()) {
    if (!R.inUse() || !R.overlaps(Given.firstPageOfAll(), Given.endPageOfAll()))
      continue;
    const bool Same = R.overlaps(Given.Begin, Given.End);
    if (Same && (Writes || R.StoresOnly)) {
      Regions.release(R);
      continue;
    }
    // The host may use the region while the operation needs its pages.
    if (DeviceUsesPages && R.isProtected())
      unprotectUnseen(R, TimeNs);
    if (!Same || !R.inUse())
      continue;
    if (!R.isWatched())
      R.WaitsFor = Operation;
    Known = true;
  }
  giveUpExposed(TimeNs);
  if ((Writes || !Known) && !Regions.add(Given))
    see(Given, UseKind::Assumed, Address, TimeNs);
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
    WatchLock::Guard Guard;
    const std::span<Region> All = Regions.all();
    More = First + RegionsAtATime < All.size();
    End = std::min(First + RegionsAtATime, All.size());
    for (size_t I = First; I < End; ++I)
      if (All[I].inUse())
        Of[I - First] = {All[I].Operation, All[I].WaitsFor, All[I].Ended, false};
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
  WatchLock::Guard Guard;
  for (size_t I = First; I < End; ++I) {
    Region &R = Regions.all()[I];
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
  record();
  bool Any = false;
  for (size_t First = 0; updateEnded(First, HasEnded, Any);)
    First += RegionsAtATime;
  if (!Any)
    return;
  FaultHandler::install();
  AllCode = HostCode::whole();
  WatchLock::Guard Guard;
  for (Region &R : Regions.all()) {
    if (!R.inUse() || !R.Ended || R.isWatched())
      continue;
    if (usedByDevice(R) || !Regions.protect(R, R.StoresOnly ? PROT_READ : PROT_NONE))
      watchUnseen(R, steadyNs());
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
    WatchLock::Guard Guard;
    if (std::ranges::none_of(Regions.all(), Concerns))
      return;
  }
  UsePath Path;
  if (Caller)
    Path.unwindTo(returnAddress(Caller));
  WatchLock::Guard Guard;
  for (Region &R : Regions.all()) {
    if (!Concerns(R))
      continue;
    const bool Inside = R.overlaps(Address, End);
    see(R, Inside ? UseKind::Call : UseKind::Assumed, std::max(Address, R.Begin), steadyNs(), Path);
    Regions.release(R);
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
  WatchLock::Guard Guard;
  for (Region &R : Regions.all())
    if (R.inUse() && R.overlaps(Address, Address + Bytes))
      Regions.release(R);
  giveUpExposed(steadyNs());
}

void HostWatch::giveUp(uint64_t Address, uint64_t Bytes) {
  if (!any())
    return;
  if (Wait) {
    used(nullptr, Address, Bytes, /*Stores=*/true);
    return;
  }
  WatchLock::Guard Guard;
  for (Region &R : Regions.all())
    if (R.protects(Address, Address + Bytes))
      unprotectUnseen(R, steadyNs());
  giveUpExposed(steadyNs());
}

void HostWatch::seenByCode(const void *Caller, UseKind Kind, uint64_t Address, uint64_t Bytes,
                           bool Store) {
  if (Wait) {
    waitFor([&](const Region &R) { return R.ByCode && R.overlaps(Address, Address + Bytes); });
    return;
  }
  const uint64_t TimeNs = steadyNs();
  UsePath Path;
  Path.unwindTo(returnAddress(Caller));
  WatchLock::Guard Guard;
  for (Region &R : Regions.all()) {
    if (!R.ByCode || !R.overlaps(Address, Address + Bytes) || (R.StoresOnly && !Store))
      continue;
    see(R, Kind, std::max(Address, R.Begin), TimeNs, Path, /*ByCode=*/true);
    Regions.release(R);
  }
  giveUpExposed(TimeNs);
}

void HostWatch::accessed(const void *Caller, uint64_t Address, uint64_t Bytes, bool Store) {
  seenByCode(Caller, Store ? UseKind::Store : UseKind::Load, Address, Bytes, Store);
}

void HostWatch::givenToCode(const void *Caller, uint64_t Address, uint64_t Bytes, bool Stores) {
  seenByCode(Caller, UseKind::Call, Address, Bytes, Stores);
}

//===----------------------------------------------------------------------===//
// Faults
//===----------------------------------------------------------------------===//

/// Returns whether the access should be retried: another thread may have faulted at the same time
/// and released the pages since this thread last asked about the access.
bool HostWatch::tryAgain(uint64_t Address, uint64_t Instruction) {
  struct Fault {
    uint64_t Address, Instruction, Releases;
    bool operator==(const Fault &) const = default;
  };
  thread_local constinit Fault Last = {};
  const Fault This = {Address, Instruction, Regions.releases()};
  const bool Asked = Last == This;
  Last = This;
  return !Asked && This.Releases != 0;
}

/// Handles an access outside of the region, but in one of its pages.
void HostWatch::faultBeside(Region &R, uint64_t Page, uint64_t TimeNs) {
  const bool IsEdge = Page == R.FirstPage || Page + PageBytes == R.EndPage;
  if (AllCode && IsEdge)
    Regions.unprotect(R, Page, Page + PageBytes);
  else
    Regions.unprotect(R);
  if (R.isProtected())
    Regions.watchByCode(R); // watches the part in that page
  else
    watchUnseen(R, TimeNs);
}

/// Records a fault in watched memory. Returns whether there was any.
bool HostWatch::recordFault(uint64_t Address, uint64_t Instruction, bool Store) {
  const uint64_t TimeNs = steadyNs();
  UsePath Path;
  Path.unwindAt(Instruction);
  bool Found = false;
  WatchLock::Guard Guard(/*InHandler=*/true);
  for (Region &R : Regions.all()) {
    if (!R.protects(Address, Address + 1))
      continue;
    Found = true;
    if (R.StoresOnly && !Store)
      continue;
    if (!R.overlaps(Address, Address + 1) || Inside::now()) {
      faultBeside(R, pageOf(Address), TimeNs);
      continue;
    }
    see(R, Store ? UseKind::Store : UseKind::Load, Address, TimeNs, Path);
    Regions.release(R);
  }
  giveUpExposed(TimeNs);
  return Found;
}

bool HostWatch::fault(const siginfo_t &Info, void *Context) {
  constexpr uint64_t WriteAccess = 2; // of a page fault's error code
  if (Info.si_code != SEGV_ACCERR && Info.si_code != SEGV_MAPERR)
    return false;
  const auto Address = reinterpret_cast<uint64_t>(Info.si_addr);
  const auto &Registers = static_cast<ucontext_t *>(Context)->uc_mcontext.gregs;
  const auto Instruction = static_cast<uint64_t>(Registers[REG_RIP]);
  const bool Store = (static_cast<uint64_t>(Registers[REG_ERR]) & WriteAccess) != 0;
  bool Handled = false;
  if (any() && Wait)
    Handled = waitFor([&](const Region &R) { return R.protects(Address, Address + 1); },
                      /*InHandler=*/true);
  else if (any())
    Handled = recordFault(Address, Instruction, Store);
  return Handled || tryAgain(Address, Instruction);
}

bool HostWatch::ask(const siginfo_t &Info, void *Context) {
  HostWatch *W = active();
  return W && W->fault(Info, Context);
}

//===----------------------------------------------------------------------===//
// The end
//===----------------------------------------------------------------------===//

/// Records the uses that have been seen; a run that moves waits sees none.
void HostWatch::record() {
  if (Log)
    Uses.record(*Log, *Paths);
}

void HostWatch::finish() {
  {
    WatchLock::Guard Guard;
    Regions.releaseAll();
  }
  record();
  if (HostCode::any() && !HostCode::whole())
    Log->gap("host code",
             "not all of the program was compiled with --gmprof-host-accesses, so that uses of "
             "stacks and of memory that shares pages are assumed: not " +
                 HostCode::missing(),
             1);
}

void HostWatch::afterForkInChild() {
  if (HostWatch *W = Active.load())
    W->Regions.releaseAll();
  Active.store(nullptr);
  WatchLock::afterFork();
}

} // namespace gmprof::host
