//===- MemorySnapshot.h - Reads snapshots of PyTorch's memory ---*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads the file that torch.cuda.memory._dump_snapshot() writes: the segments (slabs) of PyTorch's
// caching allocator with their blocks, and the events up to the snapshot, if their recording was
// enabled (torch/csrc/cuda/memory_snapshot.cpp in PyTorch). The profile has the slabs as objects,
// and the tensors as their parts. The events are often only the last ones, so what existed before
// them is found by undoing them, from the last one to the first; it is allocated at time 0.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_REPORT_FILES_MEMORYSNAPSHOT_H
#define GMPROF_REPORT_FILES_MEMORYSNAPSHOT_H

#include "profile/Profile.h"
#include "profile/Result.h"
#include <array>
#include <string>
#include <string_view>
#include <vector>

namespace gmprof {

/// The segments at the snapshot that share their blocks: of a device, pool, stream and block size.
struct SnapshotPool {
  uint32_t Device = 0;
  std::array<int64_t, 2> Id = {}; ///< of a CUDA graph's or a torch.cuda.MemPool's pool; else 0, 0
  int64_t Stream = 0;             ///< handle; 0: default
  bool Large = false;             ///< for tensors of more than 1 MiB
  uint64_t Segments = 0, ReservedBytes = 0;
  uint64_t AllocatedBytes = 0; ///< of tensors
  uint64_t AwaitingBytes = 0;  ///< freed, and in use by another stream until an event
  uint64_t RequestedBytes = 0; ///< by the program, of AllocatedBytes and AwaitingBytes
  /// Free memory that torch.cuda.empty_cache() returns if the pool is not private, and free memory
  /// beside tensors in a segment.
  uint64_t ReleasableBytes = 0, FragmentedBytes = 0;
  uint64_t LargestFreeBytes = 0;

  bool isPrivate() const { return Id != std::array<int64_t, 2>(); }
};

struct MemorySnapshot {
  profile::Profile P;
  std::vector<SnapshotPool> Pools;   ///< by device, pool, stream, block size
  std::vector<uint32_t> ReplayPools; ///< by profile::Object::Id: number of the pool and stream
  std::vector<bool> PrivateReplay;   ///< by that number
  uint32_t Initial = 0;              ///< number of objects that existed before the events
  uint64_t Events = 0;               ///< recorded ones
  uint64_t Unmatched = 0;            ///< of these, contradict the others, and are left out
  std::vector<uint32_t> Devices;     ///< with segments or events
};

/// Reads a snapshot. Each error is one sentence that names the file.
Result<MemorySnapshot> readMemorySnapshot(const std::string &Path);
Result<MemorySnapshot> parseMemorySnapshot(std::string_view Data, const std::string &Path);

} // namespace gmprof

#endif // GMPROF_REPORT_FILES_MEMORYSNAPSHOT_H
