//===- Events.h - Events ----------------------------------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_CPU_API_EVENTS_H
#define GMPROF_CPU_API_EVENTS_H

#include "cpu/api/Handles.h"
#include "cpu/api/Tasks.h"
#include "profile/Mutex.h"
#include <chrono>
#include <driver_types.h>

namespace gmprof::cpu::api {

class Capture;
struct GraphNode;

/// CUDA event. Its state is the last record: a task that takes the time.
struct Event {
  explicit Event(unsigned Flags, int Device) : Flags(Flags), Device(Device) {}

  const unsigned Flags;
  const int Device;

  TaskRef record(std::span<const TaskRef> After);
  /// Returns the task of the last record; null if the event was never recorded.
  TaskRef lastRecord();

  bool timed() const { return !(Flags & cudaEventDisableTiming); }
  cudaError_t query();
  /// Computes the milliseconds from `Start` to this event.
  cudaError_t elapsedSince(Event &Start, float &Milliseconds);

  // Last record in a capturing stream; guarded by Capture's mutex.
  std::weak_ptr<Capture> CapturedIn;
  std::vector<GraphNode *> CapturedTail;

private:
  struct Record {
    TaskRef Task;
    std::chrono::steady_clock::time_point Time;
  };
  std::shared_ptr<Record> last();

  gmprof::Mutex Mutex;
  std::shared_ptr<Record> Last GMPROF_GUARDED_BY(Mutex);
};

HandleTable<Event> &events();

} // namespace gmprof::cpu::api

#endif // GMPROF_CPU_API_EVENTS_H
