//===- TimelineReplay.cpp - Replays a run with changed calls --------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "analysis/sync/TimelineReplay.h"
#include <algorithm>

namespace gmprof::analysis {

using profile::ApiCall;
using profile::None;

TimelineReplay::TimelineReplay(const profile::Profile &P, const SyncTrace &T) : T(T) {
  /// Each thread's last call, and the time when the thread continued.
  std::map<uint32_t, std::pair<uint32_t, uint64_t>> Last;
  for (const SyncCall &Call : T.Calls) {
    const ApiCall &C = P.Calls[Call.Index];
    auto [It, New] = Last.try_emplace(C.Thread, static_cast<uint32_t>(Last.size()), C.BeginNs);
    auto &[Number, ResumeNs] = It->second;
    Step &S = Steps.emplace_back();
    S.Thread = Number;
    S.Work = C.BeginNs > ResumeNs ? C.BeginNs - ResumeNs : 0;
    uint64_t Waited = Call.WaitNs;
    // Waiting for the call's own operation is waiting too.
    if (C.HostDone && Call.Operation != None && T.Operations[Call.Operation].EndNs > C.BeginNs)
      Waited = std::max(Waited, T.Operations[Call.Operation].EndNs - C.BeginNs);
    const uint64_t Length = C.EndNs - C.BeginNs;
    S.Cost = Length - std::min(Length, Waited);
    // On an idle GPU, work begins before the call returns.
    S.Gives = S.Cost;
    if (Call.Operation != None && T.Operations[Call.Operation].EndNs != 0) {
      const uint64_t GpuNs = T.Operations[Call.Operation].BeginNs, From = C.BeginNs + Call.WaitNs;
      S.Gives = std::min(S.Cost, GpuNs > From ? GpuNs - From : 0);
    }
    ResumeNs = C.ResumeNs;
  }
  Threads = static_cast<uint32_t>(Last.size());
  for (const SyncOperation &O : T.Operations) {
    Timed += O.EndNs != 0;
    StreamCount = std::max(StreamCount, O.Stream + 1);
  }
  AsItWas = run({});
}

uint64_t TimelineReplay::run(const std::vector<ReplayChange> &Changes) const {
  std::vector<uint64_t> Now(Threads);
  // End times of each stream's operations, by number.
  std::vector<std::vector<uint64_t>> Ended(StreamCount);
  auto EndOf = [&](const SyncClock &Clock) {
    uint64_t End = 0;
    for (uint32_t S = 0; S < std::min<size_t>(Clock.size(), StreamCount); ++S)
      if (const size_t Number = std::min<size_t>(Clock[S], Ended[S].size()); Number != 0)
        End = std::max(End, Ended[S][Number - 1]);
    return End;
  };
  struct LateWait {
    uint64_t AtWork = 0; ///< of the thread's own time
    uint64_t Until = 0;
  };
  std::vector<std::vector<LateWait>> Late(Threads);
  std::vector<uint64_t> OwnTime(Threads);
  // Advances a thread's own time, and makes the delayed waits that fall due.
  auto Pass = [&](uint32_t Thread, uint64_t Time) {
    const uint64_t End = OwnTime[Thread] + Time;
    std::vector<LateWait> &Waits = Late[Thread];
    while (!Waits.empty()) {
      auto First =
          std::min_element(Waits.begin(), Waits.end(), [](const LateWait &A, const LateWait &B) {
            return A.AtWork < B.AtWork;
          });
      if (First->AtWork > End)
        break;
      if (First->AtWork > OwnTime[Thread]) {
        Now[Thread] += First->AtWork - OwnTime[Thread];
        OwnTime[Thread] = First->AtWork;
      }
      Now[Thread] = std::max(Now[Thread], First->Until);
      Waits.erase(First);
    }
    Now[Thread] += End - OwnTime[Thread];
    OwnTime[Thread] = End;
  };

  for (size_t I = 0; I < T.Calls.size(); ++I) {
    const SyncCall &Call = T.Calls[I];
    const Step &S = Steps[I];
    const ReplayChange Change = Changes.empty() ? ReplayChange{} : Changes[I];
    Pass(S.Thread, S.Work);
    const bool OnlyWaits = Change.Change == CallChange::OnlyWait;
    const bool Gone = Change.Change == CallChange::Gone || OnlyWaits;
    const bool Gives = Call.Operation != None;
    // Copies from pageable memory wait before they enqueue anything.
    const bool WaitsFirst = Gives && Call.Waits && Change.Change == CallChange::None &&
                            !T.covers(Call.Covers, Call.Operation);
    if (WaitsFirst)
      Now[S.Thread] = std::max(Now[S.Thread], EndOf(Call.Covers));
    const uint64_t Given = Now[S.Thread] + S.Gives;
    if (Gives && !Gone)
      Pass(S.Thread, S.Cost);
    if (Gives) {
      const SyncOperation &O = T.Operations[Call.Operation];
      const uint64_t Length = Gone || O.EndNs == 0 ? 0 : O.EndNs - O.BeginNs;
      Ended[O.Stream].push_back(std::max(Given, EndOf(O.After)) + Length);
    }
    if (Gone && !OnlyWaits)
      continue;
    if (Call.Waits) {
      const uint64_t Until = EndOf(Call.Covers);
      if (Change.Change == CallChange::None || OnlyWaits)
        Now[S.Thread] = std::max(Now[S.Thread], Until);
      else if (Change.Change == CallChange::WaitLate)
        Late[S.Thread].push_back(
            {OwnTime[S.Thread] + (Gives ? 0 : S.Cost) + Change.FirstUseNs, Until});
    }
    if (!Gives && !OnlyWaits)
      Pass(S.Thread, S.Cost);
  }
  uint64_t End = 0;
  for (uint32_t Thread = 0; Thread < Threads; ++Thread) {
    for (const LateWait &Wait : Late[Thread])
      Now[Thread] = std::max(Now[Thread], Wait.Until);
    End = std::max(End, Now[Thread]);
  }
  for (const std::vector<uint64_t> &Stream : Ended)
    for (uint64_t Operation : Stream)
      End = std::max(End, Operation);
  return End;
}

int64_t TimelineReplay::saving(const std::vector<ReplayChange> &Changes) const {
  return static_cast<int64_t>(AsItWas) - static_cast<int64_t>(run(Changes));
}

} // namespace gmprof::analysis
