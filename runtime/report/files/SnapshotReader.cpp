//===- SnapshotReader.cpp - Reads a snapshot's pickle ---------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "report/files/SnapshotReader.h"
#include "report/text/TextStyle.h"
#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <iterator>
#include <tuple>
#include <unordered_map>

namespace gmprof::snapshot {

using Value = PickleValue;
using Kind = PickleValue::Kind;

namespace {

constexpr uint32_t MostDevices = 1024;
constexpr int64_t MostBytes = int64_t(1) << 48, MostMicroseconds = int64_t(1) << 53;

/// Reads the pickled dictionary.
class Reader {
public:
  Reader(const Pickle &In, size_t Size, MemorySnapshot &To) : In(In), Most(Size), To(To) {}

  /// Returns an error, or nothing.
  std::string read();
  DeviceHistories Devices;

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
  std::vector<profile::Frame> framesOf(Value Dictionary);

  bool segment(Value Of, const std::string &Name);
  bool blocks(Value Of, uint64_t Address, const Segment &S, DeviceHistory &On, SnapshotPool &Sum,
              const std::string &Name);
  bool events(Value Of, uint32_t Device);
  bool event(Value Of, const std::string &Name, Event &To);
  bool count(uint64_t Items) {
    Read += Items;
    return Read <= Most || fail("it refers to the same blocks, events or frames again and again");
  }

  const Pickle &In;
  const uint64_t Most; ///< bytes of the pickle, and most blocks and events
  uint64_t Read = 0;
  MemorySnapshot &To;
  std::string Why;
  std::map<std::pair<uint32_t, bool>, uint32_t> Paths; ///< by list of frames, and of segments
  std::unordered_map<uint32_t, std::vector<profile::Frame>> Frames; ///< by dictionary
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

/// Takes the text up to the end mark from the front of From; all of it if there is no such mark.
static std::string_view takeUntil(std::string_view &From, std::string_view End) {
  const size_t At = From.find(End);
  const std::string_view Taken = From.substr(0, At);
  From.remove_prefix(At == std::string_view::npos ? From.size() : At + End.size());
  return Taken;
}

/// Returns the frames of a traceback as Python prints it, innermost first. The lines of code below
/// the frames are skipped.
static std::vector<profile::Frame> framesOfTraceback(std::string_view Text) {
  std::vector<profile::Frame> Frames;
  while (!Text.empty()) {
    std::string_view Rest = takeUntil(Text, "\n");
    Rest.remove_prefix(std::min(Rest.find_first_not_of(' '), Rest.size()));
    constexpr std::string_view File = "File \"";
    if (!Rest.starts_with(File))
      continue;
    Rest.remove_prefix(File.size());
    const std::string_view Name = takeUntil(Rest, "\", line ");
    unsigned Line = 0;
    const auto [End, Failed] = std::from_chars(Rest.data(), Rest.data() + Rest.size(), Line);
    if (Failed != std::errc() || Line == 0 || Name.empty())
      continue;
    takeUntil(Rest, ", in ");
    Frames.push_back({text::printable(std::string(Rest)),
                      {text::printable(std::string(Name)), Line, 0},
                      "",
                      0,
                      false});
  }
  std::ranges::reverse(Frames);
  return Frames;
}

static bool isPython(const profile::Frame &F) {
  return F.Source.File.ends_with(".py") || F.Source.File.starts_with('<');
}

/// Returns a frame, innermost first with those of the program if it is of code that torch.fx has
/// generated (augment_with_fx_traces).
std::vector<profile::Frame> Reader::framesOf(Value Dictionary) {
  std::vector<profile::Frame> Frames = framesOfTraceback(text(Dictionary, "fx_original_trace"));
  Frames.push_back(frame(Dictionary));
  return Frames;
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
        Of->second = framesOf(Each);
      if (!count(Of->second.size() - 1))
        return profile::None;
      AnyPython |= std::ranges::any_of(Of->second, isPython);
      Path.Frames.insert(Path.Frames.end(), Of->second.begin(), Of->second.end());
    }
  if (AnyPython)
    for (profile::Frame &F : Path.Frames)
      if (!isPython(F))
        F.Source = {};
  return It->second;
}

bool Reader::blocks(Value Of, uint64_t Address, const Segment &S, DeviceHistory &On,
                    SnapshotPool &Sum, const std::string &Name) {
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
      On.End.Blocks[At] = {Size, pathOf(Each, false), {}};
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
  DeviceHistory &On = Devices[static_cast<uint32_t>(Device)];
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
  Into.Name = profile::Name(text::printable(std::string(text(Of, "user_metadata"))));
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
  DeviceHistory &On = Devices[Device];
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

} // namespace

Result<DeviceHistories> readHistories(const Pickle &In, size_t Bytes, MemorySnapshot &To) {
  Reader R(In, Bytes, To);
  if (std::string Why = R.read(); !Why.empty())
    return Error{std::move(Why)};
  return std::move(R.Devices);
}

} // namespace gmprof::snapshot
