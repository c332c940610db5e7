//===- Streams.h - Records of copies and of the order in streams *- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_PROFILE_LOG_STREAMS_H
#define GMPROF_PROFILE_LOG_STREAMS_H

#include <cstdint>

namespace gmprof::log {

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

} // namespace gmprof::log

#endif // GMPROF_PROFILE_LOG_STREAMS_H
