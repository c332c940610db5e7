//===- DriverGraphs.cpp - Driver functions of graph nodes -----------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "cpu/api/Arrays.h"
#include "cpu/api/Copies.h"
#include "cpu/api/exports/DriverObjects.h"
#include "cpu/api/exports/KernelNodes.h"

namespace gmprof::cpu::api::driver {

static std::optional<cudaKernelNodeParams> runtimeParameters(const CUDA_KERNEL_NODE_PARAMS *P) {
  if (!P)
    return std::nullopt;
  void *Function = P->func ? static_cast<void *>(P->func) : static_cast<void *>(P->kern);
  return cudaKernelNodeParams{Function,
                              {P->gridDimX, P->gridDimY, P->gridDimZ},
                              {P->blockDimX, P->blockDimY, P->blockDimZ},
                              P->sharedMemBytes,
                              P->kernelParams,
                              P->extra};
}

CUresult graphAddKernelNode(CUgraphNode *Out, CUgraph Graph, const CUgraphNode *After, size_t Count,
                            const CUDA_KERNEL_NODE_PARAMS *P) {
  auto Params = runtimeParameters(P);
  return viaRuntime([&] {
    return cudaGraphAddKernelNode(Out, Graph, After, Count, Params ? &*Params : nullptr);
  });
}

CUresult graphKernelNodeGetParams(CUgraphNode Handle, CUDA_KERNEL_NODE_PARAMS *Out) {
  GraphNode *Node = findNode(Handle);
  if (!Node || !Node->as<KernelOp>() || !Out)
    return CUDA_ERROR_INVALID_VALUE;
  cudaKernelNodeParams P = kernelParameters(*Node);
  *Out = {};
  // The driver API has kernels, not host stubs.
  Out->func = reinterpret_cast<CUfunction>(Node->as<KernelOp>()->Code.get());
  Out->gridDimX = P.gridDim.x;
  Out->gridDimY = P.gridDim.y;
  Out->gridDimZ = P.gridDim.z;
  Out->blockDimX = P.blockDim.x;
  Out->blockDimY = P.blockDim.y;
  Out->blockDimZ = P.blockDim.z;
  Out->sharedMemBytes = P.sharedMemBytes;
  Out->kernelParams = P.kernelParams;
  return CUDA_SUCCESS;
}

CUresult graphKernelNodeSetParams(CUgraphNode Node, const CUDA_KERNEL_NODE_PARAMS *P) {
  auto Params = runtimeParameters(P);
  return viaRuntime(
      [&] { return cudaGraphKernelNodeSetParams(Node, Params ? &*Params : nullptr); });
}

CUresult graphExecKernelNodeSetParams(CUgraphExec Graph, CUgraphNode Node,
                                      const CUDA_KERNEL_NODE_PARAMS *P) {
  auto Params = runtimeParameters(P);
  return viaRuntime(
      [&] { return cudaGraphExecKernelNodeSetParams(Graph, Node, Params ? &*Params : nullptr); });
}

static CUmemorytype memoryType(bool OnHost, cudaMemcpyKind Kind) {
  if (Kind == cudaMemcpyDefault)
    return CU_MEMORYTYPE_UNIFIED;
  return OnHost ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE;
}

CUresult graphMemcpyNodeGetParams(CUgraphNode Node, CUDA_MEMCPY3D *Out) {
  cudaMemcpy3DParms P = {};
  CUresult Error = viaRuntime([&] { return cudaGraphMemcpyNodeGetParams(Node, &P); });
  if (Error != CUDA_SUCCESS || !Out)
    return Error != CUDA_SUCCESS ? Error : CUDA_ERROR_INVALID_VALUE;
  *Out = {};
  Out->srcMemoryType =
      memoryType(P.kind == cudaMemcpyHostToDevice || P.kind == cudaMemcpyHostToHost, P.kind);
  Out->srcXInBytes = P.srcPos.x;
  Out->srcY = P.srcPos.y;
  Out->srcZ = P.srcPos.z;
  Out->srcHost = P.srcPtr.ptr;
  Out->srcDevice = convert<CUdeviceptr>(P.srcPtr.ptr);
  Out->srcPitch = P.srcPtr.pitch;
  Out->srcHeight = P.srcPtr.ysize;
  Out->dstMemoryType =
      memoryType(P.kind == cudaMemcpyDeviceToHost || P.kind == cudaMemcpyHostToHost, P.kind);
  Out->dstXInBytes = P.dstPos.x;
  Out->dstY = P.dstPos.y;
  Out->dstZ = P.dstPos.z;
  Out->dstHost = P.dstPtr.ptr;
  Out->dstDevice = convert<CUdeviceptr>(P.dstPtr.ptr);
  Out->dstPitch = P.dstPtr.pitch;
  Out->dstHeight = P.dstPtr.ysize;
  if (P.srcArray)
    Out->srcMemoryType = CU_MEMORYTYPE_ARRAY;
  if (P.dstArray)
    Out->dstMemoryType = CU_MEMORYTYPE_ARRAY;
  Out->srcArray = reinterpret_cast<CUarray>(P.srcArray);
  Out->dstArray = reinterpret_cast<CUarray>(P.dstArray);
  // Extents and positions in arrays are in texels; here they are in bytes.
  const size_t Bytes = texelBytes(P.srcArray ? P.srcArray : P.dstArray);
  Out->srcXInBytes *= P.srcArray ? Bytes : 1;
  Out->dstXInBytes *= P.dstArray ? Bytes : 1;
  Out->WidthInBytes = P.extent.width * Bytes;
  Out->Height = P.extent.height;
  Out->Depth = P.extent.depth;
  return CUDA_SUCCESS;
}

} // namespace gmprof::cpu::api::driver
