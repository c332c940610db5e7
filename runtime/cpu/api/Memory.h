//===- Memory.h - What memory the device knows of ---------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_CPU_API_MEMORY_H
#define GMPROF_CPU_API_MEMORY_H

#include "cpu/Engine.h"
#include "cpu/api/Arena.h"
#include <deque>
#include <driver_types.h>
#include <map>
#include <shared_mutex>

namespace gmprof::cpu::api {

class MemoryPool;

enum class MemoryKind {
  Pageable, ///< ordinary host memory: not known here
  Device,
  Managed,
  Pinned,
  Registered, ///< host memory pinned by cudaHostRegister
  Variable,   ///< a __device__ or __constant__ variable of a module
};

struct Allocation {
  uintptr_t Base = 0;
  size_t Bytes = 0;
  MemoryKind Kind = MemoryKind::Pageable;
  int Device = 0;
  unsigned Flags = 0; ///< of cudaHostAlloc, cudaHostRegister or cudaMallocManaged
  std::shared_ptr<MemoryPool> Pool;
  std::string Origin; ///< the API function, or the variable's name
  uint64_t Id = 0;    ///< never reused
};

/// All memory that the API handed out, was told of, or loaded with a module.
class Memory final : public MemoryMap {
public:
  Memory();

  /// Returns null when the device's memory, or the system's, is used up.
  void *allocate(size_t Bytes, MemoryKind Kind, int Device, const char *Origin, unsigned Flags = 0,
                 std::shared_ptr<MemoryPool> Pool = nullptr);
  /// Frees the allocation that begins at `Start`, which must exist.
  void release(const void *Start);
  /// The same if that is the allocation of this Id: cudaDeviceReset may have been there first.
  void releaseIfStill(const void *Start, uint64_t Id);
  /// Notes host memory or a module's variable. False if it overlaps a known one.
  bool note(const Allocation &A);
  void forget(const void *Start);
  /// Frees all memory of a device (cudaDeviceReset).
  void releaseAll(int Device);

  /// The allocation that holds the address.
  std::optional<Allocation> find(const void *Address) const;
  /// The allocation that begins at the address.
  std::optional<Allocation> findStart(const void *Address) const;

  /// The kind of memory that holds [Start, Start+Bytes), or nothing if the
  /// range leaves its allocation or lies in freed memory.
  std::optional<MemoryKind> kindOf(const void *Start, size_t Bytes) const;

  /// Bytes of device and managed memory in use.
  size_t used(int Device) const;

  std::string describe(uint64_t Address) const override;

private:
  void remember(Allocation A);
  std::string describeFreed(uint64_t Address) const;

  Arena Space;
  mutable std::shared_mutex Mutex;
  std::map<uintptr_t, Allocation> Live;
  std::deque<Allocation> Freed; ///< the most recent ones, for messages
  std::map<int, size_t> Used;
  uint64_t NextId = 1;
};

Memory &memory();

} // namespace gmprof::cpu::api

#endif // GMPROF_CPU_API_MEMORY_H
