//===- FindingsCsv.h - Findings as comma-separated values ----- -*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// RFC 4180, a line for each finding. Spreadsheets take cells that begin with = + - or @ for
// formulas: names from a profile that do get a ' before them.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_REPORT_FINDINGSCSV_H
#define GMPROF_REPORT_FINDINGSCSV_H

#include "report/Summary.h"

namespace gmprof {

std::string findingsCsv(const summary::Summary &S);

} // namespace gmprof

#endif // GMPROF_REPORT_FINDINGSCSV_H
