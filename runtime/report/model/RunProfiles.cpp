//===- RunProfiles.cpp - Profiles of a summary's run ----------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "report/model/RunProfiles.h"
#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

namespace gmprof {

RunProfiles::RunProfiles(const summary::Summary &S) {
  const auto Config = nlohmann::json::parse(S.config.text, nullptr, /*allow_exceptions=*/false);
  if (!Config.is_object())
    return;
  if (const auto All = Config.find("profiles"); All != Config.end() && All->is_array()) {
    for (const auto &Each : *All)
      if (Each.is_string())
        Names.push_back(Each.get<std::string>());
  } else if (const auto One = Config.find("profile"); One != Config.end() && One->is_string()) {
    Names.push_back(One->get<std::string>());
  }
  std::ranges::sort(Names);
  const auto Stage = Config.find("sync_stage");
  FirstSight = std::ranges::any_of(Names, profile::recordsCalls) && Stage != Config.end() &&
               *Stage == "baseline";
}

bool RunProfiles::makeChecksOf(std::string_view Profile) const {
  if (unknown())
    return Profile == profile::UnnamedProfile;
  if (profile::recordsCalls(Profile) && FirstSight)
    return false;
  return std::ranges::any_of(Names, [&](const std::string &Each) {
    const profile::ProfileTraits *Traits = profile::traitsOf(Each);
    return Traits ? Traits->makesChecksOf(Profile) : Each == Profile;
  });
}

bool RunProfiles::measure(profile::Measured Accesses) const {
  return std::ranges::any_of(
      Names, [&](const std::string &Each) { return profile::measures(Each, Accesses); });
}

bool RunProfiles::recordObjects() const {
  return std::ranges::any_of(Names, [](const std::string &Each) {
    const profile::ProfileTraits *Traits = profile::traitsOf(Each);
    return Traits && Traits->Objects;
  });
}

bool RunProfiles::recordCalls() const { return std::ranges::any_of(Names, profile::recordsCalls); }

bool RunProfiles::makeChecksOfCalls() const { return recordCalls() && !FirstSight; }

std::string RunProfiles::text() const { return fmt::format("{}", fmt::join(Names, ",")); }

} // namespace gmprof
