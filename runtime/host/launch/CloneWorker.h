//===- CloneWorker.h - Makes clones while the program runs ------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_HOST_LAUNCH_CLONEWORKER_H
#define GMPROF_HOST_LAUNCH_CLONEWORKER_H

#include "host/launch/CodeLaunches.h"
#include "profile/Mutex.h"
#include <atomic>
#include <condition_variable>
#include <functional>
#include <memory>
#include <optional>
#include <thread>
#include <vector>

namespace gmprof::host {

/// A piece of work in the background.
class CloneJob {
public:
  explicit CloneJob(std::shared_ptr<const CodeLaunches> Launches) : Launches(std::move(Launches)) {}
  virtual ~CloneJob() = default;
  CloneJob(const CloneJob &) = delete;
  CloneJob &operator=(const CloneJob &) = delete;

  /// Returns whether the result is there.
  bool done() const { return Done.load(std::memory_order_acquire); }

private:
  friend class CloneWorker;
  virtual void run() = 0;

  const std::shared_ptr<const CodeLaunches> Launches; ///< that would run what it makes
  std::atomic<bool> Done{false};
};

/// A job that returns a T.
template <typename T> class CloneJobFor final : public CloneJob {
public:
  CloneJobFor(std::shared_ptr<const CodeLaunches> Launches, std::function<T()> Work)
      : CloneJob(std::move(Launches)), Work(std::move(Work)) {}

  /// Returns the result; done() is required.
  T &result() { return *Made; }

private:
  void run() override { Made = Work(); }

  const std::function<T()> Work;
  std::optional<T> Made;
};

/// Runs jobs in a thread of its own, which exists from the first job on. Of the waiting jobs, the
/// one whose code was launched most often comes first. A forked child has no such thread: it must
/// not use the parent's worker.
class CloneWorker {
public:
  CloneWorker() = default;
  ~CloneWorker() {
    finish([] {});
  }
  CloneWorker(const CloneWorker &) = delete;
  CloneWorker &operator=(const CloneWorker &) = delete;

  /// Adds a job. After finish(), it is never run.
  void add(std::shared_ptr<CloneJob> Job);
  /// Drops the waiting jobs, calls Interrupt, and waits for the job that runs. Returns the number
  /// of jobs that have no result.
  size_t finish(const std::function<void()> &Interrupt);

private:
  void start() GMPROF_REQUIRES(Lock);
  void work();
  std::shared_ptr<CloneJob> takeNext() GMPROF_REQUIRES(Lock);

  Mutex Lock;
  std::condition_variable Changed;
  std::vector<std::shared_ptr<CloneJob>> Waiting GMPROF_GUARDED_BY(Lock); ///< the oldest one first
  std::shared_ptr<CloneJob> Running GMPROF_GUARDED_BY(Lock);
  bool Finished GMPROF_GUARDED_BY(Lock) = false;
  std::thread Thread;
};

} // namespace gmprof::host

#endif // GMPROF_HOST_LAUNCH_CLONEWORKER_H
