//===- SyncSkips.cpp - Plans runs without certain calls -------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "analysis/sync/SyncSkips.h"
#include "analysis/Wording.h"
#include "analysis/sync/KeptMemory.h"
#include <algorithm>
#include <fmt/format.h>
#include <set>

namespace gmprof::analysis {

using Need = SyncVerdict::Need;
using profile::None;

namespace {

/// CUDA Runtime API, "API synchronization behavior": up to this size, the asynchronous form of a
/// copy from pageable memory to the device does not wait.
constexpr uint64_t StagedBytes = 64 << 10;

bool isOneOf(std::string_view Api, std::initializer_list<std::string_view> All) {
  return std::find(All.begin(), All.end(), Api) != All.end();
}

bool transfers(const std::string &Api) {
  return Api.starts_with("cudaMemcpy") || Api.starts_with("cudaMemset") ||
         Api.starts_with("cuMemcpy") || Api.starts_with("cuMemset");
}

/// Returns true if a transfer function has an asynchronous form.
bool hasAsyncForm(const std::string &Api) {
  return !isOneOf(Api, {"cudaMemcpyPeer", "cudaMemcpy3DPeer", "cudaMemcpyArrayToArray",
                        "cudaMemcpy2DArrayToArray", "cuMemcpyDtoA", "cuMemcpyAtoD", "cuMemcpyAtoA",
                        "cuMemcpy2DUnaligned"});
}

class Planner {
public:
  explicit Planner(const SyncRuns &Runs)
      : Runs(Runs), Problems(syncProblems(Runs, &PerCall)), T(buildSyncTrace(*Runs.Trace)) {}
  SkipPlan plan(const std::vector<SkipWish> &Wishes);

private:
  profile::ApiCall callOf(uint32_t Call) const { return Runs.Trace->Calls[T.Calls[Call].Index]; }
  std::string refusal(const SkipWish &Wish) const;
  std::string refusalOfApi(const SyncSite &S) const;
  std::string refusalOfMemory(uint32_t Site) const;
  SkipAs decide(const SkipWish &Wish, const CallProblem &C, std::string &Why) const;
  void findKernelMemory();
  std::string addPlaces(const std::vector<SkipWish> &OfSite);
  std::string addPlace(const std::vector<SkipWish> &OfSite, const std::string &Place);
  void replay();

