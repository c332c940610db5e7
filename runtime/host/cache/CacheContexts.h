//===- CacheContexts.h - The launches whose requests are traced -*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Launch contexts (LaunchContexts.h) of the profile of caches (struct GmprofTraceContext). Each
// launch has one of its own; its records go through the device's channel to the run's trace. Behind
// it its totals are copied to where the channel sees that it has ended. Where that fails, the
// channel is told when they have been read.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_HOST_CACHE_CACHECONTEXTS_H
#define GMPROF_HOST_CACHE_CACHECONTEXTS_H

#include "host/cache/CacheTrace.h"
#include "host/launch/LaunchContexts.h"
#include "profile/BlockRange.h"
#include <set>

namespace gmprof::host {

struct Options;

struct CacheShape : ContextShape {
  TracedLaunch Launch;
};

class CacheContexts : public LaunchContexts {
public:
  /// Trace: null in other profiles.
  CacheContexts(Device &D, Recorder &Log, const Options &O, CacheTrace *Trace);
  ~CacheContexts() override;

  /// Returns a context for a launch; see LaunchContexts::acquire.
  LaunchContext *acquire(const CacheShape &Shape, CUstream Stream, std::string &Why);
  GmprofTraceLaunch parameter(const LaunchContext &C) const;

  /// Completes the records. Must follow drain().
  void finish();

private:
  std::unique_ptr<LaunchContext> make(const ContextShape &Shape, bool Spare) override;
  bool fits(const LaunchContext &, const ContextShape &) const override { return false; }
  void release(LaunchContext &C) override;
  void follow(const LaunchContext &C, CUstream Stream) override;
  void emit(const LaunchContext &C, std::span<const std::byte> Counts) override;
  bool zeroedByReading() const override { return false; }
  /// Returns whether launches should be read while the program waits. The file stays at a launch
  /// until its end is known, and memory for the records of later launches is limited; the end of
  /// launches that the program waited for is known at once.
  bool isFilling() override { return Channel != nullptr; }
  void settle() override;
  bool openChannel(std::string &Why) GMPROF_REQUIRES(Lock);
  GmprofTraceLimits limitsOf(const std::shared_ptr<const TracedKernel> &Kernel);

  const Options &O;
  CacheTrace *const Trace;
  std::unique_ptr<TraceChannel> Channel;
  std::string Problem;      ///< why there is no channel
  SlabPool::Block RunCount; ///< on the device: what all launches have recorded
  uint64_t LastNumber = 0;
  std::set<std::shared_ptr<const TracedKernel>> Begun; ///< kernels of which there was a launch
};

} // namespace gmprof::host

#endif // GMPROF_HOST_CACHE_CACHECONTEXTS_H
