//===- HostUses.h - Uses that handlers have seen ----------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Stores the host's uses of watched memory in fixed buffers, because handlers of signals and forked
// children see them and cannot write records, and records them later.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_HOST_SYNC_HOSTUSES_H
#define GMPROF_HOST_SYNC_HOSTUSES_H

#include "host/objects/CallPaths.h"
#include "host/sync/WatchLock.h"
#include <array>
#include <atomic>
#include <span>

namespace gmprof::host {

/// The call path of a use. Must be unwound without the lock: unwinding takes locks whose holders
/// may wait for it.
class UsePath {
public:
  static constexpr size_t MaxFrames = 64;

  /// Collects the path of the call that returns to Return, as far as it is known.
  void unwindTo(uint64_t Return);
  /// Collects the path of an instruction.
  void unwindAt(uint64_t Instruction);
  std::span<const uint64_t> frames() const { return {Frames.data(), Count}; }

private:
  size_t Count = 0;
  std::array<uint64_t, MaxFrames> Frames; ///< return addresses
};

class HostUses {
public:
  /// Stores a use of memory that an operation of the GPU has written. ByCode: instrumented code has
  /// reported it. Counts it as lost if there is no room.
  void see(uint64_t Operation, log::UseKind Kind, uint64_t Address, uint64_t TimeNs,
           std::span<const uint64_t> Frames, bool ByCode) GMPROF_REQUIRES(WatchLock::Lock);
  /// Records the uses seen since the last call.
  void record(Recorder &Log, CallPaths &Paths);

private:
  static constexpr size_t MaxSeen = 1024;
  struct Seen {
    log::HostUseRecord Use;
    unsigned FrameCount;
    std::array<uint64_t, UsePath::MaxFrames> Frames;
  };

  /// One is filled while the other is recorded.
  std::array<std::array<Seen, MaxSeen>, 2> Uses GMPROF_GUARDED_BY(WatchLock::Lock) = {};
  size_t Filled GMPROF_GUARDED_BY(WatchLock::Lock) = 0;
  size_t UseCount GMPROF_GUARDED_BY(WatchLock::Lock) = 0;
  uint64_t Lost GMPROF_GUARDED_BY(WatchLock::Lock) = 0;
  std::atomic<bool> AnySeen{false}; ///< since uses were recorded
  Mutex Recording;
};

} // namespace gmprof::host

#endif // GMPROF_HOST_SYNC_HOSTUSES_H
