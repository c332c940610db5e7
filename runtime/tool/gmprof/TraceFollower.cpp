//===- TraceFollower.cpp - Simulates a trace when it is written -----------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tool/gmprof/TraceFollower.h"
#include "cache/TraceFormat.h"
#include "host/record/OutputDirectory.h"
#include "profile/EventLogReader.h"
#include "profile/Mutex.h"
#include "profile/OwnThread.h"
#include "profile/ProfileBuilder.h"
#include "profile/Progress.h"
#include <algorithm>
#include <atomic>
#include <chrono>
#include <filesystem>

namespace gmprof::host {

/// Receiver of the thread that waits for the program; set once the program has ended, as the
/// terminal is the program's until then.
static std::atomic<ProgressReceiver> Shown = nullptr;

static void showOnceItHasEnded(const std::string &Doing, uint64_t Done, uint64_t Of) {
  if (const ProgressReceiver To = Shown)
    To(Doing, Done, Of);
}

TraceFollower::TraceFollower(std::string Where)
    : Directory(std::move(Where)), Simulating(std::make_shared<Workers>(mostSimulatingThreads())) {
  Thread = startOwnThread([this] { run(); });
}

TraceFollower::~TraceFollower() {
  if (Thread.joinable())
    stop();
}

void TraceFollower::stop() {
  {
    LockGuard Guard(Lock);
    Ended = true;
  }
  Changed.notify_all();
  Thread.join();
  if (Looking.valid())
    Looking.get();
}

TraceFollower::Results TraceFollower::take(const std::string &Of) {
  if (Thread.joinable()) {
    Shown = progressReceiver();
    stop();
    Shown = nullptr;
  }
  return Of == Log ? std::exchange(Made, {}) : Results();
}

void TraceFollower::run() {
  setProgressReceiver(showOnceItHasEnded);
  Made.Names.start();
  pause(); // the program's start comes first
  for (;;) {
    // Reads what the program wrote before it ended: the flag is checked before the trace.
    const bool IsLast = hasEnded();
    look();
    const bool IsNew = follow();
    if (IsWritten && !Looking.valid())
      lookUpNames();
    if (IsWritten || (!IsLast && !IsNew && Simulated < LaunchEnds)) {
      if (!simulate() || Made.Caches)
        return;
    } else if (IsLast) {
      return;
    } else {
      pause();
    }
  }
}

bool TraceFollower::hasEnded() {
  LockGuard Guard(Lock);
  return Ended;
}

void TraceFollower::pause() {
  constexpr auto Pause = std::chrono::milliseconds(2);
  WaitingLock Guard(Lock);
  const auto Until = std::chrono::steady_clock::now() + Pause;
  while (!Ended && Guard.waitUntil(Changed, Until)) {
  }
}

/// Looks up names of the call paths in the log, which is complete except for the rest of the
/// program's run. A large log is read only for the summary, because reading it takes longer than
/// the program's end.
void TraceFollower::lookUpNames() {
  Looking = std::async([this] {
    constexpr size_t Most = size_t(1) << 24;
    if (Result<EventLogReader> Unfinished = EventLogReader::openUnfinished(Log, Most))
      if (const Result<profile::Profile> P = buildProfile(*Unfinished, Log))
        Made.Names.lookUp(*P);
    // The end of this thread also waits for the program: the system's cleanup behind a thread would
    // delay the program's end.
    WaitingLock Guard(Lock);
    while (!Ended)
      Guard.wait(Changed);
  });
}

/// Simulates the next launch, or the end. Returns false if the trace cannot be simulated: the
/// caller that writes the summary reports the error.
bool TraceFollower::simulate() {
  const std::string Path = cache::tracePathOf(Log);
  if (const uint32_t Lines = Sampling.lines(); !Simulation || Lines != LinesSampled) {
    LinesSampled = Lines;
    Simulated = 0;
    Simulation.reset(); // before there is memory for another one
    auto New = openSimulation(Path, Reader->device(), Lines, /*Grows=*/true, Simulating);
    if (!New)
      return false;
    Simulation = std::move(*New);
  }
  const Result<cache::TraceSimulation::Place> At = Simulation->advance();
  if (!At)
    return false;
  if (*At == cache::TraceSimulation::Place::LaunchEnd)
    ++Simulated;
  // The simulation may reach the end of the trace before this thread's reader, never after it.
  if (*At == cache::TraceSimulation::Place::End && IsWritten) {
    Made.Caches = CacheProfile{Path, "", Simulation->finish(), {}};
    Simulation.reset();
  }
  return *At != cache::TraceSimulation::Place::Pause || !IsWritten;
}

void TraceFollower::look() {
  if (!Log.empty())
    return;
  for (const std::string &Each : OutputDirectory::logsIn(Directory))
    if (std::error_code Ignored; std::filesystem::exists(cache::tracePathOf(Each), Ignored)) {
      Log = Each;
      return;
    }
}

/// Reads on to the current end of the trace; returns whether it had new records. Ignores damage,
/// which the caller that writes the summary reports.
bool TraceFollower::follow() {
  if (Log.empty())
    return false;
  if (!Reader) {
    auto Opened = cache::TraceReader::open(cache::tracePathOf(Log), /*AcceptsIncomplete=*/true);
    if (!Opened)
      return false; // the file has no complete header yet
    Reader = std::move(*Opened);
    Reader->setGrowing(true);
  }
  for (bool IsNew = false;; IsNew = true) {
    const Result<cache::TraceItem> Item = Reader->next();
    if (!Item || std::holds_alternative<cache::TracePause>(*Item))
      return IsNew;
    Sampling.add(*Item);
    LaunchEnds += std::holds_alternative<cache::TraceLaunchEnd>(*Item);
    if (std::holds_alternative<cache::TraceEnd>(*Item)) {
      IsWritten = true;
      return IsNew;
    }
  }
}

} // namespace gmprof::host
