//===- ApiCalls.h - Records calls and their waits ---------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Observes the program's calls and their waits. Diogenes (SC'19), Sections 3.1 and 3.2, instruments
// the driver's internal function that waits. ApiCalls observes each call from outside and assumes
// nothing about it: an event behind each operation tells, before the call, which streams have
// unfinished work, and after the call, whether that work has ended. If GPU times are recorded too,
// an event before the operation marks the beginning of its time on the GPU.
//
// Events are read when the program has waited anyway, or when MaxUnread operations have ended;
// their events are reused.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_HOST_SYNC_APICALLS_H
#define GMPROF_HOST_SYNC_APICALLS_H

#include "host/core/DriverApi.h"
#include "host/core/Options.h"
#include "host/objects/CallPaths.h"
#include "profile/Mutex.h"
#include <cuda_runtime_api.h>
#include <deque>

namespace gmprof::host {

class HostWatch;

class ApiCalls {
public:
  /// Prepares the recording of a stage. Watch is notified of ended operations; may be null.
  ApiCalls(Recorder &Log, CallPaths &Paths, const DriverApi &Api, SyncStage Stage,
           HostWatch *Watch);

  struct Call {
    log::CallKind Kind;
    const char *Api;
    const void *Caller; ///< null: the first frame outside of GMProf
    cudaStream_t Stream = nullptr;
    cudaEvent_t Event = nullptr;
    bool NonBlocking = false;
    bool HostDone = false;
    bool NeverWaits = false; ///< work that ends meanwhile does so by chance, and counts as busy
    bool Captured = false;   ///< the operation becomes part of a graph
    bool UsesHost = false;   ///< as in log::ApiCallRecord
  };

  /// State of a call between before() and after().
  struct Pending {
    Call TheCall;
    uint64_t BeginNs = 0;
    uint64_t Operation = 0; ///< number of the operation
    CUevent Start = nullptr;
    int Device = 0;
    bool Looked = false;
    /// Streams with unfinished work, and the last operation of each.
    std::vector<std::pair<uint64_t, uint64_t>> Busy;
    log::ApiCallRecord Record = {};
  };
  Pending before(const Call &C);
  /// Records a call that has returned.
  void after(Pending &P, uint64_t EndNs);
  /// Discards the state of before(): the call failed.
  void failed(Pending &P);
  /// Records that the program continues, after all other work of the hook.
  void resumed(Pending &P);

  /// Records the times of all ended operations.
  void finish();

  /// Returns whether an operation has ended; true for unknown operations.
  bool hasEnded(uint64_t Operation);

private:
  struct Operation {
    uint64_t Id;
    CUevent Start, End;
    int Device;
  };
  struct DeviceClock {
    CUevent Reference = nullptr;
    uint64_t HostNs = 0;
    float PairMs = 0; ///< time between two consecutive events
  };

  bool timed() const { return Stage == SyncStage::Single || Stage == SyncStage::Trace; }
  bool observed() const { return Stage != SyncStage::Baseline; }
  static bool mayWait(log::CallKind Kind);
  static bool enqueues(log::CallKind Kind);
  static uint64_t keyOf(cudaStream_t Stream, int Device);
  CUevent takeEvent(int Device) GMPROF_REQUIRES(Lock);
  bool streamBusy(std::deque<Operation> &Queue) GMPROF_REQUIRES(Lock);
  void look(Pending &P) GMPROF_REQUIRES(Lock);
  uint32_t stillBusy(const Pending &P) GMPROF_REQUIRES(Lock);
  void readTimes() GMPROF_REQUIRES(Lock);
  const DeviceClock &clockOf(int Device) GMPROF_REQUIRES(Lock);
  float pairTime(CUstream Stream, int Device) GMPROF_REQUIRES(Lock);

  Recorder &Log;
  CallPaths &Paths;
  const DriverApi &Api;
  const SyncStage Stage;
  HostWatch *const Watch;

  Mutex Lock;
  uint64_t LastOperation GMPROF_GUARDED_BY(Lock) = 0;
  /// Number of operations without an event behind them.
  uint64_t Unobserved GMPROF_GUARDED_BY(Lock) = 0;
  std::map<uint64_t, std::deque<Operation>> Running GMPROF_GUARDED_BY(Lock); ///< by stream
  std::deque<Operation> Ended GMPROF_GUARDED_BY(Lock); ///< whose times have not been read
  std::map<int, std::vector<CUevent>> FreeEvents GMPROF_GUARDED_BY(Lock);
  std::map<int, DeviceClock> Clocks GMPROF_GUARDED_BY(Lock);
};

/// One call of the program. Has no effect in other profiles.
class ObservedCall {
public:
  explicit ObservedCall(const ApiCalls::Call &C);
  ~ObservedCall();
  ObservedCall(const ObservedCall &) = delete;
  ObservedCall &operator=(const ObservedCall &) = delete;

  /// Records the call's result, right after the program's call.
  void returned(cudaError_t Error);
  uint64_t operation() const { return P.Operation; }
  int device() const { return P.Device; }
  void setApi(const char *Api) { P.TheCall.Api = Api; }
  void setStream(cudaStream_t Stream) { P.TheCall.Stream = Stream; }
  /// Records that the call's own GPU work had ended when the call returned.
  void setHostDone() { P.TheCall.HostDone = true; }
  /// Records that the call does not wait, such as an asynchronous copy of page-locked memory.
  void setNeverWaits() { P.TheCall.NeverWaits = true; }

private:
  ApiCalls *Calls;
  ApiCalls::Pending P;
  bool Succeeded = false;
};

} // namespace gmprof::host

#endif // GMPROF_HOST_SYNC_APICALLS_H
