//===- HostWatch.h - Sees the host use what the GPU wrote -------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Diogenes (SC'19), Section 3.3.1, finds the first access of the host to memory that the GPU
// has written by loads and stores that it instruments. Here the memory's pages are taken
// away from the program when the operation that wrote it has ended and a call that may
// have waited for it has returned; the first access faults, is recorded with its
// instruction, and gets all of the memory back. So this works for code of all origins.
//
// How precise that is: the address of a fault is exact, so an access beside the memory, but
// in one of its pages, is told from one of it. The page is then given back; where others
// are left, a later access of those counts as the first one. Where none is left, or the
// memory cannot be protected (stacks, whose pages the program always needs, and pages to
// which the program itself has limited accesses), it counts as used from that moment on
// (UseKind::Assumed): synchronisation that may be needed is never said not to be.
//
// Such memory is watched by the program's own code instead, if all of that was compiled for it
// (HostCode.h, pass/host/HostAccesses.h): then each access is known to the byte, whatever else lies
// in the page. Memory that the program gives to other functions counts as used by them.
//
// In a run that moves waits to that first use (LateWaits.h), nothing is recorded: memory is taken
// away while operations still use it, and any access first waits for these.
//
// What is seen, in handlers of SIGSEGV or of other signals or in a forked child, waits in a fixed
// buffer. Any other fault is the program's own (FaultHandler.h).
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

/// Alone on its pages, which so are never protected.
class alignas(4096) HostWatch {
public:
  HostWatch(Recorder &Log, CallPaths &Paths);
  /// Of a run that moves waits. Wait: for all up to a number that memory was taken away with.
  using Waiter = void (*)(uint64_t Until, bool InHandler);
  explicit HostWatch(Waiter Wait);

  /// The one that watches now. Null: none.
  static HostWatch *active() { return Active.load(std::memory_order_acquire); }
  /// Whether any memory is watched.
  static bool any() { return Watched.load(std::memory_order_relaxed) != 0; }

  /// An operation was given to the GPU that may write memory of the host, or, with
  /// Writes false, only read it: then only stores to it have to wait.
  void given(uint64_t Operation, uint64_t Address, uint64_t Bytes, bool Writes);
  /// A call may have waited: from now on the host's uses of what has ended count.
  void operationsEnded(const std::function<bool(uint64_t)> &HasEnded);
  /// A call is about to be given this memory, to read or, with Stores, to write it.
  void used(const void *Caller, uint64_t Address, uint64_t Bytes, bool Stores);
  /// Instrumented code is about to access memory; mayBeWatchedByCode() takes no lock.
  bool mayBeWatchedByCode(uint64_t Address, uint64_t Bytes) const;
  void accessed(const void *Caller, uint64_t Address, uint64_t Bytes, bool Store);
  /// It is about to give memory to a function that is not instrumented.
  void givenToCode(const void *Caller, uint64_t Address, uint64_t Bytes, bool Stores);
  /// The memory is about to go.
  void forget(uint64_t Address, uint64_t Bytes);
  /// The pages are about to become such that accesses cannot be seen.
  void giveUp(uint64_t Address, uint64_t Bytes);
  /// Gives back all memory, and records what was seen.
  void finish();

  /// Where waits are moved: how accesses may be noticed.
  enum class Notice : uint8_t { ByPage, ByCode };
  /// Each access waits first. False: that cannot be had.
  bool takeAway(uint64_t Until, uint64_t Address, uint64_t Bytes, Notice By);
  /// What was taken away with numbers up to that: it has been waited for.
  void giveBack(uint64_t Until, bool InHandler = false);

