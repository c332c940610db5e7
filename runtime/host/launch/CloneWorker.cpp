//===- CloneWorker.cpp - Makes clones while the program runs --------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "host/launch/CloneWorker.h"
#include "host/core/RealSystem.h"
#include "host/core/Session.h"
#include <algorithm>
#include <csignal>
#include <cstdlib>

namespace gmprof::host {

void CloneWorker::add(std::shared_ptr<CloneJob> Job) {
  LockGuard Guard(Lock);
  if (Finished)
    return;
  Waiting.push_back(std::move(Job));
  if (!Thread.joinable())
    start();
  Changed.notify_one();
}

/// Starts the thread, on which no handler of the program's signals runs.
void CloneWorker::start() {
  sigset_t All, Before;
  sigfillset(&All);
  realSystem().pthread_sigmask(SIG_SETMASK, &All, &Before);
  Thread = std::thread([this] { work(); });
  realSystem().pthread_sigmask(SIG_SETMASK, &Before, nullptr);
}

std::shared_ptr<CloneJob> CloneWorker::takeNext() {
  const auto Next = std::ranges::max_element(
      Waiting, {}, [](const std::shared_ptr<CloneJob> &Each) { return Each->Launches->count(); });
  std::shared_ptr<CloneJob> Taken = std::move(*Next);
  Waiting.erase(Next);
  return Taken;
}

/// Registers an exit handler that ends the session, and with it this thread. Handlers run in
/// reverse order: this one runs before the destructors that the driver's compiler has registered,
/// which must not run while a job uses the compiler.
static void finishBeforeWhatIsLoaded() {
  on_exit([](int Status, void *) { Session::finishCurrent(Status); }, nullptr);
}

void CloneWorker::work() {
  Inside Guard;
  WaitingLock Held(Lock);
  for (;;) {
    while (Waiting.empty() && !Finished)
      Held.wait(Changed);
    if (Finished)
      return;
    Running = takeNext();
    CloneJob &Job = *Running;
    Held.unlock();
    finishBeforeWhatIsLoaded();
    Job.run();
    Job.Done.store(true, std::memory_order_release);
    Held.lock();
    if (!Finished)
      Running.reset();
  }
}

size_t CloneWorker::finish(const std::function<void()> &Interrupt) {
  size_t Dropped = 0;
  {
    LockGuard Guard(Lock);
    if (Finished)
      return 0;
    Finished = true;
    Dropped = Waiting.size() + (Running ? 1 : 0);
    Waiting.clear();
  }
  Changed.notify_one();
  if (Thread.joinable()) {
    Interrupt();
    Thread.join();
  }
  return Dropped;
}

} // namespace gmprof::host
