//===- Simulator.h - Cache simulator ----------------------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Implements the stages of von Buelow et al., Figure 1: mapping of local memory (LocalMemory.h),
// coalescing (Coalescing.h), an L1 for each SM (L1Cache.h), L2 and DRAM (L2Cache.h), and sums by
// launch, instruction and object (AccessCounts.h).
//
// With Sampled = N only lines whose hash is 0 modulo N are simulated, in caches of an N-th of the
// size (Waldspurger et al., "Efficient MRC Construction with SHARDS", FAST'15). Sampled lines form
// random groups, whose variance estimates the error of rates.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_CACHE_SIMULATOR_H
#define GMPROF_CACHE_SIMULATOR_H

#include "cache/Architecture.h"
#include "cache/KeyTable.h"
#include "cache/L1Cache.h"
#include "cache/L2Cache.h"
#include "cache/ScatteredLanes.h"
#include "cache/Trace.h"
#include "profile/Mutex.h"
#include "profile/Workers.h"
#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <unordered_map>

namespace gmprof::cache {

struct SimulationOptions {
  unsigned Threads = 1;
  uint32_t Sampled = 1;
  /// A launch starts with the L2 contents that earlier launches left.
  bool KeepsL2 = true;
  std::optional<uint32_t> SharedKb; ///< replaces the size that each launch needs
  std::optional<uint32_t> L1Kb;     ///< replaces the size that remains beside shared memory
  bool AcceptsIncomplete = false;   ///< accepts traces without their end
  bool FindsRefetches = false;      ///< see AccessCounts
  /// Memory for accesses waiting for L2.
  uint64_t MemoryBytes = uint64_t(1) << 28;
};

/// Number of groups of sampled lines.
inline constexpr unsigned SampleGroups = 16;

/// Accesses that are counted together.
struct Cell {
  static constexpr int32_t Unknown = -1, LocalMemory = -2;
  uint32_t Launch, Site;
  int32_t Object; ///< index of SimulationResults::Objects, or one of the above
  AccessKind Kind;
  AccessCounts Counts;
};

/// Counters of a cell by group of lines, for the error of hit rates.
struct GroupCounts {
  std::array<uint64_t, SampleGroups> L1Lookups = {}, L1Hits = {}, L2Lookups = {}, L2Hits = {};
};

/// Launch with its cache configuration.
struct LaunchResult {
  TraceLaunch Launch;
  TraceLaunchEnd End;
  uint32_t SharedKb, L1Kb;
  uint64_t WrittenBack = 0; ///< sectors written to DRAM during the launch, by any cell
};

struct SimulationResults {
  Architecture Gpu;
  SimulationOptions Options;
  std::vector<TraceKernel> Kernels;
  std::vector<TraceSite> Sites;
  std::vector<TraceObject> Objects; ///< all objects that were ever allocated
  std::vector<LaunchResult> Launches;
  std::vector<Cell> Cells;
  std::vector<GroupCounts> Groups; ///< by cell, if lines were sampled
  uint64_t DirtySectors = 0;       ///< in L2 at the end
  bool Complete = true;            ///< the trace has its end
};

/// Simulates requests launch by launch; run() alone is parallel.
class Simulator {
public:
  /// Prepares a simulation. Gpu: consistent parameters. Pool: worker threads, as many as Options
  /// requires; null: creates its own.
  Simulator(Architecture Gpu, SimulationOptions Options, std::shared_ptr<Workers> Pool = nullptr);

  void addKernel(TraceKernel Kernel) { Results.Kernels.push_back(std::move(Kernel)); }
  void addSite(TraceSite Site) { Results.Sites.push_back(std::move(Site)); }
  void allocate(TraceObject Object);
  void release(uint64_t Id);
  /// Registers a copy, whose bytes stay in L2. Call it between launches.
  void written(const TraceWritten &By) { Copies.push_back(By); }

  void beginLaunch(const TraceLaunch &Launch);
  /// Limits the number of threads from here on.
  void allowThreads(unsigned Count) { Threads->allow(Count); }

  /// Returns the next requests of an SM, in order, or none at the end. Called concurrently for
  /// different SMs; the span stays valid until the SM's next call.
  using Source = std::function<std::span<const Request>(uint32_t Sm)>;
  /// Simulates all requests of the launch within MemoryBytes, which does not affect the results.
  /// Counts: number of requests by SM, for load balancing.
  void run(const std::vector<uint64_t> &Counts, const Source &Next);

