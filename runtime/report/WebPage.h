//===- WebPage.h - A report as a web page -----------------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One file that needs no other and no network: the page that web/ is built to, and in it the
// data, in sections that the page unpacks when it shows them. A section is compressed (gzip, which
// browsers unpack by themselves) and written as base64, so that nothing in it is markup.
//
//   summary   summary.json
//   texts     what the text report says of it, so that both say the same
//   source    lines of the program (PageSource.h)
//
// and, where the event log can be read,
//
//   memory, calls   columns (PageTimeline.h)
//   heat            maps, as in HeatPage.h
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_REPORT_WEBPAGE_H
#define GMPROF_REPORT_WEBPAGE_H

#include "report/SourceText.h"
#include "report/Summary.h"
#include <cstdio>
#include <string>
#include <vector>

namespace gmprof {

struct PageSection {
  std::string Name;
  std::string Content; ///< JSON or columns
};

/// The sections that a summary is enough for. NotShown: what the page lacks, and why. Folder: files
/// below it are named relative to it.
std::vector<PageSection> pageSections(const summary::Summary &S,
                                      const std::vector<std::string> &NotShown,
                                      const std::string &Folder);

/// Returns whether all was written; errno says what went wrong.
bool writeWebPage(const std::vector<PageSection> &Sections, std::FILE *To);

} // namespace gmprof

#endif // GMPROF_REPORT_WEBPAGE_H
