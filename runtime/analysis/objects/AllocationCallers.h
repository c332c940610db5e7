//===- AllocationCallers.h - Callers of allocating lines --------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A class that owns memory, or a function that allocates it, has one allocating line for all
// callers. Its objects are told apart by the call that reached the line, which is also where the
// program decides on the object.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_ANALYSIS_OBJECTS_ALLOCATIONCALLERS_H
#define GMPROF_ANALYSIS_OBJECTS_ALLOCATIONCALLERS_H

#include "profile/ApiTrace.h"
#include "profile/Profile.h"
#include <map>
#include <string>

namespace gmprof::analysis {

class AllocationCallers {
public:
  /// T.SamePath has to be set. Parts of pools are left out: their line is the user's.
  AllocationCallers(const profile::Profile &P, const profile::ApiTrace &T);

  /// Returns the innermost call of the path that no other path with the same allocating line has;
  /// without a file if no other path has that line. Column: 0 unless another call is in its line.
  profile::SourcePosition of(uint32_t CallPath) const;

private:
  const profile::ApiTrace &T;
  std::map<uint32_t, profile::SourcePosition> Callers; ///< by ApiTrace::samePath
};

/// Returns "app.cu:7", or "app.cu:7:12" if the position has a column.
std::string placeText(const profile::SourcePosition &S);

} // namespace gmprof::analysis

#endif // GMPROF_ANALYSIS_OBJECTS_ALLOCATIONCALLERS_H
