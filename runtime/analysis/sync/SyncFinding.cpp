//===- SyncFinding.cpp - Findings about calls -----------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "analysis/sync/SyncFinding.h"
#include "analysis/ProgramSource.h"
#include "analysis/Wording.h"
#include <algorithm>
#include <fmt/format.h>

namespace gmprof::analysis {

using profile::None;

std::string placeOf(const profile::Profile &P, uint32_t CallPath) {
  if (CallPath == None)
    return "";
  const profile::SourcePosition S = programSource(P.CallPaths[CallPath]);
  return S.File.empty() ? "" : placeText({S.File, S.Line, 0});
}

static Severity severityOf(uint64_t Benefit, uint64_t WallNs) {
  const double Share = WallNs == 0 ? 0 : static_cast<double>(Benefit) / static_cast<double>(WallNs);
  return Share >= 0.05    ? Severity::High
         : Share >= 0.01  ? Severity::Medium
         : Share >= 0.001 ? Severity::Low
                          : Severity::Info;
}

std::string someOf(uint64_t Some, uint64_t All, const std::string &One) {
  if (Some != All)
    return fmt::format("{} of {} {}", grouped(Some), grouped(All), pluralOf(One));
  return All == 1 ? "The " + One : "All " + plural(All, One);
}

uint64_t SyncSaving::least() const {
  return Replay ? std::min(Expected, static_cast<uint64_t>(std::max<int64_t>(*Replay, 0)))
                : Expected;
}

Finding syncFinding(const SyncRuns &Runs, const SyncProblems &S, const SyncSite &Site,
                    const char *Pattern, const SyncSaving &Saving) {
  Finding F;
  F.Pattern = Pattern;
  F.Origin = "diogenes";
  F.Object = Site.Api;
  F.Site = static_cast<uint32_t>(&Site - S.Sites.data());
  F.Level = severityOf(Saving.least(), Runs.WallNs);
  F.SecondsSaved = seconds(Saving.least());
  F.Evidence.emplace_back("expected_seconds", seconds(Saving.Expected));
  if (Saving.Replay)
    F.Evidence.emplace_back("replay_seconds", seconds(*Saving.Replay));
  if (Site.CallPath == None)
    return F;
  const profile::CallPath &Path = Runs.Trace->CallPaths[Site.CallPath];
  if (const profile::Frame *Caller = programFrame(Path)) {
    F.Source = Caller->Source;
    F.Function = foldedName(Caller->Function);
  }
  for (const profile::Frame &Frame : Path.Frames)
    if (!Frame.Source.File.empty())
      F.CallPath.push_back(Frame.Source);
  return F;
}

std::string lineKey(const profile::Profile &P, const std::string &Api, uint32_t CallPath) {
  std::string Key = Api;
  if (CallPath == None)
    return Key;
  const profile::CallPath &Path = P.CallPaths[CallPath];
  if (const profile::SourcePosition S = programSource(Path); !S.File.empty())
    return fmt::format("{}|{}:{}", Key, S.File, S.Line);
  for (uint64_t Address : Path.Addresses)
    Key += fmt::format("|{:x}", Address);
  return Key;
}

std::map<std::string, CallsOfLine> callsByLine(const SyncRuns &Runs, const SyncProblems &S) {
  std::map<std::string, CallsOfLine> All;
  for (const SyncSite &Site : S.Sites) {
    CallsOfLine &To = All[lineKey(*Runs.Trace, Site.Api, Site.CallPath)];
    if (!To.First)
      To.First = &Site;
    To.Calls += Site.Calls;
    To.CallNs += Site.CallNs;
    To.WaitNs += Site.WaitNs;
    To.UnnecessaryWaits |= Site.Unnecessary != 0 && Site.Waited != 0;
  }
  return All;
}

std::vector<Finding> syncFindings(const profile::Profile &P, const SyncRuns &Runs,
                                  const SyncProblems &S) {
  std::vector<Finding> All;
  for (const SyncPattern Find : SyncPatterns)
    for (Finding &F : Find(Runs, S))
      All.push_back(std::move(F));
  setFingerprints(All, P);
  return All;
}

} // namespace gmprof::analysis