  /// A FaultHandler::Watcher.
  static bool ask(const siginfo_t &Info, void *Context);
  /// Around a fork. In the child: gives back all memory and forgets everything.
  /// The lock is held from the first to the second or third.
  static void beforeFork() GMPROF_UNCHECKED_LOCKS;
  static void afterForkInParent() GMPROF_UNCHECKED_LOCKS;
  static void afterForkInChild() GMPROF_UNCHECKED_LOCKS;

private:
  static constexpr size_t MaxRegions = 1024, MaxSeen = 1024, MaxFrames = 64, MaxCodeRanges = 64,
                          RegionsAtATime = 64;
  struct Region {
    uint64_t Begin = 0, End = 0; ///< End 0: not in use
    uint64_t Operation = 0;      ///< that wrote it, or that is to be waited for
    uint64_t WaitsFor = 0;       ///< the last one that may use it; 0: none
    /// Pages that are protected.
    uint64_t FirstPage = 0, EndPage = 0;
    bool StoresOnly = false; ///< the operation read it
    /// The program's code says when it is used; one of CodeRanges, or that many: none was free.
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
  /// Code that has it must touch no memory of the heap: pages of that are protected, too, and the
  /// handler takes the lock.
  class Locked;
  using FrameArray = std::array<uint64_t, MaxFrames>;

  HostWatch(Recorder *Log, CallPaths *Paths, Waiter Wait);
  template <typename Which> bool waitFor(Which Concerns, bool InHandler = false);
  Region *newRegion() GMPROF_REQUIRES(Lock);
  /// Returns whether its pages could be.
  bool protectPages(Region &R, int Allowed) GMPROF_REQUIRES(Lock);
  void protect(Region &R) GMPROF_REQUIRES(Lock);
  void unprotect(Region &R, uint64_t FirstPage, uint64_t EndPage) GMPROF_REQUIRES(Lock);
  void watchByCode(Region &R) GMPROF_REQUIRES(Lock);
  void release(Region &R) GMPROF_REQUIRES(Lock);
  void unseen(Region &R, uint64_t TimeNs) GMPROF_REQUIRES(Lock);
  bool sharesPages(const Region &R) const GMPROF_REQUIRES(Lock);
  bool tryAgain(uint64_t Address, uint64_t Instruction);
  void see(const Region &R, log::UseKind Kind, uint64_t Address, uint64_t TimeNs,
           std::span<const uint64_t> Frames = {}, bool ByCode = false) GMPROF_REQUIRES(Lock);
  static size_t pathFrom(uint64_t Return, FrameArray &Frames);
  bool fault(const siginfo_t &Info, void *Context);
  void faultBeside(Region &R, uint64_t Page, uint64_t TimeNs) GMPROF_REQUIRES(Lock);
  void seenByCode(const void *Caller, log::UseKind Kind, uint64_t Address, uint64_t Bytes,
                  bool Store);
  bool waitNoMore(size_t First, const std::function<bool(uint64_t)> &HasEnded, bool &Any);
  void drain();

  Recorder *const Log;
  CallPaths *const Paths;
  const Waiter Wait; ///< null: uses are recorded
  std::array<Region, MaxRegions> Regions GMPROF_GUARDED_BY(Lock) = {};
  size_t RegionCount GMPROF_GUARDED_BY(Lock) = 0; ///< those behind are not in use
  /// One is filled while the other is recorded.
  std::array<std::array<Seen, MaxSeen>, 2> Uses GMPROF_GUARDED_BY(Lock) = {};
  size_t Filled GMPROF_GUARDED_BY(Lock) = 0;
  size_t UseCount GMPROF_GUARDED_BY(Lock) = 0;
  uint64_t Lost GMPROF_GUARDED_BY(Lock) = 0;
  std::atomic<bool> AnySeen{false}; ///< since uses were recorded
  /// What is watched by code, for a first look. End 0: not in use.
  struct CodeRange {
    std::atomic<uint64_t> Begin{0}, End{0};
  };
  std::array<CodeRange, MaxCodeRanges> CodeRanges;
  std::atomic<size_t> BeyondCodeRanges{0}; ///< regions that found none free
  std::atomic<bool> AllCode{false};        ///< HostCode::whole()
  /// How often pages were given back.
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
