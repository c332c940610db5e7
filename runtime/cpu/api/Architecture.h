//===- Architecture.h - Limits of the GPU architectures ---------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Values from the CUDA C++ Programming Guide's table of compute capabilities, and from one typical
// GPU of each architecture where GPUs differ.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_CPU_API_ARCHITECTURE_H
#define GMPROF_CPU_API_ARCHITECTURE_H

#include <cstddef>
#include <driver_types.h>

namespace gmprof::cpu::api {

/// Limits of an architecture.
struct Architecture {
  const char *Name;
  int Major, Minor;
  int Processors;
  int ThreadsPerProcessor;
  int BlocksPerProcessor;
  size_t SharedPerProcessor;
  size_t SharedPerBlockOptin;
  size_t SharedReserved; ///< per block, by the system
  size_t L2Bytes;
  bool Clusters;

  int compute() const { return Major * 10 + Minor; }
};

constexpr int WarpSize = 32;
constexpr int MaxThreadsPerBlock = 1024;
constexpr int RegistersPerProcessor = 65536;
/// Registers per thread assumed for occupancy, because bitcode does not determine them. Low enough
/// not to limit occupancy.
constexpr int RegistersPerThread = 32;
constexpr size_t SharedPerBlock = 48 * 1024;
constexpr size_t SharedGranularity = 128;
constexpr size_t ConstantBytes = 65536;
constexpr size_t MaxPitch = 2147483647;
constexpr size_t PitchAlignment = 512;
constexpr size_t TextureAlignment = 512;
constexpr size_t TexturePitchAlignment = 32;

/// Returns the architecture selected by GMPROF_CPU_ARCH.
const Architecture &architecture();

cudaDeviceProp deviceProperties(int Device);
/// Reads an attribute; returns false if it is unknown.
bool deviceAttribute(int Device, cudaDeviceAttr Attribute, int &Value);

} // namespace gmprof::cpu::api

#endif // GMPROF_CPU_API_ARCHITECTURE_H
