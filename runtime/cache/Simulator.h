//===- Simulator.h - Requests through the caches ----------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The stages of von Buelow et al., Figure 1, one after the other: addresses of local memory
// (LocalMemory.h), coalescing (Coalescing.h), an L1 for each SM (L1Cache.h), L2 and DRAM
// (L2Cache.h), and sums by launch, instruction and object (AccessCounts.h).
//
// With Sampled = N only lines are simulated whose address hashes to 0 modulo N, in caches of
// an N-th of the size (Waldspurger et al., "Efficient MRC Construction with SHARDS", FAST'15).
// These lines form random groups, whose differences tell the error of rates.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_CACHE_SIMULATOR_H
#define GMPROF_CACHE_SIMULATOR_H

#include "cache/Architecture.h"
#include "cache/KeyTable.h"
#include "cache/L1Cache.h"
#include "cache/L2Cache.h"
#include "cache/RequestShapes.h"
#include "cache/ScatteredLanes.h"
#include "cache/Trace.h"
#include "profile/Workers.h"
#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <unordered_map>

namespace gmprof::cache {

struct SimulationOptions {
  unsigned Threads = 1;
  uint32_t Sampled = 1;
  /// Whether a launch finds in L2 what earlier ones left there.
  bool KeepsL2 = true;
  std::optional<uint32_t> SharedKb; ///< instead of what each launch needs
  std::optional<uint32_t> L1Kb;     ///< instead of what that leaves
  bool AcceptsIncomplete = false;   ///< traces without their end
  bool FindsRefetches = false;      ///< see AccessCounts
  /// For accesses that wait for L2.
  uint64_t MemoryBytes = uint64_t(1) << 28;
};

/// Groups of lines where they are sampled.
inline constexpr unsigned SampleGroups = 16;

/// What is counted together.
struct Cell {
  static constexpr int32_t Unknown = -1, LocalMemory = -2;
  uint32_t Launch, Site;
  int32_t Object; ///< index of SimulationResults::Objects, or one of the above
  AccessKind Kind;
  AccessCounts Counts;
};

/// Of a cell's groups: those of the level's counters that rates are made of.
struct GroupCounts {
  std::array<uint64_t, SampleGroups> L1Lookups = {}, L1Hits = {}, L2Lookups = {}, L2Hits = {};
};

struct LaunchResult {
  TraceLaunch Launch;
  TraceLaunchEnd End;
  uint32_t SharedKb, L1Kb;
  uint64_t WrittenBack = 0; ///< sectors to DRAM while it ran, whosever
};

struct SimulationResults {
  Architecture Gpu;
  SimulationOptions Options;
  std::vector<TraceKernel> Kernels;
  std::vector<TraceSite> Sites;
  std::vector<TraceObject> Objects; ///< all that were alive ever
  std::vector<LaunchResult> Launches;
  std::vector<Cell> Cells;
  std::vector<GroupCounts> Groups; ///< of each cell, if lines were sampled
  uint64_t DirtySectors = 0;       ///< in L2 at the end
  bool Complete = true;            ///< the trace has its end
};

class Simulator {
public:
  /// Gpu: possible. Pool: threads that work, as many as Options says; null: its own.
  Simulator(Architecture Gpu, SimulationOptions Options, std::shared_ptr<Workers> Pool = nullptr);

  void addKernel(TraceKernel Kernel) { Results.Kernels.push_back(std::move(Kernel)); }
  void addSite(TraceSite Site) { Results.Sites.push_back(std::move(Site)); }
  void allocate(TraceObject Object);
  void release(uint64_t Id);
  /// Leaves it in L2, where copies go. Between launches.
  void written(const TraceWritten &By) { Copies.push_back(By); }

  void beginLaunch(const TraceLaunch &Launch);
  /// No more than so many work from here on.
  void allowThreads(unsigned Count) { Threads->allow(Count); }

  /// Gives the next requests of an SM, in its order, or none where there are no more. Threads ask
  /// for different SMs at the same time; what an SM got is kept until it asks again.
  using Source = std::function<std::span<const Request>(uint32_t Sm)>;
  /// All requests of the launch, within MemoryBytes, which do not change the outcome. Counts: how
  /// many each SM has, by which the work is divided.
  void run(const std::vector<uint64_t> &Counts, const Source &Next);

