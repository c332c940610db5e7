//===- CallVerdicts.cpp - Verdicts of all stages on the traced calls ------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "analysis/sync/CallVerdicts.h"
#include <algorithm>
#include <functional>
#include <map>

namespace gmprof::analysis {

using Need = SyncVerdict::Need;
using profile::ApiCall;
using profile::None;
using profile::Profile;

namespace {

/// Takes the verdicts of one stage's run after the other.
class StageVerdicts : public CallVerdicts {
public:
  StageVerdicts(const SyncRuns &Runs, const SyncTrace &T, SyncProblems &S)
      : CallVerdicts{std::vector<SyncVerdict>(T.Calls.size()),
                     std::vector<CopyVerdict>(T.Calls.size()),
                     std::vector<MigrationWait>(T.Calls.size()),
                     {},
                     {}},
        Runs(Runs), P(*Runs.Trace), T(T), S(S) {}

  void takeMemoryRun();
  void takeUseRun();

private:
  const ApiCall &callOf(uint32_t Call) const { return P.Calls[T.Calls[Call].Index]; }
  bool sameUntilNextWait(uint32_t Call) const;

  const SyncRuns &Runs;
  const Profile &P;
  const SyncTrace &T;
  SyncProblems &S;
};

} // namespace

/// Returns, per call, the time of its thread's own work until its next call, in ns.
static std::vector<uint64_t> untilNextCall(const Profile &P, const SyncTrace &T) {
  std::vector<uint64_t> Until(T.Calls.size(), UINT64_MAX);
  std::map<uint32_t, uint32_t> Last; ///< by thread
  for (uint32_t I = 0; I < T.Calls.size(); ++I) {
    const ApiCall C = P.Calls[T.Calls[I].Index];
    auto [It, New] = Last.try_emplace(C.Thread, I);
    if (!New) {
      const uint64_t Resume = P.Calls[T.Calls[It->second].Index].ResumeNs;
      Until[It->second] = C.BeginNs > Resume ? C.BeginNs - Resume : 0;
      It->second = I;
    }
  }
  return Until;
}

/// Returns, per call, the time until its thread's next release that waits for the device, in ns.
static std::vector<uint64_t> untilRelease(const Profile &P, const SyncTrace &T) {
  std::vector<uint64_t> Until(T.Calls.size(), UINT64_MAX);
  std::map<std::pair<uint32_t, uint32_t>, uint64_t> Next; ///< begin, by thread and device
  for (uint32_t I = static_cast<uint32_t>(T.Calls.size()); I-- > 0;) {
    const ApiCall C = P.Calls[T.Calls[I].Index];
    const std::pair Key(C.Thread, C.Device);
    if (const auto At = Next.find(Key); At != Next.end())
      Until[I] = At->second - std::min(At->second, C.ResumeNs);
    if (releaseWaits(C.Api))
      Next[Key] = C.BeginNs;
  }
  return Until;
}

/// Returns the time of the first use. Watching uses slows the memory run down, so a use before the
/// thread's next call is no later than that call in the run that traced calls.
static uint64_t firstUse(uint64_t FirstUseNs, uint64_t UntilNext, uint64_t UntilNextTraced) {
  return FirstUseNs <= UntilNext ? std::min(FirstUseNs, UntilNextTraced) : FirstUseNs;
}

/// Returns whether both runs made the same calls from this wait up to the thread's next wait that
/// covers as much.
bool StageVerdicts::sameUntilNextWait(uint32_t Call) const {
  const uint32_t Until = S.MemoryMatch.SameUntil[Call];
  if (Until == None)
    return true;
  const SyncClock &Covers = T.Calls[Call].Covers;
  for (uint32_t I = Call + 1; I <= Until; ++I) {
    const SyncClock &Later = T.Calls[I].Covers;
    if (callOf(I).Thread != callOf(Call).Thread || !T.Calls[I].Waits ||
        Later.size() < Covers.size())
      continue;
    if (std::equal(Covers.begin(), Covers.end(), Later.begin(), std::less_equal<>()))
      return true;
  }
  return false;
}

void StageVerdicts::takeMemoryRun() {
  const Profile &M = *Runs.Memory;
  const bool Same = &M == &P;
  const SyncTrace Other = Same ? SyncTrace{} : buildSyncTrace(M);
  const SyncTrace &OfMemory = Same ? T : Other;
  S.MemoryMatch = matchCalls(P, T, M, OfMemory);
  const std::vector<SyncVerdict> Seen = syncNecessity(M, OfMemory);
  const std::vector<uint64_t> UntilNext = untilNextCall(M, OfMemory), Traced = untilNextCall(P, T);
  UntilRelease = untilRelease(P, T);
  const std::vector<uint64_t> UntilReleaseThere = untilRelease(M, OfMemory);
  const std::vector<CopyVerdict> Copied = duplicateTransfers(M, OfMemory);
  const std::vector<MigrationWait> Moved = migrationWaits(M, OfMemory);
  S.Migrated = migratedObjects(M);
  std::vector<uint32_t> Back(OfMemory.Calls.size(), None);
  for (uint32_t I = 0; I < T.Calls.size(); ++I)
    if (S.MemoryMatch.To[I] != None)
      Back[S.MemoryMatch.To[I]] = I;
  for (uint32_t I = 0; I < T.Calls.size(); ++I) {
    const uint32_t There = S.MemoryMatch.To[I];
    InMemory.push_back(There == None ? None : OfMemory.Calls[There].Index);
    if (There == None) {
      Verdicts[I].Is = Need::NotSeen;
      continue;
    }
    Verdicts[I] = Seen[There];
    Verdicts[I].FirstUseNs = firstUse(Seen[There].FirstUseNs, UntilNext[There], Traced[I]);
    UntilRelease[I] = std::min(UntilRelease[I], UntilReleaseThere[There]);
    // No use was recorded; if the memory run made other calls afterwards, this proves nothing.
    if (Verdicts[I].Is == Need::None && T.Calls[I].Waits && !sameUntilNextWait(I))
      Verdicts[I].Is = Need::NotSeen;
    Copies[I] = Copied[There];
    Migrations[I] = Moved[There];
    if (Copies[I].Duplicate)
      Copies[I].First = Back[Copies[I].First];
  }
  for (const profile::HostUse &U : M.Uses) {
    if (U.Kind == log::UseKind::OnlyByCode)
      continue;
    ++S.UsesSeen;
    S.UsesAssumed += U.Kind == log::UseKind::Assumed;
    S.UsesByCode += U.ByCode;
    S.UsesByPage += !U.ByCode && (U.Kind == log::UseKind::Load || U.Kind == log::UseKind::Store);
  }
}

/// Takes the times of first uses from the run that only measured these.
void StageVerdicts::takeUseRun() {
  if (!Runs.Use || Runs.Use == Runs.Memory) {
    S.UseMatch = S.MemoryMatch;
    return;
  }
  const SyncTrace OfUse = buildSyncTrace(*Runs.Use);
  S.UseMatch = matchCalls(P, T, *Runs.Use, OfUse);
  const std::vector<SyncVerdict> Seen = syncNecessity(*Runs.Use, OfUse);
  const std::vector<uint64_t> UntilNext = untilNextCall(*Runs.Use, OfUse),
                              Traced = untilNextCall(P, T);
  for (uint32_t I = 0; I < T.Calls.size(); ++I) {
    const uint32_t There = S.UseMatch.To[I];
    if (There != None && Seen[There].Is == Verdicts[I].Is && Verdicts[I].Is == Need::Used)
      Verdicts[I].FirstUseNs = std::min(
          Verdicts[I].FirstUseNs, firstUse(Seen[There].FirstUseNs, UntilNext[There], Traced[I]));
  }
}

CallVerdicts callVerdicts(const SyncRuns &Runs, const SyncTrace &T, SyncProblems &S) {
  StageVerdicts All(Runs, T, S);
  All.takeMemoryRun();
  All.takeUseRun();
  return std::move(All);
}

} // namespace gmprof::analysis
