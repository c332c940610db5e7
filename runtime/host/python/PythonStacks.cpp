//===- PythonStacks.cpp - Python functions on the stack by number ---------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "host/python/PythonStacks.h"
#include "host/interpose/DriverHooks.h"
#include "host/python/LockFunctions.h"
#include <algorithm>
#include <array>
#include <cstring>
#include <dlfcn.h>
#include <iterator>
#include <new>
#include <pthread.h>

namespace gmprof::host {

/// A function that is running, and how far it is: the instruction, or the line before 3.11.
struct PythonStacks::Position {
  void *Code;
  int64_t At;

  bool operator==(const Position &) const = default;
};

/// The state of a thread: the last stack that was read, and stacks of released locks.
struct PythonStacks::Thread {
  struct Known {
    uint64_t Owner = 0; ///< PythonStacks::Number
    uint32_t Stack = 0;
    uint32_t Waiting = 0; ///< the stack of the thread that waits for this one
    bool InAutograd = false;
    std::vector<Position> Positions;
  };
  struct Release {
    void *State;
    uint32_t Stack;
    bool InAutograd;
  };

  bool Busy = false;       ///< inside a function of the interpreter that the recorder called
  bool InAutograd = false; ///< the innermost function of the last stack is of torch.autograd
  std::vector<Position> Now;
  /// By hash. A training step has about a hundred stacks; one that is not here costs microseconds.
  std::array<Known, 1024> Stacks;
  std::vector<Release> Releases; ///< not taken back yet, the last one last

  Known &placeFor(uint64_t Hash) { return Stacks[Hash >> 54]; }
  static_assert(std::tuple_size_v<decltype(Stacks)> == 1 << (64 - 54));

