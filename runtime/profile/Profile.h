//===- Profile.h - The model of a profiled run ------------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The decoded and checked contents of one run's event log; plain data without judgement.
// ProfileBuilder makes it, the analyses read it, and tests write it by hand. Indices refer to the
// vectors of Profile, unless stated otherwise.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_PROFILE_PROFILE_H
#define GMPROF_PROFILE_PROFILE_H

#include "gmprof/abi.h"
#include "profile/CompactVector.h"
#include "profile/HeatMap.h"
#include "profile/Name.h"
#include "profile/Records.h"
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gmprof::profile {

inline constexpr uint32_t None = GMPROF_NONE;

struct SourcePosition {
  std::string File; ///< absolute if the compiler provided the directory; empty: unknown
  unsigned Line = 0, Column = 0;
};

struct Run {
  std::vector<std::string> Command;
  std::string Host;
  int64_t Pid = 0, ParentPid = 0;
  std::optional<int> Rank; ///< MPI rank
  std::string DeviceKind;  ///< "gpu" or "cpu"
  std::string ToolName, ToolVersion;
  std::string ConfigJson = "{}"; ///< effective options, a JSON object
  /// Names of the profiles that the run records: shared, global, objects, elements, heat, cache,
  /// sync.
  std::vector<std::string> Profiles = {"shared"};
  /// Stage of the sync profile; "baseline": calls and their duration only.
  std::string SyncStage;
  uint64_t StartUnixNs = 0, SteadyStartNs = 0;
  uint64_t EndUnixNs = 0, SteadyEndNs = 0; ///< 0 if the program died
  std::optional<int> ExitStatus;
  bool Ended = false;     ///< true if the log has its End record
  bool Truncated = false; ///< true if the log ends within a record

  /// Returns true if the run records the profile of this name.
  bool records(std::string_view Name) const {
    return std::find(Profiles.begin(), Profiles.end(), Name) != Profiles.end();
  }
  /// Returns true if the run records GPU API calls, but neither whether they wait nor which results
  /// the host reads: too little for findings about synchronization and transfers.
  bool syncAtFirstSight() const { return records("sync") && SyncStage == "baseline"; }
};

struct Device {
  uint32_t Id = 0;
  std::string Name, ComputeCapability;
  std::string AttributesJson = "{}"; ///< all recorded attributes, a JSON object
  /// Per multiprocessor; 0: not recorded.
  uint64_t SharedBytesPerSm = 0, SharedBytesReservedPerBlock = 0, ThreadsPerSm = 0;
};

struct Variable {
  std::string Name, Type; ///< as in the source; Type is empty if unknown
  SourcePosition Source;
  GmprofVariableKind Kind = GMPROF_VARIABLE_SHARED;
  unsigned ElementBytes = 0; ///< 0: unknown
  uint64_t Bytes = 0;        ///< 0 for dynamic shared memory
  std::string Symbol = {};   ///< mangled name of a module variable; else empty
  uint32_t Parameter = None; ///< index of the kernel parameter that holds the pointer
  uint32_t ParameterOffset = 0;
  uint32_t Root = None; ///< index in GmprofGlobalLaunch::roots
};

struct Site {
  uint32_t Variable = None;
  SourcePosition Source;
  std::string Function;
  GmprofAccessKind Kind = GMPROF_ACCESS_LOAD;
  GmprofSpace Space = GMPROF_SPACE_GENERIC;
  unsigned Bytes = 0;        ///< 0: known at run time
  bool Reduction = false;    ///< see GmprofSiteDesc::reduction
  bool MachineWidth = false; ///< see GmprofSiteDesc::machineWidth
  GmprofRule Rule = GMPROF_RULE_NOT_COUNTED;
  std::string Reason;
  GmprofRule GlobalRule = GMPROF_RULE_NOT_COUNTED; ///< Rule and reason in the global clones
  std::string GlobalReason;
  uint32_t InlinedAt = None; ///< index in Descriptor::Inlines
  /// For sites in functions that are not inlined: see GmprofSiteDesc::functionSite.
  uint64_t Unit = 0;
  uint32_t FunctionSite = None;
};

/// An inlined call.
struct InlinedCall {
  std::string Function; ///< the inlined function
  SourcePosition Source;
  uint32_t Parent = None; ///< index of the inlined call that contains it, always lower
};

/// A statement that moves data between global and shared memory; see GmprofMoveDesc.
struct Move {
  GmprofMoveKind Kind = GMPROF_MOVE_BEGIN;
  uint32_t Shared = None, Global = None; ///< indices in Descriptor::Variables
  unsigned Bytes = 0;                    ///< moved by each thread; 0: known at run time
  SourcePosition Source;
  std::string Function;
  uint32_t InlinedAt = None; ///< index in Descriptor::Inlines
};

struct StaticCount {
  uint32_t Variable = None, Site = None;
  uint64_t Offset = 0;
  unsigned Bytes = 0, Count = 0;
};

/// Closed form of an access; see GmprofFormDesc.
struct Form {
  uint32_t Site = None, Variable = None;
  std::vector<int64_t> Words;
};

/// Closed form of an access in the heat profile; see GmprofHeatFormDesc.
struct HeatForm : Form {
  uint32_t ProgramLoops = 0; ///< mask of the loops that are loops of the program
  int64_t Offset = 0;
  unsigned Bytes = 0, PieceBytes = 0;

  /// Whether instructions of PieceBytes make the accesses of several iterations.
  bool joinsIterations() const { return PieceBytes > Bytes; }
  /// Instructions of an iteration that has any.
  unsigned pieces() const { return joinsIterations() ? 1 : Bytes / PieceBytes; }
};

/// A possible access of a launch to an object; see GmprofTouchDesc.
struct Touch {
  uint32_t Variable = None;
  unsigned Kinds = 0;
  GmprofTouchRule Rule = GMPROF_TOUCH_ALWAYS;
  unsigned Flag = 0;
};

/// Instructions of machine code that do the same at one place; see GmprofInstructionDesc.
struct CodeInstruction {
  GmprofInstructionKind Kind = GMPROF_INSTRUCTION_LOCAL_LOAD;
  uint32_t Variable = None;
  SourcePosition Source;
  std::string Function;
  uint32_t InlinedAt = None; ///< index in Descriptor::Inlines
  unsigned Bytes = 0;        ///< per lane; 0: not stated
  unsigned Count = 0;
  GmprofIndex Index = GMPROF_INDEX_UNKNOWN;
  int32_t LaneStride = 0; ///< see GmprofInstructionDesc::laneStride
};

/// Instructions of a kernel's machine code that access local, constant or texture memory.
struct MachineMemory {
  unsigned Architecture = 0; ///< 90: sm_90
  uint64_t FrameBytes = 0;   ///< local memory of a thread
  std::vector<CodeInstruction> Instructions;
};

/// Decoded kernel descriptor, which the pass adds to the device module.
struct Descriptor {
  std::string Name; ///< mangled
  SourcePosition Source;
  unsigned ParamCount = 0;
  unsigned Modes = 0, Flags = 0; ///< GMPROF_MODE_*, GMPROF_KERNEL_*
  GmprofLevel Level = GMPROF_LEVEL_BASIC;
  unsigned CounterBits = 0;
  unsigned Threshold = 0; ///< 0: none
  /// Level, counter size and threshold of the global clones, if Modes has GMPROF_MODE_GLOBAL.
  GmprofLevel GlobalLevel = GMPROF_LEVEL_BASIC;
  unsigned GlobalCounterBits = 0;
  unsigned GlobalThreshold = 0;
  std::string SkipReason;   ///< why the kernel is not profiled at all
  std::string SharedReason; ///< why no clone counts shared memory
  std::vector<Variable> Variables;
  std::vector<Site> Sites;
  std::vector<StaticCount> Statics;
  std::vector<Move> Moves;
  std::vector<uint32_t> RangeVariables; ///< indices of the variables whose live ranges are counted
  std::vector<Form> Forms;              ///< accesses of global memory
  std::vector<Form> SharedForms;        ///< accesses of shared memory
  std::vector<HeatForm> HeatForms;      ///< accesses of both
  std::vector<Touch> Touches;
  std::vector<Form> TouchForms; ///< Site is an index in Touches
  std::vector<InlinedCall> Inlines;
  std::vector<std::string> Callees; ///< device functions with descriptors that the kernel may call
};

struct Kernel {
  std::string Name, Demangled;
  std::vector<uint32_t> Devices; ///< devices on which it was loaded
  uint32_t StaticSharedBytes = 0, Registers = 0, CloneRegisters = 0;
  std::optional<Descriptor> Desc; ///< absent: not compiled by the pass, or invalid
  std::string Reason;             ///< why it is never profiled; empty: it can be
};

struct Launch {
  uint64_t Id = 0, TimeNs = 0, Stream = 0;
  uint64_t Context = 0; ///< Context of SharedCounts, GlobalContext or HeatContext; 0: none
  uint32_t Kernel = 0;
  log::LaunchMode Mode = log::LaunchMode::Plain;
  std::array<uint32_t, 3> Grid = {1, 1, 1}, Block = {1, 1, 1};
  uint32_t DynamicSharedBytes = 0, Device = 0;
  uint32_t CallPath = None, Thread = 0;
  uint32_t AccessSet = None;
  /// Superset of AccessSet that was known before the launch, if data decided; else None.
  uint32_t PossibleSet = None;
  bool Graph = false;  ///< true for a kernel node of a graph
  bool InBody = false; ///< true if that node is in a conditional body
  uint64_t Times = 1;  ///< executions: the replays of a graph node, else 1
  Name Reason;         ///< why the launch was not profiled
  uint64_t Record = 0; ///< position of the record in the log: 1, 2, …
};

/// A further context that a launch counts in; see log::LaunchFormsRecord.
struct LaunchForms {
  uint32_t Launch = None; ///< index
  log::LaunchMode Mode = log::LaunchMode::Shared;
  uint64_t Context = 0;
};

/// Execution time of a launch on the GPU; see log::LaunchTimeRecord.
struct LaunchTime {
  uint32_t Launch = None; ///< index
  uint64_t Ns = 0;
};

/// Live ranges of a variable's words by number of accesses.
struct RangeCounts {
  std::array<uint64_t, GMPROF_RANGE_BUCKETS> Ranges = {}; ///< see GmprofRangeCounts
  uint64_t Capped = 0; ///< ranges whose counter reached the threshold
  uint64_t Accesses = 0;
  uint32_t Min = UINT32_MAX, Max = 0;
};

/// A live range of one word.
struct RangeRecord {
  uint32_t Variable = 0; ///< index in Descriptor::RangeVariables
  uint32_t Word = 0;
  uint32_t Begin = 0, End = 0; ///< logical clock of the block
  uint32_t Accesses = 0;
  bool Moved = false; ///< true if a move began it
};

/// Counts of one launch context; see log::SharedCountsRecord. Accesses of closed forms that the log
/// omits (SharedCase) are added, scaled to the blocks that counted.
struct SharedCounts {
  uint64_t Context = 0;
  uint32_t Kernel = 0;
  uint64_t Blocks = 0, Threads = 0, Lost = 0;
  uint32_t FirstAddress = 0, DynamicAddress = 0, DynamicSharedBytes = 0;
  uint32_t BlockSample = 1;
  bool CountersInDeviceMemory = false;
  std::vector<uint64_t> Sums;      ///< per word
  std::vector<uint32_t> Capped;    ///< per word: blocks in which its counter reached the threshold
  std::vector<uint32_t> Addresses; ///< per variable of the descriptor
  uint32_t DegreesOfFreedom = 0;   ///< of Deviations
  std::vector<double> Deviations;  ///< per variable; see log::SharedCountsRecord
  /// Per entry of Descriptor::RangeVariables; empty if not counted.
  std::vector<RangeCounts> Ranges;
  std::vector<RangeRecord> RangeRecords; ///< the first ones of the context
  uint64_t RangeRecordsSeen = 0;
};

/// Upper bound of ElementShift: elements of 4 KiB.
inline constexpr unsigned MaxElementShift = 12;

/// Properties that launches of a kernel share (log::GlobalContextRecord), and their counts beside
/// those of elements (log::GlobalTotalsRecord).
struct GlobalContext {
  uint64_t Context = 0;
  uint32_t Kernel = 0;
  std::array<uint32_t, 3> Grid = {1, 1, 1}, Block = {1, 1, 1};
  uint32_t BlockSample = 1;
  bool ClosedForms = false; ///< true if the closed forms hold
  uint64_t CounterBytes = 0, ObjectBytes = 0;
  /// Per variable of the descriptor: the id of the object that its pointer points into, or 0, and
  /// the byte offset in the object.
  std::vector<uint64_t> Objects;
  std::vector<int64_t> Offsets;
  std::vector<int64_t> Values; ///< values of the kernel's parameters
  uint64_t LaunchesCounted = 0, Blocks = 0, Threads = 0, Outside = 0;
};

/// Counts of one kind of access by a kernel to the elements of an object; see
/// log::GlobalCountsRecord. Several entries for the same elements add up.
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
  /// Context of all counted launches; 0: launches of any contexts without entries of their own.
  uint64_t Context = 0;
  std::vector<std::byte> Compressed = {}; ///< see CompressedCounts.h
};

