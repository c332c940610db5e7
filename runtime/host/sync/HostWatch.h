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
// Handlers of SIGSEGV or of other signals and forked children store uses in a fixed buffer, which
// is recorded later. Any other fault is the program's own (FaultHandler.h).
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_HOST_SYNC_HOSTWATCH_H
#define GMPROF_HOST_SYNC_HOSTWATCH_H

#include "host/objects/CallPaths.h"
#include "host/sync/SpinLock.h"
#include "profile/Mutex.h"
#include <array>
#include <atomic>
#include <csignal>
#include <functional>
#include <span>

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
  static bool any() { return Watched.load(std::memory_order_relaxed) != 0; }

  /// Registers an operation of the GPU that may write memory of the host or, with Writes false,
  /// only reads it: then only stores must wait.
  void given(uint64_t Operation, uint64_t Address, uint64_t Bytes, bool Writes);
  /// Starts to watch the memory of ended operations, after a call that may have waited.
  void operationsEnded(const std::function<bool(uint64_t)> &HasEnded);
  /// Records that a call is about to read this memory or, with Stores, to write it.
  void used(const void *Caller, uint64_t Address, uint64_t Bytes, bool Stores);
  /// Records an access that instrumented code is about to make. mayBeWatchedByCode() takes no lock.
  bool mayBeWatchedByCode(uint64_t Address, uint64_t Bytes) const;
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
  static void beforeFork() GMPROF_UNCHECKED_LOCKS;
  static void afterForkInParent() GMPROF_UNCHECKED_LOCKS;
  static void afterForkInChild() GMPROF_UNCHECKED_LOCKS;

private:
  static constexpr size_t MaxRegions = 1024, MaxSeen = 1024, MaxFrames = 64, MaxCodeRanges = 64,
                          RegionsAtATime = 64;
  struct Region {
    uint64_t Begin = 0, End = 0; ///< End 0: not in use
    uint64_t Operation = 0;      ///< the writing operation, or the one to wait for
    uint64_t WaitsFor = 0;       ///< the last one that may use it; 0: none
    bool Ended = false;          ///< Operation
    /// Pages that are protected.
    uint64_t FirstPage = 0, EndPage = 0;
    bool StoresOnly = false; ///< the operation read it
    /// Some of the protected pages are accessible, as another region has released them.
    bool Exposed = false;
    /// Instrumented code reports uses. CodeRange: index in CodeRanges; MaxCodeRanges if none was
    /// free.
    bool ByCode = false;
    size_t CodeRange = 0;

    bool inUse() const { return End != 0; }
    bool isProtected() const { return FirstPage != EndPage; }
    bool isWatched() const { return isProtected() || ByCode; }
    bool overlaps(uint64_t B, uint64_t E) const { return Begin < E && B < End; }
    bool protects(uint64_t B, uint64_t E) const {
      return isProtected() && B < EndPage && FirstPage < E;
    }
  };
  struct Seen {
    log::HostUseRecord Use;
    unsigned FrameCount;
    std::array<uint64_t, MaxFrames> Frames;
  };
  /// The lock. Code that holds it must not touch the heap: its pages may be protected, and the
  /// handler takes the lock.
  class Locked;
  using FrameArray = std::array<uint64_t, MaxFrames>;

  HostWatch(Recorder *Log, CallPaths *Paths, Waiter Wait, bool DeviceUsesPages);
  template <typename Which> bool waitFor(Which Concerns, bool InHandler = false);
  Region *newRegion() GMPROF_REQUIRES(Lock);
  /// Protects the region's pages; returns false if that is not possible.
  bool protectPages(Region &R, int Allowed) GMPROF_REQUIRES(Lock);
  void protect(Region &R) GMPROF_REQUIRES(Lock);
  void unprotect(Region &R, uint64_t FirstPage, uint64_t EndPage) GMPROF_REQUIRES(Lock);
  void watchByCode(Region &R) GMPROF_REQUIRES(Lock);
  void release(Region &R) GMPROF_REQUIRES(Lock);
  void unseen(Region &R, uint64_t TimeNs) GMPROF_REQUIRES(Lock);
  void giveUpExposed(uint64_t TimeNs) GMPROF_REQUIRES(Lock);
  bool usedByDevice(const Region &R) const GMPROF_REQUIRES(Lock);
  bool tryAgain(uint64_t Address, uint64_t Instruction);
  void see(const Region &R, log::UseKind Kind, uint64_t Address, uint64_t TimeNs,
           std::span<const uint64_t> Frames = {}, bool ByCode = false) GMPROF_REQUIRES(Lock);
  static size_t pathFrom(uint64_t Return, FrameArray &Frames);
  bool fault(const siginfo_t &Info, void *Context);
  void faultBeside(Region &R, uint64_t Page, uint64_t TimeNs) GMPROF_REQUIRES(Lock);
  void seenByCode(const void *Caller, log::UseKind Kind, uint64_t Address, uint64_t Bytes,
                  bool Store);
  bool updateEnded(size_t First, const std::function<bool(uint64_t)> &HasEnded, bool &Any);
  void drain();

  Recorder *const Log;
  CallPaths *const Paths;
  const Waiter Wait; ///< null: uses are recorded
  const bool DeviceUsesPages;
  std::array<Region, MaxRegions> Regions GMPROF_GUARDED_BY(Lock) = {};
  size_t RegionCount GMPROF_GUARDED_BY(Lock) = 0; ///< regions from here on are not in use
  /// One is filled while the other is recorded.
  std::array<std::array<Seen, MaxSeen>, 2> Uses GMPROF_GUARDED_BY(Lock) = {};
  size_t Filled GMPROF_GUARDED_BY(Lock) = 0;
  size_t UseCount GMPROF_GUARDED_BY(Lock) = 0;
  uint64_t Lost GMPROF_GUARDED_BY(Lock) = 0;
  std::atomic<bool> AnySeen{false}; ///< since uses were recorded
  /// Regions watched by code, for a quick check. End 0: not in use.
  struct CodeRange {
    std::atomic<uint64_t> Begin{0}, End{0};
  };
  std::array<CodeRange, MaxCodeRanges> CodeRanges;
  std::atomic<size_t> BeyondCodeRanges{0}; ///< regions without a code range
  std::atomic<bool> AllCode{false};        ///< HostCode::whole()
  /// Number of times that pages were released.
  std::atomic<uint64_t> Releases{0};

  Mutex Draining;

  static std::atomic<HostWatch *> Active;
  static std::atomic<uint64_t> Watched;
  static SpinLock Lock;
  static thread_local bool InFork; ///< this thread holds Lock
  static sigset_t BeforeFork;
};

} // namespace gmprof::host

#endif // GMPROF_HOST_SYNC_HOSTWATCH_H
