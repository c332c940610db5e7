//===- ObjectsSummary.h - Objects of global memory in summary.json -*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_REPORT_OBJECTSSUMMARY_H
#define GMPROF_REPORT_OBJECTSSUMMARY_H

#include "profile/Profile.h"
#include "report/Summary.h"
#include <map>

namespace gmprof {

/// Puts the objects of global memory into a summary: objects[] and call_paths[]. Of
/// many objects only the largest are in objects[]; how many are not is said. The
/// profile must stay as long as this.
class ObjectsSummary {
public:
  ObjectsSummary(const profile::Profile &P, summary::Summary &To) : P(P), S(To) {}

  void build();
  /// The index in objects[] of a profile::Object::Id, which is added if it was left
  /// out.
  uint32_t indexOf(uint64_t Id);
  /// The same if it is there.
  std::optional<uint32_t> find(uint64_t Id) const;

  /// The index in call_paths[] of one of the profile's.
  std::optional<uint32_t> callPath(uint32_t Index);
  /// That of a path of another run.
  uint32_t callPath(const profile::CallPath &Path);
  /// Since the start of the run.
  double seconds(uint64_t TimeNs) const;

  static constexpr size_t MaxObjects = 4096;

private:
  void add(const profile::Object &O);
  summary::ObjectEvent event(const profile::ObjectEvent &E);

  const profile::Profile &P;
  summary::Summary &S;
  std::map<uint64_t, uint32_t> IndexById;
  std::map<std::string, uint32_t> PathIndex;
};

/// The innermost place of the program that has a line, but for CUDA's own headers.
std::optional<summary::Source> sourceOf(const profile::CallPath &Path);

} // namespace gmprof

#endif // GMPROF_REPORT_OBJECTSSUMMARY_H
