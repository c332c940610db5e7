//===- PageSource.h - Source text for the web page --------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_REPORT_PAGESOURCE_H
#define GMPROF_REPORT_PAGESOURCE_H

#include "report/SourceText.h"
#include "report/Summary.h"
#include <string>

namespace gmprof {

/// The lines that the summary names, with some around them, as JSON: for each file its path and
/// parts, each a first line and the lines from there on. A file that cannot be read, or was
/// changed after the run, is left out. MaxBytes: of text; what is left out for it is counted.
std::string pageSource(const summary::Summary &S, SourceText &Source,
                       size_t MaxBytes = size_t(8) << 20);

/// Lines before and after one that is named.
inline constexpr unsigned PageSourceAround = 30;

} // namespace gmprof

#endif // GMPROF_REPORT_PAGESOURCE_H
