//===- Faults.cpp - Conversion of signals in device code into faults ------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "cpu/engine/Faults.h"
#include "cpu/engine/Block.h"
#include "cpu/engine/Helper.h"
#include "cpu/engine/Launch.h"
#include "cpu/engine/Switch.h"
#include "profile/Mutex.h"

#include <csignal>
#include <cstring>
#include <sys/mman.h>
#include <ucontext.h>

namespace gmprof::cpu {

std::string hex(uint64_t Value) {
  char Text[32];
  snprintf(Text, sizeof(Text), "0x%llx", static_cast<unsigned long long>(Value));
  return Text;
}

namespace {

constexpr int Signals[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE};

/// Handlers that the program had installed.
struct sigaction Programs[NSIG]; // set with ProgramsMutex held; signal handlers read it
Mutex ProgramsMutex;

/// Records the fault of a signal. Need not be async-signal-safe: the signal came from device code,
/// which holds no locks, at a known instruction.
void reportSignal(Block &B, int Signal, const siginfo_t &Info, const ucontext_t &Context) {
  constexpr int GeneralProtection = 0x80; // SI_KERNEL: the address is unknown
  ThreadState &Thread = B.running().State;
  Launch &L = B.launch();
  auto Address = uint64_t(Info.si_addr);
  auto Code = uint64_t(Context.uc_mcontext.gregs[REG_RIP]);
  if (Signal == SIGILL || Signal == SIGFPE) {
    L.report(B, Thread, FaultKind::Trap, 0,
             Signal == SIGILL ? "reached code that must not be reached (undefined behaviour)"
                              : "arithmetic exception",
             Code);
    return;
  }
  auto Sp = uint64_t(Context.uc_mcontext.gregs[REG_RSP]);
  if (B.isStackGuard(Address) || Sp < Thread.StackLow) {
    L.report(B, Thread, FaultKind::StackOverflow, Address,
             "stack overflow, " +
                 std::to_string((Thread.StackHigh - Thread.StackLow + PageBytes) >> 10) +
                 " KiB are not enough (endless recursion?)",
             Code);
    return;
  }
  if (Info.si_code == GeneralProtection) {
    L.report(B, Thread, FaultKind::MisalignedAddress, 0,
             "access to a misaligned address, or to one that is none", Code);
    return;
  }
  std::string Where = L.Memory.describe(Address, 0);
  if (Where.empty() && B.window().covers(Address)) {
    const BlockState &S = B.state();
    uint64_t Offset = Address - S.SharedBase;
    Where = Address < S.SharedBase
                ? std::to_string(S.SharedBase - Address) + " bytes before the block's shared memory"
                : std::to_string(Offset - S.SharedBytes) + " bytes beyond the block's " +
                      std::to_string(S.SharedBytes) + " bytes of shared memory";
  }
  if (Where.empty())
    Where = Address < PageBytes ? "a null pointer" : "no device memory is there";
  L.report(B, Thread, FaultKind::IllegalAddress, Address,
           "illegal access to address " + hex(Address) + ", " + Where, Code);
}

void forward(int Signal, siginfo_t *Info, void *Context) {
  struct sigaction Old = Programs[Signal];
  if (Old.sa_flags & SA_SIGINFO) {
    Old.sa_sigaction(Signal, Info, Context);
  } else if (Old.sa_handler != SIG_DFL && Old.sa_handler != SIG_IGN) {
    Old.sa_handler(Signal);
  } else {
    // Restores the default action, which takes effect when the instruction is retried.
    signal(Signal, SIG_DFL);
    if (Info->si_code <= 0) // sent by a process: no instruction is retried
      raise(Signal);
  }
}

void handle(int Signal, siginfo_t *Info, void *Opaque) {
  Block *B = currentBlock();
  if (!B)
    return forward(Signal, Info, Opaque);
  auto &Context = *static_cast<ucontext_t *>(Opaque);
  reportSignal(*B, Signal, *Info, Context);
  announceSwitchToThread();
  Context.uc_mcontext.gregs[REG_RSP] = greg_t(B->abandon());
  Context.uc_mcontext.gregs[REG_RIP] = greg_t(&gm_switch_resume);
}

} // namespace

void installFaultHandlers() {
  LockGuard Lock(ProgramsMutex);
  for (int Signal : Signals) {
    struct sigaction Now;
    sigaction(Signal, nullptr, &Now);
    if ((Now.sa_flags & SA_SIGINFO) && Now.sa_sigaction == handle)
      continue;
    Programs[Signal] = Now;
    struct sigaction Ours = {};
    Ours.sa_sigaction = handle;
    Ours.sa_flags = SA_SIGINFO | SA_ONSTACK | (Now.sa_flags & SA_RESTART);
    sigemptyset(&Ours.sa_mask);
    sigaction(Signal, &Ours, nullptr);
  }
}

/// Alternate signal stack in pages of its own: heap pages may be protected by the host profile.
struct FaultScope::Saved {
  static constexpr size_t Bytes = 64 << 10;
  stack_t Stack = {};
  void *const Memory = mmap(nullptr, Bytes, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

  ~Saved() {
    if (Memory != MAP_FAILED)
      munmap(Memory, Bytes);
  }
};

FaultScope::FaultScope() : Old(std::make_unique<Saved>()) {
  if (Old->Memory == MAP_FAILED)
    return;
  const stack_t Ours = {Old->Memory, 0, Saved::Bytes};
  sigaltstack(&Ours, &Old->Stack);
}

FaultScope::~FaultScope() {
  if (Old->Memory != MAP_FAILED)
    sigaltstack(&Old->Stack, nullptr);
}

void raiseFault(FaultKind Kind, uint64_t Address, std::string Message) {
  Block *B = currentBlock();
  B->launch().report(*B, B->running().State, Kind, Address, std::move(Message));
  B->fault();
}

} // namespace gmprof::cpu
