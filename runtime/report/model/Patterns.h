//===- Patterns.h - The patterns of findings --------------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_REPORT_MODEL_PATTERNS_H
#define GMPROF_REPORT_MODEL_PATTERNS_H

#include <string>
#include <string_view>
#include <vector>

namespace gmprof {

/// A row of the table of patterns, from which all reports and pages take it. Its page is
/// docs/patterns/NAME.md; scripts/summary-reference.py writes the rule of severity to it, and the
/// row to the other pages.
struct PatternInfo {
  const char *Name;            ///< as in summary.json
  const char *Title;           ///< the usual name
  const char *Description;     ///< one sentence
  const char *Profile;         ///< of gmprof run that finds it
  const char *Severity;        ///< which values make a finding high, medium, low or info
  const char *Limit = nullptr; ///< exceptions to the rule
  const char *Method;          ///< paper and section; "GMProf" where there is none
  const char *Compared;        ///< reference of the measured values
};

/// The checks of a profile, for lists of checks that ran and that did not; and its measure of a
/// launch, for the coverage.
struct ProfileChecks {
  const char *Profile, *Checks, *Measures;
};

/// Returns the patterns in the order of docs/patterns.md.
const std::vector<PatternInfo> &allPatterns();
/// Returns the rule by which a finding of this pattern has its severity.
std::string severityRule(const PatternInfo &P);
/// Returns null if there is no such pattern.
const PatternInfo *findPattern(const std::string &Name);

enum class EvidenceUnit { Number, Bytes, BytesPerSecond, Seconds, Percent };

/// Returns the unit of a value of a finding's evidence, which the value's name tells. Percent: the
/// value is a share, 1 is 100 %.
EvidenceUnit evidenceUnit(std::string_view Name);

/// Returns the usual name of a pattern; the name itself if it is unknown.
std::string patternTitle(const std::string &Name);

/// Returns the rows of gmprof/profiles.def.
const std::vector<ProfileChecks> &allProfileChecks();
/// Returns a profile's measure of a launch; the profile's name if it is unknown.
std::string measuredBy(const std::string &Profile);

/// Returns 0 for info to 3 for high; -1 if it is no severity.
int severityRank(const std::string &Severity);

} // namespace gmprof

#endif // GMPROF_REPORT_MODEL_PATTERNS_H
