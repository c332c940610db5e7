//===- Architecture.cpp - Limits of the GPU architectures -----------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "cpu/api/Architecture.h"
#include "cpu/api/Errors.h"
#include "cpu/api/Options.h"
#include <algorithm>
#include <climits>
#include <cstring>

namespace gmprof::cpu::api {

namespace {

constexpr size_t KiB = 1024, MiB = 1024 * KiB;

constexpr Architecture Architectures[] = {
    {"sm_75", 7, 5, 40, 1024, 16, 64 * KiB, 64 * KiB, 0, 4 * MiB, false},
    {"sm_80", 8, 0, 108, 2048, 32, 164 * KiB, 163 * KiB, 1024, 40 * MiB, false},
    {"sm_86", 8, 6, 84, 1536, 16, 100 * KiB, 99 * KiB, 1024, 6 * MiB, false},
    {"sm_89", 8, 9, 128, 1536, 24, 100 * KiB, 99 * KiB, 1024, 72 * MiB, false},
    {"sm_90", 9, 0, 132, 2048, 32, 228 * KiB, 227 * KiB, 1024, 50 * MiB, true},
};

Architecture chosen() {
  const Architecture *Found = nullptr;
  std::string Known;
  for (const Architecture &A : Architectures) {
    if (options().Architecture == A.Name)
      Found = &A;
    Known += std::string(Known.empty() ? "" : ", ") + A.Name;
  }
  if (!Found) {
    Found = std::end(Architectures) - 1;
    complain("GMPROF_CPU_ARCH=" + options().Architecture + " is not one of " + Known + "; using " +
             Found->Name);
  }
  Architecture A = *Found;
  if (options().Processors != 0)
    A.Processors = static_cast<int>(options().Processors);
  return A;
}

template <size_t N> void set(int (&Limits)[N], const int (&Values)[N]) {
  std::copy_n(Values, N, Limits);
}

/// Sets limits common to all architectures. Limits of mipmapped arrays stay zero.
void setTextureLimits(cudaDeviceProp &P) {
  P.maxTexture1D = 131072;
  P.maxTextureCubemap = P.maxSurface1D = P.maxSurfaceCubemap = 32768;
  set(P.maxTexture2D, {131072, 65536});
  set(P.maxTexture2DLinear, {131072, 65000, 2097120});
  set(P.maxTexture2DGather, {32768, 32768});
  set(P.maxTexture3D, {16384, 16384, 16384});
  set(P.maxTexture3DAlt, {8192, 8192, 32768});
  set(P.maxTexture1DLayered, {32768, 2048});
  set(P.maxTexture2DLayered, {32768, 32768, 2048});
  set(P.maxTextureCubemapLayered, {32768, 2046});
  set(P.maxSurface2D, {131072, 65536});
  set(P.maxSurface3D, {16384, 16384, 16384});
  set(P.maxSurface1DLayered, {32768, 2048});
  set(P.maxSurface2DLayered, {32768, 32768, 2048});
  set(P.maxSurfaceCubemapLayered, {32768, 2046});
}

} // namespace

const Architecture &architecture() {
  static const Architecture TheArchitecture = chosen();
  return TheArchitecture;
}

cudaDeviceProp deviceProperties(int Device) {
  const Architecture &A = architecture();
  cudaDeviceProp P = {};
  snprintf(P.name, sizeof P.name, "GMProf CPU device (%s)", A.Name);
  memcpy(P.uuid.bytes, "GMProf CPU dev", 14);
  P.uuid.bytes[15] = static_cast<char>(Device);
  P.totalGlobalMem = options().MemoryBytes;
  P.sharedMemPerBlock = SharedPerBlock;
  P.regsPerBlock = RegistersPerProcessor;
  P.warpSize = WarpSize;
  P.memPitch = MaxPitch;
  P.maxThreadsPerBlock = MaxThreadsPerBlock;
  P.maxThreadsDim[0] = P.maxThreadsDim[1] = 1024;
  P.maxThreadsDim[2] = 64;
  P.maxGridSize[0] = INT_MAX;
  P.maxGridSize[1] = P.maxGridSize[2] = 65535;
  P.totalConstMem = ConstantBytes;
  P.major = A.Major;
  P.minor = A.Minor;
  P.textureAlignment = TextureAlignment;
  P.texturePitchAlignment = TexturePitchAlignment;
  P.multiProcessorCount = A.Processors;
  P.canMapHostMemory = 1;
  P.surfaceAlignment = 512;
  P.concurrentKernels = 1;
  P.pciBusID = Device;
  P.asyncEngineCount = 3;
  P.unifiedAddressing = 1;
  P.memoryBusWidth = 64;
  P.l2CacheSize = static_cast<int>(A.L2Bytes);
  P.maxThreadsPerMultiProcessor = A.ThreadsPerProcessor;
  P.streamPrioritiesSupported = 1;
  P.globalL1CacheSupported = 1;
  P.localL1CacheSupported = 1;
  P.sharedMemPerMultiprocessor = A.SharedPerProcessor;
  P.regsPerMultiprocessor = RegistersPerProcessor;
  P.managedMemory = 1;
  P.hostNativeAtomicSupported = 1;
  P.concurrentManagedAccess = 1;
  P.computePreemptionSupported = 1;
  P.canUseHostPointerForRegisteredMem = 1;
  P.cooperativeLaunch = 1;
  P.sharedMemPerBlockOptin = A.SharedPerBlockOptin;
  P.maxBlocksPerMultiProcessor = A.BlocksPerProcessor;
  P.reservedSharedMemPerBlock = A.SharedReserved;
  P.hostRegisterSupported = 1;
  P.hostRegisterReadOnlySupported = 1;
  P.memoryPoolsSupported = 1;
  P.clusterLaunch = A.Clusters;
  P.deviceNumaId = -1;
  P.hostNumaId = -1;
  setTextureLimits(P);
  return P;
}

bool deviceAttribute(int Device, cudaDeviceAttr Attribute, int &Value) {
  cudaDeviceProp P = deviceProperties(Device);
  switch (Attribute) {
#define GMPROF_ATTRIBUTE(Name, Expression)                                                         \
  case Name:                                                                                       \
    Value = static_cast<int>(Expression);                                                          \
    return true;
#include "cpu/api/DeviceAttributes.inc"
#undef GMPROF_ATTRIBUTE
  default:
    return false;
  }
}

} // namespace gmprof::cpu::api
