//===- Measures.h - Named measures of a summary -----------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Measures are the numbers by which summaries are compared and which budgets limit: peak,
// reads(jacobi), reads(jacobi.in). See docs/report.md.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_REPORT_MODEL_MEASURES_H
#define GMPROF_REPORT_MODEL_MEASURES_H

#include "report/model/Quantity.h"
#include "report/model/Summary.h"
#include <string>
#include <vector>

namespace gmprof {

struct Measure {
  std::string Name;
  std::string Of; ///< kernel, kernel.object or device; empty: the whole run
  Quantity::Unit Unit = Quantity::Unit::Number;
  double Value = 0;
};

/// Returns the measures, those of the whole run first; of a merged summary, the maximum over its
/// processes. Kernels and objects with equal names are summed.
std::vector<Measure> measuresOf(const summary::Summary &S);

/// Name of the measures that memoryMeasures returns.
inline constexpr char MemoryMeasure[] = "memory";

/// Returns the bytes of each owner of device memory at the peak of each device, added up; Of is
/// summary::MemoryRow::owner, or the library's name. These are numbers of processes of merged
/// summaries only.
std::vector<Measure> memoryMeasures(const summary::Summary &S);

struct MeasureName {
  const char *Name, *Means;
  Quantity::Unit Unit;
  const char *Profile; ///< kind of profile that has it; empty: all
};

/// Returns the estimated saving of the fixes at a call site (Diogenes, SC 2019, Section 3.5), in
/// seconds.
double estimatedBenefit(const summary::SyncSite &Site);
/// Returns the saving by which findings at a call site are ranked, in seconds: the lower of the
/// estimate and the replay of the run.
double benefit(const summary::SyncSite &Site);

/// Returns all measures.
const std::vector<MeasureName> &measureNames();

} // namespace gmprof

#endif // GMPROF_REPORT_MODEL_MEASURES_H
