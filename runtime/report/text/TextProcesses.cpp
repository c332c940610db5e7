//===- TextProcesses.cpp - Merged summaries in the report -----------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "report/check/ProcessNames.h"
#include "report/model/Measures.h"
#include "report/text/TextPrinter.h"
#include "report/views/AccountView.h"
#include <algorithm>
#include <array>
#include <map>
#include <tuple>

namespace gmprof::text {

using namespace summary;

static std::string value(const Spread &Of, double X) {
  return Of.unit == "seconds" ? fmt::format("{:.6f}", X) : grouped(X);
}

/// Returns the name of a measure, with the kernel or object that it belongs to.
static std::string nameOf(const Spread &Of) {
  const std::string Unit = Of.unit.empty() ? "" : ", " + Of.unit;
  return Of.of.empty() ? Of.name + Unit : fmt::format("{}({}){}", Of.name, Of.of, Unit);
}

/// Formats how a process ended.
static std::string endOf(const MergedProcess &P) {
  const std::string Status =
      P.exit_status ? fmt::format("exit status {}", *P.exit_status) : "exit status unknown";
  return P.complete ? Status : Status + ", died";
}

void Printer::commandsOfProcesses(const Processes &P, bool All) {
  // Processes of one command on one host that ended alike, failures first.
  std::map<std::tuple<bool, std::string, std::string, std::string>, std::vector<uint32_t>> Groups;
  for (uint32_t I = 0; I < P.list.size(); ++I) {
    const MergedProcess &Each = P.list[I];
    Groups[{Each.complete && Each.exit_status.value_or(0) == 0, endOf(Each), Each.host,
            fmt::format("{}", fmt::join(Each.command, " "))}]
        .push_back(I);
  }
  constexpr size_t Shown = 8;
  Table T({0, 1, 2, 3});
  T.add({"processes", "end", "host", "command"});
  size_t Rows = 0;
  for (const auto &[Of, Which] : Groups) {
    if (!All && Rows == Shown)
      break;
    ++Rows;
    T.add({processNames(P, Which), std::get<1>(Of), std::get<2>(Of), std::get<3>(Of)});
  }
  line("\n{}", styled(Bold, "Processes"));
  Text += T.text("  ");
  if (Rows < Groups.size())
    paragraph("  ", fmt::format("{} more commands; --details shows all", Groups.size() - Rows));
}

void Printer::processes(bool All) {
  if (!S.processes || S.processes->list.empty())
    return;
  const Processes &P = *S.processes;
  commandsOfProcesses(P, All);
  // The rank alone, if each has one.
  const bool Ranks = std::all_of(P.list.begin(), P.list.end(),
                                 [](const MergedProcess &Each) { return Each.rank.has_value(); });
  auto Name = [&](uint32_t I) {
    return I >= P.list.size() ? "?"
           : Ranks            ? std::to_string(*P.list[I].rank)
                              : processName(P.list[I]);
  };
  Table T({0, 6});
  const char *Who = Ranks ? "rank" : "process";
  T.add({"number", "least", Who, "mean", "greatest", Who, "outliers"});
  const auto Add = [&](Table &To, const std::string &What, const Spread &Each) {
    To.add({What, value(Each, Each.min), Name(Each.min_process), value(Each, Each.mean),
            value(Each, Each.max), Name(Each.max_process),
            Each.outliers.empty() ? "-" : processNames(P, Each.outliers)});
  };
  size_t Rows = 0, Same = 0, Others = 0;
  for (const Spread &Each : P.measures) {
    if (Each.name == MemoryMeasure)
      continue;
    if (!All && Each.min == Each.max) {
      ++Same;
      continue;
    }
    if (!All && !Each.of.empty() && Each.outliers.empty()) {
      ++Others;
      continue;
    }
    Add(T, nameOf(Each), Each);
    ++Rows;
  }
  if (Rows == 0) {
    line("\nAll numbers are the same in all processes.");
  } else {
    line("\n{}", styled(Bold, "Numbers by process"));
    Text += T.text("  ");
  }
  if (Rows != 0 && (Same || Others))
    paragraph("  ", fmt::format("{} the same in all of them{}; --details shows all",
                                Same == 1 ? "1 more is" : fmt::format("{} more are", Same),
                                Others ? fmt::format(", {} of kernels and objects differ without "
                                                     "outliers",
                                                     Others)
                                       : ""));
  std::vector<const Spread *> Owners;
  for (const Spread &Each : P.measures)
    if (Each.name == MemoryMeasure)
      Owners.push_back(&Each);
  if (Owners.empty())
    return;
  std::ranges::sort(Owners, {}, [](const Spread *S) { return std::pair(-S->max, S->of); });
  Table Memory({0, 6});
  Memory.add({"owner, bytes", "least", Who, "mean", "greatest", Who, "outliers"});
  for (const Spread *Each : Owners)
    Add(Memory, gmprof::ownerText(Each->of, ""), *Each);
  line("\n{}", styled(Bold, "Memory at the peak by process"));
  Text += Memory.text("  ");
}

std::string Printer::processesOf(const Finding &F) const {
  if (!S.processes)
    return "";
  for (const MergedFinding &M : S.processes->findings)
    if (M.fingerprint == F.fingerprint) {
      const size_t All = S.processes->list.size();
      if (M.processes.size() == All)
        return fmt::format("in all {}", plural(All, "process"));
      return fmt::format("in {} of {}: {}", M.processes.size(), plural(All, "process"),
                         processNames(*S.processes, M.processes));
    }
  return "";
}

} // namespace gmprof::text
