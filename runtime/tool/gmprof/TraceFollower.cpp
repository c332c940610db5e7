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
#include "profile/OwnThread.h"
#include "profile/ProfileBuilder.h"
#include "profile/Progress.h"
#include <algorithm>
#include <atomic>
#include <chrono>
#include <filesystem>

namespace gmprof::host {

/// Of the thread that waits for the program, when that has ended: the terminal is the program's.
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
    std::lock_guard Guard(Lock);
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
    // What the program wrote before is there.
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
  std::lock_guard Guard(Lock);
  return Ended;
}

void TraceFollower::pause() {
  constexpr auto Pause = std::chrono::milliseconds(2);
  std::unique_lock Guard(Lock);
  Changed.wait_for(Guard, Pause, [this] { return Ended; });
}

/// The log has them all but those of what the program does from here on. It is read again for the
/// summary: a large one, which takes longer than the program's end, only then.
void TraceFollower::lookUpNames() {
  Looking = std::async([this] {
    constexpr size_t Most = size_t(1) << 24;
    if (Result<EventLogReader> Unfinished = EventLogReader::openUnfinished(Log, Most))
      if (const Result<profile::Profile> P = buildProfile(*Unfinished, Log))
        Made.Names.lookUp(*P);
    // The program's end would wait for what the system does behind this thread, too.
    std::unique_lock Guard(Lock);
    Changed.wait(Guard, [this] { return Ended; });
  });
}

/// The next launch, or the end. What cannot be simulated is for whoever writes the summary.
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
  // It may come to the end before this thread's reader, but not less far.
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

/// Goes on to where the trace has come; whether there was anything new. One that is damaged is for
/// whoever writes the summary.
bool TraceFollower::follow() {
  if (Log.empty())
    return false;
  if (!Reader) {
    auto Opened = cache::TraceReader::open(cache::tracePathOf(Log), /*AcceptsIncomplete=*/true);
    if (!Opened)
      return false; // too little of it is there
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
