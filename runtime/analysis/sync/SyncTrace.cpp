//===- SyncTrace.cpp - Calls and the work they wait for -------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "analysis/sync/SyncTrace.h"
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
    SyncClock Clock; ///< predecessors of the stream's next operation
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

/// Returns the predecessors of an operation that is enqueued now.
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

/// Returns true for allocations of device memory: they do not wait, as measured on an H200, but
/// take so long that work may end meanwhile.
static bool neverWaits(const ApiCall &C) {
  return C.Kind == CallKind::Allocation &&
         (C.Api.starts_with("cudaMalloc") || C.Api.starts_with("cuMemAlloc")) &&
         C.Api.find("Host") == std::string::npos;
}

/// Describes a call of which only the duration is known.
static void waitsAtFirstSight(SyncCall &Call, const ApiCall &C) {
  const bool BlockingCopy = C.Kind == CallKind::Copy && C.Api.find("Async") == std::string::npos;
  Call.Explicit = isExplicit(C.Kind);
  Call.Waits = Call.Explicit || C.HostDone || BlockingCopy;
  Call.WaitNs = Call.Waits ? C.EndNs - C.BeginNs : 0;
}

void Builder::waits(SyncCall &Call, const ApiCall &C) {
  const bool Seen = C.Looked && C.BusyBefore != 0 && C.BusyAfter < C.BusyBefore && !neverWaits(C);
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

/// Sets the part of the call's time before the last covered operation of other calls ended.
void Builder::measureWait(SyncCall &Call, const ApiCall &C) {
  if (!Call.Waits || !Call.Waited)
    return;
  uint64_t Last = 0;
  bool Known = false;
  // The last operation of a stream ends last.
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
    if (P.TheRun.syncAtFirstSight()) {
      waitsAtFirstSight(Call, C);
      continue;
    }
    call(Call, C);
    measureWait(Call, C);
  }
  return std::move(T);
}

bool releaseWaits(std::string_view Api) {
  return Api == "cudaFree" || Api == "cudaFreeHost" || Api == "cuMemFree" || Api == "cuMemFreeHost";
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
    if (Path.Python != None)
      for (const profile::PythonFrame &F : P.PythonStacks[Path.Python].Frames)
        Key += F.File.str() + ':' + std::to_string(F.Line) + ' ' + F.Function.str() + '|';
  }
  return C.Api + Key;
}

namespace {

/// The calls of one thread.
struct ThreadCalls {
  std::vector<uint32_t> Calls; ///< indices in SyncTrace::Calls
  std::vector<uint32_t> Keys;  ///< numbers of their keys
};

/// Returns the calls by thread, in the order of the threads' first calls.
std::vector<ThreadCalls> byThread(const Profile &P, const SyncTrace &T,
                                  std::map<std::string, uint32_t> &KeyNumbers) {
  std::map<uint32_t, size_t> Number;
  std::vector<ThreadCalls> All;
  CallKeys Keys(P);
  for (uint32_t I = 0; I < T.Calls.size(); ++I) {
    const ApiCall &C = P.Calls[T.Calls[I].Index];
    auto [It, New] = Number.try_emplace(C.Thread, All.size());
    if (New)
      All.emplace_back();
    ThreadCalls &Its = All[It->second];
    Its.Calls.push_back(I);
    Its.Keys.push_back(
        KeyNumbers.try_emplace(Keys.of(C), static_cast<uint32_t>(KeyNumbers.size())).first->second);
  }
  return All;
}

size_t commonPrefix(const ThreadCalls &A, const ThreadCalls &B) {
  const size_t Most = std::min(A.Keys.size(), B.Keys.size());
  return static_cast<size_t>(std::mismatch(A.Keys.begin(),
                                           A.Keys.begin() + static_cast<std::ptrdiff_t>(Most),
                                           B.Keys.begin())
                                 .first -
                             A.Keys.begin());
}

/// Matches threads of From to threads of To: first those with the same calls, then each remaining
/// one with the thread that has the longest common prefix.
std::vector<size_t> matchThreads(const std::vector<ThreadCalls> &From,
                                 const std::vector<ThreadCalls> &To) {
  std::vector<size_t> Match(From.size(), SIZE_MAX);
  std::vector<bool> Taken(To.size());
  for (bool Exactly : {true, false}) {
    for (size_t F = 0; F < From.size(); ++F) {
      if (Match[F] != SIZE_MAX)
        continue;
      size_t Longest = 0;
      for (size_t O = 0; O < To.size(); ++O) {
        if (Taken[O] || (Exactly && From[F].Keys != To[O].Keys))
          continue;
        const size_t Length = commonPrefix(From[F], To[O]);
        if (Match[F] == SIZE_MAX || Length > Longest) {
          Match[F] = O;
          Longest = Length;
        }
      }
      if (Match[F] != SIZE_MAX)
        Taken[Match[F]] = true;
    }
  }
  return Match;
}

/// Returns, for each call of A, its position in B, or None.
std::vector<uint32_t> align(const ThreadCalls &A, const ThreadCalls &B) {
  const size_t SizeA = A.Keys.size(), SizeB = B.Keys.size();
  std::vector<uint32_t> At(SizeA, None);
  const size_t Prefix = commonPrefix(A, B);
  size_t Suffix = 0;
  while (Prefix + Suffix < std::min(SizeA, SizeB) &&
         A.Keys[SizeA - Suffix - 1] == B.Keys[SizeB - Suffix - 1])
    ++Suffix;
  for (size_t I = 0; I < Prefix; ++I)
    At[I] = static_cast<uint32_t>(I);
  for (size_t I = 1; I <= Suffix; ++I)
    At[SizeA - I] = static_cast<uint32_t>(SizeB - I);
  std::map<uint32_t, std::vector<uint32_t>> Others; ///< by key, last position first
  for (size_t I = SizeB - Suffix; I > Prefix; --I)
    Others[B.Keys[I - 1]].push_back(static_cast<uint32_t>(I - 1));
  for (size_t I = Prefix; I < SizeA - Suffix; ++I) {
    std::vector<uint32_t> &Same = Others[A.Keys[I]];
    if (Same.empty())
      continue;
    At[I] = Same.back();
    Same.pop_back();
  }
  return At;
}

} // namespace

