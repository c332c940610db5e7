//===- GraphMemory.h - Memory that graphs allocate --------------*- C++ -*-===//
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

/// The memory of an allocation node. Its address is fixed when the node is made
/// and stays reserved while a graph has the node. A launch's allocation is
/// outstanding until a free node or the program frees it, and outlives the graph
/// if neither has.
class GraphMemory {
public:
  /// Null when memory is used up.
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
  const uint64_t Id; ///< of the allocation
};

/// Frees an allocation: a graph's stays reserved for the graph's next launch.
void freeAllocation(void *Start);

/// Bytes outstanding and reserved of a device, now and at most.
cudaError_t getGraphMemoryAttribute(int Device, cudaGraphMemAttributeType Attribute,
                                    uint64_t &Value);
cudaError_t resetGraphMemoryAttribute(int Device, cudaGraphMemAttributeType Attribute);

} // namespace gmprof::cpu::api

#endif // GMPROF_CPU_API_GRAPHMEMORY_H
