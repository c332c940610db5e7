//===- SummaryFilter.h - Leaves out kernels and findings ------ -*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_REPORT_SUMMARYFILTER_H
#define GMPROF_REPORT_SUMMARYFILTER_H

#include "profile/Result.h"
#include "report/Quantity.h"
#include "report/Summary.h"
#include <functional>
#include <optional>
#include <string>

namespace gmprof {

/// Whether a name contains a match of Pattern (ECMAScript).
Result<std::function<bool(const std::string &)>> matcherOf(const std::string &Pattern);

/// Keeps the kernels whose name, mangled or demangled, contains a match of
/// Pattern (ECMAScript), their objects and the findings about them. It is an error if
/// there is none.
Result<summary::Summary> keepKernels(summary::Summary S, const std::string &Pattern);

/// Which findings; regular expressions (ECMAScript) that have to match a part, empty ones anything.
struct FindingFilter {
  std::string Pattern;               ///< of pattern/kind
  std::string Object;                ///< of its name
  std::optional<Quantity> MinSaving; ///< bytes or seconds
};

/// Keeps those findings; nothing else is left out.
Result<summary::Summary> keepFindings(summary::Summary S, const FindingFilter &Filter);

} // namespace gmprof

#endif // GMPROF_REPORT_SUMMARYFILTER_H
