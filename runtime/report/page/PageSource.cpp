//===- PageSource.cpp - Source text for the web page ----------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "report/page/PageSource.h"
#include "report/model/SummaryJson.h"
#include "report/page/PageColumns.h"
#include <algorithm>
#include <map>
#include <set>

namespace gmprof {

using nlohmann::ordered_json;

static constexpr size_t MaxColumns = 1000;

/// Line numbers per file.
using Positions = std::map<std::string, std::set<unsigned>>;

/// Collects the positions: objects with a file and a line, at any depth.
static void findPositions(const ordered_json &J, Positions &To) {
  if (!J.is_structured())
    return;
  if (J.is_object()) {
    const auto File = J.find("file"), Line = J.find("line");
    if (File != J.end() && Line != J.end() && File->is_string() && Line->is_number_unsigned())
      To[File->get<std::string>()].insert(Line->get<unsigned>());
  }
  for (const ordered_json &Each : J)
    findPositions(Each, To);
}

/// Returns disjoint ranges of lines around the named ones.
static ordered_json parts(const std::vector<std::string> &Lines, const std::set<unsigned> &Named,
                          size_t &Room, uint64_t &LeftOut) {
  ordered_json Parts = ordered_json::array();
  size_t End = 0; // end of the lines that were added or omitted
  for (unsigned Line : Named) {
    if (Line == 0 || Line > Lines.size())
      continue;
    const size_t First =
        std::max<size_t>(End, Line > PageSourceAround ? Line - PageSourceAround - 1 : 0);
    const size_t Last = std::min<size_t>(Lines.size(), size_t(Line) + PageSourceAround);
    if (Parts.empty() || First > End)
      Parts.push_back({First + 1, ordered_json::array()});
    for (size_t I = First; I < Last; ++I) {
      std::string Text = Lines[I].substr(0, MaxColumns);
      if (Text.size() > Room) {
        LeftOut += Last - I;
        break;
      }
      Room -= Text.size();
      Parts.back()[1].push_back(std::move(Text));
    }
    End = std::max(End, Last);
  }
  return Parts;
}

std::string pageSource(const summary::Summary &S, SourceText &Source, size_t MaxBytes) {
  Positions Named;
  findPositions(ordered_json::parse(toJson(S)), Named);
  ordered_json Files = ordered_json::array();
  uint64_t LeftOut = 0;
  for (const auto &[Path, Lines] : Named) {
    if (Source.state(Path) != SourceText::State::Read)
      continue;
    ordered_json Parts = parts(Source.lines(Path), Lines, MaxBytes, LeftOut);
    if (!Parts.empty())
      Files.push_back({{"path", Path}, {"parts", std::move(Parts)}});
  }
  return pageJson({{"files", std::move(Files)}, {"lines_left_out", LeftOut}});
}

} // namespace gmprof
