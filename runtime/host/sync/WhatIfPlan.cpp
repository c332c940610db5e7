//===- WhatIfPlan.cpp - Which calls of a program to leave out -------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "host/sync/WhatIfPlan.h"
#include "host/objects/CallPaths.h"
#include <algorithm>
#include <charconv>
#include <iomanip>
#include <sstream>

namespace gmprof::host {
namespace {

using Instead = WhatIfPlan::Instead;

/// Reads the words of a plan. Each function returns false, and changes nothing, at a word that it
/// does not expect.
class PlanReader {
public:
  explicit PlanReader(const std::string &Text) : From(Text) {}

  std::string word() {
    std::string Word;
    From >> Word;
    return Word;
  }
  bool keyword(std::string_view Expected) { return word() == Expected; }
  bool string(std::string &To) {
    return (From >> std::ws).peek() == '"' && From >> std::quoted(To);
  }
  bool number(uint64_t &To, uint64_t Most = UINT64_MAX) {
    const std::string Digits = word();
    uint64_t Value = 0;
    const auto [End, Failure] =
        std::from_chars(Digits.data(), Digits.data() + Digits.size(), Value);
    if (Digits.empty() || End != Digits.data() + Digits.size() || Failure != std::errc() ||
        Value > Most)
      return false;
    To = Value;
    return true;
  }
  bool boolean(bool &To) {
    uint64_t Value = 0;
    if (!number(Value, 1))
      return false;
    To = Value == 1;
    return true;
  }
  bool instead(Instead &To) {
    const std::string Word = word();
    for (const auto &[Name, Do] : WhatIfPlan::InsteadNames)
      if (Word == Name) {
        To = Do;
        return true;
      }
    return false;
  }
  bool ended() { return (From >> std::ws).eof(); }

private:
  std::istringstream From;
};

} // namespace

bool WhatIfPlan::movesWaits() const {
  return std::any_of(Places.begin(), Places.end(), [](const Place &P) {
    return std::any_of(P.Ranges.begin(), P.Ranges.end(),
                       [](const Range &R) { return R.Do == Instead::WaitLate; });
  });
}

std::string formatWhatIfPlan(const WhatIfPlan &Plan) {
  std::ostringstream To;
  To << "depth " << Plan.Depth << "\nreuse " << Plan.Reuse << "\nverify " << Plan.Verify
     << "\nkernels_access " << Plan.KernelsAccessManaged << ' ' << Plan.KernelsAccessPinned
     << "\nresult " << std::quoted(Plan.ResultPath) << '\n';
  for (const WhatIfPlan::Place &P : Plan.Places) {
    To << "place " << std::quoted(P.Api) << ' ' << std::quoted(P.Key) << '\n';
    for (const WhatIfPlan::Range &R : P.Ranges)
      for (const auto &[Name, Do] : WhatIfPlan::InsteadNames)
        if (R.Do == Do)
          To << "calls " << R.First << ' ' << R.Last << ' ' << Name << '\n';
  }
  To << "end\n";
  return To.str();
}

std::optional<WhatIfPlan> parseWhatIfPlan(const std::string &Text) {
  PlanReader From(Text);
  WhatIfPlan Plan;
  uint64_t Depth = 0;
  if (!From.keyword("depth") || !From.number(Depth, CallPaths::MaxDepth) ||
      !From.keyword("reuse") || !From.boolean(Plan.Reuse) || !From.keyword("verify") ||
      !From.boolean(Plan.Verify) || !From.keyword("kernels_access") ||
      !From.boolean(Plan.KernelsAccessManaged) || !From.boolean(Plan.KernelsAccessPinned) ||
      !From.keyword("result") || !From.string(Plan.ResultPath))
    return std::nullopt;
  Plan.Depth = static_cast<unsigned>(Depth);
  for (std::string Word = From.word(); Word != "end"; Word = From.word()) {
    if (Word == "place") {
      WhatIfPlan::Place &P = Plan.Places.emplace_back();
      if (!From.string(P.Api) || !From.string(P.Key))
        return std::nullopt;
      continue;
    }
    WhatIfPlan::Range R;
    if (Word != "calls" || Plan.Places.empty() || !From.number(R.First) || !From.number(R.Last) ||
        R.Last < R.First || !From.instead(R.Do))
      return std::nullopt;
    std::vector<WhatIfPlan::Range> &Ranges = Plan.Places.back().Ranges;
    if (!Ranges.empty() && R.First <= Ranges.back().Last)
      return std::nullopt;
    Ranges.push_back(R);
  }
  return From.ended() ? std::optional(std::move(Plan)) : std::nullopt;
}

} // namespace gmprof::host
