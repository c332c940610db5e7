//===- WebPage.h - A report as a web page -----------------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A self-contained file: the page built from web/, with the data in sections that the page unpacks
// on demand. A section is gzip-compressed (browsers can decompress it) and base64-encoded, so that
// nothing in it is markup.
//
//   summary   summary.json
//   texts     excerpts of the text report, so that both agree
//   source    lines of the program (PageSource.h)
//
// and, if the event log is readable,
//
//   memory, calls   columns (PageTimeline.h)
//   heat            maps, as in HeatPage.h
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_REPORT_PAGE_WEBPAGE_H
#define GMPROF_REPORT_PAGE_WEBPAGE_H

#include "report/files/SourceText.h"
#include "report/model/Summary.h"
#include <cstdio>
#include <string>
#include <vector>

namespace gmprof {

struct PageSection {
  std::string Name;
  std::string Content; ///< JSON or columns
};

/// Returns the sections made from the summary alone. NotShown: parts that the page lacks, with
/// reasons. Folder: file names below it are shown relative to it.
std::vector<PageSection> pageSections(const summary::Summary &S,
                                      const std::vector<std::string> &NotShown,
                                      const std::string &Folder);

/// Returns false with errno set if writing failed.
bool writeWebPage(const std::vector<PageSection> &Sections, std::FILE *To);

} // namespace gmprof

#endif // GMPROF_REPORT_PAGE_WEBPAGE_H