/// Something that was skipped, capped or lost.
struct Gap {
  std::string What, Reason;
  uint64_t Count = 0;
};

/// An executable or library that was loaded.
struct Image {
  std::string Path, BuildId; ///< BuildId in hexadecimal digits; empty: none
  uint64_t Address = 0, Bytes = 0;
  uint64_t Offset = 0; ///< address of the first byte in the image's own file
};

/// A function on a call path, and the position in it of the next call.
struct Frame {
  std::string Function; ///< demangled; empty: unknown
  SourcePosition Source;
  std::string Image;    ///< path of the executable or library
  uint64_t Address = 0; ///< in the image's file
  bool Inlined = false; ///< inlined into the next frame
};

/// A Python function that is running.
struct PythonFrame {
  Name File, Function;
  uint32_t Line = 0; ///< 0: unknown
};

/// The Python functions of a thread, innermost first.
struct PythonStack {
  uint64_t Interpreter = 0; ///< an address in the interpreter's image
  std::vector<PythonFrame> Frames;
};

/// Return addresses, innermost first.
struct CallPath {
  std::vector<uint64_t> Addresses;
  uint32_t ImageCount = 0; ///< number of leading entries of Profile::Images that were loaded then;
                           ///< for overlapping ones the last applies
  /// Symbolized frames, innermost first, including inlined functions; empty until symbolized.
  /// Python functions take the place of the interpreter's frames (PythonFrames.h).
  std::vector<Frame> Frames;
  uint32_t Python = None; ///< index in Profile::PythonStacks; None: no Python function, or unknown
};

