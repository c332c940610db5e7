//===- RunSummary.cpp - The run and its devices ---------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "report/builder/RunSummary.h"
#include <algorithm>
#include <ctime>
#include <fmt/chrono.h>

namespace gmprof {

void addRun(const profile::Profile &P, std::optional<int> ExitStatus, summary::Summary &S) {
  const profile::Run &R = P.TheRun;
  S.schema = summary::SchemaPrefix + std::to_string(summary::SchemaVersion);
  S.tool = {R.ToolName.empty() ? "gmprof" : R.ToolName, R.ToolVersion};
  S.config.text = R.ConfigJson;
  S.run.command = R.Command;
  S.run.host = R.Host;
  S.run.pid = R.Pid;
  S.run.ppid = R.ParentPid;
  S.run.rank = R.Rank;
  auto Seconds = static_cast<std::time_t>(R.StartUnixNs / 1'000'000'000);
  S.run.start = fmt::format("{:%Y-%m-%dT%H:%M:%S}.{:03}Z", fmt::gmtime(Seconds),
                            R.StartUnixNs / 1'000'000 % 1000);
  if (R.Ended && R.SteadyEndNs >= R.SteadyStartNs)
    S.run.wall_seconds = static_cast<double>(R.SteadyEndNs - R.SteadyStartNs) / 1e9;
  S.run.exit_status = ExitStatus ? ExitStatus : R.ExitStatus;
  S.run.complete = R.Ended && !R.Truncated;
  S.run.device = R.DeviceKind;
  for (const profile::Device &D : P.Devices)
    S.devices.push_back({D.Id, D.Name, D.ComputeCapability, {D.AttributesJson}});
  // Threads record devices in any order.
  std::ranges::sort(S.devices, {}, &summary::Device::id);
}

} // namespace gmprof
