//===- SyncProblems.cpp - Unneeded waits and copies -----------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "analysis/sync/SyncProblems.h"
#include "analysis/ProgramSource.h"
#include "analysis/sync/CallVerdicts.h"
#include "analysis/sync/KeptMemory.h"
#include "analysis/sync/SiteCallers.h"
#include "profile/Saturating.h"
#include <algorithm>
#include <numeric>
#include <set>
#include <string_view>
#include <tuple>

namespace gmprof::analysis {

using Need = SyncVerdict::Need;
using profile::ApiCall;
using profile::None;
using profile::Profile;

std::string foldedName(const std::string &Demangled) {
  std::string Name;
  int Depth = 0;
  for (size_t I = 0; I < Demangled.size(); ++I) {
    if (Depth == 0 && Demangled.compare(I, 21, "(anonymous namespace)") == 0) {
      Name += "(anonymous namespace)";
      I += 20;
      continue;
    }
    // operator() and operator< are part of the name.
    if (Depth == 0 && Name.ends_with("operator")) {
      size_t End = Demangled.find('(', I);
      End = End == I ? I + 2 : std::min(End, Demangled.find_first_not_of("<>=!+-*/%&|^~,[]", I));
      End = std::min(End, Demangled.size());
      Name += Demangled.substr(I, End - I);
      I = End;
      if (I >= Demangled.size() || Name.ends_with("()"))
        break;
    }
    const char C = Demangled[I];
    if (C == '(' && Depth == 0)
      break;
    Depth += C == '<';
    if (Depth == 0) {
      // The return type precedes the space.
      if (C == ' ' && !Name.ends_with("operator"))
        Name.clear();
      else
        Name += C;
    }
    Depth -= C == '>' && Depth > 0;
  }
  return Name.empty() ? Demangled : Name;
}

class SyncCollector {
public:
  explicit SyncCollector(const SyncRuns &Runs)
      : Runs(Runs), P(*Runs.Trace), T(buildSyncTrace(P)), Replay(P, T), Verdicts(T.Calls.size()),
        Copies(T.Calls.size()), Migrations(T.Calls.size()) {
    collect();
  }
  std::vector<CallProblem> perCall() const;
  SubsequenceBenefit of(size_t Sequence, size_t First, size_t Last) const;

  SyncProblems S;

private:
  /// One execution of a sequence.
  struct Instance {
    size_t Sequence; ///< index in SyncProblems::Sequences
    size_t Graph, First, Last;
  };

  void collect();
  void atFirstSight();
  const ApiCall &callOf(uint32_t Call) const { return P.Calls[T.Calls[Call].Index]; }
  void findUseDelays();
  uint64_t possibleDelay(uint32_t Call) const;
  SyncProblem problemOf(uint32_t Call) const;
  uint32_t siteOf(uint32_t Call);
  void addToSite(uint32_t Call);
  void makeGraphs();
  void addBenefits();
  void addSequences();
  void addFolds();
  void replay();
  void sort();
  /// Describe the call without the problems of its wait, or of its copy.
  void solveWait(uint32_t Call, ReplayChange &Change) const;
  void solveCopy(uint32_t Call, ReplayChange &Change) const;

