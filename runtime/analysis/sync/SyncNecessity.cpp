//===- SyncNecessity.cpp - Necessity of waits -----------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "analysis/sync/SyncNecessity.h"
#include <algorithm>
#include <utility>

namespace gmprof::analysis {

using Need = SyncVerdict::Need;
using profile::ApiCall;
using profile::None;
using profile::Profile;

namespace {

class Judge {
public:
  Judge(const Profile &P, const SyncTrace &T) : P(P), T(T), Verdicts(T.Calls.size()) {
    std::map<uint32_t, uint32_t> Last; // by thread
    NextOfThread.assign(T.Calls.size(), None);
    for (uint32_t I = 0; I < T.Calls.size(); ++I) {
      const uint32_t Thread = callOf(I).Thread;
      if (auto [It, New] = Last.try_emplace(Thread, I); !New)
        NextOfThread[std::exchange(It->second, I)] = I;
      if (!T.Calls[I].Waits)
        continue;
      Waits.push_back(I);
      auto &Of = FirstWaits[Thread];
      const SyncClock &Covers = T.Calls[I].Covers;
      for (uint32_t Stream = 0; Stream < Covers.size(); ++Stream)
        if (Covers[Stream] != 0 && Of.lower_bound({Stream, Covers[Stream]}) == endOf(Of, Stream))
          Of.emplace(std::pair(Stream, Covers[Stream]), I);
    }
  }
  std::vector<SyncVerdict> judge();

private:
  const ApiCall &callOf(uint32_t Call) const { return P.Calls[T.Calls[Call].Index]; }
  template <typename Covers>
  uint32_t lastWaitBefore(uint64_t TimeNs, uint32_t Thread, Covers Does) const;
  template <typename Covers> uint32_t firstWaitAfter(uint64_t TimeNs, Covers Does) const;
  void note(uint32_t Call, Need Is, uint64_t TimeNs, uint32_t Use);
  void assumedUse(uint32_t Wait, uint32_t Use, uint32_t Operation);
  void uses();
  void eventReads();
  void orders();
  void hostWork();
  void gaps();

  const Profile &P;
  const SyncTrace &T;
  /// By stream and number of the last operation that a wait of the thread is the first to cover.
  using WaitByOperation = std::map<std::pair<uint32_t, uint32_t>, uint32_t>;

  static WaitByOperation::const_iterator endOf(const WaitByOperation &Of, uint32_t Stream) {
    return Of.lower_bound({Stream + 1, 0});
  }

