//===- CacheTrace.h - The trace of a run's requests -------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Collects the records of launches, puts each SM's into order, and writes them to the file beside
// the event log that gmreport simulates (cache/TraceWriter.h), one launch after the other, as they
// end. If launches make more than there is memory for, what is there of the largest one
// is written while it runs; only the order around that moment is then not exact, which is
// counted.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_HOST_CACHETRACE_H
#define GMPROF_HOST_CACHETRACE_H

#include "cache/TraceFormat.h"
#include "cache/TraceWriter.h"
#include "host/ChunkCopies.h"
#include "host/ProgramMemory.h"
#include "host/RequestOrder.h"
#include "host/TraceChannel.h"
#include "profile/SiteNumbers.h"
#include <deque>
#include <map>

namespace gmprof::host {

/// What traces say of a kernel.
struct TracedKernel {
  cache::TraceKernel Facts;
  std::vector<cache::TraceSite> Sites; ///< of its descriptor
  SiteNumbers Numbers;
  uint32_t LocalBytes = 0; ///< of each thread
};

struct TracedLaunch {
  std::shared_ptr<const TracedKernel> Kernel;
  std::shared_ptr<const MemoryRanges> Ranges;
  cache::TraceLaunch Facts;                ///< but for Kernel
  std::deque<cache::TraceWritten> Written; ///< since the launch before
};

class CacheTrace : public TraceReceiver {
public:
  /// Log: the path of the event log that it belongs to. Memory: bytes for records.
  CacheTrace(const std::string &Log, Recorder &Gaps, size_t Memory)
      : Path(cache::tracePathOf(Log)), Gaps(Gaps), Memory(Memory) {}
  ~CacheTrace() override;

  /// Of one device. Returns why it is not traced.
  std::string open(const DeviceFacts &Device, uint32_t L2Kb);
  /// A copy or set writes memory of a device.
  void written(int Device, const cache::TraceWritten &By);
  /// That records of a launch are to come.
  void begin(uint64_t Number, TracedLaunch Launch);
  /// They are not.
  void cancel(uint64_t Number);
  /// When the channel is closed.
  void finish();

  void received(std::span<const std::byte> Chunk) override;
  void ended(uint64_t Number, const TraceCounts &Counts) override;

private:
  struct ChunksOfSm {
    std::vector<std::span<const std::byte>> Chunks;
    uint64_t LastClock = 0; ///< of what has been written
    uint64_t Late = 0;      ///< records that were before that

    void takeRecords(std::vector<PlacedRecord> &To);
  };
  /// What writing takes.
  struct WriterMemory {
    std::vector<PlacedRecord> Records, Other;
    std::vector<cache::Request> Requests;
  };
  struct Collected {
    TracedLaunch Launch;
    std::map<uint32_t, ChunksOfSm> Sms;
    ChunkCopies Copies; ///< what these have
    size_t Bytes = 0;
    bool Ended = false;
    cache::TraceLaunchEnd End;
  };
  struct Numbers {
    uint32_t Kernel, FirstSite;
  };
  using LaunchIterator = std::map<uint64_t, Collected>::iterator;
  struct News {
    uint64_t Number;
    std::optional<TracedLaunch> Launch; ///< nothing: it was cancelled
  };

  void takeNews();
  void began(uint64_t Number, TracedLaunch Launch);
  void cancelled(uint64_t Number);
  Numbers numbersOf(const std::shared_ptr<const TracedKernel> &Kernel);
  void writeObjects(const std::shared_ptr<const MemoryRanges> &Ranges);
  void write(LaunchIterator At);
  void writeSm(uint32_t Sm, uint32_t FirstSite, const TracedLaunch &Launch, ChunksOfSm &From,
               WriterMemory &Memory);
  void complete(LaunchIterator At);
  void completeEnded();
  void makeRoom();

  const std::string Path;
  Recorder &Gaps;
  const size_t Memory;
  std::mutex NewsLock;
  std::vector<News> TheNews; ///< of the program's threads for the channel's
  std::map<int, std::deque<cache::TraceWritten>> Written; ///< since the last launch, by device

  // Only the channel's thread works with what follows.
  int TracedDevice = 0;
  bool OnCpu = false;
  std::unique_ptr<cache::TraceWriter> Writer;
  std::map<uint64_t, Collected> Launches;
  uint64_t Open = 0; ///< the launch that the file is at; 0: none
  size_t Bytes = 0;  ///< of all launches
  /// Before launches that were cancelled, for the next one that there is.
  std::deque<cache::TraceWritten> WrittenForNext;
  std::map<std::shared_ptr<const TracedKernel>, Numbers> Kernels;
  uint32_t Sites = 0;
  std::shared_ptr<const MemoryRanges> Known; ///< objects, as the file has them
};

} // namespace gmprof::host

#endif // GMPROF_HOST_CACHETRACE_H
