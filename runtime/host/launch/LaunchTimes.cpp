//===- LaunchTimes.cpp - How long launches take on the GPU ----------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "host/launch/LaunchTimes.h"
#include "profile/Mutex.h"
#include <bit>

namespace gmprof::host {

/// Upper limit of timed launches that have not ended.
static constexpr size_t MostRunning = 256;

bool LaunchTimes::wants(uint64_t Launch) {
  return std::has_single_bit(Launch) || std::has_single_bit(Launch - 1);
}

CUevent LaunchTimes::takeEvent() {
  CUevent Event = nullptr;
  if (Events.empty())
    return D.api().cuEventCreate(&Event, CU_EVENT_DEFAULT) == CUDA_SUCCESS ? Event : nullptr;
  Event = Events.back();
  Events.pop_back();
  return Event;
}

LaunchTimes::Timer LaunchTimes::begin(CUstream Stream) {
  LockGuard Guard(Lock);
  const DriverApi &Api = D.api();
  if (!Api.cuEventElapsedTime || Running.size() >= MostRunning)
    return {};
  DriverScope Scope(Api, D.context());
  const Timer T = {takeEvent(), takeEvent()};
  if (T.Begin && T.End && Api.cuEventRecord(T.Begin, Stream) == CUDA_SUCCESS)
    return T;
  for (CUevent Each : {T.Begin, T.End})
    if (Each)
      Events.push_back(Each);
  return {};
}

void LaunchTimes::end(Timer T, CUstream Stream, uint64_t Launch) {
  DriverScope Scope(D.api(), D.context());
  if (D.api().cuEventRecord(T.End, Stream) != CUDA_SUCCESS) {
    cancel(T);
    return;
  }
  LockGuard Guard(Lock);
  Running.push_back({T, Launch});
}

void LaunchTimes::cancel(Timer T) {
  LockGuard Guard(Lock);
  Events.push_back(T.Begin);
  Events.push_back(T.End);
}

bool LaunchTimes::recordOldest() {
  if (Running.empty() || D.api().cuEventQuery(Running.front().T.End) == CUDA_ERROR_NOT_READY)
    return false;
  const Pending Oldest = Running.front();
  Running.pop_front();
  float Milliseconds = 0;
  if (D.api().cuEventElapsedTime(&Milliseconds, Oldest.T.Begin, Oldest.T.End) == CUDA_SUCCESS)
    Log.launchTime({Oldest.Launch, static_cast<uint64_t>(double(Milliseconds) * 1e6)});
  Events.push_back(Oldest.T.Begin);
  Events.push_back(Oldest.T.End);
  return true;
}

void LaunchTimes::poll() {
  LockGuard Guard(Lock);
  if (Running.empty())
    return;
  DriverScope Scope(D.api(), D.context());
  while (recordOldest())
    ;
}

void LaunchTimes::finish() {
  poll();
  LockGuard Guard(Lock);
  if (!Running.empty())
    Log.gap("launch times", "the launches had not ended when the program did", Running.size());
  Running.clear();
}

} // namespace gmprof::host
