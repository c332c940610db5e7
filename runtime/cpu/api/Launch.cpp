//===- Launch.cpp - Checks and set-up of kernel launches ------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "cpu/api/Launch.h"
#include "cpu/api/Architecture.h"
#include "cpu/api/Errors.h"
#include <algorithm>
#include <climits>
#include <cstring>

namespace gmprof::cpu::api {

namespace {

constexpr size_t roundUp(size_t Value, size_t Unit) { return (Value + Unit - 1) / Unit * Unit; }

bool gridFits(const dim3 &G) {
  return G.x != 0 && G.y != 0 && G.z != 0 && G.x <= INT_MAX && G.y <= 65535 && G.z <= 65535;
}

bool blockFits(const dim3 &B, unsigned MaxThreads) {
  return B.x != 0 && B.y != 0 && B.z != 0 && B.x <= 1024 && B.y <= 1024 && B.z <= 64 &&
         size_t(B.x) * B.y * B.z <= std::min<size_t>(MaxThreads, MaxThreadsPerBlock);
}

size_t parameterBytes(const KernelInfo &Info) {
  size_t End = 0;
  for (const ParamInfo &P : Info.Params)
    End = std::max(End, P.Offset + P.Bytes);
  return End;
}

/// Copies arguments from the list {CU_LAUNCH_PARAM_BUFFER_POINTER, buffer,
/// CU_LAUNCH_PARAM_BUFFER_SIZE, size, CU_LAUNCH_PARAM_END}, in any order.
bool copyBuffer(void *const *Extra, std::vector<std::byte> &Out) {
  constexpr uintptr_t End = 0, Pointer = 1, Size = 2;
  const void *Buffer = nullptr;
  size_t Bytes = 0;
  for (; reinterpret_cast<uintptr_t>(*Extra) != End; Extra += 2) {
    if (reinterpret_cast<uintptr_t>(*Extra) == Pointer)
      Buffer = Extra[1];
    else if (reinterpret_cast<uintptr_t>(*Extra) == Size)
      Bytes = *static_cast<const size_t *>(Extra[1]);
    else
      return false;
  }
  if (Bytes > Out.size() || (Bytes != 0 && !Buffer))
    return false;
  memcpy(Out.data(), Buffer, Bytes);
  return true;
}

bool copyArguments(const LaunchRequest &R, const KernelInfo &Info, std::vector<std::byte> &Out) {
  Out.resize(parameterBytes(Info));
  if (Info.Params.empty())
    return true;
  if (R.Extra)
    return !R.Arguments && copyBuffer(R.Extra, Out);
  if (!R.Arguments)
    return false;
  for (size_t I = 0; I != Info.Params.size(); ++I)
    memcpy(Out.data() + Info.Params[I].Offset, R.Arguments[I], Info.Params[I].Bytes);
  return true;
}

Dim3 toDim3(const dim3 &D) { return {D.x, D.y, D.z}; }

/// Returns the cluster dimensions that the kernel's attributes require.
std::optional<Dim3> requiredCluster(const Kernel &K) {
  const unsigned X = K.RequiredCluster[0], Y = K.RequiredCluster[1], Z = K.RequiredCluster[2];
  if (X == 0 && Y == 0 && Z == 0)
    return std::nullopt;
  return Dim3{std::max(X, 1u), std::max(Y, 1u), std::max(Z, 1u)};
}

bool same(const Dim3 &A, const Dim3 &B) { return A.X == B.X && A.Y == B.Y && A.Z == B.Z; }

/// Returns the cluster dimensions of the launch, or of its kernel.
Result<std::optional<Dim3>> clusterOf(const LaunchRequest &R, const Kernel &K) {
  const std::optional<Dim3> Required = requiredCluster(K), C = R.Cluster ? R.Cluster : Required;
  if (!C)
    return C;
  const bool Fits = C->X != 0 && C->Y != 0 && C->Z != 0 && R.Grid.x % C->X == 0 &&
                    R.Grid.y % C->Y == 0 && R.Grid.z % C->Z == 0 &&
                    size_t(C->X) * C->Y * C->Z <= largestCluster(K);
  if (!Fits || (Required && !same(*C, *Required)))
    return cudaErrorInvalidClusterSize;
  return C;
}

} // namespace

unsigned largestCluster(const Kernel &K) {
  constexpr unsigned Portable = 8, NonPortable = 16;
  if (!architecture().Clusters)
    return 1;
  return K.NonPortableCluster ? NonPortable : Portable;
}

Result<KernelOp> prepareLaunch(const LaunchRequest &R) {
  auto Found = modules().kernel(R.Function);
  if (!Found)
    return Found.Error;
  Kernel &K = *Found.Value;
  if (!gridFits(R.Grid) || !blockFits(R.Block, K.Info.MaxThreads))
    return cudaErrorInvalidValue;
  if (R.DynamicShared > static_cast<size_t>(K.MaxDynamicShared))
    return cudaErrorInvalidValue;
  Result<std::optional<Dim3>> Cluster = clusterOf(R, K);
  if (!Cluster)
    return Cluster.Error;
  if (R.Cooperative) {
    size_t Blocks = size_t(R.Grid.x) * R.Grid.y * R.Grid.z;
    int Threads = static_cast<int>(R.Block.x * R.Block.y * R.Block.z);
    if (Blocks > size_t(residentBlocks(K, Threads, R.DynamicShared)) * architecture().Processors)
      return cudaErrorCooperativeLaunchTooLarge;
  }
  KernelOp Op;
  Op.Code = Found.Value;
  Op.Function = R.Function;
  Op.Priority = R.Priority;
  Op.Config = {toDim3(R.Grid), toDim3(R.Block), Cluster.Value, R.DynamicShared, R.Cooperative};
  if (!copyArguments(R, K.Info, Op.Arguments))
    return cudaErrorInvalidValue;
  return Op;
}

cudaError_t applyAttributes(const cudaLaunchAttribute *Attributes, size_t Count, LaunchRequest &R) {
  if (Count != 0 && !Attributes)
    return cudaErrorInvalidValue;
  for (const cudaLaunchAttribute &A : std::span(Attributes, Count)) {
    switch (A.id) {
    case cudaLaunchAttributeCooperative:
      R.Cooperative = A.val.cooperative != 0;
      break;
    case cudaLaunchAttributePriority:
      R.Priority = std::clamp(A.val.priority, GreatestPriority, LeastPriority);
      break;
    case cudaLaunchAttributeClusterDimension:
      R.Cluster = Dim3{A.val.clusterDim.x, A.val.clusterDim.y, A.val.clusterDim.z};
      break;
    // Hints, and orders weaker than the order that the CPU device keeps.
    case cudaLaunchAttributeIgnore:
    case cudaLaunchAttributeAccessPolicyWindow:
    case cudaLaunchAttributeSynchronizationPolicy:
    case cudaLaunchAttributeClusterSchedulingPolicyPreference:
    case cudaLaunchAttributeProgrammaticStreamSerialization:
    case cudaLaunchAttributeMemSyncDomainMap:
    case cudaLaunchAttributeMemSyncDomain:
    case cudaLaunchAttributePreferredSharedMemoryCarveout:
      break;
    default:
      complainThatItLacks("launch attribute " + std::to_string(A.id));
      return cudaErrorNotSupported;
    }
  }
  return cudaSuccess;
}

int residentBlocks(const Kernel &K, int BlockSize, size_t DynamicShared) {
  const Architecture &A = architecture();
  if (static_cast<unsigned>(BlockSize) > K.Info.MaxThreads ||
      DynamicShared > static_cast<size_t>(K.MaxDynamicShared))
    return 0;
  int Warps = (BlockSize + WarpSize - 1) / WarpSize;
  int Blocks = std::min(A.BlocksPerProcessor, A.ThreadsPerProcessor / WarpSize / Warps);
  Blocks = std::min(Blocks, RegistersPerProcessor / (RegistersPerThread * WarpSize * Warps));
  size_t Shared =
      roundUp(K.Info.StaticShared + DynamicShared + A.SharedReserved, SharedGranularity);
  if (Shared != 0)
    Blocks = static_cast<int>(std::min<size_t>(Blocks, A.SharedPerProcessor / Shared));
  return Blocks;
}

Result<int> residentClusters(const LaunchRequest &R) {
  auto Found = modules().kernel(R.Function);
  if (!Found)
    return Found.Error;
  Result<std::optional<Dim3>> Cluster = clusterOf(R, *Found.Value);
  if (!Cluster)
    return Cluster.Error;
  const Dim3 Of = Cluster.Value.value_or(Dim3());
  const int Threads = static_cast<int>(R.Block.x * R.Block.y * R.Block.z);
  return residentBlocks(*Found.Value, Threads, R.DynamicShared) * architecture().Processors /
         static_cast<int>(Of.X * Of.Y * Of.Z);
}

std::optional<size_t> availableShared(const Kernel &K, int Blocks, int BlockSize) {
  if (Blocks <= 0 || Blocks > residentBlocks(K, BlockSize, 0))
    return std::nullopt;
  size_t Share = architecture().SharedPerProcessor / Blocks;
  size_t Left = Share > K.Info.StaticShared ? Share - K.Info.StaticShared : 0;
  return std::min<size_t>(Left, K.MaxDynamicShared);
}

cudaFuncAttributes attributesOf(const Kernel &K) {
  cudaFuncAttributes A = {};
  A.sharedSizeBytes = K.Info.StaticShared;
  A.maxThreadsPerBlock = static_cast<int>(K.Info.MaxThreads);
  A.numRegs = RegistersPerThread;
  A.binaryVersion = architecture().compute();
  A.ptxVersion = K.Owner.PtxArchitecture ? K.Owner.PtxArchitecture : A.binaryVersion;
  A.maxDynamicSharedSizeBytes = K.MaxDynamicShared;
  A.preferredShmemCarveout = K.Carveout;
  A.nonPortableClusterSizeAllowed = K.NonPortableCluster;
  A.clusterDimMustBeSet = K.Info.Cluster.has_value();
  A.requiredClusterWidth = K.RequiredCluster[0];
  A.requiredClusterHeight = K.RequiredCluster[1];
  A.requiredClusterDepth = K.RequiredCluster[2];
  A.clusterSchedulingPolicyPreference = K.ClusterPolicy;
  return A;
}

cudaError_t setAttribute(Kernel &K, cudaFuncAttribute Attribute, int Value) {
  switch (Attribute) {
  case cudaFuncAttributeMaxDynamicSharedMemorySize:
    if (Value < 0 || Value + K.Info.StaticShared > architecture().SharedPerBlockOptin)
      return cudaErrorInvalidValue;
    K.MaxDynamicShared = Value;
    return cudaSuccess;
  case cudaFuncAttributePreferredSharedMemoryCarveout:
    if (Value < -1 || Value > 100)
      return cudaErrorInvalidValue;
    K.Carveout = Value;
    return cudaSuccess;
  case cudaFuncAttributeNonPortableClusterSizeAllowed:
    K.NonPortableCluster = Value != 0;
    return cudaSuccess;
  case cudaFuncAttributeRequiredClusterWidth:
  case cudaFuncAttributeRequiredClusterHeight:
  case cudaFuncAttributeRequiredClusterDepth: {
    std::atomic<int> &Required =
        K.RequiredCluster[Attribute - cudaFuncAttributeRequiredClusterWidth];
    // An attribute cannot change the value of __cluster_dims__.
    if (Value < 0 || (K.Info.Cluster && Value != Required))
      return cudaErrorInvalidValue;
    Required = Value;
    return cudaSuccess;
  }
  case cudaFuncAttributeClusterSchedulingPolicyPreference:
    K.ClusterPolicy = Value;
    return cudaSuccess;
  default:
    return cudaErrorInvalidValue;
  }
}

} // namespace gmprof::cpu::api