/// The allocation or release of an object.
struct ObjectEvent {
  Name Api;            ///< API function; empty: module variable, or unknown
  uint64_t TimeNs = 0; ///< time at which the object began to exist or to be released
  uint64_t Stream = 0; ///< stream of a stream-ordered call; else 0
  uint32_t Thread = 0;
  uint32_t CallPath = None;
  uint64_t BeginNs = 0, EndNs = 0; ///< begin and end of the call
  uint64_t Record = 0;             ///< position of the record in the log: 1, 2, …
  bool InGraph = false;            ///< true for a graph node
};

/// A global memory object.
struct Object {
  uint64_t Id = 0; ///< 1, 2, … in order of creation
  log::ObjectKind Kind = log::ObjectKind::Device;
  profile::Name Name;   ///< variable's name; empty: unknown
  uint64_t Address = 0; ///< device address; 0: opaque
  uint64_t Bytes = 0;
  uint32_t Device = 0;
  uint64_t Parent = 0;                 ///< id of the slab that holds this part of a pool; 0: none
  std::array<uint32_t, 3> Extent = {}; ///< see log::ObjectRecord
  uint32_t ElementBytes = 0;           ///< see log::ObjectRecord
  ObjectEvent Made;
  /// Absent if alive at the end. For graph memory: the releasing graph node, or the last call.
  std::optional<ObjectEvent> Released;
};

