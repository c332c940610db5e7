//===- DriverObjects.h - Driver functions without streams -------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Driver functions that libcudart does not have, and that take no stream: compiled once. The table
// in DriverFunctions.cpp names them. Each does what the function of cuda.h with its name does.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_CPU_API_EXPORTS_DRIVEROBJECTS_H
#define GMPROF_CPU_API_EXPORTS_DRIVEROBJECTS_H

#include "cpu/api/exports/Call.h"
#include <cuda.h>
#include <type_traits>

namespace gmprof::cpu::api::driver {

/// Runs a runtime function without its effect on the thread's last error.
template <typename F> CUresult viaRuntime(F Body) {
  cudaError_t Before = takeLastError();
  cudaError_t Error = Body();
  takeLastError();
  record(Before);
  return static_cast<CUresult>(Error);
}

/// Converts between types of the runtime and the driver that differ in name only.
template <typename To, typename From> To convert(From Value) {
  if constexpr (std::is_convertible_v<From, To>)
    return static_cast<To>(Value);
  else
    return (To)Value; // NOLINT: pointers, handles and enumerators of equal value
}

// Contexts: each device has one.
CUcontext contextOf(int Index);
CUresult init(unsigned Flags);
CUresult deviceGet(CUdevice *Out, int Index);
CUresult deviceGetName(char *Text, int Bytes, CUdevice Index);
CUresult ctxGetCurrent(CUcontext *Out);
CUresult ctxSetCurrent(CUcontext Context);
CUresult ctxPushCurrent(CUcontext Context);
CUresult ctxPopCurrent(CUcontext *Out);
CUresult devicePrimaryCtxRetain(CUcontext *Out, CUdevice Index);
CUresult devicePrimaryCtxRelease(CUdevice Index);

// Errors.
CUresult getErrorName(CUresult Error, const char **Out);
CUresult getErrorString(CUresult Error, const char **Out);

// Modules and kernels.
CUresult funcGetModule(CUmodule *Out, CUfunction Handle);
CUresult funcGetAttribute(int *Out, CUfunction_attribute Attribute, CUfunction Handle);
CUresult kernelGetFunction(CUfunction *Out, CUkernel Handle);
CUresult kernelGetLibrary(CUlibrary *Out, CUkernel Handle);
CUresult moduleLoadData(CUmodule *Out, const void *Data);
CUresult moduleLoadDataEx(CUmodule *Out, const void *Data, unsigned, CUjit_option *, void **);
CUresult moduleLoad(CUmodule *Out, const char *File);
CUresult moduleUnload(CUmodule Module);
CUresult moduleGetFunctionCount(unsigned *Out, CUmodule Module);
CUresult libraryGetModule(CUmodule *Out, CUlibrary Handle);
CUresult moduleGetFunction(CUfunction *Out, CUmodule Module, const char *Name);
CUresult moduleGetGlobal(CUdeviceptr *Address, size_t *Bytes, CUmodule Module, const char *Name);

// Nodes of graphs.
CUresult graphAddKernelNode(CUgraphNode *Out, CUgraph Graph, const CUgraphNode *After, size_t Count,
                            const CUDA_KERNEL_NODE_PARAMS *P);
CUresult graphKernelNodeGetParams(CUgraphNode Handle, CUDA_KERNEL_NODE_PARAMS *Out);
CUresult graphKernelNodeSetParams(CUgraphNode Node, const CUDA_KERNEL_NODE_PARAMS *P);
CUresult graphExecKernelNodeSetParams(CUgraphExec Graph, CUgraphNode Node,
                                      const CUDA_KERNEL_NODE_PARAMS *P);
CUresult graphMemcpyNodeGetParams(CUgraphNode Node, CUDA_MEMCPY3D *Out);

} // namespace gmprof::cpu::api::driver

#endif // GMPROF_CPU_API_EXPORTS_DRIVEROBJECTS_H
