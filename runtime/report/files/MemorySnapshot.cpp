//===- MemorySnapshot.cpp - Reads snapshots of PyTorch's memory -----------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "report/files/MemorySnapshot.h"
#include "analysis/objects/CachingAllocator.h"
#include "report/files/Pickle.h"
#include "report/text/TextStyle.h"
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <unordered_map>

namespace gmprof {

using analysis::CachingAllocator;
using analysis::MappingApi;
using Value = PickleValue;
using Kind = PickleValue::Kind;

static constexpr char AllocateApi[] = "CUDACachingAllocator::malloc",
                      FreeApi[] = "CUDACachingAllocator::free";
/// Unit of block sizes, and the units in which expandable segments of small and of large blocks are
/// mapped (kMinBlockSize, kSmallBuffer and kLargeBuffer in PyTorch).
static constexpr uint64_t LeastBlock = 512, SmallPart = CachingAllocator::SmallSlab,
                          LargePart = uint64_t(20) << 20;

namespace {

constexpr uint32_t MostDevices = 1024;
constexpr int64_t MostBytes = int64_t(1) << 48, MostMicroseconds = int64_t(1) << 53;
constexpr uint64_t MostBytesInAll = uint64_t(1) << 62;
/// Most parts of expandable segments that are mapped and unmapped in all.
constexpr uint64_t MostParts = uint64_t(1) << 26;

/// An event of the allocator, or a segment or a block at the snapshot.
struct Event {
  enum class Action : uint8_t {
    Allocate,
    FreeRequested,
    FreeCompleted,
    SegmentAllocate,
    SegmentFree,
    SegmentMap,
    SegmentUnmap,
    OutOfMemory,
    Other
  };
  Action Is = Action::Other;
  uint64_t Address = 0, Bytes = 0, TimeNs = 0;
  int64_t Stream = 0;
  std::optional<std::array<int64_t, 2>> Pool;
  uint32_t Path = profile::None; ///< call path of the profile
};

struct Block {
  uint64_t Bytes = 0;
  uint32_t Path = profile::None;
};

struct Segment {
  uint64_t Bytes = 0;
  int64_t Stream = 0;
  std::array<int64_t, 2> Pool = {};
  bool Large = true, Expandable = false;
  uint32_t Path = profile::None;
};

/// What exists on a device.
struct State {
  std::map<uint64_t, Block> Blocks;   ///< tensors, by address
  std::map<uint64_t, Segment> Slabs;  ///< segments that are not expandable, by address
  std::map<uint64_t, Segment> Mapped; ///< parts of expandable ones, by address
};

/// The segments and events of one device.
struct OfDevice {
  std::map<uint64_t, Segment> Segments; ///< at the snapshot
  State End;                            ///< at the snapshot
  std::vector<Event> Events;
};

/// Reads the pickled dictionary.
class Reader {
public:
  Reader(const Pickle &In, size_t Size, MemorySnapshot &To) : In(In), Most(Size), To(To) {}

  /// Returns an error, or nothing.
  std::string read();
  std::map<uint32_t, OfDevice> Devices;

private:
  bool fail(std::string Text) {
    if (Why.empty())
      Why = std::move(Text);
    return false;
  }
  std::optional<Value> find(Value Dictionary, std::string_view Key);
  /// Reads an integer; if it is not required and absent, To stays.
  bool integer(Value Dictionary, std::string_view Key, int64_t Least, int64_t Most, int64_t &To,
               const std::string &Of, bool Required = true);
  bool list(Value Dictionary, std::string_view Key, const std::string &Of, Value &To);
  std::string_view text(Value Dictionary, std::string_view Key);
  bool pool(Value Dictionary, std::string_view Key, std::optional<std::array<int64_t, 2>> &To);
  uint32_t pathOf(Value Dictionary, bool OfSegment);
  profile::Frame frame(Value Dictionary);

  bool segment(Value Of, const std::string &Name);
  bool blocks(Value Of, uint64_t Address, const Segment &S, OfDevice &On, SnapshotPool &Sum,
              const std::string &Name);
  bool events(Value Of, uint32_t Device);
  bool event(Value Of, const std::string &Name, Event &To);
  bool count(uint64_t Items) {
    Read += Items;
    return Read <= Most || fail("it refers to the same blocks or events again and again");
  }

