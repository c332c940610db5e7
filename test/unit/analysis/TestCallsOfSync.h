//===- TestCallsOfSync.h - Hand-written calls and waits ---------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_TEST_TESTCALLSOFSYNC_H
#define GMPROF_TEST_TESTCALLSOFSYNC_H

#include "analysis/sync/SyncProblems.h"

namespace gmprof::test {

using namespace gmprof::analysis;
using namespace gmprof::profile;
using log::CallKind;

/// Calls of one thread, each from its own call site unless stated otherwise. Time passes with
/// work() and with calls. Functions that add a call return its index.
struct TestSyncCalls : Profile {
  uint64_t Now = 1000, LastOperation = 0;
  uint32_t Thread = 1;

  TestSyncCalls() { TheRun.Profiles = {"sync"}; }

  void work(uint64_t Ns) { Now += Ns; }

  uint32_t call(CallKind Kind, const std::string &Api, uint64_t Ns, uint64_t Stream = 0) {
    ApiCall C;
    C.Api = Api;
    C.Kind = Kind;
    C.Stream = Stream;
    C.Thread = Thread;
    C.BeginNs = Now;
    C.EndNs = C.ResumeNs = Now += Ns;
    Calls.push_back(C);
    return static_cast<uint32_t>(Calls.size() - 1);
  }
  /// Adds GPU work that runs from Begin to End.
  uint32_t give(CallKind Kind, const std::string &Api, uint64_t Ns, uint64_t Begin, uint64_t End,
                uint64_t Stream = 0) {
    const uint32_t Index = call(Kind, Api, Ns, Stream);
    Calls[Index].Operation = ++LastOperation;
    GpuTimes.push_back({LastOperation, Begin, End});
    return Index;
  }
  /// Adds a call that waits.
  uint32_t wait(CallKind Kind, const std::string &Api, uint64_t Ns, uint64_t Stream = 0) {
    const uint32_t Index = call(Kind, Api, Ns, Stream);
    seenToWait(Index);
    return Index;
  }
  void seenToWait(uint32_t Index) {
    Calls[Index].Looked = true;
    Calls[Index].BusyBefore = 1;
  }
  /// Submits a host function to a stream.
  uint32_t hostFunction(uint64_t Stream = 0) {
    const uint32_t Index = give(CallKind::HostFunction, "cudaLaunchHostFunc", 1, Now, Now, Stream);
    Calls[Index].UsesHost = true;
    return Index;
  }
  void createStream(uint64_t Handle, bool NonBlocking) {
    Calls[call(CallKind::StreamCreated, "cudaStreamCreate", 1, Handle)].NonBlocking = NonBlocking;
  }
  /// Records a host use of the output of a call's operation.
  void use(uint32_t Call, log::UseKind Kind = log::UseKind::Load, uint32_t CallPath = None) {
    Uses.push_back({Calls[Call].Operation, Now, 0, Kind, Thread, CallPath});
  }
  void content(uint32_t Call, uint64_t Hash, uint64_t Destination, uint64_t Bytes,
               log::CopyDirection Direction = log::CopyDirection::HostToDevice) {
    Content C;
    C.Operation = Calls[Call].Operation;
    C.Hash = {Hash, 1};
    C.Bytes = Bytes;
    C.Destination = Destination;
    C.Direction = Direction;
    Contents.push_back(C);
  }
};

/// Adds a copy to the host that has ended when the call returns.
inline uint32_t copyBack(TestSyncCalls &C, uint64_t Ns, uint64_t Begin, uint64_t End) {
  const uint32_t Copy = C.give(CallKind::Copy, "cudaMemcpy", Ns, Begin, End);
  C.Calls[Copy].HostDone = true;
  C.seenToWait(Copy);
  return Copy;
}

} // namespace gmprof::test

#endif // GMPROF_TEST_TESTCALLSOFSYNC_H
