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
  FirstSight = records("sync") && Stage != Config.end() && *Stage == "baseline";
}

bool RunProfiles::records(std::string_view Profile) const {
  return std::ranges::find(Names, Profile) != Names.end();
}

bool RunProfiles::makeChecksOf(std::string_view Profile) const {
  if (unknown())
    return Profile == "shared";
  if (Profile == "sync")
    return records(Profile) && !FirstSight;
  return records(Profile) || (records("elements") && (Profile == "objects" || Profile == "global"));
}

std::string RunProfiles::text() const { return fmt::format("{}", fmt::join(Names, ",")); }

} // namespace gmprof
