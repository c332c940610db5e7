//===- ResultWriter.h - Writes the results of a run -------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// ResultFolder.h reads them.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_REPORT_FILES_RESULTWRITER_H
#define GMPROF_REPORT_FILES_RESULTWRITER_H

#include "profile/Result.h"
#include "report/model/Summary.h"
#include <string>
#include <vector>

namespace gmprof {

/// Data too large for summary.json, in a file of its own.
struct SideFile {
  summary::File Description;
  std::string Content;
};

struct SummaryAndFiles {
  summary::Summary Content;
  std::vector<SideFile> Files;
};

/// Writes all files or none. Replaces earlier results, but no file that GMProf did not write, and
/// none through a link. Creates OutDir, but not its parent. Returns the path of summary.json.
Result<std::string> writeResults(const SummaryAndFiles &Results, const std::string &OutDir);

/// Writes a merged summary; paths of summaries below OutDir become relative to it. Returns the path
/// of summary.json.
Result<std::string> writeMergedSummary(summary::Summary S, const std::string &OutDir);

/// Returns the path relative to the folder if it is in it, else absolute.
std::string pathFrom(const std::string &Folder, const std::string &Path);

} // namespace gmprof

#endif // GMPROF_REPORT_FILES_RESULTWRITER_H
