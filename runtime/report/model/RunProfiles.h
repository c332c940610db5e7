//===- RunProfiles.h - Profiles of a summary's run --------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_REPORT_MODEL_RUNPROFILES_H
#define GMPROF_REPORT_MODEL_RUNPROFILES_H

#include "profile/ProfileTraits.h"
#include "report/model/Summary.h"
#include <string>
#include <string_view>
#include <vector>

namespace gmprof {

/// The profiles that a run recorded, as Summary::config lists them.
class RunProfiles {
public:
  explicit RunProfiles(const summary::Summary &S);

  /// Returns true if the configuration does not say what was recorded.
  bool unknown() const { return Names.empty(); }
  bool measure(profile::Measured Accesses) const;
  /// Returns true if the run recorded which objects kernels access.
  bool recordObjects() const;
  bool recordCalls() const;
  /// Returns true if the run recorded several profiles.
  bool combined() const { return Names.size() > 1; }
  /// Returns true if GPU API calls were recorded, but not whether they wait and what the host
  /// reads: see profile::Run::syncAtFirstSight.
  bool syncAtFirstSight() const { return FirstSight; }
  /// Returns true if the run makes the checks of calls: at first sight it makes none.
  bool makeChecksOfCalls() const;
  /// Returns true if the run makes the checks of a profile, itself or by one that includes them.
  bool makeChecksOf(std::string_view Profile) const;
  /// Returns the names, sorted and separated by commas: equal for runs with the same profiles.
  std::string text() const;

private:
  std::vector<std::string> Names;
  bool FirstSight = false;
};

} // namespace gmprof

#endif // GMPROF_REPORT_MODEL_RUNPROFILES_H
