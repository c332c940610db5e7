//===- Patterns.h - The patterns that findings are of --------- -*- C++ -*-===//
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

/// As in docs/patterns.md.
const std::vector<PatternInfo> &allPatterns();
/// Null: there is none of that name.
const PatternInfo *findPattern(const std::string &Name);

/// From info, 0, to high, 3; -1: it is none.
int severityRank(const std::string &Severity);

} // namespace gmprof

#endif // GMPROF_REPORT_PATTERNS_H
