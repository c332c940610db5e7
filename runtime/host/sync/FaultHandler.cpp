//===- FaultHandler.cpp - Handles SIGSEGV beside the program --------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "host/sync/FaultHandler.h"
#include "host/core/RealSystem.h"
#include "host/sync/SpinLock.h"
#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <csetjmp>
#include <cstring>
#include <fstream>
#include <sched.h>
#include <sstream>
#include <string>
#include <sys/mman.h>
#include <ucontext.h>

// NOLINTBEGIN(readability-identifier-naming): the linker's names
extern "C" __attribute__((visibility("hidden"))) const char __start_gmprof_thread_begin[],
    __stop_gmprof_thread_begin[];
// NOLINTEND(readability-identifier-naming)

namespace gmprof::host {
namespace {

std::atomic<FaultHandler::Watcher> TheWatcher{nullptr};
std::atomic<bool> Installed{false};
std::atomic<bool> Effective{false}; ///< the kernel delivers faults to the handler

/// Signal that is blocked where the program blocks SIGSEGV: a real-time signal that is hardly used.
/// Programs that block it block all signals.
constexpr int Mark = 62;

constinit SpinLock Lock;

//===----------------------------------------------------------------------===//
// Stacks
//===----------------------------------------------------------------------===//

struct Range {
  uint64_t Begin = 0, End = 0;
  bool overlaps(const Range &Other) const { return Begin < Other.End && Other.Begin < End; }
  bool operator==(const Range &) const = default;
};

constexpr uint64_t LargestMainStack = uint64_t(64) << 20;
constexpr size_t AlternateBytes = size_t(64) << 10;
constexpr size_t MostStacks = 4096;

Range MainStack;
/// Stacks of other threads, and alternate stacks of the program. End 0: not in use.
std::array<Range, MostStacks> Stacks GMPROF_GUARDED_BY(Lock);
bool TooManyStacks GMPROF_GUARDED_BY(Lock) = false;

/// The alternate stack that the program has set; the program does not see GMProf's.
thread_local constinit stack_t ProgramStack = {nullptr, SS_DISABLE, 0};
thread_local constinit Range OwnStack = {};

void addStack(const Range &Its) {
  const SpinLock::Guard Guard(Lock);
  auto *Free =
      std::find_if(Stacks.begin(), Stacks.end(), [](const Range &R) { return R.End == 0; });
  if (Free != Stacks.end())
    *Free = Its;
  else
    TooManyStacks = true;
}

void removeStack(const Range &Its) {
  const SpinLock::Guard Guard(Lock);
  auto *Known = std::find(Stacks.begin(), Stacks.end(), Its);
  if (Known != Stacks.end())
    *Known = {};
}

Range rangeOf(const stack_t &Of) {
  if (Of.ss_flags & SS_DISABLE)
    return {};
  const auto Begin = reinterpret_cast<uint64_t>(Of.ss_sp);
  return {Begin, Begin + Of.ss_size};
}

void setProgramStack(const stack_t &New) {
  removeStack(rangeOf(ProgramStack));
  ProgramStack = New;
  if (const Range Its = rangeOf(New); Its.End != 0)
    addStack(Its);
}

/// Alternate stack of a thread for which the program has set none.
class AlternateStack {
public:
  AlternateStack()
      : Memory(mmap(nullptr, AlternateBytes, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)) {
    if (Memory == MAP_FAILED)
      return;
    OwnStack = {reinterpret_cast<uint64_t>(Memory),
                reinterpret_cast<uint64_t>(Memory) + AlternateBytes};
    const stack_t New = {Memory, 0, AlternateBytes};
    stack_t Before = {};
    realSystem().sigaltstack(nullptr, &Before);
    if (Before.ss_flags & SS_DISABLE)
      realSystem().sigaltstack(&New, nullptr);
    else
      setProgramStack(Before);
  }
  ~AlternateStack() {
    if (Memory == MAP_FAILED)
      return;
    const stack_t None = {nullptr, SS_DISABLE, 0};
    if (ProgramStack.ss_flags & SS_DISABLE)
      realSystem().sigaltstack(&None, nullptr);
    OwnStack = {};
    realSystem().munmap(Memory, AlternateBytes);
  }
  AlternateStack(const AlternateStack &) = delete;
  AlternateStack &operator=(const AlternateStack &) = delete;

private:
  void *const Memory;
};

Range findStackOfThisThread() {
  Range Found;
  pthread_attr_t Attributes;
  void *Lowest = nullptr;
  size_t Bytes = 0;
  if (pthread_getattr_np(pthread_self(), &Attributes) != 0)
    return Found;
  if (pthread_attr_getstack(&Attributes, &Lowest, &Bytes) == 0) {
    Found.Begin = reinterpret_cast<uint64_t>(Lowest);
    Found.End = Found.Begin + Bytes;
  }
  pthread_attr_destroy(&Attributes);
  return Found;
}

/// Returns the stack of this thread. Allocates on the first call in a thread.
const Range &stackOfThisThread() {
  thread_local const Range Its = findStackOfThisThread();
  return Its;
}

/// Registers the stack of a thread, and the alternate stack that the program sets, while the thread
/// runs.
class KnownStack {
public:
  KnownStack() : Its(stackOfThisThread()) { addStack(Its); }
  ~KnownStack() {
    removeStack(Its);
    removeStack(rangeOf(ProgramStack));
  }
  KnownStack(const KnownStack &) = delete;
  KnownStack &operator=(const KnownStack &) = delete;

private:
  const Range Its;
};

void findMainStack() {
  std::ifstream Maps("/proc/self/maps");
  for (std::string Line; std::getline(Maps, Line);) {
    if (Line.find("[stack]") == std::string::npos)
      continue;
    std::istringstream Text(Line);
    char Dash = 0;
    Text >> std::hex >> MainStack.Begin >> Dash >> MainStack.End;
    MainStack.Begin = MainStack.End - LargestMainStack;
  }
}

//===----------------------------------------------------------------------===//
// Threads
//===----------------------------------------------------------------------===//

struct ThreadStart {
  void *(*Routine)(void *);
  void *Argument;
};

/// Unblocks SIGSEGV in a thread that was started with a signal mask of its own.
void unblock() {
  sigset_t Now;
  realSystem().pthread_sigmask(SIG_SETMASK, nullptr, &Now);
  if (!sigismember(&Now, SIGSEGV))
    return;
  const sigset_t Instead = FaultHandler::real(Now);
  realSystem().pthread_sigmask(SIG_SETMASK, &Instead, nullptr);
}

/// The function is in a section of its own, whose bounds beginsThread() compares.
__attribute__((section("gmprof_thread_begin"), noinline)) void *startThread(void *Given) {
  const auto *Start = static_cast<ThreadStart *>(Given);
  const ThreadStart Of = *Start;
  delete Start;
  KnownStack Stack;
  AlternateStack Alternate;
  unblock();
  return Of.Routine(Of.Argument);
}

//===----------------------------------------------------------------------===//
// The program's handler
//===----------------------------------------------------------------------===//

/// The program's action for SIGSEGV, as the program set it.
struct sigaction Program;

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
    Mask = (Mask & ~bit(SIGSEGV)) | bit(Mark);
  return Mask;
}

bool isOn(const stack_t &Stack, uint64_t Address) {
  const auto Begin = reinterpret_cast<uint64_t>(Stack.ss_sp);
  return !(Stack.ss_flags & SS_DISABLE) && Address >= Begin && Address - Begin < Stack.ss_size;
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

/// Continues in the program's handler, with this frame or, if the program expects its handler on
/// another stack, with a copy of it.
void callProgram(int Signal, siginfo_t *Info, void *Context) {
  struct sigaction Of;
  {
    const SpinLock::Guard Guard(Lock);
    Of = Program;
    if (Of.sa_flags & SA_RESETHAND && Of.sa_handler != SIG_IGN)
      Program = {};
  }
  SignalFrame &Frame = *SignalFrame::of(Context);
  ucontext_t &Its = Frame.context();
  const bool Default = !(Of.sa_flags & SA_SIGINFO) && Of.sa_handler == SIG_DFL;
  const bool Ignored = !(Of.sa_flags & SA_SIGINFO) && Of.sa_handler == SIG_IGN;
  const bool Sent = Info->si_code <= 0;
  if (Ignored && Sent)
    return;
  if (Default || Ignored || Copying || (!Sent && (maskIn(Its) & bit(Mark)))) {
    endProcess(*Info);
    return;
  }
  const auto Interrupted = static_cast<uint64_t>(Its.uc_mcontext.gregs[REG_RSP]);
  const auto Here = reinterpret_cast<uint64_t>(&Frame);
  const uint64_t Mask = maskIn(Its) | maskOf(Of);
  const bool OnOurs = Here >= OwnStack.Begin && Here < OwnStack.End;
  const bool Moved = isOn(ProgramStack, Here) && !isOn(ProgramStack, Interrupted);
  if (!OnOurs && (!Moved || (Of.sa_flags & SA_ONSTACK))) {
    static_assert(sizeof(Mask) <= sizeof(sigset_t));
    sigset_t Set = {};
    std::memcpy(&Set, &Mask, sizeof(Mask));
    realSystem().pthread_sigmask(SIG_SETMASK, &Set, nullptr);
    asm volatile("movq %0, %%rsp\n\t"
                 "xorl %%eax, %%eax\n\t"
                 "jmpq *%1"
                 :
                 : "r"(&Frame), "r"(Of.sa_sigaction), "D"(static_cast<uint64_t>(Signal)),
                   "S"(&Frame.Info), "d"(Context)
                 : "memory");
    __builtin_unreachable();
  }
  Copying = 1;
  SignalFrame *Copy = copyToStack(Frame);
  Copying = 0;
  greg_t *Registers = Its.uc_mcontext.gregs;
  Registers[REG_RIP] = reinterpret_cast<greg_t>(Of.sa_sigaction);
  Registers[REG_RSP] = reinterpret_cast<greg_t>(Copy);
  Registers[REG_RDI] = Signal;
  Registers[REG_RSI] = reinterpret_cast<greg_t>(&Copy->Info);
  Registers[REG_RDX] = reinterpret_cast<greg_t>(&Copy->context());
  Registers[REG_RAX] = 0;
  constexpr greg_t Direction = 0x400, Trap = 0x100;
  Registers[REG_EFL] &= ~(Direction | Trap);
  setMask(Its, Mask);
}

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

/// Where guardedFromFaults() continues after a fault.
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
    callProgram(Signal, Info, Context);
}

/// Converts a mask to the program's view.
static void toProgram(sigset_t &Mask) {
  if (sigismember(&Mask, Mark))
    sigaddset(&Mask, SIGSEGV);
}

void FaultHandler::prepare(Watcher Asked) {
  TheWatcher.store(Asked, std::memory_order_release);
  findMainStack();
  unblock();
  // Never destroyed: code that runs at exit may need it.
  static const AlternateStack &OfMain = *new AlternateStack;
  (void)OfMain;
}

bool FaultHandler::prepared() { return TheWatcher.load(std::memory_order_relaxed) != nullptr; }

void FaultHandler::install() {
  stackOfThisThread(); // before a lock is held under which nothing may be allocated
  // Returns only once the handler is installed: another thread may be installing it.
  if (Effective.load(std::memory_order_acquire))
    return;
  struct sigaction Ours = {};
  Ours.sa_sigaction = handle;
  // Blocks other signals, whose handlers might fault while this one runs.
  sigfillset(&Ours.sa_mask);
  sigdelset(&Ours.sa_mask, SIGSEGV);
  Ours.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER | SA_RESTART;
  const SpinLock::Guard Guard(Lock);
  if (Installed.load(std::memory_order_acquire))
    return;
  realSystem().sigaction(SIGSEGV, nullptr, &Program);
  toProgram(Program.sa_mask);
  Installed.store(true, std::memory_order_release);
  realSystem().sigaction(SIGSEGV, &Ours, nullptr);
  Effective.store(true, std::memory_order_release);
}

sigset_t FaultHandler::real(const sigset_t &Of) {
  sigset_t Real = Of;
  if (sigismember(&Of, SIGSEGV)) {
    sigdelset(&Real, SIGSEGV);
    sigaddset(&Real, Mark);
  } else {
    sigdelset(&Real, Mark);
  }
  return Real;
}

int FaultHandler::threadMask(int How, const sigset_t *New, sigset_t *Old) {
  sigset_t Real;
  if (New)
    Real = real(*New);
  const int Error = realSystem().pthread_sigmask(How, New ? &Real : nullptr, Old);
  if (Error == 0 && Old)
    toProgram(*Old);
  return Error;
}

int FaultHandler::sigaction(int Signal, const struct sigaction *New, struct sigaction *Old) {
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
    Real.sa_mask = real(New->sa_mask);
  }
  const int Result = realSystem().sigaction(Signal, New ? &Real : nullptr, Old);
  if (Result == 0 && Old)
    toProgram(Old->sa_mask);
  return Result;
}

