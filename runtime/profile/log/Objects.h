//===- Objects.h - Records of objects and of a device's memory --*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_PROFILE_LOG_OBJECTS_H
#define GMPROF_PROFILE_LOG_OBJECTS_H

#include <cstdint>

namespace gmprof::log {

enum class ObjectKind : uint32_t {
  Device,         ///< cudaMalloc and its pitched and 3-D forms
  Managed,        ///< cudaMallocManaged
  Pinned,         ///< cudaMallocHost, cudaHostAlloc, cudaHostRegister
  AsyncPool,      ///< cudaMallocAsync, cudaMallocFromPoolAsync
  Graph,          ///< a graph's allocation node
  GlobalVariable, ///< __device__ or __managed__ variable of a module
  Constant,       ///< __constant__ variable of a module
  Pool,           ///< gmprof_alloc: part of a slab, which is another object
  Array,          ///< CUDA array: cudaMallocArray and similar
};

struct ObjectRecord {
  uint64_t id;      ///< 1, 2, … in order of creation
  uint64_t beginNs; ///< begin of the call, steady clock
  uint64_t timeNs;  ///< end of the call, steady clock
  uint64_t address; ///< device address; 0: opaque (CUDA arrays)
  uint64_t bytes;   ///< as requested; pitched memory includes padding
  uint64_t stream;  ///< stream of a stream-ordered allocation; else 0
  uint64_t parent;  ///< ObjectRecord::id of the slab; 0: none
  ObjectKind kind;
  uint32_t device;
  uint32_t callPath;     ///< CallPathRecord::id; 0: none
  uint32_t thread;       ///< host thread id (gettid)
  uint32_t nameBytes;    ///< variable's name without NUL, after the record; 0: unknown
  uint32_t apiBytes;     ///< API function's name (cudaMalloc), after the object's name
  uint32_t extent[3];    ///< CUDA array: elements per dimension; 0 for dimensions it does not have
  uint32_t elementBytes; ///< CUDA array; 0: unknown
};

/// An object has one release, but a graph's allocation has one per launch.
struct ReleaseRecord {
  uint64_t object;
  uint64_t timeNs; ///< begin of the call, steady clock
  uint64_t endNs;  ///< end of the call
  uint64_t stream; ///< stream of a stream-ordered release; else 0
  uint32_t callPath;
  uint32_t thread;
  uint32_t apiBytes; ///< API function's name without NUL, after the record; 0: the release was not
                     ///< observed, the object was found to be gone
  uint32_t graph;    ///< 1: node of a graph that is being captured or built
};

/// Why the memory of a device was read.
enum class MemoryMoment : uint32_t {
  First,   ///< after the program's first allocation on the device
  Growth,  ///< more memory is allocated than at any reading before
  Failure, ///< an allocation found no memory; follows its FailedAllocation record
  End,     ///< the program ends
};

/// The memory of a device as the driver counts it (cuMemGetInfo), and what the driver says of its
/// own use. The number of readings grows with the logarithm of the memory.
struct MemoryReadingRecord {
  uint64_t timeNs; ///< steady clock
  uint64_t freeBytes, totalBytes;
  uint64_t ownBytes; ///< GMProf's memory on the device
  /// Reserved by the device's default and current pools of stream-ordered allocations, and by
  /// graphs; includes what their objects use.
  uint64_t poolBytes, graphBytes;
  uint64_t moduleBytes; ///< growth of the memory in use while modules and kernels were loaded
  uint64_t printfBytes, heapBytes; ///< limits of the context
  uint64_t stackBytes;             ///< limit of the context, of all threads that can be resident
  uint64_t otherBytes;             ///< in use by other processes; UINT64_MAX: unknown
  uint32_t device;
  MemoryMoment moment;
};

/// An allocation for which the device had no memory.
struct FailedAllocationRecord {
  uint64_t timeNs; ///< end of the call, steady clock
  uint64_t bytes;  ///< as requested
  ObjectKind kind;
  uint32_t device;
  uint32_t callPath;
  uint32_t thread;
  uint32_t apiBytes; ///< length of the API function's name, which follows without NUL
  uint32_t reserved;
};

struct ObjectNameRecord {
  uint64_t object;
  uint32_t nameBytes;
  uint32_t reserved;
};

} // namespace gmprof::log

#endif // GMPROF_PROFILE_LOG_OBJECTS_H
