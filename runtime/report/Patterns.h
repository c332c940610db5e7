//===- Patterns.h - The patterns of findings --------------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_REPORT_PATTERNS_H
#define GMPROF_REPORT_PATTERNS_H

#include <string>
#include <vector>

namespace gmprof {

struct PatternInfo {
  const char *Name, *Description, *Profile;
};

/// Returns the patterns in the order of docs/patterns.md.
const std::vector<PatternInfo> &allPatterns();
/// Returns null if there is no such pattern.
const PatternInfo *findPattern(const std::string &Name);

/// Returns 0 for info to 3 for high; -1 if it is no severity.
int severityRank(const std::string &Severity);

} // namespace gmprof

#endif // GMPROF_REPORT_PATTERNS_H