  /// Adds requests of an SM directly. Sm: any number; those beyond the GPU's SMs wrap around.
  void add(uint32_t Sm, std::span<const Request> Requests);
  /// Returns whether the caller has to call drain() to stay within MemoryBytes.
  bool full() const { return Waiting * L2Cache::BytesPerAccess >= Options.MemoryBytes; }
  /// Processes all accesses waiting for L2; requests added later come later.
  void drain() { drain(~uint64_t(0)); }

  void endLaunch(const TraceLaunchEnd &End = {});

  uint32_t sms() const { return Gpu.Sms; }
  SimulationResults finish();

private:
  struct Range {
    uint64_t End;
    int32_t Object;
  };
  /// Cached lookup of a site's last object.
  struct LastOfSite {
    uint64_t First = 0, Bytes = 0;
    uint64_t FirstLine = 0, Lines = 0; ///< lines within the object only
    uint32_t Cell = 0;
    AccessKind Kind = AccessKind::Load;

    /// Returns whether the line belongs to the object. Objects share no line, except parts of a
    /// pool.
    bool has(const CoalescedLine &L) const {
      return L.Line - FirstLine < Lines || L.Line * LineBytes + L.Bytes.first() - First < Bytes;
    }
  };
  struct alignas(64) Sm { ///< one thread each
    std::unique_ptr<L1Cache> L1;
    uint32_t Requests = 0;
    KeyTable<uint64_t, uint32_t> OfWarps; ///< requests of each warp
    std::vector<LastOfSite> Sites;
    std::unordered_map<uint64_t, uint32_t> Known; ///< cells of this launch
    std::vector<AccessCounts> Counts;
    std::span<const Request> Rest; ///< of the last Source call
  };
  /// Position of a request in its SM and in its warp.
  struct RequestNumbers {
    uint32_t OfSm, OfWarp;
  };
  /// Accesses that pass L1 together.
  struct Batch {
    std::vector<LineAccess> Accesses;
    CoalescedLines Lines;
    ScatteredLanes Scattered;
  };

  bool isSampled(uint64_t Line) const;
  void addLines(const TraceWritten &Of, L2Requests &To) const;
  void applyCopies();
  LastOfSite lookUp(Sm &S, const Request &R, uint64_t Address);
  uint32_t makeCell(uint32_t Site, int32_t Object, AccessKind Kind);
  static RequestNumbers numberOf(Sm &S, const Request &R);
  static void describe(const Request &R, const RequestNumbers &Numbers, LineAccess &A);
  static LastOfSite &lastOf(Sm &S, const Request &R);
  template <typename Callable>
  void count(Sm &S, const Request &R, LastOfSite &Last, std::span<const CoalescedLine> Lines,
             const Callable &Do);
  void addRequest(Sm &S, uint32_t Number, const Request &R, Batch &To);
  void addSampled(Sm &S, uint32_t Number, const Request &R, Batch &To);
  bool addScattered(Sm &S, const Request &R, const RequestNumbers &Numbers, const LastOfSite &Last,
                    Batch &To) const;
  bool sample(const Request &R, const RequestNumbers &Numbers, uint32_t Cell,
              const CoalescedLine &L, Batch &To) const;
  static void addAccess(const Request &R, const RequestNumbers &Numbers, uint32_t Cell,
                        uint64_t Quotient, unsigned Sectors, Batch &To);
  bool hasRoom(uint32_t Number) const;
  template <typename Condition>
  size_t add(uint32_t Number, std::span<const Request> Requests, Batch &By,
             const Condition &GoesOn);
  bool advance(uint32_t Number, const Source &Next, uint64_t Before, Batch &By);
  void drain(uint64_t Before);

  const Architecture Gpu;
  const SimulationOptions Options;
  const std::shared_ptr<Workers> Threads;
  const unsigned Groups;
  L2Cache L2;
  LocalMemory Local;
  std::vector<Sm> Sms;
  std::vector<Batch> Batches; ///< one per thread
  std::vector<L2Requests> ToL2;
  std::vector<TraceWritten> Copies; ///< since the last launch
  std::atomic<size_t> Waiting = 0;  ///< accesses waiting for L2
  std::map<uint64_t, Range> Ranges; ///< live objects by first byte
  Mutex CellLock;
  std::unordered_map<uint64_t, uint32_t> LaunchCells;
  uint32_t FirstCell = 0; ///< first cell of the launch
  uint64_t WrittenBefore = 0;
  std::vector<AccessCounts> Counts; ///< Groups entries per cell
  SimulationResults Results;
};

} // namespace gmprof::cache

#endif // GMPROF_CACHE_SIMULATOR_H