  const SyncRuns &Runs;
  std::vector<CallProblem> PerCall;
  const SyncProblems Problems;
  const SyncTrace T;
  std::vector<SkipAs> Decided; ///< per call
  SkipPlan P;
};

} // namespace

/// Returns why the call has no equivalent form that does not wait; empty if it has one.
std::string Planner::refusalOfApi(const SyncSite &S) const {
  if (S.Explicit || releaseWaits(S.Api))
    return "";
  if (transfers(S.Api) && S.Api.ends_with("Async"))
    return S.Api + " waits although it is the asynchronous form, because the memory is pageable: "
                   "it takes page-locked memory to change that";
  if (!transfers(S.Api) || !hasAsyncForm(S.Api))
    return "GMProf knows no form of " + S.Api + " that does not wait";
  return refusalOfMemory(static_cast<uint32_t>(&S - Problems.Sites.data()));
}

/// Returns why the asynchronous form of a copy would wait too; empty if it would not.
std::string Planner::refusalOfMemory(uint32_t Site) const {
  std::set<uint32_t> Paths;
  for (const CallProblem &C : PerCall)
    if (C.Site == Site && C.InMemory != None)
      Paths.insert(Runs.Memory->Calls[C.InMemory].CallPath);
  for (const profile::Copy &C : Runs.Memory->Copies) {
    if (C.Set || !Paths.count(C.CallPath) || std::string(C.Api) != Problems.Sites[Site].Api)
      continue;
    const bool ToPageable = C.To.host && C.To.object == 0;
    const bool FromPageable = C.From.host && C.From.object == 0;
    if (ToPageable && !C.From.host)
      return "the copy goes to pageable memory, for which its asynchronous form waits as well: it "
             "takes page-locked memory to change that";
    if (FromPageable && !C.To.host && C.RowBytes * C.Rows * C.Slices > StagedBytes)
      return fmt::format("a copy of more than {} bytes from pageable memory waits in its "
                         "asynchronous form as well: it takes page-locked memory to change that",
                         grouped(StagedBytes));
  }
  return "";
}

std::string Planner::refusal(const SkipWish &Wish) const {
  if (Wish.Site >= Problems.Sites.size())
    return "the event logs have no such place";
  if (!Runs.Memory->TheRun.Ended || !Runs.Trace->TheRun.Ended)
    return "the profiled program did not get to its end";
  if (Wish.Pattern == "misplaced_synchronization") {
    const SyncSite &S = Problems.Sites[Wish.Site];
    return releaseWaits(S.Api) ? S.Api + " cannot wait later than it is called" : refusalOfApi(S);
  }
  for (const profile::Gap &G : Runs.Memory->Gaps)
    if (G.What == "uses by the host")
      return "not all uses by the host were seen (" + G.Reason + ")";
  if (Wish.Pattern == "duplicate_transfer")
    return Problems.MemoryMatch.Equal
               ? ""
               : fmt::format("the profiled runs made different calls, from call {} on ({}): it is "
                             "not known which copies are the same in another run",
                             Problems.MemoryMatch.FirstDifference + 1, Problems.MemoryMatch.Api);
  return refusalOfApi(Problems.Sites[Wish.Site]);
}

/// Decides what to skip of a call. Why receives the reason for a call that stays.
SkipAs Planner::decide(const SkipWish &Wish, const CallProblem &C, std::string &Why) const {
  const SyncSite &S = Problems.Sites[Wish.Site];
  if (Wish.Pattern == "duplicate_transfer") {
    if (!C.Duplicate)
      Why = "it is the first copy of these bytes";
    else if (!C.Identical)
      Why = "the destination was written in between, or that is not known";
    else
      return !C.Waits || C.Is == Need::None ? SkipAs::NoCopy : SkipAs::NoCopyButWait;
    return SkipAs::Stays;
  }
  if (Wish.Pattern == "misplaced_synchronization") {
    if (C.Problem == SyncProblem::MisplacedSynchronization)
      return SkipAs::WaitLate;
    if (C.Waits && C.Is == Need::None) {
      Why = "nothing needs it at all";
      return SkipAs::Stays;
    }
    if (C.Is == Need::Used) {
      Why = "the host uses what it waits for at once";
      return SkipAs::Stays;
    }
  } else if (C.Waits && C.Is == Need::None) {
    return SkipAs::NoWait;
  }
  // The call covered no operation.
  if (S.Explicit && !C.Waits && Wish.Pattern != "misplaced_synchronization")
    return SkipAs::NoWait;
  switch (C.Is) {
  case Need::None:
    Why = "it did not wait";
    break;
  case Need::Used:
    Why = "the host uses what it waits for";
    break;
  case Need::AssumedUsed:
    Why = "the host may use what it waits for, which could not be watched";
    break;
  case Need::EventRead:
    Why = "an event is asked for its time";
    break;
  case Need::OrdersStreams:
    Why = "it keeps the work of streams in order";
    break;
  case Need::OrdersHost:
    Why = "it waits for a function of the host, or for other work that may access memory of the "
          "host which is not known";
    break;
  case Need::NotSeen:
    Why = "the run that watched the host has no such call";
    break;
  }
  return SkipAs::Stays;
}

/// Adds the findings about one site to the plan: one place for each of its addresses, of which an
/// unrolled loop has several. Returns why that is impossible.
std::string Planner::addPlaces(const std::vector<SkipWish> &OfSite) {
  const uint32_t Site = OfSite.front().Site;
  CallKeys Keys(*Runs.Trace);
  std::vector<std::string> Places;
  for (uint32_t Call = 0; Call < T.Calls.size(); ++Call) {
    if (PerCall[Call].Site != Site)
      continue;
    std::string Key = Keys.of(callOf(Call));
    if (std::ranges::find(Places, Key) == Places.end())
      Places.push_back(std::move(Key));
  }
  std::string Refusal;
  const size_t Before = P.Places.size();
  for (const std::string &Place : Places) {
    std::string Why = addPlace(OfSite, Place);
    if (Why.empty())
      continue;
    if (P.Places.back().Skipped != 0)
      return Why;
    P.Places.pop_back();
    if (Refusal.empty())
      Refusal = std::move(Why);
  }
  return P.Places.size() == Before ? Refusal : "";
}

/// Adds the calls of a site with one key (CallKeys) to the plan. Returns why that is impossible.
std::string Planner::addPlace(const std::vector<SkipWish> &OfSite, const std::string &Place) {
  SkipPlace &To = P.Places.emplace_back();
  To.Site = OfSite.front().Site;
  To.Api = Problems.Sites[To.Site].Api;
  To.Place = Place.substr(To.Api.size());
  std::map<std::string, uint64_t> Left;
  std::set<uint32_t> Threads;
  CallKeys Keys(*Runs.Trace);
  for (uint32_t Call = 0; Call < T.Calls.size(); ++Call) {
    if (PerCall[Call].Site != To.Site || Keys.of(callOf(Call)) != Place)
      continue;
    Threads.insert(callOf(Call).Thread);
    // Skipping a copy skips its wait.
    std::string Why;
    SkipAs As = SkipAs::Stays;
    for (const SkipWish &Wish : OfSite)
      As = std::max(As, decide(Wish, PerCall[Call], Why));
    Decided[Call] = As;
    const uint64_t Number = To.Calls++;
    if (As == SkipAs::Stays) {
      ++Left[Why];
      continue;
    }
    ++To.Skipped;
    if (!To.Ranges.empty() && To.Ranges.back().As == As && To.Ranges.back().Last + 1 == Number)
      To.Ranges.back().Last = Number;
    else
      To.Ranges.push_back({Number, Number, As});
  }
  To.Left.assign(Left.begin(), Left.end());
  std::sort(To.Left.begin(), To.Left.end(), [](const auto &A, const auto &B) {
    return std::pair(B.second, A.first) < std::pair(A.second, B.first);
  });
  if (To.Skipped == 0)
    return "no call can be left out: " + (To.Left.empty() ? "" : To.Left.front().first);
  if (To.Place.empty())
    return "no call paths were recorded: profile without unwind=off";
  if (To.Skipped == To.Calls && To.Ranges.size() == 1) {
    // All calls, whatever their number.
    To.Ranges.front().Last = UINT64_MAX;
    return "";
  }
  // Delaying a wait is harmless, for every call of the site.
  const bool OnlyLate = std::all_of(To.Ranges.begin(), To.Ranges.end(),
                                    [](const auto &R) { return R.As == SkipAs::WaitLate; });
  if (OnlyLate && (!Problems.MemoryMatch.Equal || Threads.size() > 1)) {
    To.Ranges = {{0, UINT64_MAX, SkipAs::WaitLate}};
    To.Skipped = To.Calls;
    To.Left.clear();
    return "";
  }
  const std::string Only =
      fmt::format("only {} of {} calls can be left out{}", grouped(To.Skipped), grouped(To.Calls),
                  To.Left.empty() ? "" : fmt::format(" ({})", To.Left.front().first));
  if (!Problems.MemoryMatch.Equal)
    return Only + ", and the profiled runs made different calls: it is not known which ones these "
                  "are in another run";
  if (Threads.size() > 1)
    return fmt::format("{}, and {} threads make them: it is not known which ones these are in "
                       "another run",
                       Only, Threads.size());
  return "";
}

/// Computes by replay the saving of a run without these calls.
void Planner::replay() {
  const TimelineReplay Replay(*Runs.Trace, T);
  if (!Replay.timesKnown())
    return;
  std::vector<ReplayChange> Changes(T.Calls.size());
  for (uint32_t Call = 0; Call < T.Calls.size(); ++Call)
    switch (Decided[Call]) {
    case SkipAs::Stays:
      break;
    case SkipAs::WaitLate:
      Changes[Call] = {CallChange::WaitLate, PerCall[Call].FirstUseNs};
      break;
    case SkipAs::NoWait:
      Changes[Call].Change = T.Calls[Call].Explicit ? CallChange::Gone : CallChange::NoWait;
      break;
    case SkipAs::NoCopy:
      Changes[Call].Change = CallChange::Gone;
      break;
    case SkipAs::NoCopyButWait:
      Changes[Call].Change = CallChange::OnlyWait;
      break;
    }
  keepMemory(*Runs.Trace, T, Changes);
  P.ReplaySaving = Replay.saving(Changes);
}

/// Sets which memory kernels may access, from the recorded launches; any memory if the records are
/// incomplete.
void Planner::findKernelMemory() {
  std::map<uint64_t, log::ObjectKind> Kinds;
  for (const profile::Object &O : Runs.Memory->Objects)
    Kinds[O.Id] = O.Kind;
  for (const profile::Launch &L : Runs.Memory->Launches) {
    const profile::AccessSet *Set =
        L.AccessSet == None ? nullptr : &Runs.Memory->AccessSets[L.AccessSet];
    if (!Set || Set->Knowledge == log::AccessKnowledge::Inferred ||
        Set->Knowledge == log::AccessKnowledge::FromParameters) {
      P.KernelsAccessManaged = P.KernelsAccessPinned = true;
      return;
    }
    for (const log::ObjectAccess &A : Set->Accesses) {
      P.KernelsAccessManaged |= Kinds[A.object] == log::ObjectKind::Managed;
      P.KernelsAccessPinned |= Kinds[A.object] == log::ObjectKind::Pinned;
    }
  }
}

SkipPlan Planner::plan(const std::vector<SkipWish> &Wishes) {
  Decided.assign(T.Calls.size(), SkipAs::Stays);
  std::map<uint32_t, std::vector<SkipWish>> BySite;
  for (const SkipWish &Wish : Wishes) {
    P.Refusal = refusal(Wish);
    if (!P.Refusal.empty())
      return std::move(P);
    BySite[Wish.Site].push_back(Wish);
  }
  for (const auto &[Site, OfSite] : BySite) {
    P.Refusal = addPlaces(OfSite);
    if (!P.Refusal.empty())
      return std::move(P);
  }
  for (const profile::CallPath &Path : Runs.Trace->CallPaths)
    P.Depth = std::max(P.Depth, static_cast<unsigned>(Path.Addresses.size()));
  P.Reuse = oneStream(T);
  findKernelMemory();
  replay();
  return std::move(P);
}

SkipPlan planSkips(const SyncRuns &Runs, const std::vector<SkipWish> &Wishes) {
  return Planner(Runs).plan(Wishes);
}

} // namespace gmprof::analysis
