//===- SummaryFilter.h - Filters kernels and findings -----------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_REPORT_MODEL_SUMMARYFILTER_H
#define GMPROF_REPORT_MODEL_SUMMARYFILTER_H

#include "profile/Result.h"
#include "report/model/Quantity.h"
#include "report/model/Summary.h"
#include <functional>
#include <optional>
#include <string>

namespace gmprof {

/// Returns a function that searches a name for Pattern (ECMAScript).
Result<std::function<bool(const std::string &)>> matcherOf(const std::string &Pattern);

/// Keeps the kernels whose mangled or demangled name contains a match of Pattern (ECMAScript), with
/// their objects and findings. Fails if there is none.
Result<summary::Summary> keepKernels(summary::Summary S, const std::string &Pattern);

/// Selects findings by regular expressions (ECMAScript) that are searched; empty ones match
/// anything.
struct FindingFilter {
  std::string Pattern;               ///< of pattern/kind
  std::string Object;                ///< of the object's name
  std::optional<Quantity> MinSaving; ///< bytes or seconds
};

/// Keeps the selected findings, and all other data.
Result<summary::Summary> keepFindings(summary::Summary S, const FindingFilter &Filter);

} // namespace gmprof

#endif // GMPROF_REPORT_MODEL_SUMMARYFILTER_H
