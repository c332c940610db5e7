//===- MemoryCommand.cpp - gmreport memory --------------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "analysis/objects/ObjectAnalysis.h"
#include "report/files/ResultFolder.h"
#include "report/tool/MemoryOptions.h"
#include "report/views/AccountView.h"
#include <memory>

namespace gmprof::tool {
namespace {

struct MemoryCommand {
  std::string Path = ".";
  MemoryOptions Options;

  int run() const;
  int show(const summary::Summary &S, const std::string &Moment) const {
    return print(textMemory(S, Moment, Options.by(), Options.Look.text(Options.Top)));
  }
};

/// Replaces the accounts by those at a time since the start, which the event log tells.
std::optional<std::string> addAccounts(ResultFolder &Folder, uint64_t Ns) {
  const Result<profile::Profile> P = Folder.profile("other times than peak, failure and end are");
  if (!P)
    return P.error();
  const analysis::ObjectAnalysis Objects = analysis::analyzeObjects(*P);
  for (summary::DeviceMemory &D : Folder.summary().memory->devices)
    D.accounts = {accountView(
        *P, Objects.Trace,
        analysis::MemoryAccounts(*P, Objects.Trace, D.device).at(P->TheRun.SteadyStartNs + Ns))};
  return std::nullopt;
}

int MemoryCommand::run() const {
  Result<ResultFolder> Folder = ResultFolder::open(Path);
  if (!Folder)
    return fail(BadInput, Folder.error());
  const Result<std::optional<uint64_t>> Time = Options.time();
  if (!Time)
    return fail(BadUsage, Time.error());
  MemoryOptions OfSummary = Options;
  if (*Time)
    OfSummary.At.clear();
  const Result<std::string> Moment = OfSummary.moment(Folder->summary(), Path);
  if (!Moment)
    return fail(BadInput, Moment.error());
  if (!*Time)
    return show(Folder->summary(), *Moment);
  if (const std::optional<std::string> Why = addAccounts(*Folder, **Time))
    return fail(BadInput, *Why);
  return show(Folder->summary(), "chosen");
}

} // namespace

Command addMemory(CLI::App &App) {
  auto C = std::make_shared<MemoryCommand>();
  CLI::App *Sub = App.add_subcommand(
      "memory", "Show who holds the memory of each device: the program, libraries, PyTorch, the "
                "CUDA context, other processes");
  Sub->add_option("summary", C->Path, SummaryHelp)->type_name("FILE")->capture_default_str();
  C->Options.addTo(*Sub, "the start");
  return {Sub, [C] { return C->run(); }};
}

} // namespace gmprof::tool
