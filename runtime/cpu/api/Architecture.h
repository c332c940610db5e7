//===- Architecture.h - Limits of the GPU architectures ---------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Figures of the CUDA C++ Programming Guide's table of compute capabilities,
// and of one typical GPU of each architecture where they differ between GPUs.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_CPU_API_ARCHITECTURE_H
#define GMPROF_CPU_API_ARCHITECTURE_H

#include <cstddef>
#include <driver_types.h>

namespace gmprof::cpu::api {

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
/// The bitcode does not say how many registers a kernel would get. Few enough
/// not to limit occupancy.
constexpr int RegistersPerThread = 32;
constexpr size_t SharedPerBlock = 48 * 1024;
constexpr size_t SharedGranularity = 128;
constexpr size_t ConstantBytes = 65536;
constexpr size_t MaxPitch = 2147483647;
constexpr size_t PitchAlignment = 512;
constexpr size_t TextureAlignment = 512;
constexpr size_t TexturePitchAlignment = 32;

/// The one chosen by GMPROF_CPU_ARCH.
const Architecture &architecture();

cudaDeviceProp deviceProperties(int Device);
/// False if there is no such attribute.
bool deviceAttribute(int Device, cudaDeviceAttr Attribute, int &Value);

} // namespace gmprof::cpu::api

#endif // GMPROF_CPU_API_ARCHITECTURE_H