  const Pickle &In;
  const uint64_t Most; ///< bytes of the pickle, and most blocks and events
  uint64_t Read = 0;
  MemorySnapshot &To;
  std::string Why;
  std::map<std::pair<uint32_t, bool>, uint32_t> Paths; ///< by list of frames, and of segments
  std::unordered_map<uint32_t, profile::Frame> Frames; ///< by dictionary
  using PoolKey = std::tuple<uint32_t, std::array<int64_t, 2>, int64_t, bool>;
  std::map<PoolKey, SnapshotPool> Pools;
};

/// Returns a member; nothing if there is none, or Dictionary is no dictionary.
std::optional<Value> Reader::find(Value Dictionary, std::string_view Key) {
  constexpr size_t MostMembers = 256;
  if (Dictionary.Of != Kind::Dictionary)
    return std::nullopt;
  const auto Members = In.dictionary(Dictionary);
  if (Members.size() > MostMembers) {
    fail(fmt::format("a dictionary has {} members", Members.size()));
    return std::nullopt;
  }
  for (size_t I = Members.size(); I-- > 0;)
    if (Members[I].first.Of == Kind::Text && In.text(Members[I].first) == Key)
      return Members[I].second;
  return std::nullopt;
}

bool Reader::integer(Value Dictionary, std::string_view Key, int64_t Least, int64_t Most,
                     int64_t &To, const std::string &Of, bool Required) {
  const std::optional<Value> V = find(Dictionary, Key);
  if (!V && !Required)
    return Why.empty();
  if (!V)
    return fail(fmt::format("{} has no {}", Of, Key));
  if (V->Of != Kind::Integer || V->Integer < Least || V->Integer > Most)
    return fail(fmt::format("{}.{} is not an integer from {} to {}", Of, Key, Least, Most));
  To = V->Integer;
  return true;
}

bool Reader::list(Value Dictionary, std::string_view Key, const std::string &Of, Value &To) {
  const std::optional<Value> V = find(Dictionary, Key);
  if (!V || V->Of != Kind::List)
    return fail(fmt::format("{} has no list of {}", Of, Key));
  To = *V;
  return true;
}

std::string_view Reader::text(Value Dictionary, std::string_view Key) {
  const std::optional<Value> V = find(Dictionary, Key);
  return V && V->Of == Kind::Text ? In.text(*V) : std::string_view();
}

/// Reads the id of a pool, a pair of integers.
bool Reader::pool(Value Dictionary, std::string_view Key,
                  std::optional<std::array<int64_t, 2>> &To) {
  const std::optional<Value> V = find(Dictionary, Key);
  if (!V || (V->Of != Kind::Tuple && V->Of != Kind::List))
    return Why.empty();
  const auto Both = In.list(*V);
  if (Both.size() == 2 && Both[0].Of == Kind::Integer && Both[1].Of == Kind::Integer)
    To = {Both[0].Integer, Both[1].Integer};
  return Why.empty();
}

profile::Frame Reader::frame(Value Dictionary) {
  constexpr int64_t MostLine = INT32_MAX;
  profile::Frame F;
  F.Function = text::printable(std::string(text(Dictionary, "name")));
  const std::string_view File = text(Dictionary, "filename");
  const std::optional<Value> Line = find(Dictionary, "line");
  if (!File.empty() && File != "??" && Line && Line->Of == Kind::Integer && Line->Integer > 0 &&
      Line->Integer <= MostLine)
    F.Source = {text::printable(std::string(File)), static_cast<unsigned>(Line->Integer), 0};
  return F;
}

static bool isPython(const profile::Frame &F) {
  return F.Source.File.ends_with(".py") || F.Source.File.starts_with('<');
}

/// Returns the call path of the frames; None if there are none. Frames of C++ keep their function
/// only if there are frames of Python, which the user knows.
uint32_t Reader::pathOf(Value Dictionary, bool OfSegment) {
  const std::optional<Value> V = find(Dictionary, "frames");
  const bool Known = V && V->Of == Kind::List && !In.list(*V).empty();
  if (!Known && !OfSegment)
    return profile::None;
  const auto [It, New] = Paths.try_emplace({Known ? V->Index : UINT32_MAX, OfSegment},
                                           static_cast<uint32_t>(To.P.CallPaths.size()));
  if (!New)
    return It->second;
  profile::CallPath &Path = To.P.CallPaths.emplace_back();
  if (OfSegment) // PyTorch allocates for the program
    Path.Frames.push_back({"", {}, "libc10_cuda.so", 0, false});
  bool AnyPython = false;
  if (Known)
    for (const Value Each : In.list(*V)) {
      if (Each.Of != Kind::Dictionary)
        continue;
      const auto [Of, IsNew] = Frames.try_emplace(Each.Index);
      if (IsNew)
        Of->second = frame(Each);
      AnyPython |= isPython(Of->second);
      Path.Frames.push_back(Of->second);
    }
  if (AnyPython)
    for (profile::Frame &F : Path.Frames)
      if (!isPython(F))
        F.Source = {};
  return It->second;
}

bool Reader::blocks(Value Of, uint64_t Address, const Segment &S, OfDevice &On, SnapshotPool &Sum,
                    const std::string &Name) {
  Value Blocks;
  if (!list(Of, "blocks", Name, Blocks) || !count(In.list(Blocks).size()))
    return false;
  uint64_t At = Address;
  const uint64_t End = Address + S.Bytes;
  bool AnyUsed = false;
  std::vector<std::pair<uint64_t, uint64_t>> Free; ///< address, bytes
  size_t Index = 0;
  for (const Value Each : In.list(Blocks)) {
    const std::string Block = fmt::format("{}.blocks[{}]", Name, Index++);
    int64_t Bytes = 0, Begin = static_cast<int64_t>(At);
    if (!integer(Each, "size", 1, MostBytes, Bytes, Block) ||
        !integer(Each, "address", 0, INT64_MAX, Begin, Block, false))
      return false;
    if (static_cast<uint64_t>(Begin) != At || static_cast<uint64_t>(Bytes) > End - At)
      return fail(fmt::format("{} is not where the block before it, or the segment, ends", Block));
    const std::string_view Is = text(Each, "state");
    int64_t Requested = Bytes;
    if (!integer(Each, "requested_size", 0, MostBytes, Requested, Block, false))
      return false;
    const auto Size = static_cast<uint64_t>(Bytes);
    if (Is == "inactive") {
      Free.emplace_back(At, Size);
    } else if (Is == "active_allocated" || Is == "active_pending_free" ||
               Is == "active_awaiting_free") {
      AnyUsed = true;
      (Is == "active_allocated" ? Sum.AllocatedBytes : Sum.AwaitingBytes) += Size;
      Sum.RequestedBytes += std::min(static_cast<uint64_t>(Requested), Size);
      On.End.Blocks[At] = {Size, pathOf(Each, false)};
    } else {
      return fail(fmt::format("{}.state is '{}'", Block, Is));
    }
    At += Size;
  }
  if (At != End)
    return fail(fmt::format("the blocks of {} do not fill it", Name));
  const uint64_t Part = S.Large ? LargePart : SmallPart;
  for (const auto &[Begin, Size] : Free) {
    uint64_t Releasable = AnyUsed ? 0 : Size;
    if (S.Expandable) { // whole parts are unmapped
      const uint64_t First = (Begin - Address + Part - 1) / Part * Part,
                     Last = (Begin - Address + Size) / Part * Part;
      Releasable = Last > First ? Last - First : 0;
    }
    Sum.ReleasableBytes += Releasable;
    Sum.FragmentedBytes += Size - Releasable;
    Sum.LargestFreeBytes = std::max(Sum.LargestFreeBytes, Size);
  }
  return Why.empty();
}

bool Reader::segment(Value Of, const std::string &Name) {
  int64_t Device = 0, Address = 0, Bytes = 0, Stream = 0;
  if (!integer(Of, "device", 0, MostDevices - 1, Device, Name, false) ||
      !integer(Of, "address", 1, INT64_MAX - MostBytes, Address, Name) ||
      !integer(Of, "total_size", 1, MostBytes, Bytes, Name) ||
      !integer(Of, "stream", INT64_MIN, INT64_MAX, Stream, Name, false))
    return false;
  OfDevice &On = Devices[static_cast<uint32_t>(Device)];
  Segment S;
  S.Bytes = static_cast<uint64_t>(Bytes);
  S.Stream = Stream;
  S.Large = text(Of, "segment_type") != "small";
  std::optional<std::array<int64_t, 2>> Id;
  if (!pool(Of, "segment_pool_id", Id))
    return false;
  S.Pool = Id.value_or(std::array<int64_t, 2>());
  if (const auto V = find(Of, "is_expandable"))
    S.Expandable = V->Of == Kind::Bool && V->Integer != 0;
  const auto Begin = static_cast<uint64_t>(Address);
  const auto Next = On.Segments.lower_bound(Begin);
  const bool Overlaps = (Next != On.Segments.end() && Next->first < Begin + S.Bytes) ||
                        (Next != On.Segments.begin() &&
                         std::prev(Next)->first + std::prev(Next)->second.Bytes > Begin);
  if (Overlaps)
    return fail(fmt::format("{} overlaps another segment", Name));
  S.Path = pathOf(Of, true);
  SnapshotPool &Sum = Pools[{static_cast<uint32_t>(Device), S.Pool, S.Stream, S.Large}];
  Sum.Device = static_cast<uint32_t>(Device);
  Sum.Id = S.Pool;
  Sum.Stream = S.Stream;
  Sum.Large = S.Large;
  ++Sum.Segments;
  Sum.ReservedBytes += S.Bytes;
  On.Segments.emplace(Begin, S);
  if (!S.Expandable)
    On.End.Slabs[Begin] = S;
  return blocks(Of, Begin, S, On, Sum, Name);
}

bool Reader::event(Value Of, const std::string &Name, Event &Into) {
  static constexpr std::pair<std::string_view, Event::Action> Actions[] = {
      {"alloc", Event::Action::Allocate},
      {"free_requested", Event::Action::FreeRequested},
      {"free_completed", Event::Action::FreeCompleted},
      {"segment_alloc", Event::Action::SegmentAllocate},
      {"segment_free", Event::Action::SegmentFree},
      {"segment_map", Event::Action::SegmentMap},
      {"segment_unmap", Event::Action::SegmentUnmap},
      {"oom", Event::Action::OutOfMemory}};
  const std::string_view Action = text(Of, "action");
  if (Action.empty())
    return fail(fmt::format("{} has no action", Name));
  for (const auto &[Is, Known] : Actions)
    if (Action == Is)
      Into.Is = Known;
  if (Into.Is == Event::Action::Other) // a snapshot, or metadata
    return Why.empty();
  int64_t Address = 0, Bytes = 0;
  if (Into.Is != Event::Action::OutOfMemory &&
      !integer(Of, "addr", 1, INT64_MAX - MostBytes, Address, Name))
    return false;
  if (!integer(Of, "size", 0, MostBytes, Bytes, Name) ||
      !integer(Of, "stream", INT64_MIN, INT64_MAX, Into.Stream, Name, false) ||
      !pool(Of, "pool_id", Into.Pool))
    return false;
  Into.Address = static_cast<uint64_t>(Address);
  Into.Bytes = static_cast<uint64_t>(Bytes);
  const bool OfSegment =
      Into.Is == Event::Action::SegmentAllocate || Into.Is == Event::Action::SegmentMap;
  Into.Path = pathOf(Of, OfSegment);
  return Why.empty();
}

bool Reader::events(Value Of, uint32_t Device) {
  if (Of.Of != Kind::List)
    return fail(fmt::format("device_traces[{}] is no list", Device));
  if (In.list(Of).empty())
    return true;
  if (Device >= MostDevices)
    return fail(fmt::format("device_traces has more than {} devices", MostDevices));
  if (!count(In.list(Of).size()))
    return false;
  OfDevice &On = Devices[Device];
  size_t Index = 0;
  for (const Value Each : In.list(Of)) {
    const std::string Name = fmt::format("device_traces[{}][{}]", Device, Index++);
    Event E;
    // Old snapshots have no times: events are a microsecond apart.
    auto Microseconds = static_cast<int64_t>(Index);
    if (!event(Each, Name, E) ||
        !integer(Each, "time_us", 0, MostMicroseconds, Microseconds, Name, false))
      return false;
    E.TimeNs = static_cast<uint64_t>(Microseconds) * 1000;
    On.Events.push_back(E);
  }
  return true;
}

std::string Reader::read() {
  if (In.root().Of != Kind::Dictionary)
    return "it holds no dictionary";
  Value Segments, Traces;
  if (!list(In.root(), "segments", "it", Segments) || !count(In.list(Segments).size()))
    return Why;
  size_t Index = 0;
  for (const Value Each : In.list(Segments))
    if (!segment(Each, fmt::format("segments[{}]", Index++)))
      return Why;
  if (find(In.root(), "device_traces")) {
    if (!list(In.root(), "device_traces", "it", Traces))
      return Why;
    uint32_t Device = 0;
    for (const Value Each : In.list(Traces))
      if (!events(Each, Device++))
        return Why;
  }
  for (auto &[Key, Sum] : Pools)
    To.Pools.push_back(Sum);
  return Why;
}

/// The objects of all devices.
struct Made {
  std::vector<profile::Object> Objects;
  uint64_t Records = 0;
  std::map<std::pair<std::array<int64_t, 2>, int64_t>, uint32_t> PoolNumbers;
};

/// Makes the objects of one device of its segments, blocks and events.
class Builder {
public:
  Builder(uint32_t Device, const OfDevice &In, uint64_t StartNs, MemorySnapshot &To, Made &All)
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
  const OfDevice &In;
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
          !Now.Blocks.try_emplace(E.Address, Block{blockBytes(E.Bytes), profile::None}).second;
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
  auto Last = In.Segments.upper_bound(E.Address);
  if (E.Pool)
    S.Pool = *E.Pool;
  else if (Last != In.Segments.begin() && (--Last)->second.Stream == E.Stream &&
           E.Address < Last->first + Last->second.Bytes)
    S.Pool = Last->second.Pool;
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
  // What does not fit is counted when the events are executed.
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
    const Block B = {blockBytes(E.Bytes), E.Path};
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

Result<MemorySnapshot> parseMemorySnapshot(std::string_view Data, const std::string &Path) {
  const auto Refuse = [&](const std::string &Why) {
    return Error{fmt::format("'{}' is no snapshot of PyTorch's memory: {}", Path, Why)};
  };
  const Result<Pickle> In = Pickle::parse(Data);
  if (!In)
    return Refuse(In.error());
  MemorySnapshot To;
  Reader R(*In, Data.size(), To);
  if (const std::string Why = R.read(); !Why.empty())
    return Refuse(Why);
  if (R.Devices.empty())
    return Error{fmt::format("'{}' has no memory: PyTorch's caching allocator had allocated none, "
                             "or another allocator was in use",
                             Path)};
  uint64_t StartNs = UINT64_MAX;
  for (const auto &[Device, Of] : R.Devices)
    for (const Event &E : Of.Events) {
      StartNs = std::min(StartNs, E.TimeNs);
      ++To.Events;
    }
  Made All;
  To.ReplayPools.push_back(0); // ids begin with 1
  std::vector<Builder> Builders;
  for (const auto &[Device, Of] : R.Devices) {
    To.Devices.push_back(Device);
    Builders.emplace_back(Device, Of, StartNs, To, All);
  }
  for (Builder &B : Builders)
    if (const std::string Why = B.before(); !Why.empty())
      return Refuse(Why);
  To.Initial = static_cast<uint32_t>(All.Objects.size());
  for (Builder &B : Builders)
    if (const std::string Why = B.events(); !Why.empty())
      return Refuse(Why);
  for (const profile::Object &O : All.Objects)
    To.P.Objects.push_back(O);
  std::ranges::sort(To.P.FailedAllocations, {}, &profile::FailedAllocation::TimeNs);
  To.P.TheRun.Ended = true;
  return To;
}

Result<MemorySnapshot> readMemorySnapshot(const std::string &Path) {
  std::error_code Failed;
  if (std::filesystem::is_directory(Path, Failed))
    return Error{fmt::format("'{}' is a folder: name the file that "
                             "torch.cuda.memory._dump_snapshot() wrote",
                             Path)};
  std::ifstream File(Path, std::ios::binary);
  std::string Data{std::istreambuf_iterator<char>(File), {}};
  if (!File.is_open() || File.bad())
    return Error{fmt::format("cannot read '{}': {}", Path, std::strerror(errno))};
  return parseMemorySnapshot(Data, Path);
}

} // namespace gmprof
