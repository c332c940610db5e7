//===- SystemCalls.h - The memory that system calls use ---------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reports the memory that a function of the C library uses, while HostWatch.h protects memory.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_HOST_INTERPOSE_SYSTEMCALLS_H
#define GMPROF_HOST_INTERPOSE_SYSTEMCALLS_H

#include "host/core/Export.h"
#include "host/core/RealSystem.h"
#include "host/core/Session.h"
#include "host/sync/FaultHandler.h"
#include "host/sync/HostWatch.h"
#include "host/sync/SignalMask.h"

namespace gmprof::host {

/// Returns whether this call may use watched memory: calls of CUDA and of GMProf do not.
inline bool ofProgram() { return HostWatch::any() && !Inside::now(); }

inline uint64_t number(const volatile void *Memory) { return reinterpret_cast<uint64_t>(Memory); }

/// Releases memory that a call accesses; the access counts as a use by the host.
void uses(const void *Caller, const volatile void *Memory, size_t Bytes, bool Stores);

inline void reads(const void *Caller, const volatile void *From, size_t Bytes) {
  uses(Caller, From, Bytes, /*Stores=*/false);
}

inline void writes(const void *Caller, void *To, size_t Bytes) {
  uses(Caller, To, Bytes, /*Stores=*/true);
}

/// Handles a name, or a structure of few bytes.
template <typename... Pointers> void touches(const void *Caller, const Pointers *...All) {
  constexpr size_t Few = 256;
  if (ofProgram())
    (uses(Caller, All, Few, /*Stores=*/true), ...);
}

/// Watches memory no more: it is about to be unmapped.
void goes(const void *Memory, size_t Bytes);
/// Gives memory up for good: the program changes its protection.
void staysUnseen(const void *Memory, size_t Bytes);

/// The mask during a wait.
class WaitMask {
public:
  explicit WaitMask(const sigset_t *Program)
      : Given(Program), Changed(Program && FaultHandler::prepared()) {
    if (Changed)
      Mask = SignalMask::real(*Program);
  }
  const sigset_t *get() const { return Changed ? &Mask : Given; }

private:
  const sigset_t *const Given;
  const bool Changed;
  sigset_t Mask;
};

} // namespace gmprof::host

/// Reports the memory that the call uses, and makes the call.
#define GMPROF_SYSTEM(Result, Name, Parameters, Arguments, Uses)                                   \
  GMPROF_INTERPOSE Result Name Parameters {                                                        \
    [[maybe_unused]] const void *const Caller = GMPROF_CALLER;                                     \
    Uses;                                                                                          \
    return realSystem().Name Arguments;                                                            \
  }

#endif // GMPROF_HOST_INTERPOSE_SYSTEMCALLS_H
