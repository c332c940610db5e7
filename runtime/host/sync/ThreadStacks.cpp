//===- ThreadStacks.cpp - Stacks of threads and signal handlers -----------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "host/sync/ThreadStacks.h"
#include "host/core/RealSystem.h"
#include "host/sync/SignalMask.h"
#include "host/sync/SpinLock.h"
#include <algorithm>
#include <array>
#include <fstream>
#include <sstream>
#include <string>
#include <sys/mman.h>

// NOLINTBEGIN(readability-identifier-naming): the linker's names
extern "C" __attribute__((visibility("hidden"))) const char __start_gmprof_thread_begin[],
    __stop_gmprof_thread_begin[];
// NOLINTEND(readability-identifier-naming)

namespace gmprof::host {
namespace {

constinit SpinLock Lock;

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

struct ThreadStart {
  void *(*Routine)(void *);
  void *Argument;
};

/// The function is in a section of its own, whose bounds beginsThread() compares.
__attribute__((section("gmprof_thread_begin"), noinline)) void *startThread(void *Given) {
  const auto *Start = static_cast<ThreadStart *>(Given);
  const ThreadStart Of = *Start;
  delete Start;
  KnownStack Stack;
  AlternateStack Alternate;
  SignalMask::unblock();
  return Of.Routine(Of.Argument);
}

} // namespace

void ThreadStacks::prepare() {
  findMainStack();
  // Never destroyed: code that runs at exit may need it.
  static const AlternateStack &OfMain = *new AlternateStack;
  (void)OfMain;
}

void ThreadStacks::findThisThread() { stackOfThisThread(); }

bool ThreadStacks::overlap(uint64_t Begin, uint64_t End) {
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

int ThreadStacks::setAlternate(const stack_t *New, stack_t *Old) {
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

int ThreadStacks::createThread(pthread_t *Thread, const pthread_attr_t *Attributes,
                               void *(*Routine)(void *), void *Argument) {
  auto *Start = new ThreadStart{Routine, Argument};
  const int Error = realSystem().pthread_create(Thread, Attributes, startThread, Start);
  if (Error != 0)
    delete Start;
  return Error;
}

bool ThreadStacks::beginsThread(uint64_t Address) {
  return Address >= reinterpret_cast<uint64_t>(__start_gmprof_thread_begin) &&
         Address < reinterpret_cast<uint64_t>(__stop_gmprof_thread_begin);
}

bool ThreadStacks::onOwnAlternate(uint64_t Address) {
  return Address >= OwnStack.Begin && Address < OwnStack.End;
}

bool ThreadStacks::onProgramAlternate(uint64_t Address) {
  const Range Its = rangeOf(ProgramStack);
  return Address >= Its.Begin && Address < Its.End;
}

} // namespace gmprof::host