  /// The same by hand. Sm: any; those beyond the GPU's share its SMs.
  void add(uint32_t Sm, std::span<const Request> Requests);
  /// Whether drain() is due, to stay within MemoryBytes.
  bool full() const { return Waiting * L2Cache::BytesPerAccess >= Options.MemoryBytes; }
  /// Lets L2 do what waits for it: after that, what SMs add comes later.
  void drain() { drain(~uint64_t(0)); }

  void endLaunch(const TraceLaunchEnd &End = {});

  uint32_t sms() const { return Gpu.Sms; }
  SimulationResults finish();

private:
  struct Range {
    uint64_t End;
    int32_t Object;
  };
  /// What a site accessed last, so that it is looked up where that changes.
  struct LastOfSite {
    uint64_t First = 0, Bytes = 0;
    uint64_t FirstLine = 0, Lines = 0; ///< that have nothing else
    uint32_t Cell = 0;
    AccessKind Kind = AccessKind::Load;

    /// An object has lines of its own, unless it is a part of a pool.
    bool has(const CoalescedLine &L) const {
      return L.Line - FirstLine < Lines || L.Line * LineBytes + L.Bytes.first() - First < Bytes;
    }
  };
  struct alignas(64) Sm { ///< for a thread each
    std::unique_ptr<L1Cache> L1;
    uint32_t Requests = 0;
    KeyTable<uint64_t, uint32_t> OfWarps; ///< requests
    /// The same of the warps that are at the SM's places now.
    struct Place {
      uint64_t Warp = 0;
      uint32_t Requests = 0;
    };
    std::array<Place, 64> Places;
    std::vector<LastOfSite> Sites;
    std::unordered_map<uint64_t, uint32_t> Known; ///< cells of this launch
    std::vector<AccessCounts> Counts;
    std::span<const Request> Rest; ///< of what run() was given
  };
  /// What requests are numbered by: those of the SM and those of the warp.
  struct RequestNumbers {
    uint32_t OfSm, OfWarp;
  };
  /// What goes through an L1 together.
  struct Batch {
    std::vector<LineAccess> Accesses;
    CoalescedLines Lines;
    ScatteredLanes Scattered;
    RequestShapes Shapes;
  };

  bool isSampled(uint64_t Line) const;
  void addLines(const TraceWritten &Of, L2Requests &To) const;
  void applyCopies();
  LastOfSite lookUp(Sm &S, const Request &R, uint64_t Address);
  uint32_t makeCell(uint32_t Site, int32_t Object, AccessKind Kind);
  static uint32_t requestsBefore(Sm &S, const Request &R);
  static RequestNumbers numberOf(Sm &S, const Request &R);
  static void describe(const Request &R, const RequestNumbers &Numbers, LineAccess &A);
  static LastOfSite &lastOf(Sm &S, const Request &R);
  template <typename Callable>
  void count(Sm &S, const Request &R, LastOfSite &Last, std::span<const CoalescedLine> Lines,
             const Callable &Do);
  const RequestShapes::Shape *shapeOf(const Request &R, Batch &By) const;
  void addRequest(Sm &S, uint32_t Number, const Request &R, Batch &To);
  void addSampled(Sm &S, uint32_t Number, const Request &R, Batch &To);
  bool addScattered(Sm &S, const Request &R, const RequestNumbers &Numbers, const LastOfSite &Last,
                    Batch &To) const;
  bool addShaped(Sm &S, const Request &R, const RequestNumbers &Numbers, const LastOfSite &Last,
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
  std::vector<Batch> Batches; ///< of threads
  std::vector<L2Requests> ToL2;
  std::vector<TraceWritten> Copies; ///< since the last launch
  std::atomic<size_t> Waiting = 0;  ///< accesses, for L2
  std::map<uint64_t, Range> Ranges; ///< objects alive, by their first byte
  std::mutex CellLock;
  std::unordered_map<uint64_t, uint32_t> LaunchCells;
  uint32_t FirstCell = 0; ///< of the launch
  uint64_t WrittenBefore = 0;
  std::vector<AccessCounts> Counts; ///< Groups for each cell
  SimulationResults Results;
};

} // namespace gmprof::cache

#endif // GMPROF_CACHE_SIMULATOR_H
