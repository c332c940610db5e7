//===- FaultHandler.cpp - Handles SIGSEGV beside the program --------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "host/sync/FaultHandler.h"
#include "host/core/RealSystem.h"
#include "host/sync/ProgramHandler.h"
#include "host/sync/SignalMask.h"
#include "host/sync/ThreadStacks.h"
#include <array>
#include <atomic>
#include <cerrno>
#include <csetjmp>
#include <sched.h>

namespace gmprof::host {
namespace {

std::atomic<FaultHandler::Watcher> TheWatcher{nullptr};

//===----------------------------------------------------------------------===//
// Stacks for the handler's own work
//===----------------------------------------------------------------------===//

constexpr size_t WorkBytes = size_t(32) << 10;
constexpr size_t WorkStacks = 64;
alignas(16) std::array<std::array<char, WorkBytes>, WorkStacks> Work;
std::array<std::atomic_flag, WorkStacks> WorkTaken = {};

size_t takeWorkStack() {
  for (;; sched_yield())
    for (size_t I = 0; I < WorkStacks; ++I)
      if (!WorkTaken[I].test_and_set(std::memory_order_acquire))
        return I;
}

struct Question {
  FaultHandler::Watcher Watcher;
  const siginfo_t *Info;
  void *Context;
  bool Answer;
};

void ask(Question *Q) { Q->Answer = Q->Watcher(*Q->Info, Q->Context); }

/// Calls ask(Q) with the stack pointer at Top. Can be unwound through.
extern "C" void gmprofCallOnStack(Question *Q, void *Top, void (*Function)(Question *));
asm(R"(
  .text
  .p2align 4
  .type gmprofCallOnStack, @function
gmprofCallOnStack:
  .cfi_startproc
  pushq %rbp
  .cfi_def_cfa_offset 16
  .cfi_offset %rbp, -16
  movq %rsp, %rbp
  .cfi_def_cfa_register %rbp
  movq %rsi, %rsp
  callq *%rdx
  movq %rbp, %rsp
  popq %rbp
  .cfi_def_cfa %rsp, 8
  retq
  .cfi_endproc
  .size gmprofCallOnStack, .-gmprofCallOnStack
)");

bool askElsewhere(FaultHandler::Watcher Watcher, const siginfo_t &Info, void *Context) {
  const size_t Mine = takeWorkStack();
  // A second fault must not begin at the top of the alternate stack, which holds this handler's
  // frame. The kernel restores the alternate stack when the handler returns.
  stack_t Before = {};
  realSystem().sigaltstack(nullptr, &Before);
  const bool Alternate = (Before.ss_flags & SS_ONSTACK) != 0;
  const stack_t Off = {nullptr, SS_DISABLE, 0};
  Question Q = {Watcher, &Info, Context, false};
  struct Elsewhere {
    static void disable(Question *Q) {
      realSystem().sigaltstack(static_cast<const stack_t *>(Q->Context), nullptr);
    }
  };
  char *Top = Work[Mine].data() + WorkBytes;
  if (Alternate) {
    Question Disable = {nullptr, nullptr, const_cast<stack_t *>(&Off), false};
    gmprofCallOnStack(&Disable, Top, Elsewhere::disable);
  }
  gmprofCallOnStack(&Q, Top, ask);
  WorkTaken[Mine].clear(std::memory_order_release);
  if (Alternate && !Q.Answer) {
    Before.ss_flags &= ~SS_ONSTACK;
    realSystem().sigaltstack(&Before, nullptr);
  }
  return Q.Answer;
}

/// Jump target of a fault in guardedFromFaults(); null outside of it.
thread_local sigjmp_buf *AfterGuarded = nullptr;

} // namespace

bool guardedFromFaults(void (*Function)(void *), void *Argument) {
  sigjmp_buf Here;
  // Saves the mask, as the jump leaves the handler.
  if (sigsetjmp(Here, 1) == 0) {
    AfterGuarded = &Here;
    Function(Argument);
    AfterGuarded = nullptr;
    return true;
  }
  AfterGuarded = nullptr;
  return false;
}

void FaultHandler::handle(int Signal, siginfo_t *Info, void *Context) {
  // Unwinders fault on stacks that they do not know, such as those of GPU threads on the CPU
  // device.
  if (AfterGuarded)
    siglongjmp(*AfterGuarded, 1);
  const int Saved = errno;
  const Watcher Asked = TheWatcher.load(std::memory_order_acquire);
  const bool Watched = Info->si_code > 0 && Asked && askElsewhere(Asked, *Info, Context);
  errno = Saved;
  if (!Watched)
    ProgramHandler::call(Signal, Info, Context);
}

void FaultHandler::prepare(Watcher Asked) {
  TheWatcher.store(Asked, std::memory_order_release);
  SignalMask::unblock();
  ThreadStacks::prepare();
}

bool FaultHandler::prepared() { return TheWatcher.load(std::memory_order_relaxed) != nullptr; }

void FaultHandler::install() {
  ThreadStacks::findThisThread(); // before a lock is held under which nothing may be allocated
  ProgramHandler::replaceBy(handle);
}

} // namespace gmprof::host
