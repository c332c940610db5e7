//===- Suppressions.h - Findings that a check is to leave alone  -*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In the form of LeakSanitizer's: a line PATTERN:TEMPLATE for each, PATTERN with its kind
// (PATTERN/KIND), or any. TEMPLATE has to match a part of the finding's object, kernel, API or
// source file, or of a function, file or library on its call path; * stands for anything, ^ for
// the begin and $ for the end. fingerprint:NUMBER is a single finding. Lines that begin with # say
// why; that is the reason of those below, up to an empty line.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_REPORT_SUPPRESSIONS_H
#define GMPROF_REPORT_SUPPRESSIONS_H

#include "profile/Result.h"
#include "report/Summary.h"
#include <string>
#include <vector>

namespace gmprof {

struct Suppression {
  std::string Text, Reason;
  std::string Pattern, Kind; ///< empty: any
  std::string Template;
  bool OfFingerprint = false;
};

/// Name is for messages.
Result<std::vector<Suppression>> parseSuppressions(const std::string &Text,
                                                   const std::string &Name);
Result<std::vector<Suppression>> readSuppressions(const std::string &Path);

bool matchesTemplate(const std::string &Text, const std::string &Template);

bool suppresses(const Suppression &By, const summary::Finding &F, const summary::Summary &S);

} // namespace gmprof

#endif // GMPROF_REPORT_SUPPRESSIONS_H