  const SyncRuns Runs;
  const Profile &P;
  const SyncTrace T;
  const TimelineReplay Replay;
  std::vector<SyncVerdict> Verdicts;
  std::vector<CopyVerdict> Copies;
  std::vector<MigrationWait> Migrations;
  std::vector<uint64_t> UntilRelease; ///< see CallVerdicts
  std::vector<uint64_t> UseDelays;    ///< of calls whose results are used
  std::vector<CpuGraph> Graphs;       ///< per thread
  const std::vector<uint32_t> SamePath = pathsBySource(P);
  std::map<std::pair<std::string, uint32_t>, uint32_t> SiteByPath;
  std::vector<uint32_t> SiteOfCall;
  std::vector<Instance> Instances;
  /// The same calls in the memory run, as indices in Profile::Calls.
  std::vector<uint32_t> InMemory;
};

/// The delay is the least from this call site to this place of a first use: longer ones of the same
/// code may be due to other processes of the machine.
void SyncCollector::findUseDelays() {
  const auto Place = [&](uint32_t Call) {
    return std::pair(SiteOfCall[Call], Runs.Memory->Uses[Verdicts[Call].Use].CallPath);
  };
  std::map<std::pair<uint32_t, uint32_t>, uint64_t> Least;
  UseDelays.assign(T.Calls.size(), 0);
  for (uint32_t I = 0; I < T.Calls.size(); ++I)
    if (Verdicts[I].Is == Need::Used) {
      uint64_t &Ns = Least.try_emplace(Place(I), UINT64_MAX).first->second;
      Ns = std::min(Ns, Verdicts[I].FirstUseNs);
    }
  for (uint32_t I = 0; I < T.Calls.size(); ++I)
    if (Verdicts[I].Is == Need::Used)
      UseDelays[I] = std::min(Least[Place(I)], possibleDelay(I));
}

/// Returns the time by which a wait can be delayed: until the first use, or until the thread
/// releases memory, which waits for the device if anything runs there.
uint64_t SyncCollector::possibleDelay(uint32_t Call) const {
  return std::min(Verdicts[Call].FirstUseNs, UntilRelease[Call]);
}

SyncProblem SyncCollector::problemOf(uint32_t Call) const {
  const SyncVerdict &V = Verdicts[Call];
  if (!T.Calls[Call].Waits)
    return SyncProblem::None;
  if (V.Is == Need::None)
    return SyncProblem::UnnecessarySynchronization;
  if (V.Is == Need::Used && UseDelays[Call] >= MisplacedNs &&
      UseDelays[Call] >= T.Calls[Call].WaitNs / MisplacedWaitShare)
    return SyncProblem::MisplacedSynchronization;
  return SyncProblem::None;
}

uint32_t SyncCollector::siteOf(uint32_t Call) {
  const ApiCall &C = callOf(Call);
  const uint32_t Path = C.CallPath == None ? None : SamePath[C.CallPath];
  auto [It, New] = SiteByPath.try_emplace({C.Api, Path}, static_cast<uint32_t>(S.Sites.size()));
  if (New) {
    SyncSite &Site = S.Sites.emplace_back();
    Site.Api = C.Api;
    Site.CallPath = Path;
  }
  return It->second;
}

void SyncCollector::addToSite(uint32_t Call) {
  const ApiCall &C = callOf(Call);
  const SyncCall &W = T.Calls[Call];
  SyncSite &Site = S.Sites[SiteOfCall[Call]];
  ++Site.Calls;
  Site.CallNs += C.EndNs - C.BeginNs;
  if (W.Waits) {
    const SyncVerdict &V = Verdicts[Call];
    ++Site.Waits;
    Site.Waited += W.Waited;
    Site.WaitNs += W.WaitNs;
    Site.Migration.WaitNs += Migrations[Call].WaitNs;
    Site.Migration.Bytes += Migrations[Call].Bytes;
    Site.Migration.Ns += Migrations[Call].Ns;
    Site.Explicit = W.Explicit;
    const SyncProblem Problem = problemOf(Call);
    Site.Unnecessary += Problem == SyncProblem::UnnecessarySynchronization;
    Site.UnnecessaryByCode += Problem == SyncProblem::UnnecessarySynchronization && V.OnlyByCode;
    Site.Misplaced += Problem == SyncProblem::MisplacedSynchronization;
    Site.Needed += V.Is == Need::Used || V.Is == Need::EventRead;
    Site.Assumed += V.Is == Need::AssumedUsed || V.Is == Need::OrdersHost;
    Site.OrdersStreams += V.Is == Need::OrdersStreams;
    Site.NotSeen += V.Is == Need::NotSeen;
    if (V.Is == Need::Used) {
      ++Site.FirstUses;
      Site.FirstUseNs += V.FirstUseNs;
      if (Site.Use == None)
        Site.Use = V.Use;
    }
  }
  const CopyVerdict &Copy = Copies[Call];
  if (Copy.Bytes == 0)
    return;
  ++Site.Copies;
  Site.CopiedBytes += Copy.Bytes;
  Site.Direction = Copy.Direction;
  Site.Changed += Copy.Changed;
  if (!Copy.Duplicate)
    return;
  ++Site.Duplicates;
  Site.DuplicateBytes += Copy.Bytes;
  Site.Identical += Copy.Identical;
  Site.RoundTrips += Copy.RoundTrip;
  Site.Overwritten += Copy.Overwritten;
  Site.Object = Copy.Object;
  if (Site.FirstCopy == None && Copy.First != None)
    Site.FirstCopy = callOf(Copy.First).CallPath;
}

/// Builds a graph per thread: its own work, then each call's wait, then the rest of the call.
void SyncCollector::makeGraphs() {
  std::map<uint32_t, std::pair<size_t, uint64_t>> Threads; ///< graph, and when the thread continued
  for (uint32_t I = 0; I < T.Calls.size(); ++I) {
    const ApiCall &C = callOf(I);
    auto [It, New] = Threads.try_emplace(C.Thread, Graphs.size(), C.BeginNs);
    if (New)
      Graphs.emplace_back();
    auto &[Graph, ResumeNs] = It->second;
    CpuGraph &G = Graphs[Graph];
    if (C.BeginNs > ResumeNs)
      G.push_back({CpuNodeKind::Work, C.BeginNs - ResumeNs, SyncProblem::None, 0, I});
    const SyncCall &W = T.Calls[I];
    if (W.Waits && (W.Waited || W.Explicit || Verdicts[I].Is != Need::None))
      G.push_back({CpuNodeKind::Wait, W.WaitNs, problemOf(I), possibleDelay(I), I});
    const uint64_t Length = C.EndNs - C.BeginNs;
    G.push_back({CpuNodeKind::Launch, Length - std::min(Length, W.WaitNs),
                 Copies[I].Duplicate ? SyncProblem::UnnecessaryTransfer : SyncProblem::None, 0, I});
    ResumeNs = C.ResumeNs;
  }
  S.ThreadCount = Graphs.size();
}

void SyncCollector::addBenefits() {
  for (const CpuGraph &G : Graphs) {
    const std::vector<uint64_t> Benefits = expectedBenefit(G);
    for (size_t I = 0; I < G.size(); ++I) {
      SyncSite &Site = S.Sites[SiteOfCall[G[I].Call]];
      switch (G[I].Problem) {
      case SyncProblem::None:
        break;
      case SyncProblem::UnnecessarySynchronization:
        Site.UnnecessaryBenefit += Benefits[I];
        break;
      case SyncProblem::MisplacedSynchronization:
        Site.MisplacedBenefit += Benefits[I];
        break;
      case SyncProblem::UnnecessaryTransfer:
        Site.DuplicateBenefit += Benefits[I];
        break;
      }
    }
  }
}

void SyncCollector::addSequences() {
  std::map<std::vector<uint32_t>, size_t> Known;
  for (size_t Graph = 0; Graph < Graphs.size(); ++Graph) {
    const CpuGraph &G = Graphs[Graph];
    for (const NodeSequence &N : sequences(G)) {
      std::vector<SyncSequence::Entry> Entries;
      std::map<uint32_t, size_t> Position;
      std::vector<uint32_t> Key;
      for (size_t Node : N.Problems) {
        const uint32_t Site = SiteOfCall[G[Node].Call];
        auto [It, New] = Position.try_emplace(Site, Entries.size());
        if (New) {
          Entries.push_back({Site, 0, 0});
          Key.push_back(Site);
        }
        SyncSequence::Entry &E = Entries[It->second];
        ++(G[Node].Problem == SyncProblem::UnnecessaryTransfer ? E.Copies : E.Waits);
      }
      auto [It, New] = Known.try_emplace(Key, S.Sequences.size());
      Instances.push_back({It->second, Graph, N.First, N.Last});
      if (New) {
        S.Sequences.push_back({Entries, 1, N.Benefit});
        continue;
      }
      SyncSequence &Sum = S.Sequences[It->second];
      ++Sum.Count;
      Sum.Benefit += N.Benefit;
      for (size_t E = 0; E < Entries.size(); ++E) {
        Sum.Entries[E].Waits += Entries[E].Waits;
        Sum.Entries[E].Copies += Entries[E].Copies;
      }
    }
  }
}

/// Groups sites by the folded names of all functions on their paths.
void SyncCollector::addFolds() {
  std::map<std::string, size_t> Known;
  for (uint32_t I = 0; I < S.Sites.size(); ++I) {
    const SyncSite &Site = S.Sites[I];
    if (!Site.hasProblem())
      continue;
    std::string Key = Site.Api, First;
    if (Site.CallPath != None)
      for (const profile::Frame &F : P.CallPaths[Site.CallPath].Frames) {
        const std::string Name = foldedName(F.Function);
        Key += '|' + Name;
        if (First.empty())
          First = Name;
      }
    auto [It, New] = Known.try_emplace(Key, S.Folds.size());
    if (New)
      S.Folds.push_back({First, Site.Api, {}, 0});
    SyncFold &Fold = S.Folds[It->second];
    Fold.Sites.push_back(I);
    Fold.Benefit += Site.benefit();
  }
}

void SyncCollector::solveWait(uint32_t Call, ReplayChange &Change) const {
  const SyncProblem Problem = problemOf(Call);
  if (Problem == SyncProblem::UnnecessarySynchronization)
    Change.Change = T.Calls[Call].Explicit ? CallChange::Gone : CallChange::NoWait;
  else if (Problem == SyncProblem::MisplacedSynchronization)
    Change = {CallChange::WaitLate, Verdicts[Call].FirstUseNs};
}

void SyncCollector::solveCopy(uint32_t Call, ReplayChange &Change) const {
  const bool WaitIsNeeded = T.Calls[Call].Waits && Verdicts[Call].Is != Need::None;
  if (Copies[Call].Duplicate)
    Change.Change = WaitIsNeeded ? CallChange::OnlyWait : CallChange::Gone;
}

/// Replays the run for the sites with the largest benefit.
void SyncCollector::replay() {
  constexpr size_t MostSites = 32;
  S.GpuTimesKnown = Replay.timesKnown();
  if (!S.GpuTimesKnown)
    return;
  std::vector<uint32_t> Order;
  for (uint32_t I = 0; I < S.Sites.size(); ++I)
    if (S.Sites[I].Unnecessary + S.Sites[I].Misplaced + S.Sites[I].Duplicates != 0)
      Order.push_back(I);
  std::sort(Order.begin(), Order.end(), [&](uint32_t A, uint32_t B) {
    return std::tuple(S.Sites[B].benefit(), A) < std::tuple(S.Sites[A].benefit(), B);
  });
  Order.resize(std::min(Order.size(), MostSites));
  for (uint32_t Site : Order) {
    std::vector<ReplayChange> Waits(T.Calls.size()), Gone(T.Calls.size());
    for (uint32_t I = 0; I < T.Calls.size(); ++I) {
      if (SiteOfCall[I] != Site)
        continue;
      solveWait(I, Waits[I]);
      solveCopy(I, Gone[I]);
    }
    keepMemory(P, T, Waits);
    SyncSite &To = S.Sites[Site];
    if (To.Unnecessary + To.Misplaced != 0)
      To.ReplaySaving = Replay.saving(Waits);
    if (To.Duplicates != 0)
      To.DuplicateSaving = Replay.saving(Gone);
  }
}

/// Sorts the items by Before, which compares indices. Returns each item's new index.
template <typename T, typename Less>
static std::vector<uint32_t> reorder(std::vector<T> &Items, const Less &Before) {
  std::vector<uint32_t> Order(Items.size()), New(Items.size());
  std::iota(Order.begin(), Order.end(), 0u);
  std::sort(Order.begin(), Order.end(), Before);
  std::vector<T> Sorted;
  for (uint32_t I = 0; I < Order.size(); ++I) {
    New[Order[I]] = I;
    Sorted.push_back(std::move(Items[Order[I]]));
  }
  Items = std::move(Sorted);
  return New;
}

void SyncCollector::sort() {
  const std::vector<uint32_t> NewSite = reorder(S.Sites, [&](uint32_t A, uint32_t B) {
    return std::tuple(S.Sites[B].benefit(), S.Sites[B].WaitNs, A) <
           std::tuple(S.Sites[A].benefit(), S.Sites[A].WaitNs, B);
  });
  for (uint32_t &Site : SiteOfCall)
    Site = NewSite[Site];
  for (SyncFold &F : S.Folds)
    for (uint32_t &Site : F.Sites)
      Site = NewSite[Site];
  for (SyncSequence &Q : S.Sequences)
    for (SyncSequence::Entry &E : Q.Entries)
      E.Site = NewSite[E.Site];
  std::sort(S.Folds.begin(), S.Folds.end(), [](const SyncFold &A, const SyncFold &B) {
    return std::pair(B.Benefit, A.Sites.front()) < std::pair(A.Benefit, B.Sites.front());
  });
  const std::vector<uint32_t> NewSequence = reorder(S.Sequences, [&](uint32_t A, uint32_t B) {
    return std::tuple(S.Sequences[B].Benefit, S.Sequences[A].Entries.front().Site, A) <
           std::tuple(S.Sequences[A].Benefit, S.Sequences[B].Entries.front().Site, B);
  });
  for (Instance &I : Instances)
    I.Sequence = NewSequence[I.Sequence];
}

/// Collects call sites only: the records do not suffice to find problems.
void SyncCollector::atFirstSight() {
  std::map<std::pair<std::string_view, uint32_t>, uint64_t> Bytes; // by API and call path
  for (const profile::Copy &C : P.Copies)
    if (!C.Set) {
      uint64_t &Sum = Bytes[{C.Api.str(), C.CallPath == None ? None : SamePath[C.CallPath]}];
      Sum = addSaturating(Sum, mulSaturating(mulSaturating(C.RowBytes, C.Rows), C.Slices));
    }
  for (uint32_t I = 0; I < T.Calls.size(); ++I) {
    InMemory.push_back(T.Calls[I].Index);
    Verdicts[I].Is = Need::NotSeen;
    SiteOfCall.push_back(siteOf(I));
    addToSite(I);
    S.Sites[SiteOfCall[I]].Copies += callOf(I).Kind == log::CallKind::Copy;
  }
  for (SyncSite &Site : S.Sites)
    if (auto Of = Bytes.find({Site.Api, Site.CallPath}); Of != Bytes.end())
      Site.CopiedBytes = Of->second;
  sort();
  nameCallers(S.Sites, P, SamePath);
}

void SyncCollector::collect() {
  S.Calls = T.Calls.size();
  if (P.TheRun.syncAtFirstSight())
    return atFirstSight();
  CallVerdicts Of = callVerdicts(Runs, T, S);
  Verdicts = std::move(Of.Verdicts);
  UntilRelease = std::move(Of.UntilRelease);
  Copies = std::move(Of.Copies);
  Migrations = std::move(Of.Migrations);
  InMemory = std::move(Of.InMemory);
  for (uint32_t I = 0; I < T.Calls.size(); ++I)
    SiteOfCall.push_back(siteOf(I));
  findUseDelays();
  for (uint32_t I = 0; I < T.Calls.size(); ++I)
    addToSite(I);
  makeGraphs();
  addBenefits();
  addSequences();
  addFolds();
  replay();
  sort();
  nameCallers(S.Sites, P, SamePath);
}

SubsequenceBenefit SyncCollector::of(size_t Sequence, size_t First, size_t Last) const {
  std::set<uint32_t> Sites;
  for (size_t E = First; E <= Last; ++E)
    Sites.insert(S.Sequences[Sequence].Entries[E].Site);
  SubsequenceBenefit Sum;
  std::vector<ReplayChange> Changes(T.Calls.size());
  for (const Instance &I : Instances) {
    if (I.Sequence != Sequence)
      continue;
    const CpuGraph &G = Graphs[I.Graph];
    auto Solved = [&](size_t Node) { return Sites.count(SiteOfCall[G[Node].Call]) != 0; };
    Sum.Expected += sequenceBenefit(G, I.First, I.Last, Solved);
    for (size_t Node = I.First; Node <= I.Last; ++Node) {
      if (G[Node].Problem == SyncProblem::None || !Solved(Node))
        continue;
      solveWait(G[Node].Call, Changes[G[Node].Call]);
      solveCopy(G[Node].Call, Changes[G[Node].Call]);
    }
  }
  keepMemory(P, T, Changes);
  if (S.GpuTimesKnown)
    Sum.Replay = Replay.saving(Changes);
  return Sum;
}

SyncSubsequences::SyncSubsequences(const SyncRuns &Runs)
    : Collected(std::make_unique<const SyncCollector>(Runs)) {}
SyncSubsequences::~SyncSubsequences() = default;

const SyncProblems &SyncSubsequences::problems() const { return Collected->S; }

SubsequenceBenefit SyncSubsequences::of(size_t Sequence, size_t First, size_t Last) const {
  return Collected->of(Sequence, First, Last);
}

std::vector<CallProblem> SyncCollector::perCall() const {
  std::vector<CallProblem> All;
  All.reserve(T.Calls.size());
  for (uint32_t I = 0; I < T.Calls.size(); ++I)
    All.push_back({SiteOfCall[I], InMemory[I], problemOf(I), Verdicts[I].Is, T.Calls[I].Waits,
                   Copies[I].Duplicate, Copies[I].Identical, Verdicts[I].FirstUseNs});
  return All;
}

SyncProblems syncProblems(const SyncRuns &Runs, std::vector<CallProblem> *PerCall) {
  SyncCollector C(Runs);
  if (PerCall)
    *PerCall = C.perCall();
  return std::move(C.S);
}

} // namespace gmprof::analysis
