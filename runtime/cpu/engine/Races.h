//===- Races.h - Accesses that nothing orders ----------------- -*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// With GMPROF_CPU_RACES=1, each access of global and shared memory is compared with those before
// it to the same bytes: two of different threads of a launch, of which one writes and one is not
// atomic, are a race unless something orders them. That is taken to be: a barrier of the block, of
// all its threads or of some; an operation of the warp, for threads of one warp; and an atomic or
// volatile access that the later thread made since the last barrier, or the later thread's block
// for threads of different blocks, by which it may have waited for the other one. So a race may go
// unseen, but what is reported is one, or relies on the lanes of a warp keeping step. Shared memory
// is watched for races of the threads of one block, not of those of a cluster.
//
// Launches that are watched run on one worker, so that reports are the same in each run.
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

/// Whether kernels that are compiled from now on are watched.
bool looksForRaces();

/// What orders the threads of a block.
struct RaceOrder {
  uint32_t Barrier = 1; ///< one more than barriers that are complete
  std::array<uint32_t, MaxWarps> WarpOps = {};
  std::array<uint32_t, MaxBlockThreads> AtomicAt =
      {};               ///< Barrier at the thread's last atomic access
  bool Atomics = false; ///< some thread made one
};

/// A kernel and two places each, see Site.
using ReportedRaces = std::set<std::array<std::string, 3>>;

/// Bits of what an access does.
enum RaceAccessKind : uint32_t { RaceReads = 0, RaceWrites = 1, RaceAtomic = 2 };

class RaceDetector {
public:
  /// Of a thread of the block that runs.
  void access(const ThreadState &Thread, RaceOrder &Order, uint64_t Block, uint64_t Address,
              uint64_t Bytes, uint32_t Kind, uint32_t Site);
  /// Lines to print, of races at pairs of source lines that are not in Reported yet.
  std::string report(const std::string &Kernel, ReportedRaces &Reported) const;

private:
  struct Access {
    uint64_t Block = 0;
    uint32_t Thread = 0, Barrier = 0; ///< Barrier 0: there was none
    uint32_t WarpOps = 0, Site = 0;
    uint8_t Bytes = 0, Kind = 0; ///< bytes of the word: a bit each
  };
  struct Word {
    Access Write, Reads[2];
  };
  struct Race {
    Access Before, Now;
    uint64_t Address = 0;
    bool Shared = false;
    bool Own = false; ///< of the block: Address counts from where its shared memory begins
    uint32_t BlockDim[3], GridDim[3];
  };
  using Page = std::array<Word, 1024>;

  static std::string place(const Race &R);
  void accessWord(const ThreadState &Thread, const RaceOrder &Order, uint64_t Number, Access Now,
                  bool Shared);

  std::unordered_map<uint64_t, std::unique_ptr<Page>> Pages;
  std::set<std::pair<uint32_t, uint32_t>> Known; ///< sites of Races
  std::vector<Race> Races;                       ///< as they were found
};

} // namespace gmprof::cpu

#endif // GMPROF_CPU_ENGINE_RACES_H
