//===- Sync.h - Records of the profile sync ---------------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_PROFILE_LOG_SYNC_H
#define GMPROF_PROFILE_LOG_SYNC_H

#include <cstdint>

namespace gmprof::log {

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

} // namespace gmprof::log

#endif // GMPROF_PROFILE_LOG_SYNC_H
