//===- GraphMemory.h - Memory of graph allocation nodes ---------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_CPU_API_GRAPHMEMORY_H
#define GMPROF_CPU_API_GRAPHMEMORY_H

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <driver_types.h>
#include <memory>

namespace gmprof::cpu::api {

/// Memory of an allocation node. Its address is fixed when the node is created and stays reserved
/// as long as a graph has the node. A launch's allocation is outstanding until a free node or the
/// program frees it, and outlives the graph otherwise.
class GraphMemory {
public:
  /// Returns null if memory is exhausted.
  static std::shared_ptr<GraphMemory> allocate(int Device, size_t Bytes, const char *Origin);
  ~GraphMemory();
  GraphMemory(const GraphMemory &) = delete;
  GraphMemory &operator=(const GraphMemory &) = delete;

  void setOutstanding(bool Is);

  void *const Start;
  const size_t Bytes;
  const int Device;

private:
  GraphMemory(void *Start, size_t Bytes, int Device);
  std::atomic<bool> Outstanding{false};
  const uint64_t Id; ///< Id of the allocation
};

/// Frees an allocation; a graph's stays reserved for its next launch.
void freeAllocation(void *Start);

/// Reads the outstanding and reserved bytes of a device, current or maximum.
cudaError_t getGraphMemoryAttribute(int Device, cudaGraphMemAttributeType Attribute,
                                    uint64_t &Value);
cudaError_t resetGraphMemoryAttribute(int Device, cudaGraphMemAttributeType Attribute);

} // namespace gmprof::cpu::api

#endif // GMPROF_CPU_API_GRAPHMEMORY_H
