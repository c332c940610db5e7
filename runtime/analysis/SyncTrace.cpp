//===- SyncTrace.cpp - What each call waits for ---------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "analysis/SyncTrace.h"
#include <algorithm>
#include <numeric>
#include <set>
#include <tuple>

namespace gmprof::analysis {

using log::CallKind;
using profile::ApiCall;
using profile::None;
using profile::Profile;

namespace {

void join(SyncClock &To, const SyncClock &From) {
  if (To.size() < From.size())
    To.resize(From.size());
  for (size_t I = 0; I < From.size(); ++I)
    To[I] = std::max(To[I], From[I]);
}

class Builder {
public:
  explicit Builder(const Profile &P) : P(P) {}
  SyncTrace build();

private:
  struct Stream {
    uint32_t Device = 0;
    bool Blocking = true, Legacy = false;
    uint32_t Count = 0;
    SyncClock Clock; ///< what its next operation comes after
  };

  uint32_t streamOf(const ApiCall &C);
  uint32_t newStream(const ApiCall &C, bool Blocking, bool Legacy);
  SyncClock deviceClock(uint32_t Device) const;
  SyncClock streamClock(uint32_t Stream);
  void operation(SyncCall &Call, const ApiCall &C);
  void call(SyncCall &Call, const ApiCall &C);
  void waits(SyncCall &Call, const ApiCall &C);
  void measureWait(SyncCall &Call, const ApiCall &C);

