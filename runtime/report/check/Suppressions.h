//===- Suppressions.h - Suppressed findings of a check ----------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The format is LeakSanitizer's: one line PATTERN:TEMPLATE per suppression, with PATTERN,
// PATTERN/KIND or any. TEMPLATE is searched in the finding's object, kernel, API, source file, and
// the functions, files and libraries of its call path; * matches anything, ^ the beginning and $
// the end. fingerprint:NUMBER suppresses a single finding. Lines that begin with # give the reason
// for the lines below, up to an empty line.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_REPORT_CHECK_SUPPRESSIONS_H
#define GMPROF_REPORT_CHECK_SUPPRESSIONS_H

#include "profile/Result.h"
#include "report/model/Summary.h"
#include <string>
#include <vector>

namespace gmprof {

struct Suppression {
  std::string Text, Reason;
  std::string Pattern, Kind; ///< empty: any
  std::string Template;
  bool OfFingerprint = false;
};

/// Parses suppressions. Name: the source, for messages.
Result<std::vector<Suppression>> parseSuppressions(const std::string &Text,
                                                   const std::string &Name);
Result<std::vector<Suppression>> readSuppressions(const std::string &Path);

bool matchesTemplate(const std::string &Text, const std::string &Template);

/// Returns true if By suppresses this pattern of the finding: its own, or one that it has `also`,
/// of which the kind is unknown.
bool suppresses(const Suppression &By, const std::string &Pattern, const summary::Finding &F,
                const summary::Summary &S);

} // namespace gmprof

#endif // GMPROF_REPORT_CHECK_SUPPRESSIONS_H
