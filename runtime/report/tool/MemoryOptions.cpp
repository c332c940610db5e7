//===- MemoryOptions.cpp - Options about owners of memory -----------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "report/tool/MemoryOptions.h"
#include "report/model/Quantity.h"
#include <algorithm>
#include <cmath>
#include <map>

namespace gmprof::tool {

static const std::map<std::string, MemoryBy> Kinds = {{"everything", MemoryBy::Everything},
                                                      {"owner", MemoryBy::Owner},
                                                      {"line", MemoryBy::Line},
                                                      {"library", MemoryBy::Library},
                                                      {"tensor", MemoryBy::Tensor}};

void MemoryOptions::addTo(CLI::App &Command, const std::string &Start) {
  Command
      .add_option("--at", At,
                  "When: peak, failure (the last failed allocation), end, or a time since " +
                      Start + " (1.5s); default: failure if an allocation failed, else peak")
      ->type_name("TIME");
  Command
      .add_option("--by", By,
                  "What: owner, line (call sites), library (what libraries allocate for "
                  "themselves), tensor (the largest objects), or everything on one screen")
      ->check(CLI::IsMember({"everything", "owner", "line", "library", "tensor"}))
      ->capture_default_str();
  Command.add_option("--top", Top, "Call sites and objects to show, 0 for all")
      ->capture_default_str();
  Look.addTo(Command);
}

MemoryBy MemoryOptions::by() const { return Kinds.at(By); }

Result<std::optional<uint64_t>> MemoryOptions::time() const {
  constexpr double MostSeconds = 1e9;
  if (At.empty() || At == "peak" || At == "failure" || At == "end")
    return std::optional<uint64_t>();
  const Result<Quantity> Time = parseQuantity(At);
  if (!Time || Time->Of != Quantity::Unit::Seconds || Time->Value > MostSeconds)
    return Error{"--at: '" + At +
                 "' is neither peak, failure, end nor a time since the start, such as 1.5s"};
  return std::optional(static_cast<uint64_t>(std::llround(Time->Value * 1e9)));
}

static bool hasAccount(const summary::Summary &S, const std::string &Moment) {
  return S.memory && std::ranges::any_of(S.memory->devices, [&](const summary::DeviceMemory &D) {
           return std::ranges::count(D.accounts, Moment, &summary::MemoryAccount::moment) != 0;
         });
}

Result<std::string> MemoryOptions::moment(const summary::Summary &S,
                                          const std::string &Path) const {
  if (!hasAccount(S, "peak") && !hasAccount(S, "failure"))
    return Error{"'" + Path +
                 "' has no device memory: the program allocated none, or nothing was recorded"};
  if (At.empty())
    return std::string(hasAccount(S, "failure") ? "failure" : "peak");
  if (!hasAccount(S, At))
    return Error{"'" + Path + "' has no account at the " + At +
                 (At == "failure" ? ": no allocation failed" : "")};
  return At;
}

} // namespace gmprof::tool
