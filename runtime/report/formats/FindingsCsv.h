//===- FindingsCsv.h - Findings as comma-separated values ----- -*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Writes RFC 4180, one line per finding. Spreadsheets interpret cells that begin with = + - or @ as
// formulas; such names from a profile get a leading '.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_REPORT_FORMATS_FINDINGSCSV_H
#define GMPROF_REPORT_FORMATS_FINDINGSCSV_H

#include "report/model/Summary.h"

namespace gmprof {

std::string findingsCsv(const summary::Summary &S);

} // namespace gmprof

#endif // GMPROF_REPORT_FORMATS_FINDINGSCSV_H
