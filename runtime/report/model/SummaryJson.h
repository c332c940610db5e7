//===- SummaryJson.h - summary.json as text ---------------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_REPORT_MODEL_SUMMARYJSON_H
#define GMPROF_REPORT_MODEL_SUMMARYJSON_H

#include "profile/Result.h"
#include "report/model/Summary.h"

namespace gmprof {

std::string toJson(const summary::Summary &S);

/// Treatment of control characters in names: kept, or replaced by text::printable.
enum class SummaryText { AsItIs, Printable };

/// Ignores unknown members, as a schema version grows by addition. Name is used in messages.
Result<summary::Summary> parseSummary(const std::string &Text, const std::string &Name,
                                      SummaryText Strings = SummaryText::AsItIs);
/// Reads a summary. Path: the file, or its folder.
Result<summary::Summary> readSummary(const std::string &Path,
                                     SummaryText Strings = SummaryText::AsItIs);

} // namespace gmprof

#endif // GMPROF_REPORT_MODEL_SUMMARYJSON_H
