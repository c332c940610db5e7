//===- HeatPage.cpp - Heat maps as a web page -----------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "report/page/HeatPage.h"
#include "report/page/HeatPageText.h"
#include "report/text/TextStyle.h"
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <string_view>
#include <unordered_map>

namespace gmprof {

using nlohmann::json;

namespace {

/// Rows of a map, and their patterns.
class PageMap {
public:
  /// MaxRows: remaining rows of the page; this map's rows are subtracted.
  PageMap(const HeatLaunch &Launch, const HeatView &View, uint64_t &MaxRows);

  json Rows = json::array(), Missing = json::array(), Patterns = json::array();

private:
  json rows(HeatOf Of, uint64_t &Left);
  size_t pattern(const HeatRow &Row);

  const HeatLaunch &Launch;
  const HeatView &View;
  uint64_t &MaxRows;
  std::unordered_map<std::string, size_t> Numbers;
};

} // namespace

static char digit(unsigned Temperature) {
  return "0123456789abcdefghijklmnopqrstuvwxyz"[std::min(Temperature, 35u)];
}

size_t PageMap::pattern(const HeatRow &Row) {
  std::string Temperatures(1, digit(Row.Line)), Sharers;
  for (unsigned W = 0; W < View.lineWords(); ++W) {
    Temperatures += digit(Row.Words[W]);
    if (View.shared())
      Sharers += "-TWS"[static_cast<size_t>(Row.Sharers[W])];
  }
  const std::string Key = fmt::format("{} {} {:x} {} {}", Temperatures, Sharers, Row.Places,
                                      Row.SeveralBlocks, Row.Merged);
  auto [It, New] = Numbers.try_emplace(Key, Patterns.size());
  if (!New)
    return It->second;
  json Places = json::array();
  for (unsigned I = 0; I < GMPROF_HEAT_PLACES; ++I)
    if (Row.Places >> I & 1)
      Places.push_back(I);
  json P = {{"t", Temperatures}, {"s", Sharers}, {"p", Places}};
  if (Row.SeveralBlocks)
    P["b"] = 1;
  if (Row.Merged)
    P["m"] = 1;
  Patterns.push_back(std::move(P));
  return It->second;
}

/// Returns null if there are no accesses of the kind.
json PageMap::rows(HeatOf Of, uint64_t &Left) {
  json Flat = json::array();
  bool Any = false;
  forEachHeatRow(Launch, View, Of, [&](const HeatRow &Row) {
    Any = Any || Row.Line != 0;
    if (MaxRows == 0) {
      ++Left;
      return;
    }
    --MaxRows;
    Flat.push_back(Row.Lines);
    Flat.push_back(pattern(Row));
    Flat.push_back(Row.Accesses);
  });
  return Any ? Flat : json();
}

PageMap::PageMap(const HeatLaunch &Launch, const HeatView &View, uint64_t &MaxRows)
    : Launch(Launch), View(View), MaxRows(MaxRows) {
  for (unsigned Of = 0; Of < HeatOfs; ++Of) {
    uint64_t Left = 0;
    const uint64_t Before = MaxRows;
    json Flat = rows(static_cast<HeatOf>(Of), Left);
    const bool Same = Of != 0 && Flat == Rows[0];
    if (Same || Flat.is_null())
      MaxRows = Before;
    Rows.push_back(Same ? json("same") : std::move(Flat));
    Missing.push_back(Left);
  }
}

static std::string positionOf(const profile::SourcePosition &S) {
  if (S.File.empty())
    return {};
  return S.Line ? fmt::format("{}:{}", S.File, S.Line) : S.File;
}

static json viewJson(const HeatLaunch &Launch, const HeatView &View, uint64_t &MaxRows) {
  PageMap Map(Launch, View, MaxRows);
  return {{"name", View.Name},
          {"what", View.What},
          {"source", positionOf(View.Source)},
          {"address", std::to_string(View.Address)},
          {"bytes", View.Bytes},
          {"shared", View.shared()},
          {"lineBytes", View.LineBytes},
          {"lead", View.lead()},
          {"lines", View.lines()},
          {"patterns", std::move(Map.Patterns)},
          {"rows", std::move(Map.Rows)},
          {"missing", std::move(Map.Missing)}};
}

std::string heatPageData(const std::vector<HeatLaunch> &Launches, HeatOf Of,
                         const std::string &Command, SourceText &Source, uint64_t MaxRows) {
  json All = {{"command", Command}, {"kind", static_cast<unsigned>(Of)}};
  for (const HeatLaunch &Launch : Launches) {
    json Places = json::array(), Views = json::array();
    for (const HeatPlace &Place : Launch.Places) {
      const profile::SourcePosition &S = Place.Source;
      Places.push_back(S.File.empty()
                           ? json()
                           : json({{"file", S.File}, {"line", S.Line}, {"text", Source.line(S)}}));
    }
    for (const HeatView &View : Launch.Views)
      Views.push_back(viewJson(Launch, View, MaxRows));
    All["launches"].push_back({{"id", Launch.First.Id},
                               {"launches", Launch.Launches},
                               {"kernel", Launch.Kernel->Demangled},
                               {"grid", text::dim3(Launch.First.Grid)},
                               {"block", text::dim3(Launch.First.Block)},
                               {"sampled", Launch.sampled()},
                               {"warps", Launch.Context->warpsPerBlock()},
                               {"hottest", Launch.hottest()},
                               {"outside", Launch.Context->Outside},
                               {"lost", Launch.Context->Lost},
                               {"places", std::move(Places)},
                               {"views", std::move(Views)}});
  }
  // Escapes "<", so that no name can end the script element or begin another.
  std::string Text = All.dump(-1, ' ', false, json::error_handler_t::replace), Safe;
  Safe.reserve(Text.size());
  for (char C : Text)
    if (C == '<')
      Safe += "\\u003c";
    else
      Safe += C;
  return Safe;
}

bool writeHeatPage(const std::string &Data, std::FILE *To) {
  std::string_view Page = HeatPageHtml;
  const std::pair<std::string_view, std::string_view> Parts[] = {
      {"@STYLE@", HeatPageStyle}, {"@DATA@", Data}, {"@SCRIPT@", HeatPageScript}};
  auto Write = [&](std::string_view Text) {
    return std::fwrite(Text.data(), 1, Text.size(), To) == Text.size();
  };
  for (const auto &[Mark, Text] : Parts) {
    const size_t At = Page.find(Mark);
    if (!Write(Page.substr(0, At)) || !Write(Text))
      return false;
    Page.remove_prefix(At + Mark.size());
  }
  return Write(Page);
}

} // namespace gmprof