  /// Returns the calling thread's state. It is allocated, because a library that is loaded late
  /// gets little thread-local storage; deleted at the thread's end, after which it may be made
  /// again.
  static Thread &current() {
    if (!Own) {
      static const pthread_key_t AtEnd = [] {
        pthread_key_t Key = 0;
        pthread_key_create(&Key, [](void *T) {
          delete static_cast<Thread *>(T);
          Own = nullptr;
        });
        return Key;
      }();
      Own = new Thread;
      pthread_setspecific(AtEnd, Own);
    }
    return *Own;
  }
  static thread_local Thread *Own;
};

thread_local constinit PythonStacks::Thread *PythonStacks::Thread::Own = nullptr;

/// Calls V with each frame of the state, innermost first.
template <typename Visit>
static void forEachFrame(const PythonApi &From, void *State, const Visit &V) {
  void *Frame = From.FrameOf(State);
  for (unsigned Count = 0; Frame && Count < PythonStacks::MostFrames; ++Count) {
    V(Frame);
    void *Outer = From.Back(Frame);
    From.Release(Frame);
    Frame = Outer;
  }
  if (Frame)
    From.Release(Frame);
}

/// Returns true for a thread of PyTorch's backward pass, which names its threads.
static bool isOfBackwardPass() {
  thread_local constinit signed char Is = -1;
  if (Is < 0) {
    std::array<char, 16> Name = {};
    pthread_getname_np(pthread_self(), Name.data(), Name.size());
    Is = std::string_view(Name.data()).starts_with("pt_autograd_");
  }
  return Is != 0;
}

static uint64_t nextNumber() {
  static std::atomic<uint64_t> Last{0};
  return Last.fetch_add(1, std::memory_order_relaxed) + 1;
}

PythonStacks::PythonStacks(PythonApi::Lookup Of) : Lookup(Of), Number(nextNumber()) {}

PythonStacks &PythonStacks::ofProcess() {
  static auto &Instance =
      *new PythonStacks([](const char *Name) { return realDlsym()(RTLD_DEFAULT, Name); });
  return Instance;
}

void PythonStacks::find() {
  if (State.load(std::memory_order_acquire) == PythonApi::Found::None) {
    PythonApi Now;
    const PythonApi::Found Found = Now.find(Lookup);
    LockGuard Guard(Lock);
    if (State.load(std::memory_order_relaxed) == PythonApi::Found::None) {
      Functions = Now;
      if (Found == PythonApi::Found::Supported)
        Api.store(&Functions, std::memory_order_release);
      State.store(Found, std::memory_order_release);
    }
  }
  update();
}

void PythonStacks::update() {
  if (const PythonApi *Found = api(); Found && this == &ofProcess())
    redirectLockFunctions(*Found);
}

uint32_t PythonStacks::current() {
  const PythonApi *From = api();
  if (!From)
    return State.load(std::memory_order_acquire) == PythonApi::Found::Unsupported &&
                   Functions.StateOfThread && Functions.StateOfThread()
               ? Unknown
               : None;
  if (From->IsFinalizing())
    return None;
  uint32_t Stack = None;
  if (void *Held = From->heldState())
    Stack = currentOf(Held);
  else if (Thread::Own && !Thread::Own->Releases.empty())
    Stack = Thread::Own->Releases.back().Stack;
  else if (From->StateOfThread())
    return Unknown;
  return Stack != None ? Stack : waitingThread();
}

/// Returns the stack of the thread that waits for the calling one.
uint32_t PythonStacks::waitingThread() const {
  const uint32_t Waiting = OnlyBackward.load(std::memory_order_acquire);
  return Waiting != None && isOfBackwardPass() ? Waiting : None;
}

void PythonStacks::changeBackward(uint32_t Stack, bool Begins) {
  LockGuard Guard(Lock);
  if (Begins)
    Backward.push_back(Stack);
  else if (const auto At = std::ranges::find(Backward, Stack); At != Backward.end())
    Backward.erase(At);
  OnlyBackward.store(Backward.size() == 1 ? Backward.front() : None, std::memory_order_release);
}

uint32_t PythonStacks::currentOf(void *Held) {
  const PythonApi &From = *api();
  Thread &T = Thread::current();
  // The interpreter can call CUDA while it makes a frame object, if it allocates memory by it.
  if (T.Busy)
    return Unknown;
  T.Busy = true;
  const bool Collects = From.DisableGc && From.EnableGc && From.DisableGc();

  const uint32_t Waiting = waitingThread();
  T.Now.clear();
  uint64_t Hash = Waiting;
  forEachFrame(From, Held, [&](void *Frame) {
    void *Code = From.CodeOf(Frame);
    const Position At = {Code, From.InstructionOf ? From.InstructionOf(Frame) : From.LineOf(Frame)};
    From.Release(Code);
    T.Now.push_back(At);
    Hash = (Hash ^ reinterpret_cast<uint64_t>(Code) ^ static_cast<uint64_t>(At.At) << 40) *
           0x9E3779B97F4A7C15u;
    Hash ^= Hash >> 29;
  });
  uint32_t Stack = None;
  T.InAutograd = false;
  if (!T.Now.empty()) {
    Thread::Known &Place = T.placeFor(Hash * 0x9E3779B97F4A7C15u);
    if (Place.Owner != Number || Place.Waiting != Waiting || Place.Positions != T.Now) {
      Place.Stack = add(From, Held, Waiting);
      Place.InAutograd =
          code(frames(Place.Stack).front().code).File.find("/torch/autograd/") != std::string::npos;
      Place.Owner = Number;
      Place.Waiting = Waiting;
      Place.Positions = T.Now;
    }
    Stack = Place.Stack;
    T.InAutograd = Place.InAutograd;
  }

  if (Collects)
    From.EnableGc();
  T.Busy = false;
  return Stack;
}

uint32_t PythonStacks::add(const PythonApi &From, void *Held, uint32_t Waiting) {
  std::vector<log::PythonFrame> Frames;
  forEachFrame(From, Held, [&](void *Frame) {
    Frames.push_back({codeOf(From, Frame), static_cast<uint32_t>(std::max(From.LineOf(Frame), 0))});
  });
  if (Waiting != None)
    std::ranges::copy(frames(Waiting), std::back_inserter(Frames));
  const std::string Key(reinterpret_cast<const char *>(Frames.data()),
                        Frames.size() * sizeof(log::PythonFrame));
  LockGuard Guard(Lock);
  const auto [It, New] = StackIds.try_emplace(Key, static_cast<uint32_t>(Stacks.size() + 1));
  if (New)
    Stacks.push_back(&It->first);
  return It->second;
}

/// Returns the text of an attribute; empty if there is none.
static std::string textOf(const PythonApi &From, void *Object, const char *Attribute) {
  std::string Text;
  if (void *Value = From.Attribute(Object, Attribute)) {
    // Names of files that are not UTF-8 have surrogates in place of the other bytes.
    if (void *Encoded = From.Encode(Value, "utf-8", "backslashreplace")) {
      char *Bytes = nullptr;
      ssize_t Count = 0;
      if (From.Bytes(Encoded, &Bytes, &Count) == 0)
        Text.assign(Bytes, static_cast<size_t>(Count));
      From.Release(Encoded);
    }
    From.Release(Value);
  }
  From.ClearError();
  return Text;
}

/// No lock is held while the interpreter is called: a free-threaded one can wait for all threads.
uint32_t PythonStacks::codeOf(const PythonApi &From, void *Frame) {
  void *Code = From.CodeOf(Frame);
  const auto Address = reinterpret_cast<uint64_t>(Code);
  {
    LockGuard Guard(Lock);
    if (const auto Known = CodeIds.find(Address); Known != CodeIds.end()) {
      const uint32_t Id = Known->second;
      From.Release(Code);
      return Id;
    }
  }
  void *Error[3] = {};
  From.FetchError(&Error[0], &Error[1], &Error[2]);
  PythonCode Names = {textOf(From, Code, "co_filename"), textOf(From, Code, "co_qualname")};
  if (Names.Function.empty()) // before 3.11
    Names.Function = textOf(From, Code, "co_name");
  From.RestoreError(Error[0], Error[1], Error[2]);

  LockGuard Guard(Lock);
  const auto [It, New] = CodeIds.try_emplace(Address, static_cast<uint32_t>(Codes.size() + 1));
  if (New)
    Codes.push_back(std::move(Names)); // the reference stays
  else
    From.Release(Code);
  return It->second;
}

void PythonStacks::released(void *Held, uint32_t Stack) {
  Thread &T = Thread::current();
  const bool InAutograd = T.InAutograd && Stack != None && Stack != Unknown;
  T.Releases.push_back({Held, Stack, InAutograd});
  if (InAutograd)
    changeBackward(Stack, true);
}

void PythonStacks::taken(void *Held) {
  if (!Thread::Own)
    return;
  std::vector<Thread::Release> &Releases = Thread::Own->Releases;
  const auto Last = std::find_if(Releases.rbegin(), Releases.rend(),
                                 [&](const Thread::Release &R) { return R.State == Held; });
  if (Last == Releases.rend())
    return;
  for (auto Each = Last.base() - 1; Each != Releases.end(); ++Each)
    if (Each->InAutograd)
      changeBackward(Each->Stack, false);
  Releases.erase(Last.base() - 1, Releases.end());
}

std::vector<log::PythonFrame> PythonStacks::frames(uint32_t Stack) {
  LockGuard Guard(Lock);
  const std::string &Bytes = *Stacks[Stack - 1];
  std::vector<log::PythonFrame> Frames(Bytes.size() / sizeof(log::PythonFrame));
  std::memcpy(Frames.data(), Bytes.data(), Bytes.size());
  return Frames;
}

PythonCode PythonStacks::code(uint32_t Id) {
  LockGuard Guard(Lock);
  return Codes[Id - 1];
}

uint64_t PythonStacks::interpreter() const { return reinterpret_cast<uint64_t>(Functions.FrameOf); }

std::string PythonStacks::whyUnknown() const {
  if (!api())
    return "the Python functions on them are unknown: Python 3.9 or newer is needed, and this is " +
           Functions.Version;
  if (Functions.FreeThreaded)
    return "the Python functions on them are unknown: the thread was not attached to the "
           "free-threaded interpreter, and GMProf did not see it detach";
  const std::string Released = "the Python functions on them are unknown: the thread had released "
                               "the interpreter's lock in a way that GMProf does not see";
  return Functions.StatePerThread
             ? Released
             : Released +
                   ", or ran a sub-interpreter, whose functions need Python 3.12 or newer, " +
                   "and this is " + Functions.Version;
}

void PythonStacks::afterFork() {
  new (&Lock) Mutex;
  // Threads that waited for a backward pass are not in the child.
  LockGuard Guard(Lock);
  Backward.clear();
  OnlyBackward.store(None, std::memory_order_release);
}

} // namespace gmprof::host
