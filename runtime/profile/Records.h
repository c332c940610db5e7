//===- Records.h - The records of the event log -----------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The event log is what the host runtime writes while the program runs: an
// append-only file, so that a crash loses nothing already recorded. It is a
// FileHeader, then records: a RecordHeader, `bytes` of payload, padding to 8.
// Rare records carry JSON text, frequent ones a plain struct, some a struct
// followed by arrays. Those of calls are packed instead (PackedRecords.h), and begin at
// any byte, as their first one says; bytes of FillByte before the next RecordHeader bring that to a
// multiple of 8. A truncated last record is ignored (the program died
// while writing it). All numbers are little-endian.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_PROFILE_RECORDS_H
#define GMPROF_PROFILE_RECORDS_H

#include <cstdint>

namespace gmprof::log {

inline constexpr uint32_t Version = 11;
inline constexpr char Magic[8] = {'G', 'M', 'P', 'R', 'O', 'F', 'L', 'G'};

/// No first byte of a record.
inline constexpr uint8_t FillByte = 0x7f;

struct FileHeader {
  char magic[8];
  uint32_t version;
  uint32_t reserved;
};

enum class RecordKind : uint32_t {
  /// JSON {command: [string], host, pid, ppid, rank (absent if none), start_unix_ns,
  /// steady_start_ns,
  /// tool: {name, version}, config: {the effective options}, device: "gpu"|"cpu"}
  Run = 1,
  /// JSON {id, name, compute_capability: "9.0", sms, shared_bytes_per_block_optin,
  /// shared_bytes_per_sm, shared_bytes_reserved_per_block, threads_per_sm, …}
  Device = 2,
  /// KernelRecord, then its descriptor (abi.h) byte for byte, then the reason.
  Kernel = 3,
  /// LaunchRecord.
  Launch = 4,
  /// SharedCountsRecord, then the arrays it names.
  SharedCounts = 5,
  /// JSON {what, reason, count, id}: anything skipped, capped or lost. `what` is
  /// a plural noun (launches, records, accesses, kernels, …); `count` is of
  /// things not recorded otherwise, and adds up over records of the same `what`
  /// and `reason`. A record with an `id` (1, 2, …; optional) is the one that
  /// LaunchRecord::reason names: written once, before the first such launch, with
  /// count 0, because the launch records are counted themselves.
  Gap = 6,
  /// JSON {end_unix_ns, steady_end_ns, exit_status (absent if unknown)}. Its
  /// absence means that the program died.
  End = 7,
  /// GraphRecord, then uint64_t contexts[contextCount]: an executable graph was
  /// made or changed. A later record of the same graph replaces it.
  Graph = 8,
  /// GraphLaunchRecord: each context that the graph's last record names covers one
  /// more launch.
  GraphLaunch = 9,
  /// ObjectRecord, then its name and its function's: an object of global memory came to be.
  Object = 10,
  /// ReleaseRecord, then the function's name: it is gone.
  Release = 11,
  /// CallPathRecord, then uint64_t addresses[frameCount], the innermost first: return
  /// addresses in the program. Written once, before the first record that names it.
  CallPath = 12,
  /// JSON {path, build_id, address, bytes, offset}: an executable or library in
  /// the program's address space, for symbolising call paths after the run. `offset`
  /// is what the file's own tables call `address`. One that lies where an earlier one
  /// was has taken its place, for the call paths that follow it.
  Image = 13,
  /// GlobalContextRecord, then the arrays it names.
  GlobalContext = 14,
  /// GlobalCountsRecord, then the counts.
  GlobalCounts = 15,
  /// GlobalTotalsRecord.
  GlobalTotals = 16,
  /// LiveRangesRecord, then GmprofRangeCounts[variables] and
  /// GmprofRangeRecord[records] (abi.h).
  LiveRanges = 17,
  /// AccessSetRecord, then ObjectAccess[count]. Written before the first record that
  /// names it.
  AccessSet = 18,
  /// LaunchAccessesRecord: more was known of what a launch accessed when it had ended.
  LaunchAccesses = 19,
  /// CopyRecord, then the function's name.
  Copy = 20,
  /// OrderRecord.
  Order = 21,
  /// ObjectNameRecord, then the name: the program calls the object so.
  ObjectName = 22,
  /// RegionRecord, then the name: the program begins or ends something.
  Region = 23,
  /// GraphNodeRecord; of a copy or set then its CopyRecord and the function's name.
  GraphNode = 24,
  /// GraphNodesRecord, then uint64_t nodes[nodeCount] (GraphNodeRecord::id; 0: one that
  /// only orders others) and uint32_t edges[edgeCount][2] (positions in nodes; the
  /// second waits for the first). A later record of the same graph replaces it.
  GraphNodes = 25,
  /// SharedCaseRecord, then int64_t values[valueCount].
  SharedCase = 26,
  /// HeatRecord, then the arrays it names.
  Heat = 27,
  /// HeatRunsRecord, then HeatRun[runs], compressed by zstd.
  HeatRuns = 28,
  /// HeatCaseRecord, then the arrays it names.
  HeatCase = 29,
  /// HeatPagesRecord, then HeatPageRef[pages] and GmprofHeatPage[contents], compressed by zstd.
  HeatPages = 30,
  /// In profiles of synchronisation only. ApiCallRecord, then the function's name.
  ApiCall = 32,
  /// GpuTimeRecord.
  GpuTime = 33,
  /// HostUseRecord.
  HostUse = 34,
  /// ContentRecord.
  Content = 35,
  /// MigrationRecord.
  Migration = 36,
};

struct RecordHeader {
  RecordKind kind;
  uint32_t reserved;
  uint64_t bytes; ///< of the payload, without padding
};

struct KernelRecord {
  uint32_t id;
  uint32_t device;
  uint32_t staticSharedBytes; ///< of the original kernel
  uint32_t registers, cloneRegisters;
  uint32_t descriptorBytes; ///< 0: the kernel was not compiled by the pass
  uint32_t nameBytes;       ///< mangled name, after the descriptor, no NUL
  uint32_t reasonBytes;     ///< why it is never profiled, after the name; 0: it is
};

/// What a launch ran.
enum class LaunchMode : uint32_t {
  Plain, ///< the program's own kernel, nothing was asked of it
  /// K__gm_shared or K__gm_shared_all, or the program's own kernel where the descriptor
  /// says all.
  Shared,
  SharedDm, ///< K__gm_shared_dm
  Refused,  ///< the program's own kernel, because of `reason`
  /// K__gm_global, or the program's own kernel where closed forms say all.
  Global,
  GlobalAll, ///< K__gm_global_all: a closed form does not hold
  Objects,   ///< K__gm_objects or the program's own: only which objects it accesses is of interest
  /// K__gm_heat or K__gm_heat_all, or the program's own kernel where closed forms say all.
  Heat,
  Cache, ///< K__gm_cache: its requests are in the trace beside the log
};

struct LaunchRecord {
  uint64_t id;      ///< 1, 2, … in the order of the calls
  uint64_t timeNs;  ///< steady clock, of the call
  uint64_t stream;  ///< the handle; 0: the default stream
  uint64_t context; ///< the SharedCounts, SharedCase or GlobalContext record it adds to; 0: none
  uint32_t kernel;
  LaunchMode mode;
  uint32_t grid[3], block[3];
  uint32_t dynamicSharedBytes; ///< as the program asked
  uint32_t reason;             ///< `id` of the Gap record that says why; 0: none
  /// 1: a kernel node of a graph being captured or built; 2: one in the body of a conditional node.
  uint32_t graph;
  uint32_t device;
  uint32_t callPath;  ///< CallPathRecord::id; 0: none
  uint32_t thread;    ///< the host's thread id (gettid)
  uint32_t accessSet; ///< AccessSetRecord::id; 0: not known. LaunchAccesses may say more
  uint32_t notes;     ///< 1: its clone notes what it accesses, and LaunchAccesses will say it
};

/// How it is known which objects launches access.
enum class AccessKnowledge : uint32_t {
  Exact,          ///< they access just these
  Inferred,       ///< addresses among the parameters point to these, taken as read and
                  ///< written; there may be others
  Possible,       ///< they access no others, and maybe not all of these: what may be accessed
                  ///< is taken as read and written
  FromParameters, ///< as Inferred, but there are no others if kernels access only what their
                  ///< parameters, and addresses that were copied to the GPU, point to
};

/// The objects that launches access (DrGPUM, ASPLOS'23, Section 5.1), each once. Of a graph's
/// kernel node: in all replays together.
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

/// In the place of LaunchRecord::accessSet, which is not of exact knowledge.
struct LaunchAccessesRecord {
  uint64_t launch; ///< LaunchRecord::id
  uint32_t accessSet;
  uint32_t reserved;
};

/// Counts of one launch context: usually one launch, several where contexts had
/// to be shared or a graph was replayed.
/// Arrays follow in this order: uint64_t sums[words], uint32_t capped[words],
/// uint32_t variables[variableCount] (shared addresses, see GmprofSharedLayout),
/// double deviations[variableCount]. Replicas are already summed. Each is a group of
/// blocks, and a variable's deviation is the sum, over the groups, of n (t/n - T/N)^2:
/// n blocks of the group made t accesses, all N blocks T. The expectation is (groups - 1)
/// times the variance of a block's accesses (Wolter, Introduction to Variance Estimation,
/// 2nd edition, chapter 2: random groups). Several records of one context add up: each
/// holds what was counted since the one before.
struct SharedCountsRecord {
  uint64_t context;
  uint64_t sharedCase; ///< of these launches: its closed forms are not counted; 0: they are
  uint64_t blocks;     ///< counted
  uint64_t threads;    ///< of those blocks
  /// Of a node in the body of a graph's conditional node: how often it ran; else 0.
  uint64_t bodyLaunches;
  uint64_t lost; ///< accesses outside the counted words
  uint32_t kernel;
  uint32_t words;
  uint32_t variableCount;
  uint32_t firstAddress, dynamicAddress;
  uint32_t dynamicSharedBytes; ///< the program's own
  uint32_t blockSample;
  uint32_t counters; ///< 0: in shared memory, 1: in device memory
  uint32_t groups;   ///< with blocks that counted
  uint32_t reserved;
};

/// What launches of a kernel have in common for which the closed forms of its accesses of
/// shared memory hold (GmprofFormDesc), and say the same. Where no clone counts,
/// LaunchRecord::context names it; else SharedCountsRecord does. In the log before
/// either. The values are those of the kernel's parameters, sign-extended (0 for
/// what is no integer).
struct SharedCaseRecord {
  uint64_t context; ///< of the same numbers as those of SharedCountsRecord
  uint32_t kernel;
  uint32_t grid[3], block[3];
  uint32_t dynamicSharedBytes; ///< as the program asked
  uint32_t valueCount;
  uint32_t reserved;
};

/// Live ranges of a context's launches, of each variable that the kernel's
/// descriptor lists for that. Follows the context's SharedCounts record; several
/// add up.
struct LiveRangesRecord {
  uint64_t context;
  uint32_t kernel;
  uint32_t variables;
  uint32_t records;     ///< single ranges, the first ones
  uint32_t recordsSeen; ///< how many there were
};

/// What the blocks that were noted of a context's launches did to memory; usually of one
/// launch. Follows that context's launches in the log. Arrays follow in this order:
/// GmprofHeatSite sites[siteCount + 1] (the last: functions that are not inlined),
/// GmprofHeatWord words[words][GMPROF_COUNTER_KINDS] of shared memory,
/// uint64_t objects[variableCount] (ObjectRecord::id that the variable's pointer points into, or
/// of the module's variable; 0: none or not known),
/// uint32_t variables[variableCount] (shared addresses, see GmprofSharedLayout).
struct HeatRecord {
  uint64_t context;
  uint64_t firstBlock, endBlock, blockStep; ///< see GmprofHeatLaunch
  uint64_t blocks;                          ///< noted
  uint64_t threads;                         ///< of those blocks
  uint64_t outside, lost, otherBlocks;      ///< see GmprofHeatTotals
  uint64_t bodyLaunches;                    ///< see SharedCountsRecord
  uint64_t heatCase; ///< HeatCaseRecord::context, whose closed forms were not noted; 0: all was
  uint32_t kernel;
  uint32_t siteCount; ///< as in the kernel's descriptor
  uint32_t words;     ///< of shared memory; 0: none
  uint32_t variableCount;
  uint32_t firstAddress, dynamicAddress; ///< shared addresses
  uint32_t dynamicSharedBytes;           ///< the program's own
  uint32_t reserved;
};

/// A launch in whose noted blocks the closed forms of the kernel's accesses hold
/// (GmprofHeatFormDesc): whoever reads the log adds what they say. Before that launch in the log.
/// Arrays follow in this order: int64_t values[valueCount] of the kernel's parameters, uint64_t
/// objects[variableCount] as in HeatRecord, uint64_t pointers[variableCount]: the variable's
/// address in global memory, HeatRange ranges[rangeCount]: those that closed forms access, sorted
/// by address.
struct HeatCaseRecord {
  uint64_t context; ///< of the launch, if the program's own kernel ran; or see HeatRecord::heatCase
  uint64_t firstBlock, endBlock, blockStep; ///< see GmprofHeatLaunch
  uint32_t kernel;
  uint32_t grid[3], block[3];
  uint32_t dynamicSharedBytes;
  uint32_t valueCount, variableCount, rangeCount;
  uint32_t reserved;
};

/// An object of global memory, or a part of it where others of its parts are objects.
struct HeatRange {
  uint64_t object; ///< ObjectRecord::id
  uint64_t address, bytes;
};

/// Pages of a range that closed forms access, too, as they were noted. In the place of its
/// HeatRunsRecord.
struct HeatPagesRecord {
  uint64_t context; ///< HeatRecord::context
  uint64_t address; ///< of the range
  uint64_t pages, contents;
};
struct HeatPageRef {
  uint64_t number;  ///< from the page that the range begins in
  uint32_t kind;    ///< GmprofCounterKind
  uint32_t block;   ///< 1 + the one that has accessed all its sectors first; 0: the content says it
  uint64_t content; ///< number of its content, whose `page`, `kind` say nothing
};

/// The map of an object, or of a part of it where others of its parts are objects. Follows the
/// HeatRecord of the same context.
struct HeatRunsRecord {
  uint64_t context;
  uint64_t object;  ///< ObjectRecord::id
  uint64_t address; ///< the object's or part's, as of the launch: it begins in its first sector
  uint64_t runs;
  uint64_t merged; ///< sectors in runs that stand for unequal ones
};

/// Consecutive sectors with the same temperatures, accessed from the same places. A
/// temperature is a number of distinct warps, 0 to 32 (cuThermo, Section IV.A).
struct HeatRun {
  uint64_t first;   ///< sector, from the one that the object begins in
  uint64_t sectors; ///< >= 1
  /// Of the sector's words, then of the sector: by all accesses, then of each kind
  /// (GmprofCounterKind).
  uint8_t temperatures[4][9];
  uint8_t severalBlocks; ///< 1: several of the blocks accessed these: warps of different blocks
                         ///< with the same number are one
  uint8_t merged;        ///< 1: sectors that differ: of each number the highest
  uint16_t reserved;
  uint64_t accesses[3]; ///< by threads, of each kind, added up over the sectors' words
  uint64_t places;      ///< mask, see GmprofHeatPage
};

/// An executable graph: the launch contexts of its profiled kernel nodes.
struct GraphRecord {
  uint64_t graph; ///< 1, 2, … in the order in which they were made
  uint32_t contextCount;
  uint32_t otherKernelNodes; ///< not profiled
};

enum class GraphNodeKind : uint32_t { Launch, Copy, Allocation, Release };

/// A node of a graph that is an API whenever the graph is launched. Written once.
struct GraphNodeRecord {
  uint64_t id;     ///< 1, 2, …
  uint64_t launch; ///< LaunchRecord::id of a kernel node
  uint64_t object; ///< that is allocated or released
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
  uint64_t timeNs; ///< steady clock, of the call's begin
  uint64_t stream;
  uint32_t device;
  uint32_t callPath; ///< CallPathRecord::id; 0: none
  uint32_t thread;   ///< the host's thread id (gettid)
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
  Pool,           ///< gmprof_alloc: a part of another object, its slab
  Array,          ///< for textures and surfaces: cudaMallocArray and its like
};

struct ObjectRecord {
  uint64_t id;      ///< 1, 2, … in the order in which they came to be
  uint64_t beginNs; ///< steady clock, of the call's begin
  uint64_t timeNs;  ///< steady clock, of the call's end
  uint64_t address; ///< device address; 0: opaque, as arrays are
  uint64_t bytes;   ///< as the program asked; of pitched memory with padding
  uint64_t stream;  ///< of a stream-ordered allocation; else 0
  uint64_t parent;  ///< ObjectRecord::id of the slab; 0: it has none
  ObjectKind kind;
  uint32_t device;
  uint32_t callPath;     ///< CallPathRecord::id; 0: none
  uint32_t thread;       ///< the host's thread id (gettid)
  uint32_t nameBytes;    ///< variable's name, after the record, no NUL; 0: unknown
  uint32_t apiBytes;     ///< name of the function that made it (cudaMalloc), after that
  uint32_t extent[3];    ///< of an array: elements by dimension, 0 for those that it does not have
  uint32_t elementBytes; ///< of an array; 0: unknown
};

/// Of an object there is one, but of what a graph allocates one for each of its launches.
struct ReleaseRecord {
  uint64_t object;
  uint64_t timeNs; ///< steady clock, of the call's begin
  uint64_t endNs;  ///< of its end
  uint64_t stream; ///< of a stream-ordered release; else 0
  uint32_t callPath;
  uint32_t thread;
  uint32_t apiBytes; ///< name of the function that released it, after the record, no
                     ///< NUL; 0: it was seen to be gone
  uint32_t graph;    ///< 1: a node of a graph that is being captured or built
};

struct ObjectNameRecord {
  uint64_t object;
  uint32_t nameBytes;
  uint32_t reserved;
};

/// Regions of a thread nest.
struct RegionRecord {
  uint64_t timeNs; ///< steady clock
  uint32_t thread; ///< the host's thread id (gettid)
  uint32_t end;    ///< 1: the innermost one ends, and has no name here
  uint32_t nameBytes;
  uint32_t reserved;
};

/// What a copy reads or writes, or a set writes: `rows` of `rowBytes` each.
struct CopyOperand {
  uint64_t object; ///< ObjectRecord::id; 0: memory that is not known
  uint64_t
      offset; ///< of the first byte, in the object; of memory of the host that is none: its address
  uint64_t pitch;      ///< from a row's first byte to that of the next
  uint64_t slicePitch; ///< from a slice's first byte to that of the next
  uint32_t host;       ///< 1: the host's memory
  uint32_t opaque;     ///< 1: an array for textures, where offset and pitches mean nothing
};

/// Which of the work in the stream has ended when the call returns.
enum class HostWait : uint32_t {
  None,   ///< not known
  Before, ///< all before this
  All,    ///< this as well
};

/// A copy or set that succeeded.
struct CopyRecord {
  uint64_t beginNs, endNs; ///< steady clock, of the call
  uint64_t stream;         ///< the handle; 0: the default stream
  uint64_t rowBytes, rows, slices;
  CopyOperand to, from; ///< `from` is all 0 in sets
  HostWait wait;
  uint32_t set; ///< 1: a set, 0: a copy
  uint32_t device;
  uint32_t peer; ///< 1: between two devices, in the order of all work of both
  uint32_t callPath;
  uint32_t thread;
  uint32_t apiBytes; ///< name of the function, after the record, no NUL
  uint32_t reserved;
};

/// Calls that order the work of streams, or that wait for it.
enum class OrderKind : uint32_t {
  StreamCreated,      ///< nonBlocking says which kind
  StreamDestroyed,    ///< the handle may be another stream's from now on
  EventRecorded,      ///< event, into the stream
  EventDestroyed,     ///< likewise
  StreamWaitsEvent,   ///< what follows in the stream waits for the event
  StreamSynchronized, ///< from here on: the host has waited
  EventSynchronized,
  DeviceSynchronized,
};

struct OrderRecord {
  uint64_t beginNs, endNs; ///< steady clock, of the call
  uint64_t stream, event;  ///< the handles
  OrderKind kind;
  uint32_t device;
  uint32_t nonBlocking; ///< 1: the stream takes no part in the default stream's order
  uint32_t callPath;    ///< where the host waits, else 0
  uint32_t thread;
  uint32_t reserved;
};

/// What a call of a GPU API does, as far as waiting goes.
enum class CallKind : uint32_t {
  Launch, ///< of a kernel or a graph
  Copy,
  Set,
  Allocation,
  Release,
  StreamCreated, ///< nonBlocking says which kind
  StreamDestroyed,
  EventRecorded,
  EventDestroyed,
  StreamWaitsEvent,
  StreamSynchronized, ///< these three are asked for
  EventSynchronized,
  DeviceSynchronized,
  EventRead,    ///< its time is asked for: it has to have ended
  HostFunction, ///< put into a stream: cudaLaunchHostFunc, cudaStreamAddCallback
};

/// A call of a GPU API that succeeded, and whether it waited (Diogenes, SC'19, Sections 3.1
/// and 3.2). All times are of the steady clock.
struct ApiCallRecord {
  uint64_t beginNs, endNs; ///< of the call
  uint64_t resumeNs;       ///< when the program went on, after what profiling did
  uint64_t stream, event;  ///< the handles
  uint64_t operation;      ///< that it gave to the GPU: 1, 2, …; 0: none
  CallKind kind;
  uint32_t device;
  uint32_t thread;
  uint32_t callPath;
  uint32_t busyBefore; ///< streams whose work had not ended when the call began
  uint32_t busyAfter;  ///< of these, those of which that work had not ended when it returned
  uint32_t looked;     ///< 1: these two are known
  uint32_t nonBlocking;
  uint32_t hostDone; ///< 1: when a copy or set returned, it had ended, whatever the stream
  /// 1: the operation may access memory of the host, and which is not known: a function of the
  /// host, or a graph with one or with copies to pageable memory.
  uint32_t usesHost;
  uint32_t apiBytes;
  uint32_t reserved;
};

/// When the GPU worked on an operation.
struct GpuTimeRecord {
  uint64_t operation;
  uint64_t beginNs, endNs; ///< steady clock
};

/// How an access of the host to what an operation wrote was seen.
enum class UseKind : uint32_t {
  Load,    ///< its page was protected, the access was of these very bytes
  Store,   ///< likewise
  Call,    ///< a system call or library function was given the memory
  Assumed, ///< it could not be watched, or not any longer: taken as used from here on
  /// No use: from here on only accesses by code that was compiled for it are seen.
  OnlyByCode,
};

/// The first access of the host to what an operation wrote, after that had ended.
struct HostUseRecord {
  uint64_t operation;
  uint64_t timeNs; ///< steady clock
  uint64_t address;
  UseKind kind;
  uint32_t thread;
  uint32_t callPath;
  uint32_t byCode; ///< 1: the code said so that accessed it
};

enum class CopyDirection : uint32_t { HostToDevice, DeviceToHost, DeviceToDevice, HostToHost };

/// What a copy moved (Diogenes, SC'19, Section 3.3.2).
struct ContentRecord {
  uint64_t operation;
  uint64_t bytes;
  uint64_t hash[2];     ///< XXH3-128 of them
  uint64_t destination; ///< its address
  uint64_t object;      ///< ObjectRecord::id of the destination; 0: memory that is not known
  CopyDirection direction;
  uint32_t identical; ///< 1: the destination held the same bytes, 0: others, 2: not known
};

/// Managed memory moved, as CUPTI says.
struct MigrationRecord {
  uint64_t beginNs, endNs; ///< steady clock
  uint64_t address, bytes;
  uint32_t device; ///< that it moved to or from
  uint32_t toHost; ///< 1: from the device; 0: to it
};

struct CallPathRecord {
  uint32_t id; ///< 1, 2, …
  uint32_t frameCount;
};

/// What launches of a kernel have in common whose accesses of global memory are the
/// same as far as closed forms say (GmprofFormDesc). LaunchRecord::context names
/// it; a launch in the log comes after its context.
/// Arrays follow in this order: for each variable of the kernel's descriptor,
/// uint64_t objects[variableCount] (ObjectRecord::id that its pointer points into;
/// 0: none or not a root), int64_t offsets[variableCount] (bytes from the object's
/// start to where the pointer points); then int64_t values[valueCount], the
/// kernel's parameters (sign-extended integers; 0 for all others).
struct GlobalContextRecord {
  uint64_t context;      ///< of the same numbers as those of SharedCountsRecord
  uint64_t counterBytes; ///< device memory that one such launch counts in
  uint64_t objectBytes;  ///< size of the objects counted there
  uint32_t kernel;
  uint32_t grid[3], block[3];
  uint32_t blockSample;
  uint32_t variableCount;
  uint32_t valueCount;
  uint32_t closedForms; ///< 1: they hold
  uint32_t reserved;
};

/// Counts of one kind of accesses by one kernel to elements of one object, over any
/// number of launches, or over those of one context; several records add up. The payload
/// is zstd-compressed: sums[elements], of 1, 2, 4 or 8 bytes each, which the size of the frame's
/// content says, then, if thresholdReached, uint32_t capped[elements] (launches in which the
/// element's counter reached the threshold).
struct GlobalCountsRecord {
  uint64_t object;
  uint64_t firstElement, elements;
  uint32_t kernel;
  uint32_t counterKind; ///< enum GmprofCounterKind
  uint32_t elementShift;
  uint32_t blockSample;
  uint32_t threshold; ///< 0: none
  uint32_t thresholdReached;
  uint64_t launches; ///< that were counted here
  uint64_t context;  ///< GlobalContextRecord::context of all of them; 0: of no other record
};

/// What launches of a context counted, see GmprofGlobalTotals. Records add up. Of contexts whose
/// launches shared counters, one has the blocks, threads and accesses outside of all.
struct GlobalTotalsRecord {
  uint64_t context;
  uint64_t launches;
  uint64_t blocks, threads, outside;
};

} // namespace gmprof::log

#endif // GMPROF_PROFILE_RECORDS_H
