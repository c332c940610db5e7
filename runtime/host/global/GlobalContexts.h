//===- GlobalContexts.h - Counters of global memory -------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Launch contexts (LaunchContexts.h) of the global-memory profile. A context holds
// the totals, the counters of each object and kind of access that its launches make,
// and, for accesses through unknown pointers, the table of all objects:
//
//   totals | counters | … | counters || table
//
// What is left of the bar is zeroed before use, and read afterwards; its counts are
// added up per kernel and object (ObjectCounts.h). Where there is no memory for the
// counters of all objects, those are counted that were counted least often before:
// successive launches of the kernel count different objects, and the log says how
// many were left out. Launches that differ only in what closed forms say share counters: those of
// a program that counts its steps would have counters for each step otherwise. In the elements
// profile cases of one launch, and the first others of a kernel, are added up each by itself,
// because launches are compared with each other. Launches share counters only as long as that will
// probably not bring them to the threshold; or if counters are large, and others of them are still
// being read. What reached the threshold in several launches together counts as reached in one.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_HOST_GLOBAL_GLOBALCONTEXTS_H
#define GMPROF_HOST_GLOBAL_GLOBALCONTEXTS_H

#include "host/global/GlobalKernel.h"
#include "host/global/ObjectCounts.h"
#include "host/launch/CounterMemory.h"
#include "host/launch/LaunchContexts.h"
#include <set>

namespace gmprof::host {

struct GlobalContext : LaunchContext {
  std::shared_ptr<const GlobalCase> Case; ///< of the first launch
  /// Counters of a kind of an object of the case.
  struct Part {
    size_t Object;
    GmprofCounterKind Kind;
    size_t Offset, Bytes; ///< in Memory
  };
  std::vector<Part> Parts;
  bool Apart = false;    ///< its counts are not added to those of the kernel's other cases
  size_t LeftOut = 0;    ///< objects that are not counted, or not all kinds of accesses
  SlabPool::Block Table; ///< page-locked, what was uploaded
};

class GlobalContexts : public LaunchContexts {
public:
  GlobalContexts(Device &D, Recorder &Log, const Options &O, ContextLimits Limits = limits());

  static ContextLimits limits();

  /// Returns a context for a launch that counts; see LaunchContexts::acquire.
  LaunchContext *acquire(const std::shared_ptr<const GlobalCase> &Case, CUstream Stream,
                         bool Capturing, std::string &Why);
  GmprofGlobalLaunch parameter(const LaunchContext &C) const;
  /// Returns whether launches of this case count there.
  static bool counts(const LaunchContext &C, const GlobalCase &Case) {
    return static_cast<const GlobalContext &>(C).Case.get() == &Case;
  }
  /// Returns LaunchRecord::context: the number of the context's case.
  static uint64_t logId(const LaunchContext &C) {
    return static_cast<const GlobalContext &>(C).Case->Context;
  }

  /// Writes what is known of an object that goes.
  void objectReleased(uint64_t Object);
  /// Writes all that is known. After drain().
  void finish();

  /// Returns how much more memory counters may take.
  size_t availableBytes();
  /// Gives memory back, for the program. Returns whether there was any.
  bool giveBackMemory();
  /// Returns the peak of the device memory of counters.
  size_t peakBytes() const;

private:
  struct Wanted : ContextShape {
    std::shared_ptr<const GlobalCase> Case;
  };

  std::unique_ptr<LaunchContext> make(const ContextShape &Shape, bool Spare) override;
  bool fits(const LaunchContext &C, const ContextShape &Shape) const override;
  uint64_t mostLaunches(const ContextShape &Shape) const override;
  size_t counterBytes(const ContextShape &Shape) const override;
  void release(LaunchContext &C) override;
  uint64_t launchesIn(const LaunchContext &C, std::span<const std::byte> Counts) const override;
  void emit(const LaunchContext &C, std::span<const std::byte> Counts) override;
  void emitted(const LaunchContext &C) override;
  std::unique_ptr<LaunchContext> copyOf(const LaunchContext &C) const override;

  /// Lays out counters of together no more than Bytes.
  void chooseParts(GlobalContext &C, size_t Bytes) const;
  bool isApart(const GlobalCase &Case) const;
  void keepApart(const GlobalCase &Case);
  void addTotals(const GlobalContext &C, const GmprofGlobalTotals &Totals);
  bool uploadTable(GlobalContext &C, size_t At);
  GmprofGlobalObject objectIn(const GlobalContext &C, size_t Object) const;

  const bool ElementsProfile;
  CounterMemory Memory;
  ObjectCounts Sums;
  std::map<uint32_t, std::set<uint64_t>> Apart; ///< cases by kernel
  /// How often objects' counters were in a context, by kernel, object and kind; where
  /// not all are.
  std::map<std::array<uint64_t, 3>, uint64_t> TimesCounted;
  uint64_t NotCounted = 0; ///< objects, once for each launch
};

} // namespace gmprof::host

#endif // GMPROF_HOST_GLOBAL_GLOBALCONTEXTS_H