/// A call that released a graph's allocation in one launch, beyond Object::Released.
struct GraphMemoryRelease {
  uint32_t Object = 0; ///< index
  ObjectEvent Event;
};

/// The memory of a device; see log::MemoryReadingRecord.
struct MemoryReading {
  uint64_t Record = 0; ///< position of the record in the log
  uint64_t TimeNs = 0, FreeBytes = 0, TotalBytes = 0;
  uint64_t OwnBytes = 0, PoolBytes = 0, GraphBytes = 0, ModuleBytes = 0;
  uint64_t PrintfBytes = 0, HeapBytes = 0, StackBytes = 0;
  std::optional<uint64_t> OtherBytes; ///< nothing: unknown
  uint32_t Device = 0;
  log::MemoryMoment Moment = log::MemoryMoment::First;

  uint64_t inUse() const { return TotalBytes - FreeBytes; }
};

/// See log::FailedAllocationRecord.
struct FailedAllocation {
  uint64_t Record = 0; ///< position of the record in the log
  Name Api;
  uint64_t TimeNs = 0, Bytes = 0;
  log::ObjectKind Kind = log::ObjectKind::Device;
  uint32_t Device = 0, Thread = 0;
  uint32_t CallPath = None;
};

/// The objects that launches access; see log::AccessSetRecord.
struct AccessSet {
  log::AccessKnowledge Knowledge = log::AccessKnowledge::Exact;
  std::vector<log::ObjectAccess> Accesses;
};

