//===- HeatCommand.cpp - gmreport heat ------------------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "profile/Progress.h"
#include "report/files/ResultFolder.h"
#include "report/files/SourceText.h"
#include "report/formats/HeatCsv.h"
#include "report/formats/HeatSvg.h"
#include "report/page/HeatPage.h"
#include "report/text/HeatTerminal.h"
#include "report/tool/Tool.h"
#include "report/views/HeatViews.h"
#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <iterator>
#include <memory>
#include <optional>

namespace gmprof::tool {
namespace {

struct HeatCommand {
  std::string Path;
  HeatChoice Choice;
  std::string By = "all", Format = "text", Output;
  std::optional<unsigned> Top;
  bool Expand = false;
  uint64_t Limit = 1'000'000;
  Style Look;

  HeatOf of() const {
    const auto *Name = std::find(std::begin(HeatOfNames), std::end(HeatOfNames), By);
    return static_cast<HeatOf>(Name - std::begin(HeatOfNames));
  }
  int csv(const std::vector<HeatLaunch> &Launches) const;
  int page(const std::vector<HeatLaunch> &Launches, const profile::Run &Run,
           SourceText &Source) const;
  int picture(const std::vector<HeatLaunch> &Launches, SourceText &Source) const;
  int run();
};

int HeatCommand::csv(const std::vector<HeatLaunch> &Launches) const {
  if (Expand)
    if (uint64_t Sectors = heatSectors(Launches, of()); Sectors > Limit)
      return fail(BadInput,
                  fmt::format("there are {} sectors, and --limit is {}: raise it, choose with "
                              "--kernel, --launch or --object, or leave out --expand",
                              Sectors, Limit));
  return writeFile(Output, [&](std::FILE *To) { return writeHeatCsv(Launches, of(), Expand, To); });
}

int HeatCommand::page(const std::vector<HeatLaunch> &Launches, const profile::Run &Run,
                      SourceText &Source) const {
  const std::string Data =
      heatPageData(Launches, of(), fmt::format("{}", fmt::join(Run.Command, " ")), Source);
  const int Status = writeFile(Output, [&](std::FILE *To) { return writeHeatPage(Data, To); });
  if (Status == Ok && Output != "-")
    std::printf("wrote %s: open it with a web browser\n", Output.c_str());
  return Status;
}

int HeatCommand::picture(const std::vector<HeatLaunch> &Launches, SourceText &Source) const {
  size_t Maps = 0;
  for (const HeatLaunch &L : Launches)
    Maps += L.Views.size();
  if (Maps != 1)
    return fail(BadInput, fmt::format("a picture is of one map, and {} match: choose with "
                                      "--kernel, --launch and --object",
                                      Maps));
  return writeFile(Output,
                   heatSvg(Launches[0], Launches[0].Views[0], of(), Source, Top.value_or(256)));
}

int HeatCommand::run() {
  const Result<ResultFolder> Results = ResultFolder::open(Path);
  if (!Results)
    return fail(BadInput, Results.error());
  const Result<profile::Profile> P = Results->profile("heat maps are");
  if (!P)
    return fail(BadInput, P.error());
  progress("drawing heat maps");
  Result<std::vector<HeatLaunch>> Launches = heatViews(*P, Choice);
  if (!Launches)
    return fail(BadInput, "'" + Path + "': " + Launches.error());
  if (Output.empty())
    Output = Format == "html" ? "heat.html" : "-";
  SourceText Source(P->TheRun.StartUnixNs);
  if (Format == "csv")
    return csv(*Launches);
  if (Format == "html")
    return page(*Launches, P->TheRun, Source);
  if (Format == "svg")
    return picture(*Launches, Source);
  return writeFile(Output, heatText(*Launches, of(), Source, Look.text(Top.value_or(40))));
}

} // namespace

Command addHeat(CLI::App &App) {
  auto C = std::make_shared<HeatCommand>();
  CLI::App *Sub =
      App.add_subcommand("heat", "Show how many warps of a block access each word and sector");
  Sub->add_option("summary", C->Path, SummaryHelp)->required()->type_name("FILE");
  Sub->add_option("--kernel", C->Choice.Kernel, KernelHelp)->type_name("REGEX");
  Sub->add_option("--object", C->Choice.Object, "Only the object or shared array of this name");
  Sub->add_option("--launch", C->Choice.Launch, "Only this launch: 1, 2 and so on")
      ->check(CLI::PositiveNumber);
  Sub->add_option("--by", C->By, "Kind of accesses: all, reads, writes or atomics")
      ->check(
          CLI::IsMember(std::vector<std::string>(std::begin(HeatOfNames), std::end(HeatOfNames))))
      ->capture_default_str();
  Sub->add_option("--format", C->Format, "text; csv; html: a web page; svg: a picture of one map")
      ->check(CLI::IsMember({"text", "csv", "html", "svg"}))
      ->capture_default_str();
  Sub->add_option("-o,--output", C->Output,
                  "The file to write, - for the standard output (-, or heat.html)")
      ->type_name("FILE");
  Sub->add_option("--top", C->Top,
                  "Rows of each map in text (default 40), columns in svg (default 256), 0 for all");
  Sub->add_flag("--expand", C->Expand,
                "In csv, write a line per sector instead of per run of equal sectors");
  Sub->add_option("--limit", C->Limit, "Most lines that --expand writes")->capture_default_str();
  C->Look.addTo(*Sub);
  return {Sub, [C] { return C->run(); }};
}

} // namespace gmprof::tool
