//===- ProgramHandler.cpp - The program's handler of SIGSEGV --------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "host/sync/ProgramHandler.h"
#include "host/core/RealSystem.h"
#include "host/sync/SignalMask.h"
#include "host/sync/SpinLock.h"
#include "host/sync/ThreadStacks.h"
#include <array>
#include <atomic>
#include <cstring>
#include <ucontext.h>

namespace gmprof::host {
namespace {

std::atomic<bool> Installed{false};
std::atomic<bool> Effective{false}; ///< the kernel delivers faults to GMProf's handler
constinit SpinLock Lock;

/// The program's action for SIGSEGV, as the program set it.
struct sigaction Program GMPROF_GUARDED_BY(Lock);

/// The kernel's signal frame, up to the arguments of the handler.
struct SignalFrame {
  void *Return;
  /// The kernel's ucontext_t ends after a mask of 8 bytes.
  static constexpr size_t ContextBytes = offsetof(ucontext_t, uc_sigmask) + 8;
  alignas(8) std::array<char, ContextBytes> Context;
  siginfo_t Info;

  static SignalFrame *of(void *Context) {
    return reinterpret_cast<SignalFrame *>(static_cast<char *>(Context) -
                                           offsetof(SignalFrame, Context));
  }
  ucontext_t &context() { return *reinterpret_cast<ucontext_t *>(Context.data()); }
};

constexpr uint64_t RedZone = 128;

/// Returns the size of the extended state, which the kernel stores in the reserved part of the
/// legacy state.
size_t stateBytes(const void *State) {
  constexpr size_t Legacy = 512, SoftwareReserved = 464;
  constexpr uint32_t Magic = 0x46505853;
  uint32_t Words[2];
  std::memcpy(Words, static_cast<const char *>(State) + SoftwareReserved, sizeof(Words));
  return Words[0] == Magic ? Words[1] : Legacy;
}

/// Restores the default action, which ends the process when the instruction is retried.
void endProcess(const siginfo_t &Info) {
  struct sigaction Default = {};
  Default.sa_handler = SIG_DFL;
  realSystem().sigaction(SIGSEGV, &Default, nullptr);
  if (Info.si_code <= 0) // sent by a process: no instruction is retried
    raise(SIGSEGV);
}

uint64_t maskIn(const ucontext_t &Context) {
  uint64_t Mask;
  std::memcpy(&Mask, &Context.uc_sigmask, sizeof(Mask));
  return Mask;
}

void setMask(ucontext_t &Context, uint64_t Mask) {
  std::memcpy(&Context.uc_sigmask, &Mask, sizeof(Mask));
}

constexpr uint64_t bit(int Signal) { return uint64_t(1) << (Signal - 1); }

uint64_t maskOf(const struct sigaction &Action) {
  uint64_t Mask;
  std::memcpy(&Mask, &Action.sa_mask, sizeof(Mask));
  if (!(Action.sa_flags & SA_NODEFER))
    Mask |= bit(SIGSEGV);
  if (Mask & bit(SIGSEGV))
    Mask = (Mask & ~bit(SIGSEGV)) | bit(SignalMask::Mark);
  return Mask;
}

/// Copies the frame to the interrupted stack.
SignalFrame *copyToStack(SignalFrame &From) {
  constexpr uint64_t StateAlignment = 64, FrameAlignment = 16;
  const auto &Machine = From.context().uc_mcontext;
  uint64_t At = static_cast<uint64_t>(Machine.gregs[REG_RSP]) - RedZone;
  const void *State = Machine.fpregs;
  void *NewState = nullptr;
  if (State) {
    const size_t Bytes = stateBytes(State);
    At = (At - Bytes) & ~(StateAlignment - 1);
    NewState = reinterpret_cast<void *>(At);
    std::memcpy(NewState, State, Bytes);
  }
  // Aligns the stack as for a called function: the return address is not aligned.
  At = ((At - sizeof(SignalFrame)) & ~(FrameAlignment - 1)) - sizeof(void *);
  auto *To = reinterpret_cast<SignalFrame *>(At);
  std::memcpy(To, &From, sizeof(SignalFrame));
  To->context().uc_mcontext.fpregs = static_cast<fpregset_t>(NewState);
  return To;
}

thread_local constinit volatile sig_atomic_t Copying = 0;

/// Continues in the handler, with this frame. The stack below the frame is given up.
[[noreturn]] void continueHere(const struct sigaction &Of, int Signal, SignalFrame &Frame,
                               uint64_t Mask) {
  static_assert(sizeof(Mask) <= sizeof(sigset_t));
  sigset_t Set = {};
  std::memcpy(&Set, &Mask, sizeof(Mask));
  realSystem().pthread_sigmask(SIG_SETMASK, &Set, nullptr);
  // "a" keeps the other operands out of the register that is 0 for a called function.
  asm volatile("movq %0, %%rsp\n\t"
               "jmpq *%1"
               :
               : "r"(&Frame), "r"(Of.sa_sigaction), "D"(static_cast<uint64_t>(Signal)),
                 "S"(&Frame.Info), "d"(&Frame.context()), "a"(uint64_t(0))
               : "memory");
  __builtin_unreachable();
}

/// Continues in the handler when GMProf's returns, with a copy of the frame on the interrupted
/// stack.
void continueOnCopy(const struct sigaction &Of, int Signal, SignalFrame &Frame, uint64_t Mask) {
  Copying = 1;
  SignalFrame *Copy = copyToStack(Frame);
  Copying = 0;
  greg_t *Registers = Frame.context().uc_mcontext.gregs;
  Registers[REG_RIP] = reinterpret_cast<greg_t>(Of.sa_sigaction);
  Registers[REG_RSP] = reinterpret_cast<greg_t>(Copy);
  Registers[REG_RDI] = Signal;
  Registers[REG_RSI] = reinterpret_cast<greg_t>(&Copy->Info);
  Registers[REG_RDX] = reinterpret_cast<greg_t>(&Copy->context());
  Registers[REG_RAX] = 0;
  constexpr greg_t Direction = 0x400, Trap = 0x100;
  Registers[REG_EFL] &= ~(Direction | Trap);
  setMask(Frame.context(), Mask);
}

/// Returns the program's action, and resets it if the program wants that.
struct sigaction takeAction() {
  const SpinLock::Guard Guard(Lock);
  const struct sigaction Of = Program;
  if (Of.sa_flags & SA_RESETHAND && Of.sa_handler != SIG_IGN)
    Program = {};
  return Of;
}

} // namespace

void ProgramHandler::call(int Signal, siginfo_t *Info, void *Context) {
  const struct sigaction Of = takeAction();
  SignalFrame &Frame = *SignalFrame::of(Context);
  ucontext_t &Its = Frame.context();
  const bool Default = !(Of.sa_flags & SA_SIGINFO) && Of.sa_handler == SIG_DFL;
  const bool Ignored = !(Of.sa_flags & SA_SIGINFO) && Of.sa_handler == SIG_IGN;
  const bool Sent = Info->si_code <= 0;
  if (Ignored && Sent)
    return;
  if (Default || Ignored || Copying || (!Sent && (maskIn(Its) & bit(SignalMask::Mark)))) {
    endProcess(*Info);
    return;
  }
  const auto Interrupted = static_cast<uint64_t>(Its.uc_mcontext.gregs[REG_RSP]);
  const auto Here = reinterpret_cast<uint64_t>(&Frame);
  const uint64_t Mask = maskIn(Its) | maskOf(Of);
  const bool Moved =
      ThreadStacks::onProgramAlternate(Here) && !ThreadStacks::onProgramAlternate(Interrupted);
  if (!ThreadStacks::onOwnAlternate(Here) && (!Moved || (Of.sa_flags & SA_ONSTACK)))
    continueHere(Of, Signal, Frame, Mask);
  continueOnCopy(Of, Signal, Frame, Mask);
}

void ProgramHandler::replaceBy(Handler Ours) {
  // Returns only once the handler is installed: another thread may be installing it.
  if (Effective.load(std::memory_order_acquire))
    return;
  struct sigaction New = {};
  New.sa_sigaction = Ours;
  // Blocks other signals, whose handlers might fault while this one runs.
  sigfillset(&New.sa_mask);
  sigdelset(&New.sa_mask, SIGSEGV);
  New.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER | SA_RESTART;
  const SpinLock::Guard Guard(Lock);
  if (Installed.load(std::memory_order_acquire))
    return;
  realSystem().sigaction(SIGSEGV, nullptr, &Program);
  SignalMask::toProgram(Program.sa_mask);
  Installed.store(true, std::memory_order_release);
  realSystem().sigaction(SIGSEGV, &New, nullptr);
  Effective.store(true, std::memory_order_release);
}

int ProgramHandler::sigaction(int Signal, const struct sigaction *New, struct sigaction *Old) {
  if (Signal == SIGSEGV && Installed.load(std::memory_order_acquire)) {
    const SpinLock::Guard Guard(Lock);
    const struct sigaction Before = Program;
    if (New)
      Program = *New;
    if (Old)
      *Old = Before;
    return 0;
  }
  struct sigaction Real;
  if (New) {
    Real = *New;
    Real.sa_mask = SignalMask::real(New->sa_mask);
  }
  const int Result = realSystem().sigaction(Signal, New ? &Real : nullptr, Old);
  if (Result == 0 && Old)
    SignalMask::toProgram(Old->sa_mask);
  return Result;
}

} // namespace gmprof::host
