//===- Tasks.cpp - Scheduler of asynchronous work -------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "cpu/api/Tasks.h"
#include "cpu/api/Errors.h"
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <unistd.h>

namespace gmprof::cpu::api {

namespace {
thread_local bool IsWorker = false;
} // namespace

void Task::wait() {
  {
    Scheduler &S = scheduler();
    LockGuard Lock(S.Mutex);
    if (done())
      return;
    ++Waiters;
    ++S.WaitingThreads;
  }
  Done.wait(false, std::memory_order_acquire);
}

TaskRef Scheduler::submit(std::function<void()> Body, std::span<const TaskRef> After,
                          int Priority) {
  auto T = std::make_shared<Task>();
  T->Body = std::move(Body);
  T->Priority = Priority;
  return add(std::move(T), After);
}

TaskRef Scheduler::submitBrief(std::function<void()> Body, std::span<const TaskRef> After) {
  auto T = std::make_shared<Task>();
  T->Body = std::move(Body);
  T->Brief = true;
  return add(std::move(T), After);
}

TaskRef Scheduler::add(TaskRef T, std::span<const TaskRef> After) {
  {
    LockGuard Lock(Mutex);
    T->Number = NextNumber++;
    ++Pending;
    for (const TaskRef &Before : After) {
      if (!Before || Before->done())
        continue;
      Before->Dependents.push_back(T);
      ++T->Waiting;
    }
    if (T->Waiting != 0)
      return T;
    if (!T->Brief) {
      makeReady(T);
      return T;
    }
  }
  finish(T);
  return T;
}

/// Hands the task to an idle or new worker.
void Scheduler::makeReady(TaskRef T) {
  Ready.push(std::move(T));
  if (Ready.size() <= Idle || Workers == MaxWorkers) {
    WorkReady.notify_one();
    return;
  }
  ++Workers;
  // The program's signals go to its own threads; faults stay deliverable.
  sigset_t All, Old;
  sigfillset(&All);
  for (int Fault : {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGABRT, SIGSYS})
    sigdelset(&All, Fault);
  pthread_sigmask(SIG_SETMASK, &All, &Old);
  std::thread([this] { work(); }).detach();
  pthread_sigmask(SIG_SETMASK, &Old, nullptr);
}

void Scheduler::work() {
  IsWorker = true;
  WaitingLock Lock(Mutex);
  for (;;) {
    while (Ready.empty()) {
      ++Idle;
      Lock.wait(WorkReady);
      --Idle;
    }
    TaskRef T = Ready.top();
    Ready.pop();
    ++Running;
    Lock.unlock();
    T->Body();
    T->Body = nullptr;
    finish(std::move(T));
    Lock.lock();
    --Running;
  }
}

/// Completes a task, whose body has run unless it is brief, and every brief task that becomes
/// ready.
void Scheduler::finish(TaskRef T) {
  std::vector<TaskRef> Finishing{std::move(T)};
  while (!Finishing.empty()) {
    TaskRef Current = std::move(Finishing.back());
    Finishing.pop_back();
    if (Current->Brief && Current->Body) {
      Current->Body();
      Current->Body = nullptr;
    }
    std::vector<TaskRef> Dependents;
    {
      LockGuard Lock(Mutex);
      Current->Done.store(true, std::memory_order_release);
      WaitingThreads -= Current->Waiters;
      Dependents.swap(Current->Dependents);
      for (TaskRef &Next : Dependents) {
        if (--Next->Waiting != 0)
          continue;
        if (Next->Brief)
          Finishing.push_back(std::move(Next));
        else
          makeReady(std::move(Next));
      }
      if (--Pending == 0)
        AllDone.notify_all();
    }
    Current->Done.notify_all();
  }
}

Scheduler::Activity Scheduler::activity() {
  LockGuard Lock(Mutex);
  return {Running, Ready.size(), WaitingThreads};
}

bool Scheduler::drain(unsigned Seconds) {
  const auto End = std::chrono::steady_clock::now() + std::chrono::seconds(Seconds);
  WaitingLock Lock(Mutex);
  while (Pending != 0)
    if (!Lock.waitUntil(AllDone, End))
      return Pending == 0;
  return true;
}

namespace {

/// Time limit for remaining work at exit, as that may never end.
constexpr unsigned ExitSeconds = 10;

/// The process whose workers do the work: a fork of it has none.
pid_t ProcessOfWorkers = 0;

/// Waits for remaining work at exit: it may still print, and must not run while libraries are torn
/// down. Runs before static destructors of libraries.
void finishAtExit(int Status, void *) {
  if (IsWorker || ::getpid() != ProcessOfWorkers || scheduler().drain(ExitSeconds))
    return;
  complain("the program ended while the device was still working; the work was abandoned after " +
           std::to_string(ExitSeconds) + " s");
  fflush(nullptr);
  _exit(Status);
}

} // namespace

Scheduler &scheduler() {
  static Scheduler &TheScheduler = *[] {
    ProcessOfWorkers = ::getpid();
    on_exit(finishAtExit, nullptr);
    return new Scheduler; // workers outlive static destruction
  }();
  return TheScheduler;
}

} // namespace gmprof::cpu::api
