//===- Trace.h - Contents of a trace of memory accesses ---------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Defines all contents except requests (Request.h): the GPU, allocation and release of objects,
// instructions and launches. docs/cache-trace.md describes the file format.
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

/// GPU that made the trace; 0 means unknown.
struct TraceDevice {
  std::string Architecture; ///< sm_90
  std::string Name;         ///< NVIDIA H200
  uint32_t Sms = 0;
  uint32_t WarpsPerSm = 0;
  uint32_t L2Kb = 0;
};

/// Allocated object of device memory.
struct TraceObject {
  uint64_t Id = 0;  ///< in the event log
  std::string Name; ///< may be empty
  uint64_t Address = 0, Bytes = 0;
};

/// Device memory that a copy or set has written since the previous launch; includes gaps between
/// rows.
struct TraceWritten {
  uint64_t Address = 0, Bytes = 0;
};

/// Names of objects by address and size.
using ObjectNames = std::map<std::pair<uint64_t, uint64_t>, std::string>;

/// Names an unnamed object from Names, if listed there.
inline void nameObject(TraceObject &Object, const ObjectNames &Names) {
  if (!Object.Name.empty())
    return;
  if (const auto At = Names.find({Object.Address, Object.Bytes}); At != Names.end())
    Object.Name = At->second;
}

/// Inlined call: the callee and the position of the call.
struct TraceCall {
  std::string Function, File;
  uint32_t Line = 0;
  auto operator<=>(const TraceCall &) const = default;
};

/// Instruction that accesses memory.
struct TraceSite {
  uint32_t Kernel = 0; ///< index into the kernels
  std::string File;    ///< empty if unknown
  uint32_t Line = 0;
  std::string Function; ///< function that holds the line
  /// Calls through which it was inlined, innermost first.
  std::vector<TraceCall> InlinedAt;
};

struct TraceKernel {
  std::string Name;
  /// Accesses also depend on lanes and warps: the kernel uses shuffles, votes or similar.
  bool UsesWarps = false;
};

/// Configuration of a launch.
struct TraceLaunch {
  uint64_t Number = 0; ///< log::LaunchRecord::id; 0: not in an event log
  uint32_t Kernel = 0;
  std::array<uint32_t, 3> Grid = {1, 1, 1}, Block = {1, 1, 1};
  uint32_t SharedBytes = 0; ///< per block, static and dynamic
  uint32_t BlocksPerSm = 0; ///< maximum resident blocks; 0: unknown
  uint32_t LocalBytesPerThread = 0;
  uint32_t BlockSample = 1, SmSample = 1; ///< one of this many blocks or SMs is traced

  uint64_t blockThreads() const { return uint64_t(Block[0]) * Block[1] * Block[2]; }
  uint64_t warpsPerBlock() const { return (blockThreads() + 31) / 32; }
  uint64_t blocks() const { return uint64_t(Grid[0]) * Grid[1] * Grid[2]; }
};

/// Losses of a launch's trace, known at its end.
struct TraceLaunchEnd {
  uint64_t Lost = 0; ///< requests missing from the trace
  uint64_t Late = 0; ///< requests recorded out of the SM's order
  /// Traced blocks, 0: unknown; and blocks that began after the limit was reached.
  uint64_t Blocks = 0, BlocksBeyond = 0;
  uint64_t RequestsBeyond = 0; ///< requests of traced blocks made after the limit

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