  const Profile &P;
  SyncTrace T;
  std::map<uint64_t, const profile::GpuTime *> Times; ///< by operation
  std::vector<Stream> Streams;
  std::vector<std::vector<uint32_t>> InStream; ///< operations
  std::map<std::tuple<uint64_t, uint32_t, uint32_t>, uint32_t> ByHandle;
  std::map<uint64_t, SyncClock> Events;
};

bool isExplicit(CallKind Kind) {
  return Kind == CallKind::StreamSynchronized || Kind == CallKind::EventSynchronized ||
         Kind == CallKind::DeviceSynchronized;
}

constexpr uint64_t LegacyHandle = 1, PerThreadHandle = 2;

} // namespace

uint32_t Builder::newStream(const ApiCall &C, bool Blocking, bool Legacy) {
  Stream &S = Streams.emplace_back();
  S.Device = C.Device;
  S.Blocking = Blocking;
  S.Legacy = Legacy;
  return static_cast<uint32_t>(Streams.size() - 1);
}

uint32_t Builder::streamOf(const ApiCall &C) {
  const uint64_t Handle = C.Stream == LegacyHandle ? 0 : C.Stream;
  const bool OfDevice = Handle == 0 || Handle == PerThreadHandle;
  const std::tuple Key(Handle, OfDevice ? C.Device : 0, Handle == PerThreadHandle ? C.Thread : 0);
  auto It = ByHandle.find(Key);
  if (It == ByHandle.end())
    It = ByHandle.emplace(Key, newStream(C, true, Handle == 0)).first;
  return It->second;
}

SyncClock Builder::deviceClock(uint32_t Device) const {
  SyncClock All;
  for (uint32_t I = 0; I < Streams.size(); ++I)
    if (Streams[I].Device == Device)
      join(All, Streams[I].Clock);
  return All;
}

/// What an operation that is put into the stream now would come after.
SyncClock Builder::streamClock(uint32_t Index) {
  const Stream &S = Streams[Index];
  SyncClock Clock = S.Clock;
  for (const Stream &Other : Streams)
    if (Other.Device == S.Device && ((S.Legacy && Other.Blocking) || (S.Blocking && Other.Legacy)))
      join(Clock, Other.Clock);
  return Clock;
}

void Builder::operation(SyncCall &Call, const ApiCall &C) {
  const uint32_t Index = streamOf(C);
  SyncOperation &O = T.Operations.emplace_back();
  O.Id = C.Operation;
  O.Call = static_cast<uint32_t>(T.Calls.size() - 1);
  O.Stream = Index;
  if (auto Time = Times.find(C.Operation); Time != Times.end()) {
    O.BeginNs = Time->second->BeginNs;
    O.EndNs = Time->second->EndNs;
  }
  O.After = streamClock(Index);
  O.Number = ++Streams[Index].Count;
  Streams[Index].Clock = O.After;
  SyncClock &Clock = Streams[Index].Clock;
  Clock.resize(std::max<size_t>(Clock.size(), Index + 1));
  Clock[Index] = O.Number;
  Call.Operation = static_cast<uint32_t>(T.Operations.size() - 1);
  T.OperationById[O.Id] = Call.Operation;
  InStream.resize(Streams.size());
  InStream[Index].push_back(Call.Operation);
}

void Builder::waits(SyncCall &Call, const ApiCall &C) {
  const bool Seen = C.Looked && C.BusyBefore != 0 && C.BusyAfter < C.BusyBefore;
  Call.Explicit = isExplicit(C.Kind);
  Call.Waited = Seen;
  switch (C.Kind) {
  case CallKind::StreamSynchronized:
    Call.Covers = streamClock(streamOf(C));
    break;
  case CallKind::EventSynchronized:
    Call.Covers = Events[C.Event];
    break;
  case CallKind::DeviceSynchronized:
    Call.Covers = deviceClock(C.Device);
    break;
  case CallKind::Copy:
  case CallKind::Set:
    if (C.HostDone)
      Call.Covers = Streams[streamOf(C)].Clock;
    else if (Seen)
      Call.Covers =
          Call.Operation == None ? streamClock(streamOf(C)) : T.Operations[Call.Operation].After;
    break;
  default:
    if (Seen && C.BusyAfter == 0)
      Call.Covers = deviceClock(C.Device);
    break;
  }
  Call.Waits = !Call.Covers.empty();
}

/// What the call's time has before the last of the others' operations ended.
void Builder::measureWait(SyncCall &Call, const ApiCall &C) {
  if (!Call.Waits || !Call.Waited)
    return;
  uint64_t Last = 0;
  bool Known = false;
  // In each stream the last operation ends last.
  for (uint32_t Stream = 0; Stream < Call.Covers.size(); ++Stream) {
    uint32_t Number = Call.Covers[Stream];
    if (Call.Operation != None && T.Operations[Call.Operation].Stream == Stream &&
        T.Operations[Call.Operation].Number == Number)
      --Number;
    if (Number == 0)
      continue;
    const SyncOperation &O = T.Operations[InStream[Stream][Number - 1]];
    Known |= O.EndNs != 0;
    Last = std::max(Last, O.EndNs);
  }
  const uint64_t Length = C.EndNs - C.BeginNs;
  Call.WaitNs = !Known ? Length : std::min(Length, Last > C.BeginNs ? Last - C.BeginNs : 0);
}

void Builder::call(SyncCall &Call, const ApiCall &C) {
  switch (C.Kind) {
  case CallKind::StreamCreated: {
    const uint32_t Index = newStream(C, !C.NonBlocking, false);
    ByHandle[{C.Stream, 0, 0}] = Index;
    return;
  }
  case CallKind::EventRecorded:
    Events[C.Event] = streamClock(streamOf(C));
    return;
  case CallKind::StreamWaitsEvent:
    join(Streams[streamOf(C)].Clock, Events[C.Event]);
    return;
  case CallKind::EventRead:
    Call.Needs = Events[C.Event];
    return;
  default:
    if (C.Operation != 0)
      operation(Call, C);
    waits(Call, C);
  }
}

SyncTrace Builder::build() {
  std::vector<uint32_t> Order(P.Calls.size());
  std::iota(Order.begin(), Order.end(), 0);
  std::sort(Order.begin(), Order.end(), [&](uint32_t A, uint32_t B) {
    return std::pair(P.Calls[A].BeginNs, A) < std::pair(P.Calls[B].BeginNs, B);
  });
  T.Calls.reserve(Order.size());
  for (const profile::GpuTime &G : P.GpuTimes)
    Times[G.Operation] = &G;
  for (uint32_t Index : Order) {
    const ApiCall &C = P.Calls[Index];
    SyncCall &Call = T.Calls.emplace_back();
    Call.Index = Index;
    call(Call, C);
    measureWait(Call, C);
  }
  return std::move(T);
}

SyncTrace buildSyncTrace(const Profile &P) { return Builder(P).build(); }

std::string CallKeys::of(const ApiCall &C) {
  if (C.CallPath == None)
    return C.Api;
  std::string &Key = Keys[C.CallPath];
  if (Key.empty()) {
    const profile::CallPath &Path = P.CallPaths[C.CallPath];
    for (uint64_t Address : Path.Addresses) {
      const profile::Image *In = nullptr;
      for (uint32_t I = 0; I < std::min<size_t>(Path.ImageCount, P.Images.size()); ++I)
        if (Address >= P.Images[I].Address && Address - P.Images[I].Address < P.Images[I].Bytes)
          In = &P.Images[I];
      Key += '|';
      if (In)
        Key += In->Path + '+' + std::to_string(Address - In->Address);
    }
    Key += '|';
  }
  return C.Api + Key;
}

/// Numbers threads in the order in which they first call.
static std::vector<std::vector<uint32_t>> byThread(const Profile &P, const SyncTrace &T) {
  std::map<uint32_t, size_t> Number;
  std::vector<std::vector<uint32_t>> All;
  for (uint32_t I = 0; I < T.Calls.size(); ++I) {
    auto [It, New] = Number.try_emplace(P.Calls[T.Calls[I].Index].Thread, All.size());
    if (New)
      All.emplace_back();
    All[It->second].push_back(I);
  }
  return All;
}

CallMatch matchCalls(const Profile &From, const SyncTrace &FromTrace, const Profile &To,
                     const SyncTrace &ToTrace) {
  CallMatch M;
  M.To.assign(FromTrace.Calls.size(), None);
  CallKeys FromKeys(From), ToKeys(To);
  const auto FromThreads = byThread(From, FromTrace), ToThreads = byThread(To, ToTrace);
  auto Differs = [&](uint32_t Call) {
    const ApiCall &C = From.Calls[FromTrace.Calls[Call].Index];
    if (M.Equal) {
      M.FirstDifference = Call;
      M.Api = C.Api;
    }
    M.Equal = false;
  };
  // By place and how often it was called from there before.
  for (size_t Thread = 0; Thread < FromThreads.size(); ++Thread) {
    std::map<std::string, std::vector<uint32_t>> Others;
    std::map<std::string, size_t> Taken;
    const std::vector<uint32_t> None;
    const std::vector<uint32_t> &Calls = Thread < ToThreads.size() ? ToThreads[Thread] : None;
    for (uint32_t Call : Calls)
      Others[ToKeys.of(To.Calls[ToTrace.Calls[Call].Index])].push_back(Call);
    for (size_t I = 0; I < FromThreads[Thread].size(); ++I) {
      const uint32_t Call = FromThreads[Thread][I];
      const std::string Key = FromKeys.of(From.Calls[FromTrace.Calls[Call].Index]);
      const std::vector<uint32_t> &Same = Others[Key];
      size_t &Next = Taken[Key];
      if (Next < Same.size())
        M.To[Call] = Same[Next++];
      if (I >= Calls.size() || M.To[Call] != Calls[I])
        Differs(Call);
    }
    if (Calls.size() > FromThreads[Thread].size() && M.Equal) {
      M.Equal = false;
      M.FirstDifference = FromThreads[Thread].size();
      M.Api = To.Calls[ToTrace.Calls[Calls[FromThreads[Thread].size()]].Index].Api;
    }
  }
  return M;
}

} // namespace gmprof::analysis
