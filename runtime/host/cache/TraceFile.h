//===- TraceFile.h - Writes what launches recorded --------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Puts the records of each SM into order and writes them to the file beside the event log that
// gmreport simulates (cache/TraceWriter.h), on a thread of its own: kernels give
// further records meanwhile.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_HOST_CACHE_TRACEFILE_H
#define GMPROF_HOST_CACHE_TRACEFILE_H

#include "cache/TraceFormat.h"
#include "cache/TraceWriter.h"
#include "host/cache/ChunkCopies.h"
#include "host/cache/PlacedRequests.h"
#include "host/objects/ProgramMemory.h"
#include "profile/Mutex.h"
#include "profile/SiteNumbers.h"
#include "profile/Workers.h"
#include <array>
#include <condition_variable>
#include <deque>
#include <map>
#include <thread>
#include <unordered_map>

namespace gmprof::host {

/// A kernel as traces describe it.
struct TracedKernel {
  cache::TraceKernel Facts;
  std::vector<cache::TraceSite> Sites; ///< of its descriptor
  SiteNumbers Numbers;
  uint32_t LocalBytes = 0; ///< of each thread
};

struct TracedLaunch {
  std::shared_ptr<const TracedKernel> Kernel;
  std::shared_ptr<const MemoryRanges> Ranges;
  cache::TraceLaunch Facts;                   ///< but for Kernel
  std::deque<cache::TraceWritten> Written;    ///< since the launch before
  std::shared_ptr<const PlacedBlocks> Blocks; ///< of the untraced launch; null: unknown
};

/// Chunks of a launch that are written together: all of them, or as many as there is memory for.
/// Parts of a launch follow each other.
struct LaunchPart {
  static constexpr size_t MostCopiers = 8;
  struct Chunk {
    uint32_t Sm;
    std::span<const std::byte> Bytes;
  };
  std::optional<TracedLaunch> Begins; ///< of the first part
  std::vector<Chunk> Chunks;
  /// Copies of the chunks' contents, by the thread that made them.
  std::array<std::unique_ptr<ChunkCopies>, MostCopiers> Copies;
  size_t Bytes = 0;
  std::optional<cache::TraceLaunchEnd> Ends; ///< of the last one, but for Late
};

class TraceFile {
public:
  /// Limits the parts that wait to be written to Memory bytes.
  explicit TraceFile(size_t Memory);
  ~TraceFile();
  TraceFile(const TraceFile &) = delete;
  TraceFile &operator=(const TraceFile &) = delete;

  /// Creates it, before anything is added. Returns why that is not possible.
  std::string open(const std::string &Path, const cache::TraceDevice &Device, bool OnCpu);
  bool isOpen() const { return Writer != nullptr; }
  /// Waits until there is memory for it.
  void add(LaunchPart Part);
  /// Completes the file, if there is one, once all of it is written. Returns how many requests it
  /// has; what could not be written is said here.
  Result<uint64_t> finish();
  /// Returns the number of launches whose blocks are where the trace ran them, although those of
  /// the untraced launch are known. After finish().
  uint64_t unplaced() const { return Unplaced; }

private:
  /// Maximum number of threads that order, encode and pack.
  static constexpr size_t MostWriters = 16;
  /// State of an SM in the launch that is being written.
  struct OfSm {
    std::vector<std::span<const std::byte>> Chunks; ///< of the part that is being written
    uint64_t LastClock = 0;                         ///< of what has been written
    uint64_t Late = 0;                              ///< records that were before that
    /// Records at the end of a part, which those of warps that have not given theirs belong
    /// between.
    std::vector<PlacedRecord> Held;
    std::vector<std::byte> HeldBytes;
  };
  /// Buffers of a thread.
  struct WriterMemory {
    PlacedRecords Records;
    OrderMemory Order;
  };
  struct Numbers {
    uint32_t Kernel, FirstSite;
  };

  void run();
  void stop();
  void write(LaunchPart &Part);
  void begin(TracedLaunch Launch);
  void end(cache::TraceLaunchEnd End);
  Numbers numbersOf(const std::shared_ptr<const TracedKernel> &Kernel);
  void writeObjects(const std::shared_ptr<const MemoryRanges> &Ranges);
  bool writePlaced(const LaunchPart &Whole);
  void writeSm(uint32_t Sm, bool IsLast, OfSm &State, WriterMemory &Memory);
  void writeRecords(const PlacedRecords &Records, size_t MeanBytes, cache::TraceWriter::OfSm &To);
  void order(PlacedRecords &Records, bool IsLast, OfSm &State, OrderMemory &Memory);
  static void hold(std::span<const PlacedRecord> Records, OfSm &State);

  // Only its thread works with what follows, once the file is open.
  std::unique_ptr<cache::TraceWriter> Writer;
  bool OnCpu = false;
  TracedLaunch Launch; ///< that the file is at
  uint32_t FirstSite = 0;
  std::unordered_map<uint32_t, OfSm> Sms;
  std::array<WriterMemory, MostWriters> Memories; ///< of threads
  Workers Writers{MostWriters};
  std::map<std::shared_ptr<const TracedKernel>, Numbers> Kernels;
  uint32_t Sites = 0;
  std::shared_ptr<const MemoryRanges> Known; ///< objects, as the file has them
  uint64_t Unplaced = 0;

  const size_t Memory;
  Mutex Lock;
  std::condition_variable Changed;
  std::deque<LaunchPart> Parts GMPROF_GUARDED_BY(Lock);
  size_t Bytes GMPROF_GUARDED_BY(Lock) = 0; ///< of these, and of the one that is being written
  bool Stops GMPROF_GUARDED_BY(Lock) = false;
  std::thread Thread;
};

} // namespace gmprof::host

#endif // GMPROF_HOST_CACHE_TRACEFILE_H