int FaultHandler::alternateStack(const stack_t *New, stack_t *Old) {
  const stack_t Before = ProgramStack;
  stack_t Real = {};
  const bool Ours = New && (New->ss_flags & SS_DISABLE) && OwnStack.End != 0;
  if (Ours)
    Real = {reinterpret_cast<void *>(OwnStack.Begin), 0, AlternateBytes};
  const int Result = realSystem().sigaltstack(Ours ? &Real : New, Old);
  if (Result != 0)
    return Result;
  if (New)
    setProgramStack(*New);
  if (Old && (Before.ss_flags & SS_DISABLE))
    *Old = {nullptr, SS_DISABLE, 0};
  return Result;
}

int FaultHandler::createThread(pthread_t *Thread, const pthread_attr_t *Attributes,
                               void *(*Routine)(void *), void *Argument) {
  auto *Start = new ThreadStart{Routine, Argument};
  const int Error = realSystem().pthread_create(Thread, Attributes, startThread, Start);
  if (Error != 0)
    delete Start;
  return Error;
}

bool FaultHandler::beginsThread(uint64_t Address) {
  return Address >= reinterpret_cast<uint64_t>(__start_gmprof_thread_begin) &&
         Address < reinterpret_cast<uint64_t>(__stop_gmprof_thread_begin);
}

bool FaultHandler::onStack(uint64_t Begin, uint64_t End) {
  // The bounds of a stack that the program has allocated itself are unknown: the memory around the
  // current frame counts as the stack.
  constexpr uint64_t Around = uint64_t(1) << 20;
  const auto Here = reinterpret_cast<uint64_t>(__builtin_frame_address(0));
  const Range Asked = {Begin, End};
  if (Asked.overlaps(MainStack) || Asked.overlaps(OwnStack))
    return true;
  const Range &Own = stackOfThisThread();
  const bool OnOwn =
      (Here >= MainStack.Begin && Here < MainStack.End) || (Here >= Own.Begin && Here < Own.End);
  if (Asked.overlaps(Own) || (!OnOwn && Asked.overlaps({Here - Around, Here + Around})))
    return true;
  const SpinLock::Guard Guard(Lock);
  return TooManyStacks || std::any_of(Stacks.begin(), Stacks.end(), [&](const Range &R) {
           return R.End != 0 && R.overlaps(Asked);
         });
}

} // namespace gmprof::host
