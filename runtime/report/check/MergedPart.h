//===- MergedPart.h - What a merge keeps of a summary -----------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The part of a summary that is kept in memory while other summaries are merged with it (Merge.h).
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_REPORT_CHECK_MERGEDPART_H
#define GMPROF_REPORT_CHECK_MERGEDPART_H

#include "report/model/Measures.h"
#include "report/model/Summary.h"
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace gmprof {

/// A finding with the objects it refers to.
struct KeptFinding {
  summary::Finding Of;
  std::optional<summary::Object> About;
  std::vector<summary::Frame> Path; ///< call path of the object's allocation
  std::string Kernel;               ///< mangled
  std::optional<summary::SyncSite> Site;
  std::vector<uint32_t> Processes; ///< that have it; indices in MergedPart::Processes
};

/// A measure of the processes that have it.
struct KeptMeasure {
  Measure Is;                                      ///< without its value
  std::vector<std::pair<uint32_t, double>> Values; ///< by index in MergedPart::Processes
};

/// One summary: of a process, or a merged one.
struct MergedPart {
  std::string Failure;
  summary::Summary Kept; ///< contains everything that the other members do not
  std::vector<summary::MergedProcess> Processes;
  std::vector<KeptMeasure> Measures;
  std::vector<KeptFinding> Findings;
  std::vector<summary::Object> Largest; ///< objects listed in memory peaks
};

/// Reads the summary at Path; sets only Failure if that fails.
MergedPart mergedPart(const std::string &Path);

} // namespace gmprof

#endif // GMPROF_REPORT_CHECK_MERGEDPART_H
