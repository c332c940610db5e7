//===- SnapshotReplay.cpp - Objects of a snapshot's events ----------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "report/files/SnapshotReplay.h"
#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

namespace gmprof::snapshot {

using analysis::MappingApi;

namespace {

constexpr char AllocateApi[] = "CUDACachingAllocator::malloc",
               FreeApi[] = "CUDACachingAllocator::free";
/// Unit of block sizes (kMinBlockSize in PyTorch).
constexpr uint64_t LeastBlock = 512;
constexpr uint64_t MostBytesInAll = uint64_t(1) << 62;
/// Most parts of expandable segments that are mapped and unmapped in all.
constexpr uint64_t MostParts = uint64_t(1) << 26;

/// The objects of all devices.
struct Made {
  std::vector<profile::Object> Objects;
  uint64_t Records = 0;
  std::map<std::pair<std::array<int64_t, 2>, int64_t>, uint32_t> PoolNumbers;
};

/// Makes the objects of one device of its segments, blocks and events.
class Builder {
public:
  Builder(uint32_t Device, const DeviceHistory &In, uint64_t StartNs, MemorySnapshot &To, Made &All)
      : Device(Device), In(In), StartNs(StartNs), To(To), All(All), Objects(All.Objects) {}

  /// Makes the objects that exist before the events, at time 0. Returns an error, or nothing.
  std::string before();
  /// Executes the events.
  std::string events();

private:
  using Action = Event::Action;

  void findCuts();
  template <typename F> void forParts(uint64_t Address, uint64_t Bytes, F Do);
  void undo(const Event &E, State &Now);
  void execute(const Event &E);
  Segment segmentOf(const Event &E) const;
  /// Returns true if an expandable segment at the snapshot holds the address.
  bool isMappedAtEnd(uint64_t Address) const;
  uint32_t replayPool(const Segment &S);
  void makeSlab(uint64_t Address, const Segment &S, uint64_t TimeNs, bool IsMapped);
  void makeTensor(uint64_t Address, const Block &B, uint64_t TimeNs);
  void releaseOverlapped(uint64_t Address, uint64_t Size, uint64_t TimeNs);
  void release(std::map<uint64_t, size_t> &Of, uint64_t Address, uint64_t TimeNs, const char *Api,
               uint32_t Path = profile::None);
  profile::Object &make(uint64_t Address, uint64_t Bytes, uint32_t Path, uint64_t TimeNs,
                        const char *Api);