CallMatch matchCalls(const Profile &From, const SyncTrace &FromTrace, const Profile &To,
                     const SyncTrace &ToTrace) {
  CallMatch M;
  M.To.assign(FromTrace.Calls.size(), None);
  M.SameUntil.assign(FromTrace.Calls.size(), None);
  M.FirstDifference = FromTrace.Calls.size();
  std::map<std::string, uint32_t> KeyNumbers;
  const std::vector<ThreadCalls> FromThreads = byThread(From, FromTrace, KeyNumbers);
  const std::vector<ThreadCalls> ToThreads = byThread(To, ToTrace, KeyNumbers);
  const std::vector<size_t> ThreadMatch = matchThreads(FromThreads, ToThreads);
  const ThreadCalls Nobody;
  const ApiCall *FirstAdditional = nullptr;
  std::vector<bool> InBoth(ToTrace.Calls.size());
  for (size_t Thread = 0; Thread < FromThreads.size(); ++Thread) {
    const ThreadCalls &A = FromThreads[Thread];
    const ThreadCalls &B =
        ThreadMatch[Thread] == SIZE_MAX ? Nobody : ToThreads[ThreadMatch[Thread]];
    const std::vector<uint32_t> At = align(A, B);
    auto Next = static_cast<uint32_t>(B.Calls.size());
    uint32_t Until = None;
    for (size_t I = A.Calls.size(); I > 0; --I) {
      const uint32_t Call = A.Calls[I - 1], There = At[I - 1];
      if (There != None) {
        M.To[Call] = B.Calls[There];
        InBoth[B.Calls[There]] = true;
      }
      if (There == None || There + 1 != Next)
        Until = Call;
      M.SameUntil[Call] = Until;
      Next = There;
      if (There != I - 1)
        M.FirstDifference = std::min<uint64_t>(M.FirstDifference, Call);
    }
    if (B.Calls.size() > A.Calls.size() && !FirstAdditional && At.size() == commonPrefix(A, B))
      FirstAdditional = &To.Calls[ToTrace.Calls[B.Calls[A.Calls.size()]].Index];
  }
  M.Missing = static_cast<uint64_t>(std::count(M.To.begin(), M.To.end(), None));
  M.Additional = static_cast<uint64_t>(std::count(InBoth.begin(), InBoth.end(), false));
  M.Equal = M.FirstDifference == FromTrace.Calls.size() && M.Additional == 0;
  if (M.FirstDifference < FromTrace.Calls.size()) {
    const ApiCall &C = From.Calls[FromTrace.Calls[M.FirstDifference].Index];
    M.Api = C.Api;
    M.CallPath = C.CallPath;
  } else if (!M.Equal) {
    const auto It = std::find(InBoth.begin(), InBoth.end(), false);
    M.Api = FirstAdditional
                ? FirstAdditional->Api
                : To.Calls[ToTrace.Calls[static_cast<size_t>(It - InBoth.begin())].Index].Api;
  }
  return M;
}

} // namespace gmprof::analysis
