//===- HostWatch.h - Finds host uses of GPU results -------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Finds the host's uses of GPU results. Diogenes (SC'19), Section 3.3.1, finds the host's first
// access to memory that the GPU has written by instrumenting loads and stores. HostWatch protects
// the memory's pages once the writing operation has ended and a call that may have waited for it
// has returned. The first access faults and is recorded with its instruction, and all of the memory
// becomes accessible again. This works for code of any origin.
//
// Precision: the address of a fault is exact, so an access to other data in the memory's pages is
// distinguished. Such an access makes its page accessible, and later ones to the memory's part of
// it are unseen. Then the memory counts as used from that moment on (UseKind::Assumed). So does
// memory whose pages become accessible because an operation or other watched memory needs them, and
// memory that cannot be protected (stacks, whose pages the program always needs, and pages whose
// protection the program itself has changed): synchronisation that may be needed is never reported
// as redundant.
//
// If the whole program is instrumented, its code watches such memory instead (HostCode.h,
// pass/host/HostAccesses.h): each access is known to the byte, whatever other data is in the page.
// Memory that the program passes to other functions counts as used by them.
//
// A run that moves waits to the first use (LateWaits.h) records nothing: memory is protected while
// operations still use it, and any access first waits for these.
//
// WatchedRegions.h makes accesses noticeable, HostUses.h keeps the uses until they are recorded.
// Any other fault is the program's own (FaultHandler.h).
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_HOST_SYNC_HOSTWATCH_H
#define GMPROF_HOST_SYNC_HOSTWATCH_H

#include "host/sync/HostUses.h"
#include "host/sync/WatchedRegions.h"
#include <functional>

namespace gmprof::host {

/// Aligned to pages, so that no watched memory shares its pages.
class alignas(4096) HostWatch {
public:
  /// DeviceUsesPages: operations of the device access memory by the process's pages, as threads of
  /// the CPU device do.
  HostWatch(Recorder &Log, CallPaths &Paths, bool DeviceUsesPages = true);
  /// Prepares a run that moves waits. Wait: waits for all operations up to a number passed to
  /// takeAway().
  using Waiter = void (*)(uint64_t Until, bool InHandler);
  explicit HostWatch(Waiter Wait);

  /// Returns the active object; null if none is.
  static HostWatch *active() { return Active.load(std::memory_order_acquire); }
  /// Returns whether any memory is watched.
  static bool any() { return WatchedRegions::any(); }

  /// Registers an operation of the GPU that may write memory of the host or, with Writes false,
  /// only reads it: then only stores must wait.
  void given(uint64_t Operation, uint64_t Address, uint64_t Bytes, bool Writes);
  /// Starts to watch the memory of ended operations, after a call that may have waited.
  void operationsEnded(const std::function<bool(uint64_t)> &HasEnded);
  /// Records that a call is about to read this memory or, with Stores, to write it.
  void used(const void *Caller, uint64_t Address, uint64_t Bytes, bool Stores);
  /// Records an access that instrumented code is about to make. mayBeWatchedByCode() takes no lock.
  bool mayBeWatchedByCode(uint64_t Address, uint64_t Bytes) const {
    return Regions.mayBeWatchedByCode(Address, Bytes);
  }
  void accessed(const void *Caller, uint64_t Address, uint64_t Bytes, bool Store);
  /// Records that instrumented code is about to pass memory to a function that is not instrumented.
  void givenToCode(const void *Caller, uint64_t Address, uint64_t Bytes, bool Stores);
  /// Forgets memory that is about to be freed.
  void forget(uint64_t Address, uint64_t Bytes);
  /// Releases pages in which accesses are about to become invisible.
  void giveUp(uint64_t Address, uint64_t Bytes);
  /// Releases all memory, and records the uses.
  void finish();

  /// The ways to notice accesses in a run that moves waits.
  enum class Notice : uint8_t { ByPage, ByCode };
  /// Makes each access wait first. Returns false if that is not possible.
  bool takeAway(uint64_t Until, uint64_t Address, uint64_t Bytes, Notice By);
  /// Releases memory taken away with numbers up to Until, which have been waited for.
  void giveBack(uint64_t Until, bool InHandler = false);

  /// Implements FaultHandler::Watcher.
  static bool ask(const siginfo_t &Info, void *Context);
  /// Handle a fork. The child releases all memory and forgets everything. The lock is held from the
  /// first to the second or third.
  static void beforeFork() { WatchLock::beforeFork(); }
  static void afterForkInParent() { WatchLock::afterFork(); }
  static void afterForkInChild() GMPROF_UNCHECKED_LOCKS;

private:
  using Region = WatchedRegion;

  HostWatch(Recorder *Log, CallPaths *Paths, Waiter Wait, bool DeviceUsesPages);
  template <typename Which> bool waitFor(Which Concerns, bool InHandler = false);
  void see(const Region &R, log::UseKind Kind, uint64_t Address, uint64_t TimeNs,
           const UsePath &Path = {}, bool ByCode = false) GMPROF_REQUIRES(WatchLock::Lock);
  void watchUnseen(Region &R, uint64_t TimeNs) GMPROF_REQUIRES(WatchLock::Lock);
  void unprotectUnseen(Region &R, uint64_t TimeNs) GMPROF_REQUIRES(WatchLock::Lock);
  void giveUpExposed(uint64_t TimeNs) GMPROF_REQUIRES(WatchLock::Lock);
  bool usedByDevice(const Region &R) const GMPROF_REQUIRES(WatchLock::Lock);
  bool updateEnded(size_t First, const std::function<bool(uint64_t)> &HasEnded, bool &Any);
  void seenByCode(const void *Caller, log::UseKind Kind, uint64_t Address, uint64_t Bytes,
                  bool Store);
  bool fault(const siginfo_t &Info, void *Context);
  bool recordFault(uint64_t Address, uint64_t Instruction, bool Store);
  void faultBeside(Region &R, uint64_t Page, uint64_t TimeNs) GMPROF_REQUIRES(WatchLock::Lock);
  bool tryAgain(uint64_t Address, uint64_t Instruction);
  void record();

  Recorder *const Log;
  CallPaths *const Paths;
  const Waiter Wait; ///< null: uses are recorded
  const bool DeviceUsesPages;
  WatchedRegions Regions;
  HostUses Uses;
  std::atomic<bool> AllCode{false}; ///< HostCode::whole()

  static std::atomic<HostWatch *> Active;
};

} // namespace gmprof::host

#endif // GMPROF_HOST_SYNC_HOSTWATCH_H
