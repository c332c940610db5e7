//===- TraceChannel.h - The way of records to the host ----------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The chunks of page-locked memory that K__gm_cache writes records to (struct
// GmprofTraceChannel), and a thread that empties them while kernels run. It calls no CUDA
// function, so that nothing in the driver can keep it from that: a kernel that waits for
// a chunk goes on, however slow the host is.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_HOST_CACHE_TRACECHANNEL_H
#define GMPROF_HOST_CACHE_TRACECHANNEL_H

#include "gmprof/trace.h"
#include "host/core/Device.h"
#include "profile/Mutex.h"
#include <condition_variable>
#include <thread>

namespace gmprof::host {

/// The totals of a launch, as its clone counts them.
struct TraceCounts {
  GmprofTraceTotals Totals;
  GmprofTraceProgress Progress;
};

/// Page-locked memory that the device copies to behind a launch: the host knows its end then, even
/// while the program waits for launches behind it.
struct AnnouncedEnd {
  GmprofLimitedTrace Counted;
  uint64_t Launch; ///< its number, which is copied last; 0 until then

  TraceCounts counts() const { return {Counted.context.totals, Counted.progress}; }
};

/// Receives the chunks and the ends of launches, on the channel's thread.
class TraceReceiver {
public:
  virtual ~TraceReceiver() = default;
  /// Takes chunks: each a struct GmprofTraceChunk, records, and zeros; or only zeros if the chunk
  /// was abandoned and comes a second time. Zeroes them.
  virtual void received(std::span<const std::span<std::byte>> Chunks) = 0;
  /// Receives the end of a launch, after all its chunks.
  virtual void ended(uint64_t Launch, const TraceCounts &Counts) = 0;
};

class TraceChannel {
public:
  /// Opens a channel and starts its thread. Returns null and sets Why if there is no memory for it.
  static std::unique_ptr<TraceChannel> open(Device &D, size_t Bytes, TraceReceiver &To,
                                            std::string &Why);
  /// Closes the channel, once all launches have ended.
  ~TraceChannel();
  TraceChannel(const TraceChannel &) = delete;
  TraceChannel &operator=(const TraceChannel &) = delete;

  /// Returns the device address of the struct GmprofTraceChannel.
  uint64_t address() const { return Control.Address; }

  /// Announces a launch that may write from now on. End, if not null, announces its end, and must
  /// live until end() or cancel().
  void begin(uint64_t Launch, AnnouncedEnd *End);
  /// Reports the launch's end, unless it is known. The receiver is told when the last chunk is
  /// there.
  void end(uint64_t Launch, const TraceCounts &Counts);
  /// Reports that the launch did not take place.
  void cancel(uint64_t Launch);

private:
  struct Running {
    uint64_t Launch;
    AnnouncedEnd *End;
  };
  struct Ended {
    uint64_t Launch;
    TraceCounts Counts;
  };

  TraceChannel(Device &D, TraceReceiver &To, uint32_t Chunks) : D(D), To(To), Chunks(Chunks) {}
  bool allocate();
  void run();
  /// Removes a launch. Returns whether it was running, as far as is known.
  bool remove(uint64_t Launch) GMPROF_REQUIRES(Lock);
  void takeAnnounced() GMPROF_REQUIRES(Lock);
  std::span<std::byte> chunk(uint32_t Number) const;
  void takeFull();
  bool receiveFull();
  void receiveLeft(uint64_t Launch);
  void receive();
  GmprofTraceHost &host() const;

  Device &D;
  TraceReceiver &To;
  const uint32_t Chunks;
  SlabPool::Block Control;
  std::byte *First = nullptr; ///< chunk, of page-locked memory
  uint32_t *Full = nullptr, *Abandoned = nullptr;
  uint64_t FullTaken = 0;
  std::vector<uint32_t> Taken; ///< chunks, to be received together
  std::vector<std::span<std::byte>> TakenBytes;

  Mutex Lock;
  std::condition_variable Changed;
  std::vector<Running> Launches GMPROF_GUARDED_BY(Lock);
  std::vector<Ended> Ends GMPROF_GUARDED_BY(Lock);
  bool Stops GMPROF_GUARDED_BY(Lock) = false;
  std::thread Thread;
};

} // namespace gmprof::host

#endif // GMPROF_HOST_CACHE_TRACECHANNEL_H
