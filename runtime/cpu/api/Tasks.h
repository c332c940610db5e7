//===- Tasks.h - Scheduler of asynchronous work -----------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Everything asynchronous is a task that runs when the tasks it depends on are done: an operation
// of a stream depends on the stream's last one, an event is a task without work, a graph consists
// of its nodes. Streams only define dependencies; the scheduler does not know them.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_CPU_API_TASKS_H
#define GMPROF_CPU_API_TASKS_H

#include "profile/Mutex.h"
#include <atomic>
#include <condition_variable>
#include <functional>
#include <memory>
#include <queue>
#include <span>
#include <vector>

namespace gmprof::cpu::api {

class Task;
using TaskRef = std::shared_ptr<Task>;

/// Asynchronous work with dependencies.
class Task {
public:
  bool done() const { return Done.load(std::memory_order_acquire); }
  /// Waits for the task. All API functions that wait for the device wait here.
  void wait();

private:
  friend class Scheduler;
  std::function<void()> Body;
  bool Brief = false; ///< runs on the thread that made it ready
  int Priority = 0;
  uint64_t Number = 0;
  // Guarded by the scheduler's mutex.
  size_t Waiting = 0; ///< number of unfinished tasks that it depends on
  size_t Waiters = 0; ///< threads in `wait`
  std::vector<TaskRef> Dependents;
  std::atomic<bool> Done{false};
};

/// Runs tasks on worker threads. Safe for concurrent use.
class Scheduler {
public:
  /// Runs `Body` on a worker when all of `After` (null entries are ignored) are done. The ready
  /// task with the lowest priority number runs first.
  TaskRef submit(std::function<void()> Body, std::span<const TaskRef> After, int Priority = 0);

  /// Submits a body, possibly empty, that is short and takes no locks.
  TaskRef submitBrief(std::function<void()> Body, std::span<const TaskRef> After);

  /// Snapshot for tests: if nothing is ready, waiting threads wait for the running work or for
  /// tasks that depend on it.
  struct Activity {
    size_t Running, Ready, WaitingThreads;
  };
  Activity activity();

  /// Waits until nothing is pending, for at most `Seconds`. Returns false if work is left.
  bool drain(unsigned Seconds);

private:
  /// Matches the number of concurrent kernels on a GPU. Each waiting worker is a thread, so host
  /// functions can wait for work in other streams.
  static constexpr size_t MaxWorkers = 128;

  struct LaterFirst {
    bool operator()(const TaskRef &A, const TaskRef &B) const {
      return A->Priority != B->Priority ? A->Priority > B->Priority : A->Number > B->Number;
    }
  };

  friend class Task;
  TaskRef add(TaskRef T, std::span<const TaskRef> After);
  void makeReady(TaskRef T) GMPROF_REQUIRES(Mutex);
  void finish(TaskRef T);
  void work();

  gmprof::Mutex Mutex;
  std::condition_variable WorkReady, AllDone;
  std::priority_queue<TaskRef, std::vector<TaskRef>, LaterFirst> Ready GMPROF_GUARDED_BY(Mutex);
  size_t Workers GMPROF_GUARDED_BY(Mutex) = 0, Idle GMPROF_GUARDED_BY(Mutex) = 0,
                 Running GMPROF_GUARDED_BY(Mutex) = 0;
  size_t Pending GMPROF_GUARDED_BY(Mutex) = 0, WaitingThreads GMPROF_GUARDED_BY(Mutex) = 0;
  uint64_t NextNumber GMPROF_GUARDED_BY(Mutex) = 0;
};

Scheduler &scheduler();

} // namespace gmprof::cpu::api

#endif // GMPROF_CPU_API_TASKS_H
