//===- ObjectInefficiencies.h - What objects cost in vain -------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// All object-level patterns (ObjectPatterns.h) of a trace, and the intra-object ones
// (ElementPatterns.h) where accesses to elements are known, with what fixing each of
// them saves, and all of them together. Saved is what the peak of memory in use
// would be lower, recomputed from the trace. An object that could go without
// lowering the peak saves nothing. Objects that one call of the program allocates, time
// and again, and of which the same is to be said, are one finding. Of parts of a pool,
// saved is what the pool's peak would be lower.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_ANALYSIS_OBJECTINEFFICIENCIES_H
#define GMPROF_ANALYSIS_OBJECTINEFFICIENCIES_H

#include "analysis/ElementUse.h"
#include "analysis/ObjectPatterns.h"
#include <functional>

namespace gmprof::analysis {

/// Memory in use on one device.
struct DeviceMemory {
  uint32_t Device = 0;
  uint64_t PeakBytes = 0;
  uint64_t PeakBytesAfter = 0; ///< with all lifetimes as the findings propose them
  std::vector<MemoryPeak> Peaks;
};

/// Memory that is cut from a slab.
struct PoolMemory {
  uint32_t Slab = 0;    ///< the object
  uint64_t Objects = 0; ///< that were cut from it
  uint64_t PeakBytes = 0, PeakBytesAfter = 0;
};

struct ObjectMemory {
  std::vector<uint32_t> Timestamps; ///< topological, of each API
  std::vector<DeviceMemory> Devices;
  std::vector<PoolMemory> Pools;
  std::vector<ElementUse> Elements; ///< of objects of which it is known
  ObjectInefficiencies Found;       ///< with BytesSaved and Level; Source and CallPath are not set
  /// Launches whose accesses were not observed, objects that may have been accessed by
  /// these, and objects that the host can access.
  uint64_t InferredLaunches = 0, UncertainObjects = 0, HostObjects = 0;
};

struct ObjectMemoryOptions {
  ObjectPatternOptions Patterns;
  unsigned Peaks = 2; ///< the highest ones to name, as in the paper
  /// Severity is High from this share of the peak on.
  double HighShare = 0.1;
  bool Complete = true; ///< the trace goes on until the program's end
};

/// Says which elements of objects are used, if that is known.
using ElementsOf = std::function<std::vector<ElementUse>(const ObjectHistory &)>;

ObjectMemory objectMemory(const profile::ApiTrace &Trace, const ObjectMemoryOptions &Options = {},
                          const ElementsOf &Elements = nullptr);

} // namespace gmprof::analysis

#endif // GMPROF_ANALYSIS_OBJECTINEFFICIENCIES_H
