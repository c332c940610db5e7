//===- TextStyle.h - What lines of a report are made of ---------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_REPORT_TEXT_TEXTSTYLE_H
#define GMPROF_REPORT_TEXT_TEXTSTYLE_H

#include "analysis/Wording.h"
#include "report/model/Summary.h"
#include <array>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace gmprof::text {

/// Stand for themselves until the text is complete; then every other control
/// character, which can only have come from the profiled program, is replaced.
constexpr char Bold = '\x01', Dim = '\x02', Red = '\x03', Yellow = '\x04', Plain = '\x05';

std::string styled(char Style, const std::string &Text);

/// Replaces style marks by a terminal's codes, or removes them.
std::string render(const std::string &Text, bool Color);

/// Returns a name or a message in one line: characters that control a terminal become ?.
std::string printable(const std::string &Text);

/// Returns the width in columns: code points, without style marks.
size_t displayWidth(const std::string &Text);

/// Wraps Body to lines of at most Width columns, if words allow; First begins the first line, and
/// further lines are indented by its width.
std::string wrapped(const std::string &First, const std::string &Body, size_t Width);

using gmprof::grouped;
/// Returns a whole or large number with groups of digits; else three digits.
std::string grouped(double X);

std::string basename(const std::string &Path);

/// Returns the file's name and the line; ? if unknown.
std::string shortPosition(const std::optional<summary::Source> &S);

/// Returns the chain from the kernel inwards: outer at a.cu:20 > inner at a.cu:9.
std::string inlinePath(const summary::InlineChain &At);

std::string dim3(const std::array<uint32_t, 3> &D);

/// Rows of cells, aligned; the first column and those in Left to the left.
class Table {
  std::vector<std::vector<std::string>> Rows;
  std::set<size_t> Left;

public:
  explicit Table(std::set<size_t> Left) : Left(std::move(Left)) {}
  void add(std::vector<std::string> Row) { Rows.push_back(std::move(Row)); }

  std::string text(const std::string &Indent) const;
};

} // namespace gmprof::text

#endif // GMPROF_REPORT_TEXT_TEXTSTYLE_H
