//===- AllocationCalls.h - Calls that allocate and release ------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Makes and records the calls that allocate and release memory.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_HOST_INTERPOSE_ALLOCATIONCALLS_H
#define GMPROF_HOST_INTERPOSE_ALLOCATIONCALLS_H

#include "host/core/Export.h"
#include "host/core/FunctionRef.h"
#include "host/core/RuntimeApi.h"
#include "host/core/Session.h"
#include "host/objects/InstanceNames.h"
#include <algorithm>
#include <optional>

namespace gmprof::host {

inline uint64_t number(uint64_t Address) { return Address; }
inline uint64_t number(const void *Pointer) { return reinterpret_cast<uint64_t>(Pointer); }

/// Returns an attribute of memory; nothing if the driver does not know it.
template <typename T>
std::optional<T> attributeOf(const DriverApi &Api, CUpointer_attribute Which, uint64_t Pointer) {
  T Value = {};
  if (!Api.cuPointerGetAttribute ||
      Api.cuPointerGetAttribute(&Value, Which, Pointer) != CUDA_SUCCESS)
    return std::nullopt;
  return Value;
}

/// Returns the device of memory that was just allocated.
inline int deviceOf(Session &S, uint64_t Pointer) {
  const DriverApi &Api = S.driver();
  const auto Ordinal = attributeOf<int>(Api, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, Pointer);
  return Ordinal ? *Ordinal : Api.currentDevice();
}

/// Returns the address at which kernels access memory of the host.
inline uint64_t addressOnDevice(Session &S, uint64_t Pointer) {
  const auto OnDevice =
      attributeOf<CUdeviceptr>(S.driver(), CU_POINTER_ATTRIBUTE_DEVICE_POINTER, Pointer);
  return OnDevice.value_or(0) != 0 ? *OnDevice : Pointer;
}

/// A variable of instrumented code.
struct NamedVariable {
  const void *Where = nullptr;
  const char *Name = nullptr; ///< null: none
};
/// The variable that receives the address of this thread's next allocation.
inline constinit thread_local NamedVariable Next;
/// The container whose elements this thread is allocating.
inline constinit thread_local NamedVariable Owner;
/// Objects whose members this thread is allocating, from instrumented code.
inline constinit thread_local InstanceNames Instances;

/// Makes the program's call; Made describes the new object, or the one for which there was no
/// memory. Where: the variable that receives the address.
cudaError_t allocate(const void *Where, FunctionRef<cudaError_t()> Plain,
                     FunctionRef<NewObject(Session &)> Made);
cudaError_t allocate(const void *Caller, const char *Api, log::ObjectKind Kind,
                     void *const *Pointer, uint64_t Bytes, FunctionRef<cudaError_t()> Plain);
/// Reuses memory that the program has released, if the run of whatif does so.
cudaError_t allocateOrReuse(const void *Caller, const char *Api, void **Pointer, size_t Bytes,
                            FunctionRef<cudaError_t()> Plain);
/// Makes a stream-ordered allocation. FromPool: the memory may belong to another device than the
/// current one.
cudaError_t allocateAsync(const void *Caller, const char *Api, void *const *Pointer, uint64_t Bytes,
                          cudaStream_t Stream, bool FromPool, FunctionRef<cudaError_t()> Plain);
/// Registers memory of the host, which kernels may access at another address.
cudaError_t registerMemory(const void *Caller, const char *Api, void *Pointer, uint64_t Bytes,
                           FunctionRef<cudaError_t()> Plain);
/// Interposes a release. Node: the graph node that releases the memory, if the program adds one.
cudaError_t release(const void *Caller, const char *Api, const void *Handle, cudaStream_t Stream,
                    FunctionRef<cudaError_t()> Plain, const cudaGraphNode_t *Node = nullptr);

/// Size of an array's elements, extent and number of levels.
struct ArrayShape {
  uint64_t ElementBytes, Width, Height, Depth;
  unsigned Levels = 1;

  uint64_t bytes() const {
    uint64_t Elements = 0;
    for (unsigned Level = 0; Level < std::min(Levels, 64u); ++Level)
      Elements += std::max<uint64_t>(Width >> Level, 1) * std::max<uint64_t>(Height >> Level, 1) *
                  std::max<uint64_t>(Depth >> Level, 1);
    return ElementBytes * Elements;
  }
};

inline uint64_t elementBytes(const cudaChannelFormatDesc *Element) {
  return Element ? (uint64_t(Element->x) + Element->y + Element->z + Element->w + 7) / 8 : 0;
}

/// Arrays have no address with which a kernel could compute.
template <typename Handle>
cudaError_t allocateArray(const void *Caller, const char *Api, const Handle *Array,
                          const ArrayShape &Shape, FunctionRef<cudaError_t()> Plain) {
  return allocate(Array, Plain, [&](Session &S) {
    NewObject New = {Api, Caller,        log::ObjectKind::Array,    number(*Array),
                     0,   Shape.bytes(), S.driver().currentDevice()};
    New.Extent = {static_cast<uint32_t>(Shape.Width), static_cast<uint32_t>(Shape.Height),
                  static_cast<uint32_t>(Shape.Depth)};
    New.ElementBytes = static_cast<uint32_t>(Shape.ElementBytes);
    return New;
  });
}

template <typename Params>
cudaError_t addAllocationNode(const void *Caller, const char *Api, const cudaGraphNode_t *Node,
                              const Params &Of, FunctionRef<cudaError_t()> Plain) {
  return allocate(nullptr, Plain, [&](Session &) {
    NewObject New = {Api,
                     Caller,
                     log::ObjectKind::Graph,
                     number(Of.dptr),
                     number(Of.dptr),
                     Of.bytesize,
                     Of.poolProps.location.id};
    New.GraphNode = *Node;
    return New;
  });
}

} // namespace gmprof::host

#endif // GMPROF_HOST_INTERPOSE_ALLOCATIONCALLS_H
