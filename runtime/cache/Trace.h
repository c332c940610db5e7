//===- Trace.h - What a trace of memory accesses says -----------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Besides requests (Request.h): the GPU, objects as they come and go, instructions and
// launches. docs/cache-trace.md describes how all of that is written to a file.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_CACHE_TRACE_H
#define GMPROF_CACHE_TRACE_H

#include "profile/Saturating.h"
#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace gmprof::cache {

/// Where it was made. What is 0 is not known.
struct TraceDevice {
  std::string Architecture; ///< sm_90
  std::string Name;         ///< NVIDIA H200
  uint32_t Sms = 0;
  uint32_t WarpsPerSm = 0;
  uint32_t L2Kb = 0;
};

struct TraceObject {
  uint64_t Id = 0;  ///< in the event log
  std::string Name; ///< empty if it has none
  uint64_t Address = 0, Bytes = 0;
};

/// Device memory that a copy or set has written since the launch before; gaps between rows
/// included.
struct TraceWritten {
  uint64_t Address = 0, Bytes = 0;
};

/// By address and size.
using ObjectNames = std::map<std::pair<uint64_t, uint64_t>, std::string>;

/// Gives an object without a name that of Names, if there is one.
inline void nameObject(TraceObject &Object, const ObjectNames &Names) {
  if (!Object.Name.empty())
    return;
  if (const auto At = Names.find({Object.Address, Object.Bytes}); At != Names.end())
    Object.Name = At->second;
}

/// A call that was inlined: of which function, and where it is.
struct TraceCall {
  std::string Function, File;
  uint32_t Line = 0;
  auto operator<=>(const TraceCall &) const = default;
};

/// An instruction that accesses memory.
struct TraceSite {
  uint32_t Kernel = 0; ///< index of the kernels
  std::string File;    ///< empty if not known
  uint32_t Line = 0;
  std::string Function; ///< that the line is in
  /// The calls by which it was inlined, from there outwards.
  std::vector<TraceCall> InlinedAt;
};

struct TraceKernel {
  std::string Name;
  /// Which thread does what also depends on lanes and warps: shuffles, votes and the like.
  bool UsesWarps = false;
};

struct TraceLaunch {
  uint64_t Number = 0; ///< log::LaunchRecord::id; 0: of no event log
  uint32_t Kernel = 0;
  std::array<uint32_t, 3> Grid = {1, 1, 1}, Block = {1, 1, 1};
  uint32_t SharedBytes = 0; ///< of a block, static and dynamic
  uint32_t BlocksPerSm = 0; ///< resident at most; 0 if not known
  uint32_t LocalBytesPerThread = 0;
  uint32_t BlockSample = 1, SmSample = 1; ///< one of so many is in the trace

  uint64_t blockThreads() const { return uint64_t(Block[0]) * Block[1] * Block[2]; }
  uint64_t warpsPerBlock() const { return (blockThreads() + 31) / 32; }
  uint64_t blocks() const { return uint64_t(Grid[0]) * Grid[1] * Grid[2]; }
};

/// What is known of a launch when it has ended.
struct TraceLaunchEnd {
  uint64_t Lost = 0; ///< requests that were made and are not in the trace
  uint64_t Late = 0; ///< that are in it, but not where the SM made them
  /// Of which there are requests in it; 0: not known. That began when it had reached its limit.
  uint64_t Blocks = 0, BlocksBeyond = 0;
  uint64_t RequestsBeyond = 0; ///< of these Blocks, that were made after the limit

  bool reachedLimit() const { return BlocksBeyond != 0 || RequestsBeyond != 0; }

  TraceLaunchEnd &operator+=(const TraceLaunchEnd &Other) {
    for (auto Count : {&TraceLaunchEnd::Lost, &TraceLaunchEnd::Late, &TraceLaunchEnd::Blocks,
                       &TraceLaunchEnd::BlocksBeyond, &TraceLaunchEnd::RequestsBeyond})
      this->*Count = addSaturating(this->*Count, Other.*Count);
    return *this;
  }
};

} // namespace gmprof::cache

#endif // GMPROF_CACHE_TRACE_H
