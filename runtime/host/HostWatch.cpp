//===- HostWatch.cpp - Sees the host use what the GPU wrote ---------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "host/HostWatch.h"
#include "host/RealSystem.h"
#include "host/Session.h"
#include <algorithm>
#include <cerrno>
#include <csetjmp>
#include <fstream>
#include <pthread.h>
#include <sched.h>
#include <sstream>
#include <sys/mman.h>
#include <ucontext.h>

namespace gmprof::host {

using log::UseKind;

std::atomic<HostWatch *> HostWatch::Active{nullptr};
std::atomic<uint64_t> HostWatch::Protected{0};
std::atomic<bool> HostWatch::Installed{false};
std::atomic_flag HostWatch::Lock = ATOMIC_FLAG_INIT;

namespace {

constexpr uint64_t PageBytes = 4096;

/// What the program wants to be called for faults of its own.
struct sigaction Program;

/// Where the handler goes on when unwinding itself faults.
thread_local sigjmp_buf AfterUnwinding;
thread_local volatile sig_atomic_t Unwinding = 0;

uint64_t pageOf(uint64_t Address) { return Address & ~(PageBytes - 1); }

/// Of a thread that is not the first one.
struct Stack {
  uint64_t Begin = 0, End = 0;

  Stack() {
    pthread_attr_t Attributes;
    void *Lowest = nullptr;
    size_t Bytes = 0;
    if (pthread_getattr_np(pthread_self(), &Attributes) != 0)
      return;
    if (pthread_attr_getstack(&Attributes, &Lowest, &Bytes) == 0) {
      Begin = reinterpret_cast<uint64_t>(Lowest);
      End = Begin + Bytes;
    }
    pthread_attr_destroy(&Attributes);
  }
};

void callProgram(int Signal, siginfo_t *Info, void *Context) {
  const struct sigaction Of = Program;
  if (!(Of.sa_flags & SA_SIGINFO) && (Of.sa_handler == SIG_DFL || Of.sa_handler == SIG_IGN)) {
    // The default: happens when the instruction is tried again.
    struct sigaction Default = {};
    Default.sa_handler = SIG_DFL;
    realSystem().sigaction(Signal, &Default, nullptr);
    if (Info->si_code <= 0) // sent by someone: nothing is tried again
      raise(Signal);
    return;
  }
  if (Of.sa_flags & SA_RESETHAND)
    Program.sa_handler = SIG_DFL;
  pthread_sigmask(SIG_BLOCK, &Of.sa_mask, nullptr);
  if (Of.sa_flags & SA_SIGINFO)
    Of.sa_sigaction(Signal, Info, Context);
  else
    Of.sa_handler(Signal);
}

} // namespace

/// Held for a moment. Handlers of the program that interrupt it could fault.
class HostWatch::Locked {
public:
  explicit Locked(bool InHandler = false) : InHandler(InHandler) {
    if (!InHandler) {
      sigset_t All;
      sigfillset(&All);
      sigdelset(&All, SIGSEGV);
      pthread_sigmask(SIG_SETMASK, &All, &Before);
    }
    while (Lock.test_and_set(std::memory_order_acquire))
      sched_yield();
  }
  ~Locked() {
    Lock.clear(std::memory_order_release);
    if (!InHandler)
      pthread_sigmask(SIG_SETMASK, &Before, nullptr);
  }
  Locked(const Locked &) = delete;
  Locked &operator=(const Locked &) = delete;

private:
  const bool InHandler;
  sigset_t Before;
};

HostWatch::HostWatch(Recorder &Log, CallPaths &Paths) : Log(Log), Paths(Paths) {
  // The first thread's stack grows, as far as the limit.
  constexpr uint64_t Largest = uint64_t(64) << 20;
  std::ifstream Maps("/proc/self/maps");
  for (std::string Line; std::getline(Maps, Line);) {
    if (Line.find("[stack]") == std::string::npos)
      continue;
    std::istringstream Text(Line);
    uint64_t Begin = 0;
    char Dash = 0;
    Text >> std::hex >> Begin >> Dash >> MainStackEnd;
    MainStackBegin = MainStackEnd - Largest;
  }
  // At the first use unwinders allocate.
  std::array<uint64_t, MaxFrames> Frames;
  CallPaths::unwind(Frames);
  Active.store(this, std::memory_order_release);
}

bool HostWatch::onStack(uint64_t Address) const {
  thread_local const Stack Own;
  return (Address >= Own.Begin && Address < Own.End) ||
         (Address >= MainStackBegin && Address < MainStackEnd);
}

HostWatch::Region *HostWatch::newRegion() {
  for (size_t I = 0; I < RegionCount; ++I)
    if (!Regions[I].inUse())
      return &Regions[I];
  return RegionCount == MaxRegions ? nullptr : &Regions[RegionCount++];
}

/// Gives these pages of the region back.
void HostWatch::unprotect(Region &R, uint64_t FirstPage, uint64_t EndPage) {
  if (FirstPage >= EndPage)
    return;
  realSystem().mprotect(reinterpret_cast<void *>(FirstPage), EndPage - FirstPage,
                        PROT_READ | PROT_WRITE);
  Released[NextReleased++ % MaxReleased] = {FirstPage, EndPage};
  if (FirstPage == R.FirstPage && EndPage == R.EndPage)
    R.FirstPage = R.EndPage = 0;
  else if (FirstPage == R.FirstPage)
    R.FirstPage = EndPage;
  else
    R.EndPage = FirstPage;
  if (R.FirstPage == R.EndPage)
    Protected.fetch_sub(1, std::memory_order_relaxed);
}

void HostWatch::release(Region &R) {
  unprotect(R, R.FirstPage, R.EndPage);
  R = {};
}

/// With work that may still use its pages: on the CPU device that is a thread like others.
bool HostWatch::sharesPages(const Region &R) const {
  const uint64_t First = pageOf(R.Begin), End = pageOf(R.End - 1) + PageBytes;
  return std::any_of(Regions.begin(), Regions.begin() + static_cast<std::ptrdiff_t>(RegionCount),
                     [&](const Region &Other) {
                       return Other.inUse() && Other.WaitsFor != 0 && Other.overlaps(First, End);
                     });
}

HostWatch::Seen *HostWatch::see(const Region &R, UseKind Kind, uint64_t Address, uint64_t TimeNs) {
  if (UseCount == MaxSeen) {
    ++Lost;
    return nullptr;
  }
  Seen &S = Uses[UseCount++];
  S.Use = {R.Operation, TimeNs, Address, Kind, threadId(), 0, 0};
  S.FrameCount = 0;
  return &S;
}

void HostWatch::protect(Region &R) {
  const uint64_t First = pageOf(R.Begin), End = pageOf(R.End - 1) + PageBytes;
  const int Allowed = R.StoresOnly ? PROT_READ : PROT_NONE;
  if (onStack(R.Begin) ||
      realSystem().mprotect(reinterpret_cast<void *>(First), End - First, Allowed) != 0) {
    see(R, UseKind::Assumed, R.Begin, steadyNs());
    R = {};
    return;
  }
  R.FirstPage = First;
  R.EndPage = End;
  Protected.fetch_add(1, std::memory_order_relaxed);
}

void HostWatch::given(uint64_t Operation, uint64_t Address, uint64_t Bytes, bool Writes) {
  if (Bytes == 0)
    return;
  Locked Guard;
  const uint64_t End = Address + Bytes;
  bool Known = false;
  for (size_t I = 0; I < RegionCount; ++I) {
    Region &R = Regions[I];
    if (!R.inUse() || !R.overlaps(pageOf(Address), pageOf(End - 1) + PageBytes))
      continue;
    unprotect(R, R.FirstPage, R.EndPage);
    const bool Same = R.overlaps(Address, End);
    if (Same && (Writes || R.StoresOnly)) {
      R = {};
    } else {
      R.WaitsFor = Operation;
      Known |= Same;
    }
  }
  if (!Writes && Known)
    return;
  Region Whole;
  Whole.StoresOnly = !Writes;
  Whole.Begin = Address;
  Whole.End = End;
  Whole.Operation = Whole.WaitsFor = Operation;
  if (Region *R = newRegion())
    *R = Whole;
  else
    see(Whole, UseKind::Assumed, Address, steadyNs());
}

void HostWatch::operationsEnded(const std::function<bool(uint64_t)> &HasEnded) {
  drain();
  // The question takes locks of its own, which must not be waited for with ours.
  std::vector<uint64_t> Waited;
  {
    Locked Guard;
    for (size_t I = 0; I < RegionCount; ++I)
      if (Regions[I].inUse() && Regions[I].WaitsFor != 0)
        Waited.push_back(Regions[I].WaitsFor);
  }
  std::erase_if(Waited, [&](uint64_t Operation) { return !HasEnded(Operation); });
  if (Waited.empty())
    return;
  std::sort(Waited.begin(), Waited.end());
  install();
  Locked Guard;
  for (size_t I = 0; I < RegionCount; ++I)
    if (Regions[I].inUse() && std::binary_search(Waited.begin(), Waited.end(), Regions[I].WaitsFor))
      Regions[I].WaitsFor = 0;
  for (size_t I = 0; I < RegionCount; ++I) {
    Region &R = Regions[I];
    if (R.inUse() && R.WaitsFor == 0 && R.FirstPage == R.EndPage && !sharesPages(R))
      protect(R);
  }
}

void HostWatch::used(const void *Caller, uint64_t Address, uint64_t Bytes, bool Stores) {
  if (!any() || Bytes == 0)
    return;
  std::array<log::HostUseRecord, 8> Found = {};
  size_t Count = 0;
  {
    Locked Guard;
    for (size_t I = 0; I < RegionCount; ++I) {
      Region &R = Regions[I];
      if (R.FirstPage == R.EndPage || Address >= R.EndPage || R.FirstPage >= Address + Bytes ||
          (R.StoresOnly && !Stores))
        continue;
      const bool Inside = R.overlaps(Address, Address + Bytes);
      const log::HostUseRecord Use = {R.Operation,
                                      steadyNs(),
                                      std::max(Address, R.Begin),
                                      Inside ? UseKind::Call : UseKind::Assumed,
                                      threadId(),
                                      0,
                                      0};
      if (Count < Found.size())
        Found[Count++] = Use;
      else
        ++Lost;
      release(R);
    }
  }
  if (Count == 0)
    return;
  const uint32_t Path = Paths.find(Caller);
  for (size_t I = 0; I < Count; ++I) {
    Found[I].callPath = Path;
    Log.hostUse(Found[I]);
  }
}

void HostWatch::forget(uint64_t Address, uint64_t Bytes) {
  if (!any())
    return;
  Locked Guard;
  for (size_t I = 0; I < RegionCount; ++I)
    if (Regions[I].FirstPage != Regions[I].EndPage && Regions[I].overlaps(Address, Address + Bytes))
      release(Regions[I]);
}

/// An access beside the region, in one of its pages.
void HostWatch::faultBeside(Region &R, uint64_t Page, uint64_t TimeNs) {
  const bool First = Page == R.FirstPage, Last = Page + PageBytes == R.EndPage;
  if (First || Last)
    unprotect(R, Page, Page + PageBytes);
  else
    unprotect(R, R.FirstPage, R.EndPage);
  if (R.FirstPage != R.EndPage)
    return;
  see(R, UseKind::Assumed, R.Begin, TimeNs);
  R = {};
}

/// Another thread faulted at the same time, and was first.
bool HostWatch::wasJustReleased(uint64_t Address) {
  constexpr unsigned MostTries = 8;
  thread_local uint64_t Last = 0;
  thread_local unsigned Tries = 0;
  Tries = Last == Address ? Tries + 1 : 0;
  Last = Address;
  return Tries < MostTries &&
         std::any_of(
             Released.begin(), Released.end(),
             [&](const auto &Range) { return Address >= Range.first && Address < Range.second; });
}

/// The call path of the instruction that faulted, in the handler.
size_t HostWatch::pathTo(uint64_t Instruction, std::array<uint64_t, MaxFrames> &Frames) {
  uint64_t *End = Frames.data();
  Unwinding = 1;
  if (sigsetjmp(AfterUnwinding, 0) == 0)
    End += CallPaths::unwind(Frames);
  Unwinding = 0;
  uint64_t *At = std::find(Frames.data(), End, Instruction);
  // Without unwinding tables that is as far as it goes.
  if (At == End) {
    At = Frames.data();
    End = At + 1;
  }
  // Addresses of a path are those of returns, behind what was called.
  *At = Instruction + 1;
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
    return wasJustReleased(Address);
  std::array<uint64_t, MaxFrames> Frames;
  const size_t FrameCount = pathTo(Instruction, Frames);
  bool Found = false;
  Locked Guard(/*InHandler=*/true);
  for (size_t I = 0; I < RegionCount; ++I) {
    Region &R = Regions[I];
    if (R.FirstPage == R.EndPage || Address < R.FirstPage || Address >= R.EndPage)
      continue;
    Found = true;
    const bool Exact = Address >= R.Begin && Address < R.End;
    if (R.StoresOnly && !Store)
      continue;
    if (!Exact || Inside::now()) {
      faultBeside(R, Page, TimeNs);
      continue;
    }
    Seen *S = see(R, Store ? UseKind::Store : UseKind::Load, Address, TimeNs);
    if (S) {
      S->Frames = Frames;
      S->FrameCount = static_cast<unsigned>(FrameCount);
    }
    release(R);
  }
  return Found || wasJustReleased(Address);
}

/// Records what the handler saw.
void HostWatch::drain() {
  if (UseCount == 0 && Lost == 0)
    return;
  std::vector<Seen> Taken;
  uint64_t TakenLost = 0;
  {
    Locked Guard;
    Taken.assign(Uses.begin(), Uses.begin() + static_cast<std::ptrdiff_t>(UseCount));
    UseCount = 0;
    std::swap(TakenLost, Lost);
  }
  for (Seen &S : Taken) {
    S.Use.callPath = Paths.add({S.Frames.data(), S.FrameCount});
    Log.hostUse(S.Use);
  }
  if (TakenLost != 0)
    Log.gap("uses by the host", "more of them came at a time than there is room for", TakenLost);
}

void HostWatch::finish() {
  {
    Locked Guard;
    for (size_t I = 0; I < RegionCount; ++I)
      if (Regions[I].inUse())
        release(Regions[I]);
  }
  drain();
}

void HostWatch::handle(int Signal, siginfo_t *Info, void *Context) {
  // Stacks that no unwinder knows, as those of GPU threads on the CPU device.
  if (Unwinding)
    siglongjmp(AfterUnwinding, 1);
  const int Saved = errno;
  HostWatch *W = active();
  if (W && W->fault(*Info, Context)) {
    errno = Saved;
    return;
  }
  errno = Saved;
  callProgram(Signal, Info, Context);
}

void HostWatch::install() {
  if (handlerInstalled())
    return;
  static std::mutex Once;
  std::lock_guard<std::mutex> Guard(Once);
  if (handlerInstalled())
    return;
  struct sigaction Ours = {};
  Ours.sa_sigaction = handle;
  Ours.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER | SA_RESTART;
  sigemptyset(&Ours.sa_mask);
  realSystem().sigaction(SIGSEGV, nullptr, &Program);
  Installed.store(true, std::memory_order_release);
  realSystem().sigaction(SIGSEGV, &Ours, nullptr);
}

int HostWatch::programHandler(const struct sigaction *New, struct sigaction *Old) {
  const struct sigaction Before = Program;
  if (New)
    Program = *New;
  if (Old)
    *Old = Before;
  return 0;
}

void HostWatch::abandon() {
  HostWatch *W = Active.exchange(nullptr);
  Lock.clear();
  if (!W)
    return;
  for (size_t I = 0; I < W->RegionCount; ++I)
    if (W->Regions[I].inUse())
      W->release(W->Regions[I]);
}

} // namespace gmprof::host
