//===- TraceFollower.cpp - Simulates a trace that grows -------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "host/tool/TraceFollower.h"
#include "cache/TraceFormat.h"
#include "host/OutputDirectory.h"
#include <chrono>
#include <csignal>
#include <filesystem>
#include <sys/resource.h>
#include <unistd.h>

namespace gmprof::host {

TraceFollower::TraceFollower(std::string Where) : Directory(std::move(Where)) {
  // Signals are passed on to the program by the thread that waits for it.
  sigset_t All, Before;
  sigfillset(&All);
  pthread_sigmask(SIG_SETMASK, &All, &Before);
  Thread = std::thread([this] { run(); });
  pthread_sigmask(SIG_SETMASK, &Before, nullptr);
}

void TraceFollower::stop() {
  if (!Thread.joinable())
    return;
  {
    std::lock_guard Guard(Lock);
    Ended = true;
  }
  Changed.notify_one();
  Thread.join();
}

std::optional<CacheSimulation> TraceFollower::take(const std::string &Trace) {
  stop();
  if (!Followed || Followed->path() != Trace)
    return std::nullopt;
  return std::exchange(Followed, std::nullopt);
}

void TraceFollower::run() {
  // The program comes first. That is of this thread, and of those that it starts.
  constexpr int Least = 19;
  ::setpriority(PRIO_PROCESS, static_cast<id_t>(::gettid()), Least);
  constexpr auto Pause = std::chrono::milliseconds(10);
  std::unique_lock Guard(Lock);
  while (!Changed.wait_for(Guard, Pause, [this] { return Ended.load(); })) {
    Guard.unlock();
    if (!Followed)
      look();
    if (Followed)
      Followed->follow(Ended);
    Guard.lock();
  }
}

void TraceFollower::look() {
  for (const std::string &Log : OutputDirectory::logsIn(Directory)) {
    const std::string Trace = cache::tracePathOf(Log);
    if (std::error_code Ignored; std::filesystem::exists(Trace, Ignored)) {
      Followed.emplace(Trace);
      return;
    }
  }
}

} // namespace gmprof::host