  std::vector<uint32_t> Waits;                    ///< calls, by begin
  std::map<uint32_t, WaitByOperation> FirstWaits; ///< by thread
  std::vector<uint32_t> NextOfThread;             ///< the thread's next call, or None
  std::vector<SyncVerdict> Verdicts;
};

bool covers(const SyncClock &C, const SyncClock &Needs) {
  for (size_t I = 0; I < Needs.size(); ++I)
    if (Needs[I] > (I < C.size() ? C[I] : 0))
      return false;
  return true;
}

} // namespace

/// Returns the last wait of the thread that began before TimeNs and for which Does is true; if the
/// thread has none, the last one of any thread; else None.
template <typename Covers>
uint32_t Judge::lastWaitBefore(uint64_t TimeNs, uint32_t Thread, Covers Does) const {
  uint32_t OfOthers = None;
  auto End = std::partition_point(Waits.begin(), Waits.end(),
                                  [&](uint32_t Call) { return callOf(Call).BeginNs < TimeNs; });
  while (End != Waits.begin()) {
    --End;
    if (callOf(*End).EndNs > TimeNs || !Does(T.Calls[*End]))
      continue;
    if (callOf(*End).Thread == Thread)
      return *End;
    if (OfOthers == None)
      OfOthers = *End;
  }
  return OfOthers;
}

/// Returns the first wait that returned after TimeNs and for which Does is true, or None.
template <typename Covers> uint32_t Judge::firstWaitAfter(uint64_t TimeNs, Covers Does) const {
  auto It = std::find_if(Waits.begin(), Waits.end(), [&](uint32_t Call) {
    return callOf(Call).EndNs > TimeNs && Does(T.Calls[Call]);
  });
  return It == Waits.end() ? None : *It;
}

void Judge::note(uint32_t Call, Need Is, uint64_t TimeNs, uint32_t Use) {
  SyncVerdict &V = Verdicts[Call];
  const uint64_t Resume = callOf(Call).ResumeNs;
  const uint64_t After = TimeNs > Resume ? TimeNs - Resume : 0;
  if (V.Is != Need::None && After >= V.FirstUseNs)
    return;
  V.Is = Is;
  V.FirstUseNs = After;
  V.Use = Use;
}

/// Handles memory whose uses are unseen after Wait. Each thread may use it from its first wait that
/// covers the operation on. Waits that follow without new work for the GPU may be the ones that the
/// program relies on.
void Judge::assumedUse(uint32_t Wait, uint32_t Use, uint32_t Operation) {
  if (Wait == None)
    return;
  const auto Covers = [&](uint32_t Call) {
    return T.Calls[Call].Waits && T.covers(T.Calls[Call].Covers, Operation);
  };
  const SyncOperation &O = T.Operations[Operation];
  for (const auto &[Thread, Steps] : FirstWaits) {
    uint32_t I = Wait;
    if (Thread != callOf(Wait).Thread) {
      const auto First = Steps.lower_bound({O.Stream, O.Number});
      I = First == endOf(Steps, O.Stream) ? None : First->second;
    }
    if (I == None)
      continue;
    do {
      if (Covers(I))
        note(I, Need::AssumedUsed, callOf(I).ResumeNs, Use);
      I = NextOfThread[I];
    } while (I != None && T.Calls[I].Operation == None);
  }
}

void Judge::uses() {
  for (uint32_t I = 0; I < P.Uses.size(); ++I) {
    const profile::HostUse &U = P.Uses[I];
    auto Operation = T.OperationById.find(U.Operation);
    if (Operation == T.OperationById.end())
      continue;
    const auto CoversIt = [&](const SyncCall &Call) {
      return T.covers(Call.Covers, Operation->second);
    };
    uint32_t Wait = lastWaitBefore(U.TimeNs, U.Thread, CoversIt);
    if (U.Kind == log::UseKind::Assumed) {
      // The time may be before the wait.
      if (Wait == None)
        Wait = firstWaitAfter(U.TimeNs, CoversIt);
      assumedUse(Wait, I, Operation->second);
      continue;
    }
    if (Wait == None)
      continue;
    if (U.Kind == log::UseKind::OnlyByCode)
      Verdicts[Wait].OnlyByCode = true;
    else
      note(Wait, Need::Used, U.TimeNs, I);
  }
}

void Judge::eventReads() {
  for (uint32_t I = 0; I < T.Calls.size(); ++I) {
    if (T.Calls[I].Needs.empty())
      continue;
    const uint64_t TimeNs = callOf(I).BeginNs;
    const uint32_t Wait = lastWaitBefore(TimeNs, callOf(I).Thread, [&](const SyncCall &Call) {
      return covers(Call.Covers, T.Calls[I].Needs);
    });
    if (Wait != None)
      note(Wait, Need::EventRead, TimeNs, None);
  }
}

/// Finds operations that are ordered after others only because the host waited.
void Judge::orders() {
  // The clock of each stream: work that precedes it by the GPU's order or an earlier wait.
  std::map<uint32_t, SyncClock> Known;
  /// Work that a thread, or the host as a whole, has waited for, and the waiting calls.
  struct Host {
    SyncClock Waited;
    std::vector<uint32_t> LastWait;
  };
  Host Any;
  std::map<uint32_t, Host> Threads;
  for (uint32_t I = 0; I < T.Calls.size(); ++I) {
    const SyncCall &Call = T.Calls[I];
    if (Call.Operation != None) {
      const SyncOperation &O = T.Operations[Call.Operation];
      SyncClock &Stream = Known[O.Stream];
      Stream.resize(std::max({Stream.size(), O.After.size(), Any.Waited.size()}));
      for (size_t S = 0; S < O.After.size(); ++S)
        Stream[S] = std::max(Stream[S], O.After[S]);
      // Another thread may happen to have waited before: only the thread's own wait is certain.
      for (const Host *H : {&Threads[callOf(I).Thread], &Any})
        for (size_t S = 0; S < H->Waited.size(); ++S) {
          if (S == O.Stream || H->Waited[S] <= Stream[S])
            continue;
          Stream[S] = H->Waited[S];
          note(H->LastWait[S], Need::OrdersStreams, callOf(I).BeginNs, None);
        }
    }
    for (Host *H : {&Threads[callOf(I).Thread], &Any}) {
      H->Waited.resize(std::max(H->Waited.size(), Call.Covers.size()));
      H->LastWait.resize(H->Waited.size());
      for (size_t S = 0; S < Call.Covers.size(); ++S)
        if (Call.Covers[S] > H->Waited[S]) {
          H->Waited[S] = Call.Covers[S];
          H->LastWait[S] = I;
        }
    }
  }
}

/// All later work of the host may depend on the effects of a host function that such a wait covers.
void Judge::hostWork() {
  std::map<uint32_t, std::vector<uint32_t>> Works;          ///< numbers in each stream, ascending
  std::map<std::pair<uint32_t, uint32_t>, uint32_t> Waited; ///< by thread and stream
  for (uint32_t I = 0; I < T.Calls.size(); ++I) {
    const SyncCall &Call = T.Calls[I];
    if (Call.Operation != None && callOf(I).UsesHost) {
      const SyncOperation &O = T.Operations[Call.Operation];
      Works[O.Stream].push_back(O.Number);
    }
    for (const auto &[Stream, Numbers] : Works) {
      if (Stream >= Call.Covers.size())
        continue;
      uint32_t &Before = Waited[{callOf(I).Thread, Stream}];
      const uint32_t Now = Call.Covers[Stream];
      const auto Next = std::upper_bound(Numbers.begin(), Numbers.end(), Before);
      if (Next != Numbers.end() && *Next <= Now)
        note(I, Need::OrdersHost, callOf(I).ResumeNs, None);
      Before = std::max(Before, Now);
    }
  }
}

/// Each wait may be needed if the records have gaps.
void Judge::gaps() {
  const auto Missing = [&](std::string_view What) {
    return std::any_of(P.Gaps.begin(), P.Gaps.end(),
                       [&](const profile::Gap &G) { return G.What == What; });
  };
  const bool Uses = Missing("uses by the host");
  if (!Uses && !Missing("orders of streams"))
    return;
  for (uint32_t I = 0; I < T.Calls.size(); ++I)
    if (T.Calls[I].Waits)
      note(I, Uses ? Need::AssumedUsed : Need::OrdersStreams, callOf(I).ResumeNs, None);
}

std::vector<SyncVerdict> Judge::judge() {
  uses();
  eventReads();
  orders();
  hostWork();
  gaps();
  return std::move(Verdicts);
}

std::vector<SyncVerdict> syncNecessity(const Profile &P, const SyncTrace &T) {
  return Judge(P, T).judge();
}

} // namespace gmprof::analysis
