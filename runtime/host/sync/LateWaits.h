//===- LateWaits.h - Moves waits to the first use ---------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Moves a misplaced wait to the first use of its results, for `gmprof whatif`. The wait must never
// be too late. Therefore all host memory that the GPU may still use is protected (HostWatch.h):
// destinations and sources of unfinished copies and, if kernels access managed or pinned memory,
// all memory of that kind. Accesses, system calls and CUDA calls that use this memory wait first.
//
//   covered work      ends with an event, recorded in place of the wait
//   other streams     wait for that event before their next work, which the program would have
//                     submitted after the wait
//   queries, times    wait first; any wait that covers as much releases the memory
//
// Fault handlers must not call CUDA: a helper thread does so for them. A wait stays in its place if
// it cannot be moved: after graph launches, whose copies are unknown, after host functions in
// streams, and if memory cannot be protected.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_HOST_SYNC_LATEWAITS_H
#define GMPROF_HOST_SYNC_LATEWAITS_H

#include "host/objects/Transfers.h"
#include "host/sync/ApiCalls.h"
#include "host/sync/HostWatch.h"
#include <condition_variable>
#include <thread>

namespace gmprof::host {

class LateWaits {
public:
  /// Host memory that the program's kernels access.
  struct KernelMemory {
    bool Managed = false, Pinned = false;
  };

  /// Returns the active object; null if no wait is moved.
  static LateWaits *active() { return Active.load(std::memory_order_acquire); }
  static void begin(KernelMemory OfKernels, bool OnCpu);

  /// Moves a wait. Returns null, or the reason why the wait must be made in its place.
  const char *putOff(log::CallKind Kind, cudaStream_t Stream, cudaEvent_t Event);
  /// Handles a wait that has been made.
  void waited(log::CallKind Kind, cudaStream_t Stream);
  /// Handles a call that is about to be made.
  void calling(const ApiCalls::Call &C);
  /// Handles a copy or set that is about to be made. Async: it may continue after the call has
  /// returned.
  void transferring(const Transfer &T, cudaStream_t Stream, bool Async);
  /// Registers host memory that the GPU can access.
  void allocated(uint64_t Address, uint64_t Bytes, bool Managed, bool Registered);
  void releasing(uint64_t Address);
  /// Moves no waits until all work has ended: the effects of work from here on are unknown.
  void notKnown(const char *Why);
  /// Makes all moved waits.
  void finish();

  struct Counts {
    uint64_t PutOff = 0;
    uint64_t Uses = 0;                      ///< accesses that waited
    std::map<std::string, uint64_t> AtOnce; ///< waits made in their place, by reason
    bool GaveUp = false;                    ///< memory was released without a wait
  };
  Counts counts();

  /// Copies on behalf of the CPU device, whose threads are subject to page protections. Returns
  /// false if the device must copy by itself.
  static bool copyAnyway(void *To, const void *From, size_t Bytes);

private:
  struct Wait {
    uint64_t Id = 0;
    CUcontext Context = nullptr;
    std::vector<CUevent> Events;
    std::vector<cudaStream_t> Ordered; ///< streams whose later work follows it
  };
  struct Piece {
    uint64_t Begin = 0, End = 0;
    cudaStream_t Stream = nullptr;
    bool Set = false;
  };
  struct Memory {
    uint64_t End = 0;
    bool Managed = false, Registered = false;
  };
  struct Work {
    int Device = 0;
    cudaStream_t Stream = nullptr;
    uint32_t Thread = 0; ///< of a per-thread default stream
    bool operator==(const Work &) const = default;
  };

  LateWaits(KernelMemory OfKernels, bool OnCpu);
  static void waitFor(uint64_t Until, bool InHandler);
  void wait(uint64_t Until);
  void waitElsewhere(uint64_t Until);
  void serveHandlers();
  const char *recordBehind(Wait &W, log::CallKind Kind, cudaStream_t Stream, cudaEvent_t Event);
  bool record(Wait &W, cudaStream_t Stream);
  void enqueueing(cudaStream_t Stream);
  void ended(Wait &W);
  const Memory *memoryAt(uint64_t Address) const;
  HostWatch::Notice noticeOf(uint64_t Begin, uint64_t End, bool Set) const;
  bool ofKernels(const Memory &M) const;
  bool load();

  const KernelMemory OfKernels;
  const bool OnCpu;
  HostWatch Watch;
  DriverApi Api;
  std::once_flag Loaded;
  std::string Problem; ///< of the driver

  std::mutex Lock; ///< guards the members below
  std::deque<Wait> Open;
  std::vector<CUevent> Free;
  std::vector<Piece> Pieces;           ///< used by unfinished operations
  std::vector<Work> Given;             ///< streams with such operations
  std::map<uint64_t, Memory> Memories; ///< by address
  CUstream ForEvents = nullptr;
  const char *Unknown = nullptr;
  Counts Seen;
  uint64_t LastId = 0;

  /// Requests of signal handlers, and waits made for them.
  std::atomic<uint32_t> Asked{0};
  std::atomic<uint64_t> Wanted{0}, Made{0}, Uses{0};
  std::atomic<bool> Stop{false}, GaveUp{false};
  std::thread Helper;

  static std::atomic<LateWaits *> Active;
};

} // namespace gmprof::host

#endif // GMPROF_HOST_SYNC_LATEWAITS_H
