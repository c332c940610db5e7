//===- LineCallers.h - Callers of lines with API calls ----------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A class that owns memory, or a function that allocates or copies it, has one line with the API
// call for all callers. Its objects and copies are told apart by the call that reached the line,
// which is also where the program decides on them.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_ANALYSIS_LINECALLERS_H
#define GMPROF_ANALYSIS_LINECALLERS_H

#include "profile/Profile.h"
#include <map>
#include <set>
#include <string>
#include <vector>

namespace gmprof::analysis {

class LineCallers {
public:
  /// Paths: call paths of the calls to tell apart. SamePath: the result of pathsBySource.
  LineCallers(const profile::Profile &P, std::vector<uint32_t> SamePath,
              const std::set<uint32_t> &Paths);

  /// Returns the innermost call of the path that no other path with the same line has; without a
  /// file if no other path has that line. Column: 0 unless another call is in its line.
  profile::SourcePosition of(uint32_t CallPath) const;

private:
  /// Returns the first path with the same functions and lines.
  uint32_t samePath(uint32_t CallPath) const {
    return CallPath < SamePath.size() ? SamePath[CallPath] : CallPath;
  }

  std::vector<uint32_t> SamePath;
  std::map<uint32_t, profile::SourcePosition> Callers; ///< by samePath
};

} // namespace gmprof::analysis

#endif // GMPROF_ANALYSIS_LINECALLERS_H