  const uint32_t Device;
  const DeviceHistory &In;
  const uint64_t StartNs;
  MemorySnapshot &To;
  Made &All;
  std::vector<profile::Object> &Objects;
  State First;                                       ///< before the events
  std::set<uint64_t> Cuts;                           ///< ends of the parts of expandable segments
  std::map<uint64_t, size_t> Slabs, Mapped, Tensors; ///< what exists: index of the object
  bool Completes = false; ///< frees count when they are completed, else when they are requested
  uint64_t LastNs = 0, Parts = 0, Bytes = 0;
};

/// Returns the least block for a tensor of so many bytes.
uint64_t blockBytes(uint64_t Requested) {
  return (std::max<uint64_t>(Requested, 1) + LeastBlock - 1) / LeastBlock * LeastBlock;
}

/// Finds the addresses at which expandable segments are cut into parts, of which each is mapped and
/// unmapped as a whole.
void Builder::findCuts() {
  for (const auto &[Address, S] : In.Segments) {
    if (!S.Expandable)
      continue;
    for (uint64_t At = 0; !S.Large && At < S.Bytes && Parts < MostParts; At += SmallPart, ++Parts)
      Cuts.insert(Address + At);
    Cuts.insert({Address, Address + S.Bytes});
  }
  for (const Event &E : In.Events)
    if (E.Is == Action::SegmentMap || E.Is == Action::SegmentUnmap)
      Cuts.insert({E.Address, E.Address + E.Bytes});
}

/// Calls Do with the address and bytes of each part from Address on.
template <typename F> void Builder::forParts(uint64_t Address, uint64_t Bytes, F Do) {
  for (auto At = Cuts.find(Address); At != Cuts.end() && *At < Address + Bytes; ++At) {
    if (++Parts > MostParts)
      return;
    Do(*At, *std::next(At) - *At);
  }
}

void Builder::undo(const Event &E, State &Now) {
  switch (E.Is) {
  case Action::Allocate:
    To.Unmatched += Now.Blocks.erase(E.Address) == 0;
    break;
  case Action::FreeRequested:
  case Action::FreeCompleted:
    if (Completes == (E.Is == Action::FreeCompleted))
      To.Unmatched +=
          !Now.Blocks.try_emplace(E.Address, Block{blockBytes(E.Bytes), profile::None, {}}).second;
    break;
  case Action::SegmentAllocate:
    To.Unmatched += Now.Slabs.erase(E.Address) == 0;
    break;
  case Action::SegmentFree:
    To.Unmatched += !Now.Slabs.try_emplace(E.Address, segmentOf(E)).second;
    break;
  case Action::SegmentMap:
    forParts(E.Address, E.Bytes, [&](uint64_t Address, uint64_t) { Now.Mapped.erase(Address); });
    break;
  case Action::SegmentUnmap:
    forParts(E.Address, E.Bytes, [&](uint64_t Address, uint64_t Size) {
      Segment S = segmentOf(E);
      S.Bytes = Size;
      Now.Mapped.try_emplace(Address, S);
    });
    break;
  case Action::OutOfMemory:
  case Action::Other:
    break;
  }
}

/// Returns the segment of an event, with the pool of the one that is there at the snapshot.
Segment Builder::segmentOf(const Event &E) const {
  Segment S;
  S.Bytes = E.Bytes;
  S.Stream = E.Stream;
  S.Path = E.Path;
  S.Expandable = E.Is == Action::SegmentMap || E.Is == Action::SegmentUnmap;
  const auto Next = In.Segments.upper_bound(E.Address);
  if (E.Pool) {
    S.Pool = *E.Pool;
  } else if (Next != In.Segments.begin()) {
    const auto &[Begin, There] = *std::prev(Next);
    if (There.Stream == E.Stream && E.Address < Begin + There.Bytes)
      S.Pool = There.Pool;
  }
  return S;
}

uint32_t Builder::replayPool(const Segment &S) {
  // Devices share numbers, as they are replayed one by one.
  const auto [It, New] = All.PoolNumbers.try_emplace(
      {S.Pool, S.Stream}, static_cast<uint32_t>(To.PrivateReplay.size()));
  if (New)
    To.PrivateReplay.push_back(S.Pool != std::array<int64_t, 2>());
  return It->second;
}

profile::Object &Builder::make(uint64_t Address, uint64_t Size, uint32_t Path, uint64_t TimeNs,
                               const char *Api) {
  profile::Object &O = Objects.emplace_back();
  O.Id = Objects.size();
  O.Address = Address;
  O.Bytes = Size;
  O.Device = Device;
  O.Made.Api = Api;
  O.Made.TimeNs = O.Made.BeginNs = O.Made.EndNs = TimeNs;
  O.Made.CallPath = Path;
  O.Made.Record = ++All.Records;
  Bytes += Size;
  return O;
}

void Builder::makeSlab(uint64_t Address, const Segment &S, uint64_t TimeNs, bool IsMapped) {
  auto &Of = IsMapped ? Mapped : Slabs;
  if (!Of.try_emplace(Address, Objects.size()).second) {
    To.Unmatched += !IsMapped;
    return;
  }
  make(Address, S.Bytes, S.Path, TimeNs, IsMapped ? MappingApi : "cudaMalloc");
  To.ReplayPools.push_back(replayPool(S));
}

void Builder::makeTensor(uint64_t Address, const Block &B, uint64_t TimeNs) {
  // The slab that holds its first byte.
  const profile::Object *In = nullptr;
  for (const auto *Of : {&Slabs, &Mapped})
    if (auto It = Of->upper_bound(Address); It != Of->begin()) {
      const profile::Object &Slab = Objects[std::prev(It)->second];
      if (Address < Slab.Address + Slab.Bytes)
        In = &Slab;
    }
  if (!In || Tensors.count(Address) != 0) {
    ++To.Unmatched;
    return;
  }
  const uint64_t Parent = In->Id;
  Tensors[Address] = Objects.size();
  profile::Object &O = make(Address, B.Bytes, B.Path, TimeNs, AllocateApi);
  O.Kind = log::ObjectKind::Pool;
  O.Parent = Parent;
  O.Name = B.Name;
  To.ReplayPools.push_back(To.ReplayPools[Parent]);
}

void Builder::release(std::map<uint64_t, size_t> &Of, uint64_t Address, uint64_t TimeNs,
                      const char *Api, uint32_t Path) {
  const auto It = Of.find(Address);
  if (It == Of.end()) {
    ++To.Unmatched;
    return;
  }
  profile::ObjectEvent E;
  E.Api = Api;
  E.TimeNs = E.BeginNs = E.EndNs = TimeNs;
  E.Record = ++All.Records;
  E.CallPath = Path;
  Objects[It->second].Released = E;
  Of.erase(It);
}

/// Releases tensors of which the release was not recorded, as another one takes their place.
void Builder::releaseOverlapped(uint64_t Address, uint64_t Size, uint64_t TimeNs) {
  auto It = Tensors.lower_bound(Address);
  if (It != Tensors.begin() &&
      std::prev(It)->first + Objects[std::prev(It)->second].Bytes > Address)
    --It;
  while (It != Tensors.end() && It->first < Address + Size) {
    const uint64_t Old = It->first;
    ++It;
    ++To.Unmatched;
    release(Tensors, Old, TimeNs, FreeApi);
  }
}

std::string Builder::before() {
  Completes =
      std::ranges::any_of(In.Events, [](const Event &E) { return E.Is == Action::FreeCompleted; });
  findCuts();
  First = In.End;
  for (const auto &[Address, S] : In.Segments)
    if (S.Expandable)
      forParts(Address, S.Bytes, [&, &S = S](uint64_t At, uint64_t Size) {
        Segment Part = S;
        Part.Bytes = Size;
        First.Mapped[At] = Part;
      });
  // Events that contradict the state are counted when they are replayed.
  const uint64_t Unmatched = To.Unmatched;
  for (size_t I = In.Events.size(); I-- > 0;)
    undo(In.Events[I], First);
  To.Unmatched = Unmatched;
  // A slab is followed by its tensors.
  auto Next = First.Blocks.begin();
  std::map<uint64_t, std::pair<const Segment *, bool>> All;
  for (const auto &[Address, S] : First.Slabs)
    All[Address] = {&S, false};
  for (const auto &[Address, S] : First.Mapped)
    All[Address] = {&S, true};
  for (const auto &[Address, S] : All) {
    makeSlab(Address, *S.first, 0, S.second);
    for (; Next != First.Blocks.end() && Next->first < Address + S.first->Bytes; ++Next)
      makeTensor(Next->first, Next->second, 0);
  }
  for (; Next != First.Blocks.end(); ++Next)
    ++To.Unmatched;
  return Parts > MostParts || Bytes > MostBytesInAll ? "its segments are too many or too large"
                                                     : "";
}

void Builder::execute(const Event &E) {
  // Distinct times keep the events in order.
  const uint64_t Now = LastNs = std::max(LastNs + 1, E.TimeNs - StartNs + 1);
  switch (E.Is) {
  case Action::Allocate: {
    const Block B = {blockBytes(E.Bytes), E.Path, E.Name};
    releaseOverlapped(E.Address, B.Bytes, Now);
    makeTensor(E.Address, B, Now);
    return;
  }
  case Action::FreeRequested:
  case Action::FreeCompleted:
    if (Completes == (E.Is == Action::FreeCompleted))
      release(Tensors, E.Address, Now, FreeApi, E.Path);
    return;
  case Action::SegmentAllocate:
    makeSlab(E.Address, segmentOf(E), Now, false);
    return;
  case Action::SegmentFree:
    release(Slabs, E.Address, Now, "cudaFree", E.Path);
    return;
  case Action::SegmentMap:
    forParts(E.Address, E.Bytes, [&](uint64_t Address, uint64_t Size) {
      Segment S = segmentOf(E);
      S.Bytes = Size;
      makeSlab(Address, S, Now, true);
    });
    return;
  case Action::SegmentUnmap:
    forParts(E.Address, E.Bytes,
             [&](uint64_t Address, uint64_t) { release(Mapped, Address, Now, "cuMemUnmap"); });
    return;
  case Action::OutOfMemory: {
    profile::FailedAllocation F;
    F.Record = ++All.Records;
    F.Api = AllocateApi;
    F.TimeNs = Now;
    F.Bytes = E.Bytes;
    F.Device = Device;
    F.CallPath = E.Path;
    To.P.FailedAllocations.push_back(F);
    return;
  }
  case Action::Other:
    return;
  }
}

bool Builder::isMappedAtEnd(uint64_t Address) const {
  const auto Next = In.Segments.upper_bound(Address);
  if (Next == In.Segments.begin())
    return false;
  const auto &[Begin, S] = *std::prev(Next);
  return S.Expandable && Address < Begin + S.Bytes;
}

std::string Builder::events() {
  for (const Event &E : In.Events) {
    execute(E);
    if (Parts > MostParts || Bytes > MostBytesInAll)
      return "its segments are too many or too large";
  }
  // The allocator knows the sizes of what exists at the snapshot, and where it was made.
  for (auto It = Tensors.begin(); It != Tensors.end();) {
    const auto [Address, Object] = *It++;
    if (const auto B = In.End.Blocks.find(Address); B != In.End.Blocks.end()) {
      Objects[Object].Bytes = B->second.Bytes;
      if (Objects[Object].Made.CallPath == profile::None)
        Objects[Object].Made.CallPath = B->second.Path;
    } else {
      ++To.Unmatched;
      release(Tensors, Address, LastNs, FreeApi);
    }
  }
  for (auto It = Slabs.begin(); It != Slabs.end();) {
    const auto [Address, Object] = *It++;
    const auto S = In.End.Slabs.find(Address);
    if (S == In.End.Slabs.end()) {
      ++To.Unmatched;
      release(Slabs, Address, LastNs, "cudaFree");
    } else if (Objects[Object].Bytes != S->second.Bytes) {
      ++To.Unmatched;
      Objects[Object].Bytes = S->second.Bytes;
    }
  }
  for (auto It = Mapped.begin(); It != Mapped.end();)
    if (const uint64_t Address = It++->first; !isMappedAtEnd(Address)) {
      ++To.Unmatched;
      release(Mapped, Address, LastNs, "cuMemUnmap");
    }
  // Nor may an event release what exists at the snapshot.
  const auto CountMissing = [&](const auto &AtEnd, const std::map<uint64_t, size_t> &Now) {
    for (const auto &[Address, Of] : AtEnd)
      To.Unmatched += !Now.contains(Address);
  };
  CountMissing(In.End.Blocks, Tensors);
  CountMissing(In.End.Slabs, Slabs);
  for (const auto &[Address, S] : In.Segments)
    if (S.Expandable)
      forParts(Address, S.Bytes,
               [&](uint64_t At, uint64_t) { To.Unmatched += !Mapped.contains(At); });
  To.P.TheRun.SteadyEndNs = std::max(To.P.TheRun.SteadyEndNs, LastNs);
  return "";
}

} // namespace

std::string replay(const DeviceHistories &Devices, MemorySnapshot &To) {
  uint64_t StartNs = UINT64_MAX;
  for (const auto &[Device, Of] : Devices)
    for (const Event &E : Of.Events) {
      StartNs = std::min(StartNs, E.TimeNs);
      ++To.Events;
    }
  Made All;
  To.ReplayPools.push_back(0); // ids begin with 1
  std::vector<Builder> Builders;
  for (const auto &[Device, Of] : Devices) {
    To.Devices.push_back(Device);
    Builders.emplace_back(Device, Of, StartNs, To, All);
  }
  for (Builder &B : Builders)
    if (const std::string Why = B.before(); !Why.empty())
      return Why;
  To.Initial = static_cast<uint32_t>(All.Objects.size());
  for (Builder &B : Builders)
    if (const std::string Why = B.events(); !Why.empty())
      return Why;
  for (const profile::Object &O : All.Objects)
    To.P.Objects.push_back(O);
  std::ranges::sort(To.P.FailedAllocations, {}, &profile::FailedAllocation::TimeNs);
  To.P.TheRun.Ended = true;
  return "";
}

} // namespace gmprof::snapshot
