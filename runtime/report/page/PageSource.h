//===- PageSource.h - Source text for the web page --------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_REPORT_PAGE_PAGESOURCE_H
#define GMPROF_REPORT_PAGE_PAGESOURCE_H

#include "report/files/SourceText.h"
#include "report/model/Summary.h"
#include <string>

namespace gmprof {

/// Returns the lines that the summary names, and their context, as JSON: per file its path and
/// parts, each with the number of its first line and the lines. Omits files that cannot be read or
/// changed after the run. MaxBytes: limit of the text; the number of lines that exceed it is
/// stated.
std::string pageSource(const summary::Summary &S, SourceText &Source,
                       size_t MaxBytes = size_t(8) << 20);

/// Number of context lines before and after a named one.
inline constexpr unsigned PageSourceAround = 30;

} // namespace gmprof

#endif // GMPROF_REPORT_PAGE_PAGESOURCE_H
