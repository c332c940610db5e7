//===- MemoryCommand.cpp - gmreport memory --------------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "analysis/objects/ObjectAnalysis.h"
#include "report/files/ResultFolder.h"
#include "report/model/Quantity.h"
#include "report/tool/Tool.h"
#include "report/views/AccountView.h"
#include <algorithm>
#include <cmath>
#include <map>
#include <memory>

namespace gmprof::tool {
namespace {

const std::map<std::string, MemoryBy> Kinds = {{"everything", MemoryBy::Everything},
                                               {"owner", MemoryBy::Owner},
                                               {"line", MemoryBy::Line},
                                               {"library", MemoryBy::Library},
                                               {"tensor", MemoryBy::Tensor}};

struct MemoryCommand {
  std::string Path = ".", At, By = "everything";
  unsigned Top = 10;
  Style Look;

  int run() const;
  int show(const summary::Summary &S, const std::string &Moment) const {
    return print(textMemory(S, Moment, Kinds.at(By), Look.text(Top)));
  }
};

bool hasAccount(const summary::Summary &S, const std::string &Moment) {
  return S.memory && std::ranges::any_of(S.memory->devices, [&](const summary::DeviceMemory &D) {
           return std::ranges::count(D.accounts, Moment, &summary::MemoryAccount::moment) != 0;
         });
}

/// Replaces the accounts by those at a time, which the event log tells.
std::optional<std::string> addAccounts(ResultFolder &Folder, double Seconds) {
  const Result<profile::Profile> P = Folder.profile("other times than peak, failure and end are");
  if (!P)
    return P.error();
  const analysis::ObjectAnalysis Objects = analysis::analyzeObjects(*P);
  for (summary::DeviceMemory &D : Folder.summary().memory->devices)
    D.accounts = {accountView(
        *P, Objects.Trace,
        analysis::MemoryAccounts(*P, Objects.Trace, D.device)
            .at(P->TheRun.SteadyStartNs + static_cast<uint64_t>(std::llround(Seconds * 1e9))))};
  return std::nullopt;
}

int MemoryCommand::run() const {
  Result<ResultFolder> Folder = ResultFolder::open(Path);
  if (!Folder)
    return fail(BadInput, Folder.error());
  const summary::Summary &S = Folder->summary();
  if (!hasAccount(S, "peak") && !hasAccount(S, "failure"))
    return fail(BadInput, "'" + Path +
                              "' has no device memory: the program allocated none, or "
                              "nothing was recorded");
  if (At.empty())
    return show(S, hasAccount(S, "failure") ? "failure" : "peak");
  if (At == "peak" || At == "failure" || At == "end") {
    if (!hasAccount(S, At))
      return fail(BadInput, "'" + Path + "' has no account at the " + At +
                                (At == "failure" ? ": no allocation failed" : ""));
    return show(S, At);
  }
  const Result<Quantity> Time = parseQuantity(At);
  constexpr double MostSeconds = 1e9;
  if (!Time || Time->Of != Quantity::Unit::Seconds || Time->Value > MostSeconds)
    return fail(BadUsage, "--at: '" + At +
                              "' is neither peak, failure, end nor a time since the "
                              "start, such as 1.5s");
  if (const std::optional<std::string> Why = addAccounts(*Folder, Time->Value))
    return fail(BadInput, *Why);
  return show(S, "chosen");
}

} // namespace

Command addMemory(CLI::App &App) {
  auto C = std::make_shared<MemoryCommand>();
  CLI::App *Sub = App.add_subcommand(
      "memory", "Show who holds the memory of each device: the program, libraries, PyTorch, the "
                "CUDA context, other processes");
  Sub->add_option("summary", C->Path, SummaryHelp)->type_name("FILE")->capture_default_str();
  Sub->add_option(
         "--at", C->At,
         "When: peak, failure (the last failed allocation), end, or a time since the start "
         "(1.5s); default: failure if an allocation failed, else peak")
      ->type_name("TIME");
  Sub->add_option("--by", C->By,
                  "What: owner, line (call sites), library (what libraries allocate for "
                  "themselves), tensor (the largest objects), or everything on one screen")
      ->check(CLI::IsMember({"everything", "owner", "line", "library", "tensor"}))
      ->capture_default_str();
  Sub->add_option("--top", C->Top, "Call sites and objects to show, 0 for all")
      ->capture_default_str();
  C->Look.addTo(*Sub);
  return {Sub, [C] { return C->run(); }};
}

} // namespace gmprof::tool
