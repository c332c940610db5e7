//===- ObjectInefficiencies.h - Object inefficiencies -----------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Finds all object-level patterns (ObjectPatterns.h) of a trace, and the intra-object ones
// (ElementPatterns.h) if accesses to elements are known, and computes what fixing each, and all
// together, saves: the reduction of the peak memory in use, recomputed from the trace. An object
// whose removal does not lower the peak saves nothing. Objects that one call site allocates
// repeatedly, with the same pattern, form one finding. For parts of a pool, savings are those of
// the pool's peak; all tensors of PyTorch on a device are one pool.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_ANALYSIS_OBJECTS_OBJECTINEFFICIENCIES_H
#define GMPROF_ANALYSIS_OBJECTS_OBJECTINEFFICIENCIES_H

#include "analysis/elements/ElementUse.h"
#include "analysis/objects/ObjectPatterns.h"
#include <functional>

namespace gmprof::analysis {

class TensorMemory;

/// Memory in use on one device.
struct DeviceMemory {
  uint32_t Device = 0;
  uint64_t PeakBytes = 0;
  uint64_t PeakBytesAfter = 0; ///< with the lifetimes that all findings propose
  std::vector<MemoryPeak> Peaks;
};

/// Memory in use of one slab.
struct PoolMemory {
  uint32_t Slab = 0;    ///< index of the slab object
  uint64_t Objects = 0; ///< number of parts allocated from it
  uint64_t PeakBytes = 0, PeakBytesAfter = 0;
};

struct ObjectMemory {
  std::vector<uint32_t> Timestamps; ///< topological, of each API
  std::vector<DeviceMemory> Devices;
  std::vector<PoolMemory> Pools;
  std::vector<ElementUse> Elements; ///< for objects with known element accesses
  ObjectInefficiencies Found;       ///< BytesSaved and Level are set; Source and CallPath are not
  /// Launches with unobserved accesses, objects that these may have accessed, and objects that the
  /// host can access.
  uint64_t InferredLaunches = 0, UncertainObjects = 0, HostObjects = 0;
};

struct ObjectMemoryOptions {
  ObjectPatternOptions Patterns;
  unsigned Peaks = 2; ///< number of peaks to report, as in the paper
  /// Minimum shares of the peak for severity High and Medium.
  double HighShare = 0.1, MediumShare = 0.01;
  bool Complete = true;   ///< true if the trace covers the program until its end
  bool HasGraphs = false; ///< true if the program launches CUDA graphs
};

/// Returns the element use of objects, if known.
using ElementsOf = std::function<std::vector<ElementUse>(const ObjectHistory &)>;

/// Finds the patterns of PyTorch's allocator (TensorMemory.h), with BytesSaved and Level.
/// DevicePeak returns a device's peak.
ObjectInefficiencies tensorInefficiencies(const std::vector<TensorMemory> &Devices,
                                          const ObjectMemoryOptions &Options,
                                          const std::function<uint64_t(uint32_t)> &DevicePeak);

ObjectMemory objectMemory(const profile::ApiTrace &Trace, const ObjectMemoryOptions &Options = {},
                          const ElementsOf &Elements = nullptr);

} // namespace gmprof::analysis

#endif // GMPROF_ANALYSIS_OBJECTS_OBJECTINEFFICIENCIES_H
