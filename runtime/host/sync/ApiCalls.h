//===- ApiCalls.h - The program's calls, and for what they wait -*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Diogenes (SC'19), Sections 3.1 and 3.2, which instruments the driver's internal function
// that waits. Here each call is looked at from outside, with nothing assumed of it: an
// event behind each operation says, before the call, in which streams work has not ended,
// and after it, whether that work has. Where GPU times are wanted too, another event in
// front of the operation is the other end of its time on the GPU.
//
// Events are read when the program has waited anyway, or many have piled up; a pair read
// is used again.
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
  /// Watch: told what has ended; may be null.
  ApiCalls(Recorder &Log, CallPaths &Paths, const DriverApi &Api, SyncStage Stage,
           HostWatch *Watch);

  struct Call {
    log::CallKind Kind;
    const char *Api;
    const void *Caller; ///< null: the first function that is not GMProf's
    cudaStream_t Stream = nullptr;
    cudaEvent_t Event = nullptr;
    bool NonBlocking = false;
    bool HostDone = false;
    bool Captured = false; ///< it becomes part of a graph
    bool UsesHost = false; ///< as in log::ApiCallRecord
  };

  /// What is kept from before a call to after it.
  struct Pending {
    Call TheCall;
    uint64_t BeginNs = 0;
    uint64_t Operation = 0; ///< that it will be
    CUevent Start = nullptr;
    int Device = 0;
    bool Looked = false;
    /// Streams with work that has not ended, and the last operation of that.
    std::vector<std::pair<uint64_t, uint64_t>> Busy;
    log::ApiCallRecord Record = {};
  };
  Pending before(const Call &C);
  /// The call has returned.
  void after(Pending &P, uint64_t EndNs);
  /// What before() prepared is not used: the call failed.
  void failed(Pending &P);
  /// After all else: the program goes on.
  void resumed(Pending &P);

  /// Records the times of all that has ended.
  void finish();

  /// Whether an operation has ended. Unknown ones have.
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
    float PairMs = 0; ///< between two events with nothing in between
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
  /// Operations behind which no event could be put.
  uint64_t Unobserved GMPROF_GUARDED_BY(Lock) = 0;
  std::map<uint64_t, std::deque<Operation>> Running GMPROF_GUARDED_BY(Lock); ///< by stream
  std::deque<Operation> Ended GMPROF_GUARDED_BY(Lock); ///< whose times have not been read
  std::map<int, std::vector<CUevent>> FreeEvents GMPROF_GUARDED_BY(Lock);
  std::map<int, DeviceClock> Clocks GMPROF_GUARDED_BY(Lock);
};

/// One call of the program. Does nothing in other profiles.
class ObservedCall {
public:
  explicit ObservedCall(const ApiCalls::Call &C);
  ~ObservedCall();
  ObservedCall(const ObservedCall &) = delete;
  ObservedCall &operator=(const ObservedCall &) = delete;

  /// Right after the program's call.
  void returned(cudaError_t Error);
  uint64_t operation() const { return P.Operation; }
  int device() const { return P.Device; }
  void setApi(const char *Api) { P.TheCall.Api = Api; }
  void setStream(cudaStream_t Stream) { P.TheCall.Stream = Stream; }
  /// When the call returned, what it had given to the GPU had ended.
  void setHostDone() { P.TheCall.HostDone = true; }

private:
  ApiCalls *Calls;
  ApiCalls::Pending P;
  bool Succeeded = false;
};

} // namespace gmprof::host

#endif // GMPROF_HOST_SYNC_APICALLS_H
