//===- ObjectInefficiencies.h - What objects cost in vain -------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// All object-level patterns (ObjectPatterns.h) of a trace, with what fixing each of
// them saves, and all of them together. Saved is what the peak of memory in use
// would be lower, recomputed from the trace. An object that could go without
// lowering the peak saves nothing.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_ANALYSIS_OBJECTINEFFICIENCIES_H
#define GMPROF_ANALYSIS_OBJECTINEFFICIENCIES_H

#include "analysis/ObjectPatterns.h"

namespace gmprof::analysis {

/// Memory in use on one device.
struct DeviceMemory {
  uint32_t Device = 0;
  uint64_t PeakBytes = 0;
  uint64_t PeakBytesAfter = 0; ///< with all lifetimes as the findings propose them
  std::vector<MemoryPeak> Peaks;
};

struct ObjectMemory {
  std::vector<uint32_t> Timestamps; ///< topological, of each API
  std::vector<DeviceMemory> Devices;
  ObjectInefficiencies Found; ///< with BytesSaved and Level; Source and CallPath are not set
};

struct ObjectMemoryOptions {
  ObjectPatternOptions Patterns;
  unsigned Peaks = 2; ///< the highest ones to name, as in the paper
  /// Severity is High from this share of the peak on.
  double HighShare = 0.1;
};

ObjectMemory objectMemory(const profile::ApiTrace &Trace, const ObjectMemoryOptions &Options = {});

} // namespace gmprof::analysis

#endif // GMPROF_ANALYSIS_OBJECTINEFFICIENCIES_H
