//===- Events.cpp - Events ------------------------------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "cpu/api/Events.h"

namespace gmprof::cpu::api {

TaskRef Event::record(std::span<const TaskRef> After) {
  auto New = std::make_shared<Record>();
  New->Task = scheduler().submitBrief(
      [R = New.get(), Keep = New] { R->Time = std::chrono::steady_clock::now(); }, After);
  LockGuard Lock(Mutex);
  Last = New;
  return New->Task;
}

std::shared_ptr<Event::Record> Event::last() {
  LockGuard Lock(Mutex);
  return Last;
}

TaskRef Event::lastRecord() {
  std::shared_ptr<Record> R = last();
  return R ? R->Task : nullptr;
}

cudaError_t Event::query() {
  TaskRef T = lastRecord();
  return !T || T->done() ? cudaSuccess : cudaErrorNotReady;
}

cudaError_t Event::elapsedSince(Event &Start, float &Milliseconds) {
  std::shared_ptr<Record> From = Start.last(), To = last();
  if (!From || !To || !Start.timed() || !timed())
    return cudaErrorInvalidResourceHandle;
  if (!From->Task->done() || !To->Task->done())
    return cudaErrorNotReady;
  Milliseconds = std::chrono::duration<float, std::milli>(To->Time - From->Time).count();
  return cudaSuccess;
}

HandleTable<Event> &events() {
  static HandleTable<Event> &Events = *new HandleTable<Event>;
  return Events;
}

} // namespace gmprof::cpu::api
