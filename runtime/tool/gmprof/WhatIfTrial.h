//===- WhatIfTrial.h - Runs with and without calls --------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Holds the runs of gmprof whatif with and without the calls of findings, computes what they show,
// and formats it as JSON and text.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_TOOL_GMPROF_WHATIFTRIAL_H
#define GMPROF_TOOL_GMPROF_WHATIFTRIAL_H

#include "report/files/SkipPlanFile.h"
#include "tool/gmprof/OutputComparison.h"
#include "tool/gmprof/WhatIf.h"
#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>

namespace gmprof::host {

/// A run of the program.
struct WhatIfRun {
  RunOutput Output;
  double Seconds = 0; ///< after the first call that needs the GPU
  double WallSeconds = 0;
  bool Timed = false;            ///< Seconds is known
  nlohmann::ordered_json Result; ///< of host/sync/WhatIf.h
};

/// Findings, and the results of running without their calls.
struct WhatIfTrial {
  const summary::Summary &S;
  const std::vector<const summary::Finding *> Findings;
  analysis::SkipPlan Plan;
  std::vector<WhatIfRun> AsItIs, Without;
  std::optional<WhatIfRun> Verification;
  OutputComparison Output;

  const summary::SyncSite *siteOf(const summary::Finding &F) const {
    return F.site ? &S.sync->sites[*F.site] : nullptr;
  }
  /// Returns the time to compare: process times if a run ended before it wrote its own time.
  double WhatIfRun::*measured() const {
    auto Timed = [](const WhatIfRun &R) { return R.Timed; };
    return std::all_of(AsItIs.begin(), AsItIs.end(), Timed) &&
                   std::all_of(Without.begin(), Without.end(), Timed)
               ? &WhatIfRun::Seconds
               : &WhatIfRun::WallSeconds;
  }
  double estimated() const {
    double Sum = 0;
    for (const summary::Finding *F : Findings)
      Sum += F->seconds_saved.value_or(0);
    return Sum;
  }
  std::optional<double> replay() const {
    return Plan.ReplaySaving ? std::optional(static_cast<double>(*Plan.ReplaySaving) / 1e9)
                             : std::nullopt;
  }
  /// Returns the first run's numbers; null if it left none.
  const nlohmann::ordered_json *numbers() const {
    return Without.empty() || !Without.front().Timed ? nullptr : &Without.front().Result;
  }
  uint64_t counted(const char *What) const {
    return numbers() ? numbers()->at(What).get<uint64_t>() : 0;
  }
  uint64_t callsAt(size_t Place) const {
    return numbers() ? numbers()->at("calls").at(Place).get<uint64_t>() : 0;
  }
  uint64_t leftOut() const {
    uint64_t Sum = 0;
    if (numbers())
      for (const auto &[Name, Count] : numbers()->at("instead").items())
        Sum += Count.get<uint64_t>();
    return Sum;
  }
  /// Returns a number about deferred waits.
  uint64_t late(const char *What) const {
    return numbers() && numbers()->contains("late") ? numbers()->at("late").at(What).get<uint64_t>()
                                                    : 0;
  }
  std::vector<std::pair<std::string, uint64_t>> madeAtOnce() const {
    std::vector<std::pair<std::string, uint64_t>> All;
    if (numbers() && numbers()->contains("late"))
      for (const auto &[Why, Count] : numbers()->at("late").at("at_once").items())
        All.emplace_back(Why, Count.get<uint64_t>());
    return All;
  }
  /// Returns whether some use may not have waited, so that the program may have computed something
  /// else.
  bool unsafe() const {
    return std::any_of(Without.begin(), Without.end(), [](const WhatIfRun &R) {
      return R.Timed && R.Result.contains("late") && R.Result["late"].at("gave_up").get<bool>();
    });
  }
  bool onlyMoves() const {
    return std::all_of(Findings.begin(), Findings.end(), [](const summary::Finding *F) {
      return F->pattern == "misplaced_synchronization";
    });
  }
  uint64_t copiesThatDiffer() const {
    return Verification && Verification->Timed ? Verification->Result.at("differ").get<uint64_t>()
                                               : 0;
  }
  bool leavesOutCopies() const {
    return std::any_of(Findings.begin(), Findings.end(), [](const summary::Finding *F) {
      return F->pattern == "duplicate_transfer";
    });
  }
  bool changed() const { return !Output.same() || copiesThatDiffer() != 0 || unsafe(); }
};

/// Returns the result, as schema gmprof.whatif/1.
nlohmann::ordered_json toJson(const WhatIfTrial &T, const WhatIfCommand &Command);
/// Returns the lines that the command prints.
std::string toText(const WhatIfTrial &T);

} // namespace gmprof::host

#endif // GMPROF_TOOL_GMPROF_WHATIFTRIAL_H
