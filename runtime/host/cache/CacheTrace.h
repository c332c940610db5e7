//===- CacheTrace.h - The trace of a run's requests -------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Collects the records of launches and has them written (TraceFile.h), one launch after the other,
// as they end. Much of one that runs alone is written while it runs, in parts; so is what is there
// of the largest one if several make more than there is memory for. Only the order around
// these moments may then not be exact, which is counted. Half of the memory is for what is
// collected, half for what is being written.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_HOST_CACHE_CACHETRACE_H
#define GMPROF_HOST_CACHE_CACHETRACE_H

#include "host/cache/TraceChannel.h"
#include "host/cache/TraceFile.h"
#include "host/core/Options.h"
#include "profile/Mutex.h"

namespace gmprof::host {

class CacheTrace : public TraceReceiver {
public:
  /// Makes the run's trace. Returns null if no profile of the run records requests.
  static std::unique_ptr<CacheTrace> create(const Options &O, Recorder &Log);
  /// Log: the path of the event log that it belongs to. Memory: bytes for records.
  CacheTrace(const std::string &Log, Recorder &Gaps, size_t Memory)
      : Path(cache::tracePathOf(Log)), Gaps(Gaps), Memory(Memory), File(Memory / 2) {}
  ~CacheTrace() override;

  /// Opens the trace for the first device that asks; thread-safe. Returns why the device is not
  /// traced; empty if it is.
  std::string open(const DeviceFacts &Device, uint32_t L2Kb);
  /// Adds the memory of a device that a copy or set writes.
  void written(int Device, const cache::TraceWritten &By);
  /// Announces the records of a launch.
  void begin(uint64_t Number, TracedLaunch Launch);
  /// Revokes the announcement.
  void cancel(uint64_t Number);
  /// Completes the trace, once the channel is closed.
  void finish();

  void received(std::span<const std::span<std::byte>> Chunks) override;
  void ended(uint64_t Number, const TraceCounts &Counts) override;

private:
  struct Collected {
    TracedLaunch Launch; ///< until its first part is written
    LaunchPart Part;     ///< that is not yet
    bool Ended = false;
    cache::TraceLaunchEnd End;
  };
  using LaunchIterator = std::map<uint64_t, Collected>::iterator;
  struct News {
    uint64_t Number;
    std::optional<TracedLaunch> Launch; ///< nothing: it was cancelled
  };

  /// The copy of a chunk, and what it is of.
  struct Received {
    LaunchIterator Launch; ///< none: that was cancelled, or there is nothing in it
    LaunchPart::Chunk Chunk;
  };

  void takeNews();
  void receive(std::span<const std::span<std::byte>> Chunks);
  void copy(std::span<const std::span<std::byte>> Chunks);
  Received copy(std::span<std::byte> Chunk, size_t Thread);
  void began(uint64_t Number, TracedLaunch Launch);
  void cancelled(uint64_t Number);
  bool isAlone(LaunchIterator At) const;
  void write(LaunchIterator At);
  void complete(LaunchIterator At);
  void completeEnded();
  void makeRoom();

  const std::string Path;
  Recorder &Gaps;
  const size_t Memory;
  Mutex NewsLock;
  std::vector<News>
      TheNews GMPROF_GUARDED_BY(NewsLock); ///< of the program's threads for the channel's
  std::map<int, std::deque<cache::TraceWritten>>
      Written GMPROF_GUARDED_BY(NewsLock); ///< since the last launch, by device

  // Only the channel's thread works with what follows.
  int TracedDevice = 0;
  /// Whether records have clocks: turns, which the CPU device's are ordered by, are of whole
  /// launches.
  bool InParts = false;
  TraceFile File;
  Workers Copiers{LaunchPart::MostCopiers};
  const std::shared_ptr<ChunkBlocks> Blocks = std::make_shared<ChunkBlocks>();
  std::vector<Received> Copies; ///< of what was received last
  std::map<uint64_t, Collected> Launches;
  uint64_t Open = 0; ///< the launch that the file is at; 0: none
  size_t Bytes = 0;  ///< of all launches
  /// Before launches that were cancelled, for the next one that there is.
  std::deque<cache::TraceWritten> WrittenForNext;
};

} // namespace gmprof::host

#endif // GMPROF_HOST_CACHE_CACHETRACE_H
