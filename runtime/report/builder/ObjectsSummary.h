//===- ObjectsSummary.h - Objects of global memory in summary.json -*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_REPORT_BUILDER_OBJECTSSUMMARY_H
#define GMPROF_REPORT_BUILDER_OBJECTSSUMMARY_H

#include "profile/Profile.h"
#include "report/model/CallPaths.h"
#include <map>
#include <set>

namespace gmprof {

/// Adds the objects of global memory to a summary: objects[] and call_paths[]. objects[] is limited
/// to the largest ones, and to MaxAlike parts of pools that are alike; the number of omitted ones
/// is stated. The profile must outlive this.
class ObjectsSummary {
public:
  ObjectsSummary(const profile::Profile &P, summary::Summary &To) : P(P), S(To), Paths(To) {}

  void build();
  /// Returns the index in objects[] of a profile::Object::Id; adds the object if it was omitted.
  uint32_t indexOf(uint64_t Id);
  /// Does the same, but returns nothing for a part of a pool that was omitted because others are
  /// like it.
  std::optional<uint32_t> listed(uint64_t Id);
  /// Returns the index if the object is in objects[].
  std::optional<uint32_t> find(uint64_t Id) const;

  /// Returns the index in call_paths[] of one of the profile's paths.
  std::optional<uint32_t> callPath(uint32_t Index);
  /// Returns the index of a path of another run.
  uint32_t callPath(const profile::CallPath &Path);
  /// Returns the time since the start of the run.
  double seconds(uint64_t TimeNs) const;

  static constexpr size_t MaxObjects = 4096;
  /// Most parts of pools with the same size, name, and call paths of allocation and release.
  static constexpr size_t MaxAlike = 2;

private:
  void add(const profile::Object &O);
  summary::ObjectEvent event(const profile::ObjectEvent &E);

  const profile::Profile &P;
  summary::Summary &S;
  summary::CallPathTable Paths;
  std::map<uint64_t, uint32_t> IndexById;
  std::set<uint64_t> Further; ///< parts of pools that are like others
  std::map<std::string, uint32_t> PathIndex;
};

/// Returns the innermost frame with a line that is not in one of CUDA's headers.
std::optional<summary::Source> sourceOf(const profile::CallPath &Path);

} // namespace gmprof

#endif // GMPROF_REPORT_BUILDER_OBJECTSSUMMARY_H