/// A copy or set; see log::CopyRecord.
struct Copy {
  uint64_t Record = 0; ///< position of the record in the log
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

/// A call that orders stream work or waits for it; see log::OrderRecord.
struct Order {
  uint64_t Record = 0; ///< position of the record in the log
  uint64_t BeginNs = 0, EndNs = 0;
  uint64_t Stream = 0, Event = 0;
  log::OrderKind Kind = log::OrderKind::DeviceSynchronized;
  bool NonBlocking = false;
  uint32_t Device = 0, Thread = 0;
  uint32_t CallPath = None;
};

/// Begin or end of a region of a thread; see log::RegionRecord.
struct Region {
  uint64_t TimeNs = 0;
  uint32_t Thread = 0;
  bool End = false;
  std::string Name; ///< empty at the end
};

/// See log::GraphNodeRecord.
struct GraphNode {
  log::GraphNodeKind Kind = log::GraphNodeKind::Launch;
  uint32_t Launch = None; ///< index of a kernel node's launch; None: unknown
  uint64_t Object = 0;    ///< id of the object that is allocated or released
  Copy TheCopy = {};
};

/// Nodes of an executable graph: indices in Profile::Nodes; None for nodes that only order others.
struct GraphNodes {
  std::vector<uint32_t> Nodes;
  /// Positions in Nodes: the second waits for the first.
  std::vector<std::array<uint32_t, 2>> Edges;
};

struct GraphLaunch {
  uint64_t Record = 0; ///< position of the record in the log
  uint64_t TimeNs = 0;
  uint64_t Stream = 0;
  uint64_t Graph = 0;    ///< GraphRecord::graph
  uint32_t Nodes = None; ///< index in Profile::Graphs of the graph's state at this launch
  uint32_t Device = 0, Thread = 0;
  uint32_t CallPath = None;
};

/// A GPU API call; see log::ApiCallRecord.
struct ApiCall {
  std::string Api;
  uint64_t BeginNs = 0, EndNs = 0, ResumeNs = 0;
  uint64_t Stream = 0, Event = 0;
  uint64_t Operation = 0; ///< 0: none
  log::CallKind Kind = log::CallKind::Launch;
  uint32_t Device = 0, Thread = 0;
  uint32_t CallPath = None;
  uint32_t BusyBefore = 0, BusyAfter = 0;
  bool Looked = false; ///< true if BusyBefore and BusyAfter are known
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
  std::optional<bool> Identical; ///< true if the destination already held the same bytes
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
  /// In order of the launches. LaunchModes.h iterates over launches and these.
  std::vector<LaunchForms> FurtherContexts;
  std::vector<LaunchTime> LaunchTimes; ///< in order of the launches
  std::vector<SharedCounts> Shared;    ///< one per context
  std::vector<GlobalContext> GlobalContexts;
  std::vector<GlobalCounts> Global;
  std::vector<HeatContext> Heat; ///< one per context
  CompactVector<Object> Objects;
  CompactVector<GraphMemoryRelease> GraphMemoryReleases; ///< per object in order of release
  std::vector<MemoryReading> MemoryReadings;             ///< in order of the records
  std::vector<FailedAllocation> FailedAllocations;       ///< in order of the records
  std::vector<AccessSet> AccessSets;
  uint64_t LaunchesWithoutHits = 0; ///< launches of clones whose recorded accesses were never read
  CompactVector<Copy> Copies;
  CompactVector<Order> Orders;
  std::vector<GraphNode> Nodes;
  std::vector<GraphNodes> Graphs;
  std::vector<GraphLaunch> GraphLaunches;
  std::vector<Region> Regions;
  std::vector<ApiCall> Calls; ///< in synchronization profiles only, like the next four
  std::vector<GpuTime> GpuTimes;
  std::vector<HostUse> Uses;
  std::vector<Content> Contents;
  std::vector<Migration> Migrations;
  std::vector<CallPath> CallPaths;
  std::vector<PythonStack> PythonStacks;
  std::vector<Image> Images;
  std::vector<Gap> Gaps;
  /// Kernels that ran as graph nodes without being profiled.
  uint64_t PlainGraphNodes = 0;
  std::map<uint32_t, MachineMemory> Machine; ///< by kernel: those whose machine code is known
};

} // namespace gmprof::profile

#endif // GMPROF_PROFILE_PROFILE_H
