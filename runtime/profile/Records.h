//===- Records.h - The records of the event log -----------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The event log, which the host runtime writes while the program runs, is append-only, so that a
// crash loses nothing that was already recorded. It consists of a FileHeader and records: a
// RecordHeader, `bytes` of payload, and padding to a multiple of 8. Rare records carry JSON text,
// frequent ones a plain struct, some a struct followed by arrays. Records of calls are packed
// instead (PackedRecords.h) and start at any byte; FillByte pads to a multiple of 8 before the next
// RecordHeader. A truncated last record is ignored: the program died while writing it. All numbers
// are little-endian.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_PROFILE_RECORDS_H
#define GMPROF_PROFILE_RECORDS_H

#include <cstdint>

namespace gmprof::log {

inline constexpr uint32_t Version = 14;
inline constexpr char Magic[8] = {'G', 'M', 'P', 'R', 'O', 'F', 'L', 'G'};

/// Padding byte after packed records; no record starts with it.
inline constexpr uint8_t FillByte = 0x7f;

struct FileHeader {
  char magic[8];
  uint32_t version;
  uint32_t reserved;
};

enum class RecordKind : uint32_t {
  /// JSON {command: [string], host, pid, ppid, rank (absent if none), start_unix_ns,
  /// steady_start_ns, tool: {name, version}, config: {the effective options}, device: "gpu"|"cpu"}.
  /// config.profiles lists the profiles that the run records.
  Run = 1,
  /// JSON {id, name, compute_capability: "9.0", sms, shared_bytes_per_block_optin,
  /// shared_bytes_per_sm, shared_bytes_reserved_per_block, threads_per_sm, …}
  Device = 2,
  /// KernelRecord, then the descriptor (abi.h) byte for byte, the name and the reason.
  Kernel = 3,
  /// LaunchRecord.
  Launch = 4,
  /// SharedCountsRecord, then its arrays.
  SharedCounts = 5,
  /// JSON {what, reason, count, id}: something skipped, capped or lost. `what` is a plural noun
  /// (launches, records, accesses, kernels, …). `count` adds up over records of the same `what` and
  /// `reason`, and excludes things that have records of their own. LaunchRecord::reason refers to
  /// the optional `id` (1, 2, …); such a record is written once, before the first launch that names
  /// it, with count 0, because the launch records themselves are counted.
  Gap = 6,
  /// JSON {end_unix_ns, steady_end_ns, exit_status (absent if unknown)}. Missing if the program
  /// died.
  End = 7,
  /// GraphRecord, then uint64_t contexts[contextCount]. An executable graph was created or updated;
  /// the latest record of a graph applies.
  Graph = 8,
  /// GraphLaunchRecord. Adds one launch to each context of the graph's latest Graph record.
  GraphLaunch = 9,
  /// ObjectRecord, then the object's name and the API function's name. An object was created.
  Object = 10,
  /// ReleaseRecord, then the API function's name. An object was released.
  Release = 11,
  /// CallPathRecord, then uint64_t addresses[frameCount]: return addresses in the program,
  /// innermost first. Written once, before the first record that refers to it.
  CallPath = 12,
  /// JSON {path, build_id, address, bytes, offset}: an executable or library in the address space,
  /// for symbolizing call paths after the run. `offset` is the address in the file's own tables
  /// that corresponds to `address`. An image replaces earlier ones that it overlaps, for later call
  /// paths.
  Image = 13,
  /// GlobalContextRecord, then its arrays.
  GlobalContext = 14,
  /// GlobalCountsRecord, then the compressed counts.
  GlobalCounts = 15,
  /// GlobalTotalsRecord.
  GlobalTotals = 16,
  /// LiveRangesRecord, then GmprofRangeCounts[variables] and
  /// GmprofRangeRecord[records] (abi.h).
  LiveRanges = 17,
  /// AccessSetRecord, then ObjectAccess[count]. Written before the first record that refers to it.
  AccessSet = 18,
  /// LaunchAccessesRecord: the accesses that were determined after the launch had ended.
  LaunchAccesses = 19,
  /// CopyRecord, then the function's name.
  Copy = 20,
  /// OrderRecord.
  Order = 21,
  /// ObjectNameRecord, then the name that the program gives the object.
  ObjectName = 22,
  /// RegionRecord, then the name. A region of the program begins or ends.
  Region = 23,
  /// GraphNodeRecord; for a copy or set, then its CopyRecord and the API function's name.
  GraphNode = 24,
  /// GraphNodesRecord, then uint64_t nodes[nodeCount] (GraphNodeRecord::id; 0: a node that only
  /// orders others) and uint32_t edges[edgeCount][2] (positions in nodes; the second waits for the
  /// first). The latest record of a graph applies.
  GraphNodes = 25,
  /// SharedCaseRecord, then int64_t values[valueCount].
  SharedCase = 26,
  /// HeatRecord, then its arrays.
  Heat = 27,
  /// HeatRunsRecord, then HeatRun[runs], compressed by zstd.
  HeatRuns = 28,
  /// HeatCaseRecord, then its arrays.
  HeatCase = 29,
  /// HeatPagesRecord, then HeatPageRef[pages] and GmprofHeatPage[contents], compressed by zstd.
  HeatPages = 30,
  /// ApiCallRecord, then the API function's name. From here to Migration: in synchronization
  /// profiles only.
  ApiCall = 32,
  /// GpuTimeRecord.
  GpuTime = 33,
  /// HostUseRecord.
  HostUse = 34,
  /// ContentRecord.
  Content = 35,
  /// MigrationRecord.
  Migration = 36,
  /// LaunchFormsRecord, right after the LaunchRecord.
  LaunchForms = 37,
  /// LaunchTimeRecord.
  LaunchTime = 38,
  /// PythonCodeRecord, then the file and the function. Written before the first stack that refers
  /// to it, as are stacks before paths.
  PythonCode = 39,
  /// PythonStackRecord, then PythonFrame[frameCount], innermost first.
  PythonStack = 40,
  /// PythonPathRecord. A call path of which the Python functions are known.
  PythonPath = 41,
  /// MemoryReadingRecord.
  MemoryReading = 42,
  /// FailedAllocationRecord, then the API function's name.
  FailedAllocation = 43,
};

struct RecordHeader {
  RecordKind kind;
  uint32_t reserved;
  uint64_t bytes; ///< size of the payload without padding
};

struct KernelRecord {
  uint32_t id;
  uint32_t device;
  uint32_t staticSharedBytes; ///< original kernel's size
  uint32_t registers, cloneRegisters;
  uint32_t descriptorBytes; ///< 0: not compiled by the pass
  uint32_t nameBytes;       ///< mangled name without NUL, after the descriptor
  uint32_t reasonBytes;     ///< why it is never profiled, after the name; 0: it can be
};

/// The kernel that a launch executed.
enum class LaunchMode : uint32_t {
  Plain, ///< the program's own kernel; no profiling was requested
  /// K__gm_shared, K__gm_shared_all, or the program's own kernel if the descriptor has all counts.
  Shared,
  SharedDm, ///< K__gm_shared_dm
  Refused,  ///< the program's own kernel; `reason` says why it was not profiled
  /// K__gm_global, or the program's own kernel if closed forms describe every access.
  Global,
  GlobalAll, ///< K__gm_global_all: some closed form does not hold
  Objects,   ///< K__gm_objects or the program's own kernel, to find the accessed objects
  /// K__gm_heat, K__gm_heat_all, or the program's own kernel if closed forms describe every access.
  Heat,
  Cache, ///< K__gm_cache; its requests are in the trace beside the log
};

struct LaunchRecord {
  uint64_t id;      ///< 1, 2, … in call order
  uint64_t timeNs;  ///< begin of the call, steady clock
  uint64_t stream;  ///< the handle; 0: the default stream
  uint64_t context; ///< context of the counts record that the launch adds to; 0: none
  uint32_t kernel;
  LaunchMode mode;
  uint32_t grid[3], block[3];
  uint32_t dynamicSharedBytes; ///< as requested by the program
  uint32_t reason;             ///< `id` of the Gap record with the reason; 0: none
  /// 1: kernel node of a graph being captured or built; 2: such a node in a conditional body.
  uint32_t graph;
  uint32_t device;
  uint32_t callPath;  ///< CallPathRecord::id; 0: none
  uint32_t thread;    ///< host thread id (gettid)
  uint32_t accessSet; ///< AccessSetRecord::id; 0: unknown. A LaunchAccesses record may replace it
  uint32_t notes;     ///< 1: the clone records accessed objects, and LaunchAccesses will tell
};

/// Closed forms of a further profile describe the launch completely: it also counts in this
/// context, in that mode, without a clone. A launch has at most one such record per profile.
struct LaunchFormsRecord {
  uint64_t launch;  ///< LaunchRecord::id
  uint64_t context; ///< as LaunchRecord::context; not 0
  LaunchMode mode;  ///< Shared, Global or Heat; another profile than that of LaunchRecord::mode
  uint32_t reserved;
};

/// Execution time of a launch on the GPU, between two events around it. Launches with mode Objects
/// or Plain run (nearly) the program's kernel; others run a clone, so their time is an upper bound.
/// Launches 2^k and 2^k + 1 of a kernel are timed; graph nodes are not.
struct LaunchTimeRecord {
  uint64_t launch; ///< LaunchRecord::id
  uint64_t ns;
};

/// Certainty of an access set.
enum class AccessKnowledge : uint32_t {
  Exact,    ///< exactly these objects are accessed
  Inferred, ///< objects that parameters point to, assumed read and written; others may be accessed
            ///< too
  Possible, ///< a superset of the accessed objects, assumed read and written
  FromParameters, ///< as Inferred, but complete if the kernel only accesses memory to which its
                  ///< parameters, and addresses copied to the GPU, point
};

/// The objects that launches access (DrGPUM, ASPLOS'23, Section 5.1), each once. A graph's kernel
/// node has one set for all its replays.
struct AccessSetRecord {
  uint32_t id; ///< 1, 2, …
  uint32_t count;
  AccessKnowledge knowledge;
  uint32_t reserved;
};

struct ObjectAccess {
  uint64_t object; ///< ObjectRecord::id
  uint32_t reads, writes;
};

/// Replaces a LaunchRecord::accessSet whose knowledge is not Exact.
struct LaunchAccessesRecord {
  uint64_t launch; ///< LaunchRecord::id
  uint32_t accessSet;
  uint32_t reserved;
};

/// Counts of one launch context: usually one launch, several if launches share a context or a graph
/// was replayed. Arrays follow in this order: uint64_t sums[words], uint32_t capped[words],
/// uint32_t variables[variableCount] (shared addresses, see GmprofSharedLayout), double
/// deviations[variableCount]. Replicas are already summed. Each replica is a group of blocks; a
/// variable's deviation is the sum of n (t/n - T/N)^2 over the groups, where the n blocks of the
/// group made t accesses and all N blocks made T. Its expectation is (groups - 1) times the
/// variance of a block's accesses (Wolter, Introduction to Variance Estimation, 2nd edition,
/// chapter 2: random groups). Records of one context add up: each holds the counts since the
/// previous one.
struct SharedCountsRecord {
  uint64_t context;
  uint64_t sharedCase; ///< SharedCaseRecord whose closed forms these launches did not count; 0: all
                       ///< was counted
  uint64_t blocks;     ///< number of counted blocks
  uint64_t threads;    ///< threads of the counted blocks
  /// Executions of a node in a graph's conditional body; else 0.
  uint64_t bodyLaunches;
  uint64_t lost; ///< accesses outside the counted words
  uint32_t kernel;
  uint32_t words;
  uint32_t variableCount;
  uint32_t firstAddress, dynamicAddress;
  uint32_t dynamicSharedBytes; ///< requested by the program
  uint32_t blockSample;
  uint32_t counters; ///< 0: in shared memory, 1: in device memory
  uint32_t groups;   ///< number of groups with counted blocks
  uint32_t reserved;
};

/// Properties shared by launches of a kernel for which the closed forms of its shared memory
/// accesses hold and agree (GmprofFormDesc). SharedCountsRecord::sharedCase refers to it, or
/// LaunchRecord::context if no clone counts; it precedes both in the log. The values are those of
/// the kernel's parameters, sign-extended; 0 for parameters that are not integers.
struct SharedCaseRecord {
  uint64_t context; ///< numbered together with SharedCountsRecord::context
  uint32_t kernel;
  uint32_t grid[3], block[3];
  uint32_t dynamicSharedBytes; ///< as requested by the program
  uint32_t valueCount;
  uint32_t reserved;
};

/// Live ranges of a context's launches, for each variable that the descriptor lists for it. Follows
/// the SharedCounts record of the context. Records of one context add up.
struct LiveRangesRecord {
  uint64_t context;
  uint32_t kernel;
  uint32_t variables;
  uint32_t records;     ///< number of recorded single ranges, the first ones
  uint32_t recordsSeen; ///< number of single ranges
};

/// Heat of the recorded blocks of a context's launches, usually of one launch. Follows these
/// launches in the log. Arrays follow in this order: GmprofHeatSite sites[2][siteCount + 1]
/// (requests to global and to shared memory; the last ones: functions that are not inlined),
/// GmprofHeatWord words[words][GMPROF_COUNTER_KINDS] of shared memory, uint64_t
/// objects[variableCount] (ObjectRecord::id of the object that the variable is or points into; 0:
/// none or unknown), uint32_t variables[variableCount] (shared addresses, see GmprofSharedLayout).
struct HeatRecord {
  uint64_t context;
  uint64_t firstBlock, endBlock, blockStep; ///< see GmprofHeatLaunch
  uint64_t blocks;                          ///< number of recorded blocks
  uint64_t threads;                         ///< threads of the recorded blocks
  uint64_t outside, lost, otherBlocks;      ///< see GmprofHeatTotals
  uint64_t bodyLaunches;                    ///< see SharedCountsRecord
  uint64_t heatCase; ///< HeatCaseRecord::context whose closed forms were not recorded; 0: all was
  uint32_t kernel;
  uint32_t siteCount; ///< as in the kernel's descriptor
  uint32_t words;     ///< of shared memory; 0: none
  uint32_t variableCount;
  uint32_t firstAddress, dynamicAddress; ///< shared addresses
  uint32_t dynamicSharedBytes;           ///< requested by the program
  uint32_t reserved;
};

/// A launch in whose recorded blocks the closed forms of the kernel's accesses hold
/// (GmprofHeatFormDesc); the log's reader adds their heat. Precedes that launch in the log. Arrays
/// follow in this order: int64_t values[valueCount] of the kernel's parameters, uint64_t
/// objects[variableCount] as in HeatRecord, uint64_t pointers[variableCount] (global addresses of
/// the variables), HeatRange ranges[rangeCount] (those that closed forms access, sorted by
/// address).
struct HeatCaseRecord {
  uint64_t context; ///< LaunchRecord::context if the program's own kernel ran; else
                    ///< HeatRecord::heatCase refers to it
  uint64_t firstBlock, endBlock, blockStep; ///< see GmprofHeatLaunch
  uint32_t kernel;
  uint32_t grid[3], block[3];
  uint32_t dynamicSharedBytes;
  uint32_t valueCount, variableCount, rangeCount;
  uint32_t reserved;
};

/// A global memory object, or a section of one that its pool parts leave.
struct HeatRange {
  uint64_t object; ///< ObjectRecord::id
  uint64_t address, bytes;
};

/// Recorded pages of a range that closed forms access as well. Replaces the range's HeatRunsRecord.
struct HeatPagesRecord {
  uint64_t context; ///< HeatRecord::context
  uint64_t address; ///< range's address
  uint64_t pages, contents;
};
struct HeatPageRef {
  uint64_t number;  ///< counted from the page in which the range begins
  uint32_t kind;    ///< GmprofCounterKind
  uint32_t block;   ///< 1 + block that first accessed all its sectors; 0: see the content
  uint64_t content; ///< index in the contents, whose `page` and `kind` are unused
};

/// Heat map of an object, or of a section that its pool parts leave. Follows the HeatRecord of the
/// context.
struct HeatRunsRecord {
  uint64_t context;
  uint64_t object;  ///< ObjectRecord::id
  uint64_t address; ///< address of the object or section during the launch
  uint64_t runs;
  uint64_t merged; ///< number of sectors in merged runs
};

/// Consecutive sectors with equal temperatures and places. A temperature is the number of distinct
/// warps, 0 to 32 (cuThermo, 2025, Section IV.A).
struct HeatRun {
  uint64_t first;   ///< counted from the sector in which the object begins
  uint64_t sectors; ///< >= 1
  /// Temperatures of the sector's words, then of the sector; by all accesses, then by each
  /// GmprofCounterKind.
  uint8_t temperatures[4][9];
  uint8_t severalBlocks; ///< 1: accessed by several blocks; equal warp numbers of different blocks
                         ///< count as one warp
  uint8_t merged;        ///< 1: merges unequal sectors; each number is their maximum
  uint16_t reserved;
  uint64_t accesses[3]; ///< by threads, per kind, summed over the words of all sectors
  uint64_t places;      ///< mask, see GmprofHeatPage
};

/// An executable graph, and the launch contexts of its profiled kernel nodes.
struct GraphRecord {
  uint64_t graph; ///< 1, 2, … in order of creation
  uint32_t contextCount;
  uint32_t otherKernelNodes; ///< number of kernel nodes that are not profiled
};

enum class GraphNodeKind : uint32_t { Launch, Copy, Allocation, Release };

/// A graph node that is a GPU API in each launch of the graph. Written once.
struct GraphNodeRecord {
  uint64_t id;     ///< 1, 2, …
  uint64_t launch; ///< LaunchRecord::id of a kernel node, else 0
  uint64_t object; ///< id of the object that is allocated or released
  GraphNodeKind kind;
  uint32_t reserved;
};

struct GraphNodesRecord {
  uint64_t graph; ///< GraphRecord::graph
  uint32_t nodeCount;
  uint32_t edgeCount;
};

struct GraphLaunchRecord {
  uint64_t graph;
  uint64_t timeNs; ///< begin of the call, steady clock
  uint64_t stream;
  uint32_t device;
  uint32_t callPath; ///< CallPathRecord::id; 0: none
  uint32_t thread;   ///< host thread id (gettid)
  uint32_t reserved;
};

enum class ObjectKind : uint32_t {
  Device,         ///< cudaMalloc and its pitched and 3-D forms
  Managed,        ///< cudaMallocManaged
  Pinned,         ///< cudaMallocHost, cudaHostAlloc, cudaHostRegister
  AsyncPool,      ///< cudaMallocAsync, cudaMallocFromPoolAsync
  Graph,          ///< a graph's allocation node
  GlobalVariable, ///< __device__ or __managed__ variable of a module
  Constant,       ///< __constant__ variable of a module
  Pool,           ///< gmprof_alloc: part of a slab, which is another object
  Array,          ///< CUDA array: cudaMallocArray and similar
};

struct ObjectRecord {
  uint64_t id;      ///< 1, 2, … in order of creation
  uint64_t beginNs; ///< begin of the call, steady clock
  uint64_t timeNs;  ///< end of the call, steady clock
  uint64_t address; ///< device address; 0: opaque (CUDA arrays)
  uint64_t bytes;   ///< as requested; pitched memory includes padding
  uint64_t stream;  ///< stream of a stream-ordered allocation; else 0
  uint64_t parent;  ///< ObjectRecord::id of the slab; 0: none
  ObjectKind kind;
  uint32_t device;
  uint32_t callPath;     ///< CallPathRecord::id; 0: none
  uint32_t thread;       ///< host thread id (gettid)
  uint32_t nameBytes;    ///< variable's name without NUL, after the record; 0: unknown
  uint32_t apiBytes;     ///< API function's name (cudaMalloc), after the object's name
  uint32_t extent[3];    ///< CUDA array: elements per dimension; 0 for dimensions it does not have
  uint32_t elementBytes; ///< CUDA array; 0: unknown
};

/// An object has one release, but a graph's allocation has one per launch.
struct ReleaseRecord {
  uint64_t object;
  uint64_t timeNs; ///< begin of the call, steady clock
  uint64_t endNs;  ///< end of the call
  uint64_t stream; ///< stream of a stream-ordered release; else 0
  uint32_t callPath;
  uint32_t thread;
  uint32_t apiBytes; ///< API function's name without NUL, after the record; 0: the release was not
                     ///< observed, the object was found to be gone
  uint32_t graph;    ///< 1: node of a graph that is being captured or built
};

/// Why the memory of a device was read.
enum class MemoryMoment : uint32_t {
  First,   ///< after the program's first allocation on the device
  Growth,  ///< more memory is allocated than at any reading before
  Failure, ///< an allocation found no memory; follows its FailedAllocation record
  End,     ///< the program ends
};

/// The memory of a device as the driver counts it (cuMemGetInfo), and what the driver says of its
/// own use. The number of readings grows with the logarithm of the memory.
struct MemoryReadingRecord {
  uint64_t timeNs; ///< steady clock
  uint64_t freeBytes, totalBytes;
  uint64_t ownBytes; ///< GMProf's memory on the device
  /// Reserved by the device's default and current pools of stream-ordered allocations, and by
  /// graphs; includes what their objects use.
  uint64_t poolBytes, graphBytes;
  uint64_t moduleBytes; ///< growth of the memory in use while modules and kernels were loaded
  uint64_t printfBytes, heapBytes; ///< limits of the context
  uint64_t stackBytes;             ///< limit of the context, of all threads that can be resident
  uint64_t otherBytes;             ///< in use by other processes; UINT64_MAX: unknown
  uint32_t device;
  MemoryMoment moment;
};

/// An allocation for which the device had no memory.
struct FailedAllocationRecord {
  uint64_t timeNs; ///< end of the call, steady clock
  uint64_t bytes;  ///< as requested
  ObjectKind kind;
  uint32_t device;
  uint32_t callPath;
  uint32_t thread;
  uint32_t apiBytes; ///< length of the API function's name, which follows without NUL
  uint32_t reserved;
};

struct ObjectNameRecord {
  uint64_t object;
  uint32_t nameBytes;
  uint32_t reserved;
};

/// Begin or end of a region; the regions of a thread nest.
struct RegionRecord {
  uint64_t timeNs; ///< steady clock
  uint32_t thread; ///< host thread id (gettid)
  uint32_t end;    ///< 1: the innermost region ends; it has no name here
  uint32_t nameBytes;
  uint32_t reserved;
};

/// Operand of a copy or set: `rows` rows of `rowBytes` bytes per slice.
struct CopyOperand {
  uint64_t object; ///< ObjectRecord::id; 0: memory that is not known
  uint64_t
      offset; ///< of the first byte, in the object; of memory of the host that is none: its address
  uint64_t pitch;      ///< from a row's first byte to that of the next
  uint64_t slicePitch; ///< from a slice's first byte to that of the next
  uint32_t host;       ///< 1: the host's memory
  uint32_t opaque;     ///< 1: an array for textures, where offset and pitches mean nothing
};

/// The stream's work that has ended when a copy or set returns.
enum class HostWait : uint32_t {
  None,   ///< unknown
  Before, ///< all work before the call
  All,    ///< also the call's own operation
};

/// A copy or set that succeeded.
struct CopyRecord {
  uint64_t beginNs, endNs; ///< steady clock, of the call
  uint64_t stream;         ///< the handle; 0: the default stream
  uint64_t rowBytes, rows, slices;
  CopyOperand to, from; ///< `from` is zero for sets
  HostWait wait;
  uint32_t set; ///< 1: a set, 0: a copy
  uint32_t device;
  uint32_t peer; ///< 1: copy between two devices, ordered with all work of both
  uint32_t callPath;
  uint32_t thread;
  uint32_t apiBytes; ///< length of the API function's name, which follows without NUL
  uint32_t reserved;
};

/// Calls that order stream work or wait for it.
enum class OrderKind : uint32_t {
  StreamCreated,      ///< nonBlocking tells which kind
  StreamDestroyed,    ///< the handle may be reused for another stream
  EventRecorded,      ///< into the stream
  EventDestroyed,     ///< the handle may be reused for another event
  StreamWaitsEvent,   ///< later work of the stream waits for the event
  StreamSynchronized, ///< this and the next two: the host has waited
  EventSynchronized,
  DeviceSynchronized,
};

struct OrderRecord {
  uint64_t beginNs, endNs; ///< steady clock, of the call
  uint64_t stream, event;  ///< handles
  OrderKind kind;
  uint32_t device;
  uint32_t nonBlocking; ///< 1: the stream does not synchronize with the default stream
  uint32_t callPath;    ///< if the host waits, else 0
  uint32_t thread;
  uint32_t reserved;
};

/// Kinds of GPU API calls, distinguished by how they wait.
enum class CallKind : uint32_t {
  Launch, ///< kernel or graph
  Copy,
  Set,
  Allocation,
  Release,
  StreamCreated, ///< nonBlocking tells which kind
  StreamDestroyed,
  EventRecorded,
  EventDestroyed,
  StreamWaitsEvent,
  StreamSynchronized, ///< explicit synchronization, like the next two
  EventSynchronized,
  DeviceSynchronized,
  EventRead,    ///< its time is asked for: it has to have ended
  HostFunction, ///< put into a stream: cudaLaunchHostFunc, cudaStreamAddCallback
};

/// A GPU API call that succeeded, and whether it waited (Diogenes, SC'19, Sections 3.1 and 3.2).
/// All times are on the steady clock.
struct ApiCallRecord {
  uint64_t beginNs, endNs; ///< begin and end of the call
  uint64_t resumeNs;       ///< time at which the program continued, after GMProf's own work
  uint64_t stream, event;  ///< handles
  uint64_t operation;      ///< id of the operation it enqueued: 1, 2, …; 0: none
  CallKind kind;
  uint32_t device;
  uint32_t thread;
  uint32_t callPath;
  uint32_t busyBefore; ///< streams with unfinished work when the call began
  /// Streams among these whose work was still unfinished when the call returned.
  uint32_t busyAfter;
  uint32_t looked; ///< 1: busyBefore and busyAfter are known
  uint32_t nonBlocking;
  uint32_t hostDone; ///< 1: when a copy or set returned, it had ended, whatever the stream
  /// 1: the operation may access memory of the host, and which is not known: a function of the
  /// host, or a graph with one or with copies to pageable memory.
  uint32_t usesHost;
  uint32_t apiBytes;
  uint32_t reserved;
};

/// Execution time of an operation on the GPU.
struct GpuTimeRecord {
  uint64_t operation;
  uint64_t beginNs, endNs; ///< steady clock
};

/// Means by which a host access to an operation's output was observed.
enum class UseKind : uint32_t {
  Load,    ///< the page was protected; exactly these bytes were loaded
  Store,   ///< the same, stored
  Call,    ///< the memory was passed to a system call or library function
  Assumed, ///< unwatched from here on: assumed to be used
  /// No access: from here on, only accesses of instrumented host code are observed.
  OnlyByCode,
};

/// First host access to an operation's output after the operation ended.
struct HostUseRecord {
  uint64_t operation;
  uint64_t timeNs; ///< steady clock
  uint64_t address;
  UseKind kind;
  uint32_t thread;
  uint32_t callPath;
  uint32_t byCode; ///< 1: observed by instrumented host code
};

enum class CopyDirection : uint32_t { HostToDevice, DeviceToHost, DeviceToDevice, HostToHost };

/// Contents of a copy (Diogenes, SC'19, Section 3.3.2).
struct ContentRecord {
  uint64_t operation;
  uint64_t bytes;
  uint64_t hash[2];     ///< XXH3-128 of the bytes
  uint64_t destination; ///< address
  uint64_t object;      ///< ObjectRecord::id of the destination; 0: unknown memory
  CopyDirection direction;
  /// 1: the destination already held the same bytes; 0: other bytes; 2: unknown.
  uint32_t identical;
};

/// Migration of managed memory, as reported by CUPTI.
struct MigrationRecord {
  uint64_t beginNs, endNs; ///< steady clock
  uint64_t address, bytes;
  uint32_t device; ///< the device it moved to or from
  uint32_t toHost; ///< 1: from the device; 0: to it
};

struct CallPathRecord {
  uint32_t id; ///< 1, 2, …
  uint32_t frameCount;
};

/// The code of a Python function.
struct PythonCodeRecord {
  uint32_t id; ///< 1, 2, …
  uint32_t fileBytes;
  uint32_t functionBytes; ///< of the qualified name; before Python 3.11, of the name
  uint32_t reserved;
};

/// A Python function that is running.
struct PythonFrame {
  uint32_t code; ///< PythonCodeRecord::id
  uint32_t line; ///< 0: unknown
};

struct PythonStackRecord {
  uint64_t interpreter; ///< an address in the interpreter's image
  uint32_t id;          ///< 1, 2, …
  uint32_t frameCount;
};

struct PythonPathRecord {
  uint32_t id;       ///< numbered together with CallPathRecord::id
  uint32_t callPath; ///< CallPathRecord::id of its return addresses
  uint32_t stack;    ///< PythonStackRecord::id
  uint32_t reserved;
};

/// Properties shared by launches of a kernel whose global memory accesses agree as far as closed
/// forms tell (GmprofFormDesc). LaunchRecord::context refers to it; it precedes these launches in
/// the log. Arrays follow in this order: uint64_t objects[variableCount], for each variable of the
/// descriptor the ObjectRecord::id that its pointer points into (0: none or not a root); int64_t
/// offsets[variableCount], the pointer's offset in that object in bytes; int64_t
/// values[valueCount], the kernel's parameters (sign-extended integers; 0 for others).
struct GlobalContextRecord {
  uint64_t context;      ///< numbered together with SharedCountsRecord::context
  uint64_t counterBytes; ///< device memory for the counters of one such launch
  uint64_t objectBytes;  ///< total size of the counted objects
  uint32_t kernel;
  uint32_t grid[3], block[3];
  uint32_t blockSample;
  uint32_t variableCount;
  uint32_t valueCount;
  uint32_t closedForms; ///< 1: the closed forms hold
  uint32_t reserved;
};

/// Counts of one kind of access by one kernel to the elements of one object, over any number of
/// launches or over those of one context; records of the same elements add up. The payload is
/// zstd-compressed: sums[elements], each of 1, 2, 4 or 8 bytes as the frame's content size implies,
/// then, if thresholdReached, uint32_t capped[elements] (launches in which the element's counter
/// reached the threshold).
struct GlobalCountsRecord {
  uint64_t object;
  uint64_t firstElement, elements;
  uint32_t kernel;
  uint32_t counterKind; ///< GmprofCounterKind
  uint32_t elementShift;
  uint32_t blockSample;
  uint32_t threshold; ///< 0: none
  uint32_t thresholdReached;
  uint64_t launches; ///< number of counted launches
  uint64_t context;  ///< GlobalContextRecord::context of all counted launches; 0: launches of any
                     ///< contexts that have no records of their own
};

/// Totals of a context's launches (GmprofGlobalTotals); records of one context add up. If launches
/// of several contexts share counters, one context has the blocks, threads and outside accesses of
/// all.
struct GlobalTotalsRecord {
  uint64_t context;
  uint64_t launches;
  uint64_t blocks, threads, outside;
};

} // namespace gmprof::log

#endif // GMPROF_PROFILE_RECORDS_H
