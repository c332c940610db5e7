//===- ObjectCollector.h - A kernel's accesses to an object -----*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Sums what one kernel's launches counted of one object, and what their closed forms say: stretch
// by stretch, in windows that bound memory.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_ANALYSIS_GLOBAL_OBJECTCOLLECTOR_H
#define GMPROF_ANALYSIS_GLOBAL_OBJECTCOLLECTOR_H

#include "analysis/global/CountedParts.h"
#include "analysis/global/GlobalMemoryUse.h"
#include "profile/ElementRuns.h"
#include <array>
#include <bit>
#include <map>
#include <optional>

namespace gmprof::analysis {

/// Accesses of one progression in a context's launches.
struct FormAccesses {
  ElementRun Within; ///< span of the accessed elements of the object
  GmprofCounterKind Kind;
  unsigned Bytes;
  Progression Where; ///< from the object's start
  uint64_t Launches;
};

/// Determines one kernel's use of one object.
class ObjectCollector {
public:
  /// A context and the number of its launches.
  struct Context {
    const profile::GlobalContext *Of;
    uint64_t Launches;
  };

  ObjectCollector(const profile::Descriptor &Desc, const std::vector<KernelForm> &Forms,
                  const std::vector<Context> &Contexts, GlobalObjectUse &Use)
      : Desc(Desc), Forms(Forms), Contexts(Contexts), Use(Use),
        Counted(Use.Elements, static_cast<unsigned>(std::countr_zero(Use.ElementBytes))) {}

  /// Returns the number of accesses outside the object. Scales: factor by block sample.
  uint64_t collect(const std::vector<const profile::GlobalCounts *> &Records,
                   const std::map<uint32_t, double> &Scales, size_t Threads);

private:
  friend class StretchCollector;
  void findLaunches(const std::vector<const profile::GlobalCounts *> &Records);
  std::array<double, GMPROF_COUNTER_KINDS>
  scalesOfPasses(const std::vector<const profile::GlobalCounts *> &Records);
  void readCounters(const profile::GlobalCounts &R, double Scale);
  template <typename Callable> bool eachFormAccess(const Callable &Emit) const;
  void findFormAccesses();
  uint64_t addUp(size_t Threads);

  const profile::Descriptor &Desc;
  const std::vector<KernelForm> &Forms;
  const std::vector<Context> &Contexts;
  GlobalObjectUse &Use;
  CountedRecords Counted;
  std::vector<ElementRun> Reached; ///< spans that may have accesses
  /// All form accesses; nothing: too many to keep.
  std::optional<std::vector<FormAccesses>> ByForms;
  std::array<unsigned, GMPROF_COUNTER_KINDS> Thresholds = {};
};

} // namespace gmprof::analysis

#endif // GMPROF_ANALYSIS_GLOBAL_OBJECTCOLLECTOR_H
