//===- Races.h - Race detector ----------------------------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// With GMPROF_CPU_RACES=1, each access to global and shared memory is compared with earlier ones to
// the same bytes. Two accesses of different threads of a launch, one of them a write and one not
// atomic, are a race unless they are ordered by one of the following: a barrier of all or some
// threads of the block; a warp operation, for threads of one warp; an atomic or volatile access by
// which the later thread may have waited for the other one, made since the last barrier (threads of
// one block) or by any thread of its block (threads of different blocks). Races can therefore be
// missed, but each reported one is a race or relies on lanes running in lockstep. Shared memory is
// checked for races of threads of one block, not of a cluster.
//
// Checked launches run on one worker, so that reports are deterministic.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_CPU_ENGINE_RACES_H
#define GMPROF_CPU_ENGINE_RACES_H

#include "cpu/engine/ThreadState.h"

#include <array>
#include <cstddef>
#include <memory>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace gmprof::cpu {

/// Returns whether kernels compiled from now on are checked.
bool looksForRaces();
/// Returns whether a race makes the launch fail.
bool failsOfRaces();

/// Synchronisation state of a block.
struct RaceOrder {
  uint32_t Barrier = 1; ///< 1 + number of completed barriers
  std::array<uint32_t, MaxWarps> WarpOps = {};
  std::array<uint32_t, MaxBlockThreads> AtomicAt =
      {};               ///< Barrier at each thread's last atomic access
  bool Atomics = false; ///< any thread made an atomic access
};

/// Reported races: kernel and both source positions, see Site.
using ReportedRaces = std::set<std::array<std::string, 3>>;

/// Flags of an access.
enum RaceAccessKind : uint32_t { RaceReads = 0, RaceWrites = 1, RaceAtomic = 2 };

/// Race detector of a launch; used by one thread.
class RaceDetector {
public:
  /// Checks an access of a thread of the running block.
  void access(const ThreadState &Thread, RaceOrder &Order, uint64_t Block, uint64_t Address,
              uint64_t Bytes, uint32_t Kind, uint32_t Site);
  /// Returns lines to print, one for each race at a pair of source lines not in Reported yet.
  std::string report(const std::string &Kernel, ReportedRaces &Reported) const;

private:
  struct Access {
    uint64_t Block = 0;
    uint32_t Thread = 0, Barrier = 0; ///< Barrier 0: no access
    uint32_t WarpOps = 0, Site = 0;
    uint8_t Bytes = 0, Kind = 0; ///< mask of the accessed bytes of the word
  };
  struct Word {
    Access Write, Reads[2];
  };
  struct Race {
    Access Before, Now;
    uint64_t Address = 0;
    bool Shared = false;
    bool Own = false; ///< in the block's own shared memory: Address is an offset in it
    uint32_t BlockDim[3], GridDim[3];
  };
  using Page = std::array<Word, 1024>;

  static std::string place(const Race &R);
  void accessWord(const ThreadState &Thread, const RaceOrder &Order, uint64_t Number, Access Now,
                  bool Shared);

  std::unordered_map<uint64_t, std::unique_ptr<Page>> Pages;
  std::set<std::pair<uint32_t, uint32_t>> Known; ///< pairs of sites in Races
  std::vector<Race> Races;                       ///< in order of detection
};

} // namespace gmprof::cpu

#endif // GMPROF_CPU_ENGINE_RACES_H
