//===- Measures.h - The numbers of a summary, by name --------- -*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What two summaries are compared by, and what budgets are about: peak, reads(jacobi),
// reads(jacobi.in). docs/report.md says what each is.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_REPORT_MEASURES_H
#define GMPROF_REPORT_MEASURES_H

#include "report/Quantity.h"
#include "report/Summary.h"
#include <string>
#include <vector>

namespace gmprof {

struct Measure {
  std::string Name;
  std::string Of; ///< kernel, kernel.object, or device; empty: the whole run
  Quantity::Unit Unit = Quantity::Unit::Number;
  double Value = 0;
};

/// Of the whole run first; of a merged summary the greatest of any process. Kernels and objects
/// with the same name are one.
std::vector<Measure> measuresOf(const summary::Summary &S);

struct MeasureName {
  const char *Name, *Means;
  Quantity::Unit Unit;
  const char *Profile; ///< that has it; empty: all of them
};

/// All there are.
const std::vector<MeasureName> &measureNames();

} // namespace gmprof

#endif // GMPROF_REPORT_MEASURES_H
