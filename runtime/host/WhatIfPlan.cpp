//===- WhatIfPlan.cpp - Which calls of a program to leave out -------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "host/WhatIfPlan.h"
#include "host/CallPaths.h"
#include <algorithm>
#include <nlohmann/json.hpp>

namespace gmprof::host {

using nlohmann::json;

bool WhatIfPlan::movesWaits() const {
  return std::any_of(Places.begin(), Places.end(), [](const Place &P) {
    return std::any_of(P.Ranges.begin(), P.Ranges.end(),
                       [](const Range &R) { return R.Do == Instead::WaitLate; });
  });
}

/// Of a call or frame: throws as get() does, also for numbers that are none of these.
static uint64_t numberOf(const json &From) { return From.get_ref<const uint64_t &>(); }

static bool isInOrder(const std::vector<WhatIfPlan::Range> &Ranges) {
  for (size_t I = 0; I < Ranges.size(); ++I)
    if (Ranges[I].Last < Ranges[I].First || (I > 0 && Ranges[I].First <= Ranges[I - 1].Last))
      return false;
  return true;
}

/// False: it is no place.
static bool readPlace(const json &From, WhatIfPlan::Place &P) {
  P.Api = From.at("api").get<std::string>();
  P.Key = From.at("place").get<std::string>();
  for (const json &Each : From.at("calls")) {
    WhatIfPlan::Range &R = P.Ranges.emplace_back();
    R.First = numberOf(Each.at(0));
    R.Last = numberOf(Each.at(1));
    for (const auto &[Name, Do] : WhatIfPlan::InsteadNames)
      if (Each.at(2) == Name)
        R.Do = Do;
    if (R.Do == WhatIfPlan::Instead::AsItIs)
      return false;
  }
  return isInOrder(P.Ranges);
}

std::optional<WhatIfPlan> parseWhatIfPlan(std::string_view Json) {
  const json From = json::parse(Json, nullptr, /*allow_exceptions=*/false);
  WhatIfPlan Plan;
  try {
    const uint64_t Depth = numberOf(From.at("depth"));
    if (Depth > CallPaths::MaxDepth)
      return std::nullopt;
    Plan.Depth = static_cast<unsigned>(Depth);
    Plan.Reuse = From.at("reuse").get<bool>();
    Plan.Verify = From.at("verify").get<bool>();
    Plan.KernelsAccessManaged = From.at("kernels_access").at("managed").get<bool>();
    Plan.KernelsAccessPinned = From.at("kernels_access").at("pinned").get<bool>();
    Plan.ResultPath = From.at("result").get<std::string>();
    for (const json &Each : From.at("places"))
      if (!readPlace(Each, Plan.Places.emplace_back()))
        return std::nullopt;
  } catch (const json::exception &) {
    return std::nullopt;
  }
  return Plan;
}

} // namespace gmprof::host
