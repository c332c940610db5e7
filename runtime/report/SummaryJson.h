//===- SummaryJson.h - summary.json as text ---------------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_REPORT_SUMMARYJSON_H
#define GMPROF_REPORT_SUMMARYJSON_H

#include "profile/Result.h"
#include "report/Summary.h"

namespace gmprof {

std::string toJson(const summary::Summary &S);

/// What becomes of characters in names that would break or steer lines of text: they stay, or
/// text::printable replaces them.
enum class SummaryText { AsItIs, Printable };

/// Accepts members that it does not know: a schema version grows by addition.
/// Name is for messages.
Result<summary::Summary> parseSummary(const std::string &Text, const std::string &Name,
                                      SummaryText Strings = SummaryText::AsItIs);
/// Path may be the folder of a summary.json.
Result<summary::Summary> readSummary(const std::string &Path,
                                     SummaryText Strings = SummaryText::AsItIs);

} // namespace gmprof

#endif // GMPROF_REPORT_SUMMARYJSON_H
