//===- Memory.h - Registry of allocations -----------------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_CPU_API_MEMORY_H
#define GMPROF_CPU_API_MEMORY_H

#include "cpu/Engine.h"
#include "cpu/api/Arena.h"
#include "profile/Mutex.h"
#include <deque>
#include <driver_types.h>
#include <map>

namespace gmprof::cpu::api {

class MemoryPool;

enum class MemoryKind {
  Pageable, ///< ordinary host memory, not registered here
  Device,
  Managed,
  Pinned,
  Registered, ///< host memory pinned by cudaHostRegister
  Variable,   ///< __device__ or __constant__ variable of a module
};

/// Registered range of memory.
struct Allocation {
  uintptr_t Base = 0;
  size_t Bytes = 0;
  MemoryKind Kind = MemoryKind::Pageable;
  int Device = 0;
  unsigned Flags = 0; ///< flags of cudaHostAlloc, cudaHostRegister or cudaMallocManaged
  std::shared_ptr<MemoryPool> Pool;
  std::string Origin; ///< API function, or the variable's name
  uint64_t Id = 0;    ///< never reused
};

/// Registry of all memory that the API allocated, that was registered with it, or that modules
/// loaded. Safe for concurrent use.
class Memory final : public MemoryMap {
public:
  Memory();

  /// Returns null if the device's or the system's memory is exhausted.
  void *allocate(size_t Bytes, MemoryKind Kind, int Device, const char *Origin, unsigned Flags = 0,
                 std::shared_ptr<MemoryPool> Pool = nullptr);
  /// Frees the allocation that starts at `Start`.
  void release(const void *Start);
  /// Frees the allocation at `Start` if it still has this Id: cudaDeviceReset may have freed it
  /// already.
  void releaseIfStill(const void *Start, uint64_t Id);
  /// Registers host memory or a module's variable. Returns false if it overlaps a registered range.
  bool note(const Allocation &A);
  void forget(const void *Start);
  /// Frees all memory of a device (cudaDeviceReset).
  void releaseAll(int Device);

  /// Returns the allocation that contains the address.
  std::optional<Allocation> find(const void *Address) const;
  /// Returns the allocation that starts at the address.
  std::optional<Allocation> findStart(const void *Address) const;

  /// Returns the kind of memory that contains [Start, Start+Bytes); nothing if the range exceeds
  /// its allocation or is in freed memory.
  std::optional<MemoryKind> kindOf(const void *Start, size_t Bytes) const;

  /// Returns the device and managed memory in use, and what raised limits take, in bytes.
  size_t used(int Device) const;
  /// Sets what raised limits take. Returns false if the device has not as much memory.
  bool setLimitBytes(int Device, size_t Bytes);

  std::string describe(uint64_t Address, uint64_t Bytes) const override;

private:
  void free(const Allocation &A);
  void remember(Allocation A) GMPROF_REQUIRES(Mutex);
  std::string describeFreed(uint64_t Address) const GMPROF_REQUIRES_SHARED(Mutex);

  Arena Space;
  mutable SharedMutex Mutex;
  std::map<uintptr_t, Allocation> Live GMPROF_GUARDED_BY(Mutex);
  std::deque<Allocation> Freed GMPROF_GUARDED_BY(Mutex); ///< most recent ones first, for messages
  std::map<int, size_t> Used GMPROF_GUARDED_BY(Mutex);
  std::map<int, size_t> OfLimits GMPROF_GUARDED_BY(Mutex);
  uint64_t NextId GMPROF_GUARDED_BY(Mutex) = 1;
};

Memory &memory();

} // namespace gmprof::cpu::api

#endif // GMPROF_CPU_API_MEMORY_H
