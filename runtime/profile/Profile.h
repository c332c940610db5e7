//===- Profile.h - The model of a profiled run ------------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Plain data: what an event log says of one run, decoded and checked, nothing
// judged. ProfileBuilder makes it, the analyses read it, and tests write it by
// hand. All indices are into the vectors beside them.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_PROFILE_PROFILE_H
#define GMPROF_PROFILE_PROFILE_H

#include "gmprof/abi.h"
#include "profile/CompactVector.h"
#include "profile/HeatMap.h"
#include "profile/Name.h"
#include "profile/Records.h"
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace gmprof::profile {

inline constexpr uint32_t None = GMPROF_NONE;

struct SourcePosition {
  std::string File; ///< absolute where the compiler said so; empty: unknown
  unsigned Line = 0, Column = 0;
};

struct Run {
  std::vector<std::string> Command;
  std::string Host;
  int64_t Pid = 0, ParentPid = 0;
  std::optional<int> Rank; ///< in an MPI job
  std::string DeviceKind;  ///< "gpu" or "cpu"
  std::string ToolName, ToolVersion;
  std::string ConfigJson = "{}"; ///< the effective options, a JSON object
  std::string Profile;           ///< of them: what was to be profiled
  uint64_t StartUnixNs = 0, SteadyStartNs = 0;
  uint64_t EndUnixNs = 0, SteadyEndNs = 0; ///< 0 if the program died
  std::optional<int> ExitStatus;
  bool Ended = false;     ///< the log has its End record
  bool Truncated = false; ///< the log ends within a record
};

struct Device {
  uint32_t Id = 0;
  std::string Name, ComputeCapability;
  std::string AttributesJson = "{}"; ///< all that was recorded, a JSON object
  /// Shared memory and threads of one multiprocessor; 0: not recorded.
  uint64_t SharedBytesPerSm = 0, SharedBytesReservedPerBlock = 0, ThreadsPerSm = 0;
};

struct Variable {
  std::string Name, Type; ///< as in the source; type empty if unknown
  SourcePosition Source;
  GmprofVariableKind Kind = GMPROF_VARIABLE_SHARED;
  unsigned ElementBytes = 0; ///< 0: unknown
  uint64_t Bytes = 0;        ///< 0 for dynamic shared memory
  std::string Symbol = {};   ///< of a variable of the module, mangled; else empty
  uint32_t Parameter = None; ///< of the kernel, that holds the pointer
  uint32_t ParameterOffset = 0;
  uint32_t Root = None; ///< number in GmprofGlobalLaunch::roots
};

struct Site {
  uint32_t Variable = None;
  SourcePosition Source;
  std::string Function;
  GmprofAccessKind Kind = GMPROF_ACCESS_LOAD;
  GmprofSpace Space = GMPROF_SPACE_GENERIC;
  unsigned Bytes = 0;     ///< 0: known at run time
  bool Reduction = false; ///< see GmprofSiteDesc::reduction
  GmprofRule Rule = GMPROF_RULE_NOT_COUNTED;
  std::string Reason;
  GmprofRule GlobalRule = GMPROF_RULE_NOT_COUNTED; ///< the same two in the global clones
  std::string GlobalReason;
  uint32_t InlinedAt = None; ///< index of Descriptor::Inlines
  /// Of a function that is not inlined: see GmprofSiteDesc::functionSite.
  uint64_t Unit = 0;
  uint32_t FunctionSite = None;
};

/// A call that was inlined.
struct InlinedCall {
  std::string Function; ///< that was inlined
  SourcePosition Source;
  uint32_t Parent = None; ///< the inlined call that it is in; of a lower index
};

/// Every thread accesses Bytes bytes at Offset of Variable, Count times.
struct Move {
  GmprofMoveKind Kind = GMPROF_MOVE_BEGIN;
  uint32_t Shared = None, Global = None; ///< indices of variables
  unsigned Bytes = 0;                    ///< by each thread; 0: known at run time
  SourcePosition Source;
  std::string Function;
  uint32_t InlinedAt = None; ///< index of Descriptor::Inlines
};

struct StaticCount {
  uint32_t Variable = None, Site = None;
  uint64_t Offset = 0;
  unsigned Bytes = 0, Count = 0;
};

/// The closed form of an access, see GmprofFormDesc.
struct Form {
  uint32_t Site = None, Variable = None;
  std::vector<int64_t> Words;
};

/// What is known of an access's heat, see GmprofHeatFormDesc.
struct HeatForm : Form {
  uint32_t ProgramLoops = 0; ///< mask
  int64_t Offset = 0;
  unsigned Bytes = 0, PieceBytes = 0;
};

/// That an object may be accessed, see GmprofTouchDesc.
struct Touch {
  uint32_t Variable = None;
  unsigned Kinds = 0;
  GmprofTouchRule Rule = GMPROF_TOUCH_ALWAYS;
  unsigned Flag = 0;
};

/// What the pass left in the device module about a kernel.
struct Descriptor {
  std::string Name; ///< mangled
  SourcePosition Source;
  unsigned ParamCount = 0;
  unsigned Modes = 0, Flags = 0; ///< GMPROF_MODE_*, GMPROF_KERNEL_*
  GmprofLevel Level = GMPROF_LEVEL_BASIC;
  unsigned CounterBits = 0;
  unsigned Threshold = 0; ///< 0: none
  /// The same three of the global clones, if Modes has GMPROF_MODE_GLOBAL.
  GmprofLevel GlobalLevel = GMPROF_LEVEL_BASIC;
  unsigned GlobalCounterBits = 0;
  unsigned GlobalThreshold = 0;
  std::string SkipReason;   ///< why it is not profiled at all
  std::string SharedReason; ///< why no clone counts shared memory
  std::vector<Variable> Variables;
  std::vector<Site> Sites;
  std::vector<StaticCount> Statics;
  std::vector<Move> Moves;
  std::vector<uint32_t> RangeVariables; ///< those whose live ranges are counted
  std::vector<Form> Forms;              ///< of accesses of global memory
  std::vector<Form> SharedForms;        ///< of accesses of shared memory
  std::vector<HeatForm> HeatForms;      ///< of both
  std::vector<Touch> Touches;
  std::vector<Form> TouchForms; ///< Site is the number of the touch
  std::vector<InlinedCall> Inlines;
  std::vector<std::string> Callees; ///< device functions with descriptors that it may call
};

struct Kernel {
  std::string Name, Demangled;
  std::vector<uint32_t> Devices; ///< where it was loaded
  uint32_t StaticSharedBytes = 0, Registers = 0, CloneRegisters = 0;
  std::optional<Descriptor> Desc; ///< absent: not compiled by the pass, or invalid
  std::string Reason;             ///< why it is never profiled; empty: it is
};

struct Launch {
  uint64_t Id = 0, TimeNs = 0, Stream = 0;
  uint64_t Context = 0; ///< of SharedCounts or GlobalContext; 0: none
  uint32_t Kernel = 0;
  log::LaunchMode Mode = log::LaunchMode::Plain;
  std::array<uint32_t, 3> Grid = {1, 1, 1}, Block = {1, 1, 1};
  uint32_t DynamicSharedBytes = 0, Device = 0;
  uint32_t CallPath = None, Thread = 0;
  uint32_t AccessSet = None;
  bool Graph = false;  ///< a kernel node of a graph
  bool InBody = false; ///< of a conditional node
  uint64_t Times = 1;  ///< it ran: replays for a graph's node
  Name Reason;         ///< why it was refused
  uint64_t Record = 0; ///< the record's position in the log: 1, 2, …
};

/// Live ranges of a variable's words, by number of accesses.
struct RangeCounts {
  std::array<uint64_t, GMPROF_RANGE_BUCKETS> Ranges = {}; ///< see GmprofRangeCounts
  uint64_t Capped = 0;                                    ///< with the counter at the threshold
  uint64_t Accesses = 0;
  uint32_t Min = UINT32_MAX, Max = 0;
};

/// One live range of a word.
struct RangeRecord {
  uint32_t Variable = 0; ///< position in Descriptor::RangeVariables
  uint32_t Word = 0;
  uint32_t Begin = 0, End = 0; ///< the block's logical clock
  uint32_t Accesses = 0;
  bool Moved = false; ///< a move began it
};

/// Counts of one launch context, see log::SharedCountsRecord.
/// Where the log says that closed forms are not counted (SharedCase), the counts here
/// have what they say: of as many blocks as were counted.
struct SharedCounts {
  uint64_t Context = 0;
  uint32_t Kernel = 0;
  uint64_t Blocks = 0, Threads = 0, Lost = 0;
  uint32_t FirstAddress = 0, DynamicAddress = 0, DynamicSharedBytes = 0;
  uint32_t BlockSample = 1;
  bool CountersInDeviceMemory = false;
  std::vector<uint64_t> Sums;      ///< per word
  std::vector<uint32_t> Capped;    ///< per word: blocks in which it reached the threshold
  std::vector<uint32_t> Addresses; ///< per variable of the descriptor
  uint32_t DegreesOfFreedom = 0;   ///< of Deviations
  std::vector<double> Deviations;  ///< per variable
  /// Per variable of Descriptor::RangeVariables, or none.
  std::vector<RangeCounts> Ranges;
  std::vector<RangeRecord> RangeRecords; ///< the first of the context
  uint64_t RangeRecordsSeen = 0;
};

/// Elements of global memory are at most this large: 4 KiB.
inline constexpr unsigned MaxElementShift = 12;

/// What launches of a kernel have in common, see log::GlobalContextRecord, and what
/// they counted beside the counts of elements, see log::GlobalTotalsRecord.
struct GlobalContext {
  uint64_t Context = 0;
  uint32_t Kernel = 0;
  std::array<uint32_t, 3> Grid = {1, 1, 1}, Block = {1, 1, 1};
  uint32_t BlockSample = 1;
  bool ClosedForms = false; ///< they hold
  uint64_t CounterBytes = 0, ObjectBytes = 0;
  /// Per variable of the descriptor: the id of the object its pointer points into,
  /// or 0, and at which byte of it.
  std::vector<uint64_t> Objects;
  std::vector<int64_t> Offsets;
  std::vector<int64_t> Values; ///< of the kernel's parameters
  uint64_t LaunchesCounted = 0, Blocks = 0, Threads = 0, Outside = 0;
};

/// Counts of a kind of accesses by a kernel to elements of an object, see
/// log::GlobalCountsRecord. Several add up.
struct GlobalCounts {
  uint64_t Object = 0;
  uint32_t Kernel = 0;
  GmprofCounterKind Kind = GMPROF_COUNTER_READS;
  unsigned ElementShift = 0;
  uint32_t BlockSample = 1;
  uint32_t Threshold = 0; ///< 0: none
  bool ThresholdReached = false;
  uint64_t FirstElement = 0, Elements = 0;
  uint64_t Launches = 0;
  uint64_t Context = 0; ///< that all of them are of; 0: of any that no other counts are of
  std::vector<std::byte> Compressed = {}; ///< see CompressedCounts.h
};

/// Something skipped, capped or lost.
struct Gap {
  std::string What, Reason;
  uint64_t Count = 0;
};

/// An executable or library in the program's address space.
struct Image {
  std::string Path, BuildId; ///< in hexadecimal digits; empty: it has none
  uint64_t Address = 0, Bytes = 0;
  uint64_t Offset = 0; ///< what its file calls Address
};

/// A function on a call path, and where in it the next one is called.
struct Frame {
  std::string Function; ///< demangled; empty: unknown
  SourcePosition Source;
  std::string Image;    ///< path of the executable or library
  uint64_t Address = 0; ///< in the image's file
  bool Inlined = false; ///< into the next frame
};

/// Return addresses, the innermost first.
struct CallPath {
  std::vector<uint64_t> Addresses;
  uint32_t ImageCount = 0; ///< these were loaded then; of several in one place the last
  /// The innermost first, inlined functions too. Empty until they are looked up.
  std::vector<Frame> Frames;
};

/// A call of the program that made or released an object.
struct ObjectEvent {
  Name Api;            ///< the function; empty: a variable of a module, or unknown
  uint64_t TimeNs = 0; ///< when the object came or began to go
  uint64_t Stream = 0; ///< of a stream-ordered call; else 0
  uint32_t Thread = 0;
  uint32_t CallPath = None;
  uint64_t BeginNs = 0, EndNs = 0; ///< of the call
  uint64_t Record = 0;             ///< the record's position in the log: 1, 2, …
  bool InGraph = false;            ///< a node of a graph
};

/// An object of global memory.
struct Object {
  uint64_t Id = 0; ///< 1, 2, … in the order in which they came to be
  log::ObjectKind Kind = log::ObjectKind::Device;
  profile::Name Name;   ///< of the variable; empty: unknown
  uint64_t Address = 0; ///< on the device; 0: opaque
  uint64_t Bytes = 0;
  uint32_t Device = 0;
  uint64_t Parent = 0;                 ///< id of the slab that a part of a pool lies in; 0: none
  std::array<uint32_t, 3> Extent = {}; ///< see log::ObjectRecord
  uint32_t ElementBytes = 0;           ///< likewise
  ObjectEvent Made;
  /// Absent: it was alive at the end. Of memory of a graph, the last call that did so, or the node.
  std::optional<ObjectEvent> Released;
};

/// A call that released what a graph had allocated in one of its launches, beside Object::Released.
struct GraphMemoryRelease {
  uint32_t Object = 0; ///< index
  ObjectEvent Event;
};

/// The objects that launches access, see log::AccessSetRecord.
struct AccessSet {
  log::AccessKnowledge Knowledge = log::AccessKnowledge::Exact;
  std::vector<log::ObjectAccess> Accesses;
};

/// A copy or set, see log::CopyRecord.
struct Copy {
  uint64_t Record = 0; ///< the record's position in the log
  Name Api;
  uint64_t BeginNs = 0, EndNs = 0;
  uint64_t Stream = 0;
  uint64_t RowBytes = 0, Rows = 1, Slices = 1;
  log::CopyOperand To = {}, From = {};
  log::HostWait Wait = log::HostWait::None;
  bool Set = false, Peer = false;
  uint32_t Device = 0, Thread = 0;
  uint32_t CallPath = None;
};

/// A call that orders the work of streams or waits for it, see log::OrderRecord.
struct Order {
  uint64_t Record = 0; ///< the record's position in the log
  uint64_t BeginNs = 0, EndNs = 0;
  uint64_t Stream = 0, Event = 0;
  log::OrderKind Kind = log::OrderKind::DeviceSynchronized;
  bool NonBlocking = false;
  uint32_t Device = 0, Thread = 0;
  uint32_t CallPath = None;
};

/// Begin or end of something that a thread of the program does, see log::RegionRecord.
struct Region {
  uint64_t TimeNs = 0;
  uint32_t Thread = 0;
  bool End = false;
  std::string Name; ///< of a begin
};

/// See log::GraphNodeRecord.
struct GraphNode {
  log::GraphNodeKind Kind = log::GraphNodeKind::Launch;
  uint32_t Launch = None; ///< index, of a kernel node; None: not known
  uint64_t Object = 0;    ///< id
  Copy TheCopy = {};
};

/// The nodes of an executable graph: indices, None for one that only orders others.
struct GraphNodes {
  std::vector<uint32_t> Nodes;
  std::vector<std::array<uint32_t, 2>> Edges; ///< positions in Nodes
};

struct GraphLaunch {
  uint64_t Record = 0; ///< the record's position in the log
  uint64_t TimeNs = 0;
  uint64_t Stream = 0;
  uint64_t Graph = 0;    ///< its number
  uint32_t Nodes = None; ///< in Profile::Graphs, as they were then
  uint32_t Device = 0, Thread = 0;
  uint32_t CallPath = None;
};

/// A call of a GPU API, see log::ApiCallRecord.
struct ApiCall {
  std::string Api;
  uint64_t BeginNs = 0, EndNs = 0, ResumeNs = 0;
  uint64_t Stream = 0, Event = 0;
  uint64_t Operation = 0; ///< 0: none
  log::CallKind Kind = log::CallKind::Launch;
  uint32_t Device = 0, Thread = 0;
  uint32_t CallPath = None;
  uint32_t BusyBefore = 0, BusyAfter = 0;
  bool Looked = false; ///< these two are known
  bool NonBlocking = false;
  bool HostDone = false; ///< when it returned, its operation had ended
  bool UsesHost = false; ///< its operation may access memory of the host that is not known
};

/// See log::GpuTimeRecord.
struct GpuTime {
  uint64_t Operation = 0, BeginNs = 0, EndNs = 0;
};

/// See log::HostUseRecord.
struct HostUse {
  uint64_t Operation = 0, TimeNs = 0, Address = 0;
  log::UseKind Kind = log::UseKind::Load;
  uint32_t Thread = 0;
  uint32_t CallPath = None;
  bool ByCode = false;
};

/// See log::ContentRecord.
struct Content {
  uint64_t Operation = 0, Bytes = 0;
  std::array<uint64_t, 2> Hash = {};
  uint64_t Destination = 0, Object = 0;
  log::CopyDirection Direction = log::CopyDirection::HostToDevice;
  std::optional<bool> Identical; ///< the destination held the same bytes
};

/// See log::MigrationRecord.
struct Migration {
  uint64_t BeginNs = 0, EndNs = 0, Address = 0, Bytes = 0;
  uint32_t Device = 0;
  bool ToHost = false;
};

struct Profile {
  Run TheRun;
  std::vector<Device> Devices;
  std::vector<Kernel> Kernels;
  CompactVector<Launch> Launches;
  std::vector<SharedCounts> Shared; ///< one per context
  std::vector<GlobalContext> GlobalContexts;
  std::vector<GlobalCounts> Global;
  std::vector<HeatContext> Heat; ///< one per context
  CompactVector<Object> Objects;
  CompactVector<GraphMemoryRelease> GraphMemoryReleases; ///< one after the other
  std::vector<AccessSet> AccessSets;
  uint64_t LaunchesWithoutHits = 0; ///< whose clone noted accesses that nobody read
  CompactVector<Copy> Copies;
  CompactVector<Order> Orders;
  std::vector<GraphNode> Nodes;
  std::vector<GraphNodes> Graphs;
  std::vector<GraphLaunch> GraphLaunches;
  std::vector<Region> Regions;
  std::vector<ApiCall> Calls; ///< of profiles of synchronisation, these five
  std::vector<GpuTime> GpuTimes;
  std::vector<HostUse> Uses;
  std::vector<Content> Contents;
  std::vector<Migration> Migrations;
  std::vector<CallPath> CallPaths;
  std::vector<Image> Images;
  std::vector<Gap> Gaps;
  /// Kernels that ran as nodes of graphs and were not profiled there.
  uint64_t PlainGraphNodes = 0;
};

} // namespace gmprof::profile

#endif // GMPROF_PROFILE_PROFILE_H
