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

#include "profile/log/CallPaths.h"
#include "profile/log/Global.h"
#include "profile/log/Graphs.h"
#include "profile/log/Heat.h"
#include "profile/log/Launches.h"
#include "profile/log/Objects.h"
#include "profile/log/Shared.h"
#include "profile/log/Streams.h"
#include "profile/log/Sync.h"
#include <cstdint>

namespace gmprof::log {

inline constexpr uint32_t Version = 15;

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
  /// AccessSetRecord, then count accesses (PackedAccesses.h). Written before the first record that
  /// refers to it.
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

} // namespace gmprof::log

#endif // GMPROF_PROFILE_RECORDS_H
