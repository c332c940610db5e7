//===- ResultFolder.h - Reads the results of a run --------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A result folder holds summary.json and the files that it names in files[]: event logs, a trace of
// memory accesses, tables. The summary is read first, the other files on demand. Each error is one
// sentence that names the file; if the summary names none, it says what the file is needed for.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_REPORT_FILES_RESULTFOLDER_H
#define GMPROF_REPORT_FILES_RESULTFOLDER_H

#include "profile/Profile.h"
#include "profile/Result.h"
#include "report/files/SyncStages.h"
#include "report/model/Summary.h"
#include "report/model/SummaryJson.h"
#include <filesystem>
#include <optional>
#include <string>

namespace gmprof {

class ResultFolder {
public:
  /// Reads the summary. Path: the file, or its folder.
  static Result<ResultFolder> open(const std::string &Path,
                                   SummaryText Strings = SummaryText::Printable);

  summary::Summary &summary() { return Content; }
  const summary::Summary &summary() const { return Content; }
  const std::filesystem::path &folder() const { return Folder; }

  /// Returns the path of the file with this name in files[]; nothing if there is none.
  std::optional<std::string> file(const std::string &Name) const;

  /// Reads the event log and looks up the names of its addresses. For a profile of synchronisation,
  /// the log is that of the run named memory. Use: subject and verb for the error, as in "heat maps
  /// are".
  Result<profile::Profile> profile(const std::string &Use) const;

  /// Reads the event logs of all runs of a profile of synchronisation, or the only log as that of
  /// the run named memory. A run without a log is left out.
  Result<SyncStages> stages() const;

  /// Returns the path of the trace of memory accesses.
  Result<std::string> memoryTrace() const;

private:
  ResultFolder(std::string Path, summary::Summary Content);

  std::string Path; ///< as given, for messages
  std::filesystem::path Folder;
  summary::Summary Content;
};

} // namespace gmprof

#endif // GMPROF_REPORT_FILES_RESULTFOLDER_H
