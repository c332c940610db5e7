//===- LateWaits.h - Waits that are made at the first use -------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What `gmprof whatif` makes of a misplaced wait: the program goes on, and waits when it uses
// what the wait is for. That must never be too late, so that all is taken from the program that
// the GPU may still use (HostWatch.h): where copies go that were not waited for, what they come
// from, and, if kernels access such memory at all, all memory of that kind. An access, a system
// call or a call of CUDA that is given some of it waits first.
//
//   for what          an event, put behind the work that the wait would have waited for
//   other streams     wait for that event before what they are given next, as the program
//                     would have given it later
//   queries, times    wait first; whatever waits for as much anyway gives the memory back
//
// Handlers of faults must not call CUDA: a thread does that for them. A wait that cannot be put
// off is made where it is: after launches of graphs, whose copies are not known, after functions
// of the host in streams, and where memory cannot be taken away.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_HOST_SYNC_LATEWAITS_H
#define GMPROF_HOST_SYNC_LATEWAITS_H

#include "host/objects/Transfers.h"
#include "host/sync/ApiCalls.h"
#include "host/sync/HostWatch.h"
#include "profile/Mutex.h"
#include <condition_variable>
#include <thread>

namespace gmprof::host {

class LateWaits {
public:
  /// What kernels of the program access beside memory of a device.
  struct KernelMemory {
    bool Managed = false, Pinned = false;
  };

  /// Null: no wait is moved.
  static LateWaits *active() { return Active.load(std::memory_order_acquire); }
  static void begin(KernelMemory OfKernels, bool OnCpu);

  /// Instead of a wait: why it has to be made all the same. Null: it need not.
  const char *putOff(log::CallKind Kind, cudaStream_t Stream, cudaEvent_t Event);
  /// A wait has been made.
  void waited(log::CallKind Kind, cudaStream_t Stream);
  /// A call is about to be made.
  void calling(const ApiCalls::Call &C);
  /// A copy or set is about to be made. Async: it may go on after the call has returned.
  void transferring(const Transfer &T, cudaStream_t Stream, bool Async);
  /// Memory that the GPU can access, too.
  void allocated(uint64_t Address, uint64_t Bytes, bool Managed, bool Registered);
  void releasing(uint64_t Address);
  /// What is done to memory of the host from now on cannot be known, until all has ended.
  void notKnown(const char *Why);
  /// Makes all waits that are put off.
  void finish();

  struct Counts {
    uint64_t PutOff = 0;
    uint64_t Uses = 0;                      ///< that waited
    std::map<std::string, uint64_t> AtOnce; ///< by why
    bool GaveUp = false;                    ///< memory was given back without having waited
  };
  /// Makes all waits that are put off, and moves none any more.
  Counts end();

  /// Copies of the CPU device, which are made by threads like others. False: by itself.
  static bool copyAnyway(void *To, const void *From, size_t Bytes);

private:
  struct Wait {
    uint64_t Id = 0;
    CUcontext Context = nullptr;
    std::vector<CUevent> Events;
    std::vector<cudaStream_t> Ordered; ///< streams that come after it
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
    uint32_t Thread = 0; ///< of per-thread streams
    bool operator==(const Work &) const = default;
  };

  LateWaits(KernelMemory OfKernels, bool OnCpu);
  static void waitFor(uint64_t Until, bool InHandler);
  void wait(uint64_t Until);
  void waitElsewhere(uint64_t Until);
  void serveHandlers();
  const char *recordBehind(Wait &W, log::CallKind Kind, cudaStream_t Stream, cudaEvent_t Event)
      GMPROF_REQUIRES(Lock);
  bool record(Wait &W, cudaStream_t Stream) GMPROF_REQUIRES(Lock);
  void enqueueing(cudaStream_t Stream);
  void ended(Wait &W) GMPROF_REQUIRES(Lock);
  const Memory *memoryAt(uint64_t Address) const GMPROF_REQUIRES(Lock);
  HostWatch::Notice noticeOf(uint64_t Begin, uint64_t End, bool Set) const GMPROF_REQUIRES(Lock);
  bool ofKernels(const Memory &M) const;
  bool load();

  const KernelMemory OfKernels;
  const bool OnCpu;
  HostWatch Watch;
  DriverApi Api;
  std::once_flag Loaded;
  std::string Problem; ///< of the driver

  Mutex Lock;
  std::deque<Wait> Open GMPROF_GUARDED_BY(Lock);
  std::vector<CUevent> Free GMPROF_GUARDED_BY(Lock);
  /// Memory of operations that were not waited for.
  std::vector<Piece> Pieces GMPROF_GUARDED_BY(Lock);
  std::vector<Work> Given GMPROF_GUARDED_BY(Lock);             ///< streams with such operations
  std::map<uint64_t, Memory> Memories GMPROF_GUARDED_BY(Lock); ///< by address
  CUstream ForEvents GMPROF_GUARDED_BY(Lock) = nullptr;
  const char *Unknown GMPROF_GUARDED_BY(Lock) = nullptr;
  bool Ending GMPROF_GUARDED_BY(Lock) = false; ///< no wait is put off any more
  Counts Seen GMPROF_GUARDED_BY(Lock);
  uint64_t LastId GMPROF_GUARDED_BY(Lock) = 0;

  /// What handlers want, and have.
  std::atomic<uint32_t> Asked{0};
  std::atomic<uint64_t> Wanted{0}, Made{0}, Uses{0};
  std::atomic<bool> Stop{false}, GaveUp{false};
  std::thread Helper;

  static std::atomic<LateWaits *> Active;
};

} // namespace gmprof::host

#endif // GMPROF_HOST_SYNC_LATEWAITS_H
