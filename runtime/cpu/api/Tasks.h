//===- Tasks.h - Asynchronous work and its order ----------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Everything asynchronous is a task that runs when the tasks it depends on are
// done: an operation of a stream depends on the stream's last one, an event is
// a task without work, a graph is its nodes. Streams only decide on
// dependencies; the scheduler knows nothing of them.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_CPU_API_TASKS_H
#define GMPROF_CPU_API_TASKS_H

#include <atomic>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <queue>
#include <span>
#include <vector>

namespace gmprof::cpu::api {

class Task;
using TaskRef = std::shared_ptr<Task>;

class Task {
public:
  bool done() const { return Done.load(std::memory_order_acquire); }
  /// The one place in which API functions wait for the device.
  void wait();

private:
  friend class Scheduler;
  std::function<void()> Body;
  bool Brief = false; ///< runs on the thread that made it ready
  int Priority = 0;
  uint64_t Number = 0;
  // Guarded by the scheduler's mutex.
  size_t Waiting = 0; ///< tasks that it depends on and that are not done
  size_t Waiters = 0; ///< threads in `wait`
  std::vector<TaskRef> Dependents;
  std::atomic<bool> Done{false};
};

class Scheduler {
public:
  /// Runs `Body` on a worker when all of `After` (null entries are ignored) are
  /// done. Of tasks that are ready the one of least priority number runs first.
  TaskRef submit(std::function<void()> Body, std::span<const TaskRef> After, int Priority = 0);

  /// The same for a body, possibly empty, that takes no time and no locks.
  TaskRef submitBrief(std::function<void()> Body, std::span<const TaskRef> After);

  /// What is going on, for tests: with nothing ready, threads that wait do so for
  /// the work that is running, or for what depends on it.
  struct Activity {
    size_t Running, Ready, WaitingThreads;
  };
  Activity activity();

  /// Waits until nothing is pending, for at most `Seconds`. False if work is left.
  bool drain(unsigned Seconds);

private:
  /// As many kernels run at a time on a GPU; each waiting worker is a thread, so
  /// that host functions may wait for work in other streams.
  static constexpr size_t MaxWorkers = 128;

  struct LaterFirst {
    bool operator()(const TaskRef &A, const TaskRef &B) const {
      return A->Priority != B->Priority ? A->Priority > B->Priority : A->Number > B->Number;
    }
  };

  friend class Task;
  TaskRef add(TaskRef T, std::span<const TaskRef> After);
  void makeReady(TaskRef T);
  void finish(TaskRef T);
  void work();

  std::mutex Mutex;
  std::condition_variable WorkReady, AllDone;
  std::priority_queue<TaskRef, std::vector<TaskRef>, LaterFirst> Ready;
  size_t Workers = 0, Idle = 0, Running = 0, Pending = 0, WaitingThreads = 0;
  uint64_t NextNumber = 0;
};

Scheduler &scheduler();

} // namespace gmprof::cpu::api

#endif // GMPROF_CPU_API_TASKS_H
