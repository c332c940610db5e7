//===- ApiTrace.h - The GPU APIs of a run and what they touch ---*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// DrGPUM (ASPLOS'23), Section 5.1: the memory access trace. Its GPU APIs are
// memory allocation, release, copy and set, and kernel launch. Plain data; all
// indices are into the vectors here. ApiTraceBuilder.h makes it of a Profile.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_PROFILE_APITRACE_H
#define GMPROF_PROFILE_APITRACE_H

#include "profile/Profile.h"
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace gmprof::profile {

enum class ApiKind : uint8_t { Allocation, Release, Copy, Set, Launch };

/// The stream of what the host does by itself: memory of the host comes and goes.
inline constexpr uint64_t NoStream = UINT64_MAX;

/// An access of an object by an API. Allocation and release do not access the
/// object that they are about.
struct ApiAccess {
  uint32_t Object = 0;
  bool Reads = false, Writes = false;
  /// The bytes of the object that a copy or set reads or writes, without gaps;
  /// Bytes is 0 where that is not known (launches, copies of planes).
  uint64_t Offset = 0, Bytes = 0;
};

struct Api {
  ApiKind Kind = ApiKind::Launch;
  std::string Name; ///< of the function or kernel
  /// 0: the default stream. Others are numbered 1, 2, … as they are first seen; one that
  /// gets the handle of another that was destroyed is another.
  uint64_t Stream = 0;
  uint32_t Device = 0;
  uint64_t TimeNs = 0;      ///< steady clock, of the call's begin
  uint64_t EndNs = 0;       ///< of its return; 0: not known
  uint32_t Thread = 0;      ///< of the host; 0: not known
  uint32_t CallPath = None; ///< in Profile::CallPaths
  uint32_t Launch = None;   ///< in Profile::Launches
  uint32_t Object = 0;      ///< that is allocated or released; else meaningless
  std::vector<ApiAccess> Accesses;
  /// What a launch accesses was not observed: Accesses are what its parameters point
  /// to, and it may access other objects as well.
  bool Inferred = false;
  bool WithHost = false; ///< a copy from or to memory of the host
  /// Earlier APIs that it waits for, besides those of Definition 5.1: by events,
  /// synchronisation of the host, and the rules of the default stream.
  std::vector<uint32_t> After;
};

struct ApiObject {
  uint64_t Id = 0;   ///< ObjectRecord::id; each replay of a graph allocates its object anew
  std::string Name;  ///< the variable; empty: unknown
  std::string Where; ///< file and line of its allocation, for messages; empty: unknown
  uint64_t Bytes = 0;
  log::ObjectKind Kind = log::ObjectKind::Device;
  uint32_t Device = 0;
  uint32_t Allocation = 0; ///< index of the API; meaningless for variables of modules
  std::optional<uint32_t> Release;
  std::optional<uint32_t> Parent; ///< of a part of a pool: the slab
  bool Opaque = false;            ///< an array for textures, whose memory nothing else can have
};

/// APIs are in the order of the calls.
struct ApiTrace {
  std::vector<Api> Apis;
  std::vector<ApiObject> Objects;
};

} // namespace gmprof::profile

#endif // GMPROF_PROFILE_APITRACE_H
