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
// memory cannot be protected (stacks, whose pages the program always needs), it counts as
// used from that moment on (UseKind::Assumed): synchronisation that may be needed is
// never said not to be.
//
// The handler of SIGSEGV neither allocates nor takes locks that the program's code can
// hold: what it sees waits in a fixed buffer. Any other fault is the program's own.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_HOST_HOSTWATCH_H
#define GMPROF_HOST_HOSTWATCH_H

#include "host/CallPaths.h"
#include <array>
#include <atomic>
#include <csignal>
#include <functional>
#include <vector>

namespace gmprof::host {

class HostWatch {
public:
  HostWatch(Recorder &Log, CallPaths &Paths);

  /// The one that watches now. Null: none.
  static HostWatch *active() { return Active.load(std::memory_order_acquire); }
  /// Whether any memory is protected.
  static bool any() { return Protected.load(std::memory_order_relaxed) != 0; }

  /// An operation was given to the GPU that may write memory of the host, or, with
  /// Writes false, only read it: then only stores to it have to wait.
  void given(uint64_t Operation, uint64_t Address, uint64_t Bytes, bool Writes);
  /// A call may have waited: from now on the host's uses of what has ended count.
  void operationsEnded(const std::function<bool(uint64_t)> &HasEnded);
  /// A call is about to be given this memory, to read or, with Stores, to write it.
  void used(const void *Caller, uint64_t Address, uint64_t Bytes, bool Stores);
  /// The memory is about to go, or to be protected by the program.
  void forget(uint64_t Address, uint64_t Bytes);
  /// Gives back all memory, and records what was seen.
  void finish();

  /// Of SIGSEGV. Whether the fault was of memory that is watched.
  bool fault(const siginfo_t &Info, void *Context);
  /// The program's handler, as it knows it. New: its next one.
  static int programHandler(const struct sigaction *New, struct sigaction *Old);
  static bool handlerInstalled() { return Installed.load(std::memory_order_acquire); }
  /// In a forked child: gives back all memory and forgets everything.
  static void abandon();

private:
  static constexpr size_t MaxRegions = 1024, MaxSeen = 1024, MaxFrames = 64, MaxReleased = 16;
  struct Region {
    uint64_t Begin = 0, End = 0; ///< End 0: not in use
    uint64_t Operation = 0;      ///< that wrote it
    uint64_t WaitsFor = 0;       ///< the last one that may use it; 0: none
    /// Pages that are protected.
    uint64_t FirstPage = 0, EndPage = 0;
    bool StoresOnly = false; ///< the operation read it

    bool inUse() const { return End != 0; }
    bool overlaps(uint64_t B, uint64_t E) const { return Begin < E && B < End; }
  };
  struct Seen {
    log::HostUseRecord Use;
    unsigned FrameCount;
    std::array<uint64_t, MaxFrames> Frames;
  };
  class Locked;

  Region *newRegion();
  void protect(Region &R);
  void unprotect(Region &R, uint64_t FirstPage, uint64_t EndPage);
  void release(Region &R);
  bool sharesPages(const Region &R) const;
  bool wasJustReleased(uint64_t Address);
  Seen *see(const Region &R, log::UseKind Kind, uint64_t Address, uint64_t TimeNs);
  static size_t pathTo(uint64_t Instruction, std::array<uint64_t, MaxFrames> &Frames);
  void faultBeside(Region &R, uint64_t Page, uint64_t TimeNs);
  bool onStack(uint64_t Address) const;
  void drain();
  static void install();
  static void handle(int Signal, siginfo_t *Info, void *Context);

  Recorder &Log;
  CallPaths &Paths;
  uint64_t MainStackBegin = 0, MainStackEnd = 0;
  std::array<Region, MaxRegions> Regions = {};
  size_t RegionCount = 0; ///< those behind are not in use
  std::array<Seen, MaxSeen> Uses = {};
  size_t UseCount = 0;
  uint64_t Lost = 0;
  /// Other threads may have faulted on these before they were given back.
  std::array<std::pair<uint64_t, uint64_t>, MaxReleased> Released = {};
  size_t NextReleased = 0;

  static std::atomic<HostWatch *> Active;
  static std::atomic<uint64_t> Protected;
  static std::atomic<bool> Installed;
  static std::atomic_flag Lock;
};

} // namespace gmprof::host

#endif // GMPROF_HOST_HOSTWATCH_H
