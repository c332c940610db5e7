//===- PythonStacks.h - Python functions on the stack by number -*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Numbers the stacks of Python functions from which a thread calls CUDA. README.md tells how.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_HOST_PYTHON_PYTHONSTACKS_H
#define GMPROF_HOST_PYTHON_PYTHONSTACKS_H

#include "host/python/PythonApi.h"
#include "profile/Mutex.h"
#include "profile/Records.h"
#include <atomic>
#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

namespace gmprof::host {

/// The code of a Python function.
struct PythonCode {
  std::string File, Function; ///< UTF-8; the qualified name since 3.11
};

class PythonStacks {
public:
  static constexpr uint32_t None = 0;             ///< no Python function is running
  static constexpr uint32_t Unknown = UINT32_MAX; ///< some may be running
  /// The innermost functions that a stack keeps.
  static constexpr unsigned MostFrames = 128;

  explicit PythonStacks(PythonApi::Lookup Of);

  /// Returns the stacks of the process. They are empty until find() has found an interpreter.
  static PythonStacks &ofProcess();

  /// Finds the interpreter if the program has loaded it by now, and calls update(). Takes the lock
  /// under which the dynamic linker runs constructors: the caller holds none that these may need.
  void find();
  /// Redirects the lock functions of extension modules that were loaded since the last call.
  void update();

  /// Returns the number of the calling thread's stack. In a thread of PyTorch's backward pass, that
  /// of the thread that waits for it follows, if only one waits for any.
  /// Never waits for the interpreter's lock, changes no error that the program has raised, and runs
  /// no code of the program.
  uint32_t current();
  /// Returns the same for a thread that is known to hold the lock; None if it runs no function.
  uint32_t currentOf(void *State);

  /// Remember the calling thread's stack until it takes the lock again. The thread holds the lock
  /// before `released` and after `taken`.
  void released(void *State, uint32_t Stack);
  void taken(void *State);

  /// Returns the functions of a stack, innermost first.
  std::vector<log::PythonFrame> frames(uint32_t Stack);
  PythonCode code(uint32_t Id);
  /// Returns an address in the interpreter's executable or library.
  uint64_t interpreter() const;
  /// Returns why a stack is unknown.
  std::string whyUnknown() const;

  const PythonApi *api() const { return Api.load(std::memory_order_acquire); }
  /// Must be called in a forked child, which has one thread.
  void afterFork();

private:
  struct Position;
  struct Thread;

  bool read(const PythonApi &From, void *State, Thread &T) const;
  uint32_t add(const PythonApi &From, void *State, uint32_t Waiting);
  uint32_t codeOf(const PythonApi &From, void *Frame);
  uint32_t waitingThread() const;
  void changeBackward(uint32_t Stack, bool Begins);

  const PythonApi::Lookup Lookup;
  const uint64_t Number; ///< of this object, in the tables of threads
  std::atomic<PythonApi::Found> State{PythonApi::Found::None};
  std::atomic<const PythonApi *> Api{nullptr}; ///< set if State is Supported
  PythonApi Functions;                         ///< complete before State is set

  Mutex Lock;
  /// By address. A reference to each code object is kept: no other one gets its address.
  std::unordered_map<uint64_t, uint32_t> CodeIds GMPROF_GUARDED_BY(Lock);
  std::vector<PythonCode> Codes GMPROF_GUARDED_BY(Lock);
  /// By the bytes of their frames, and these bytes by number.
  std::map<std::string, uint32_t> StackIds GMPROF_GUARDED_BY(Lock);
  std::vector<const std::string *> Stacks GMPROF_GUARDED_BY(Lock);
  /// Stacks of the threads that wait for a backward pass, and the one if there is only one.
  std::vector<uint32_t> Backward GMPROF_GUARDED_BY(Lock);
  std::atomic<uint32_t> OnlyBackward{None};
};

} // namespace gmprof::host

#endif // GMPROF_HOST_PYTHON_PYTHONSTACKS_H
