//===- DriverModules.cpp - Driver functions of modules and kernels --------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "cpu/api/Images.h"
#include "cpu/api/Launch.h"
#include "cpu/api/exports/DriverObjects.h"

namespace gmprof::cpu::api::driver {

static std::shared_ptr<Kernel> kernelOf(const void *Handle) { return modules().published(Handle); }

CUresult funcGetModule(CUmodule *Out, CUfunction Handle) {
  std::shared_ptr<Kernel> K = kernelOf(Handle);
  if (!Out || !K)
    return Out ? CUDA_ERROR_INVALID_HANDLE : CUDA_ERROR_INVALID_VALUE;
  *Out = reinterpret_cast<CUmodule>(&K->Owner);
  return CUDA_SUCCESS;
}

CUresult funcGetAttribute(int *Out, CUfunction_attribute Attribute, CUfunction Handle) {
  std::shared_ptr<Kernel> K = kernelOf(Handle);
  if (!Out || !K)
    return Out ? CUDA_ERROR_INVALID_HANDLE : CUDA_ERROR_INVALID_VALUE;
  cudaFuncAttributes A = attributesOf(*K);
  switch (Attribute) {
  case CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
    *Out = A.maxThreadsPerBlock;
    break;
  case CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES:
    *Out = static_cast<int>(A.sharedSizeBytes);
    break;
  case CU_FUNC_ATTRIBUTE_NUM_REGS:
    *Out = A.numRegs;
    break;
  case CU_FUNC_ATTRIBUTE_PTX_VERSION:
    *Out = A.ptxVersion;
    break;
  case CU_FUNC_ATTRIBUTE_BINARY_VERSION:
    *Out = A.binaryVersion;
    break;
  case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES:
    *Out = A.maxDynamicSharedSizeBytes;
    break;
  case CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT:
    *Out = A.preferredShmemCarveout;
    break;
  case CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED:
    *Out = A.nonPortableClusterSizeAllowed;
    break;
  case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH:
    *Out = A.requiredClusterWidth;
    break;
  case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_HEIGHT:
    *Out = A.requiredClusterHeight;
    break;
  case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_DEPTH:
    *Out = A.requiredClusterDepth;
    break;
  case CU_FUNC_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE:
    *Out = A.clusterSchedulingPolicyPreference;
    break;
  case CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES:
  case CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES:
  case CU_FUNC_ATTRIBUTE_CACHE_MODE_CA:
    *Out = 0;
    break;
  case CU_FUNC_ATTRIBUTE_CLUSTER_SIZE_MUST_BE_SET:
    *Out = A.clusterDimMustBeSet;
    break;
  default:
    return CUDA_ERROR_INVALID_VALUE;
  }
  return CUDA_SUCCESS;
}

CUresult kernelGetFunction(CUfunction *Out, CUkernel Handle) {
  if (!Out)
    return CUDA_ERROR_INVALID_VALUE;
  return viaRuntime([&] { return cudaGetFuncBySymbol(Out, Handle); });
}

CUresult kernelGetLibrary(CUlibrary *Out, CUkernel Handle) {
  std::shared_ptr<Kernel> K = kernelOf(Handle);
  if (!Out || !K)
    return Out ? CUDA_ERROR_INVALID_HANDLE : CUDA_ERROR_INVALID_VALUE;
  for (const std::shared_ptr<Image> &Library : libraries().all())
    if (Library->has(K->Owner)) {
      *Out = reinterpret_cast<CUlibrary>(Library.get());
      return CUDA_SUCCESS;
    }
  return CUDA_ERROR_NOT_FOUND; // of a module
}

/// Loads a module on the current device.
static CUresult addModule(CUmodule *Out, const void *Source,
                          Result<std::shared_ptr<Image>> (*Find)(const void *)) {
  if (!Out || !Source)
    return CUDA_ERROR_INVALID_VALUE;
  return viaRuntime([&] {
    return call([&] {
      auto Code = Find(Source);
      if (!Code)
        return Code.Error;
      auto Loaded = Code.Value->load(currentDeviceIndex(), "a module");
      if (Loaded)
        *Out = static_cast<CUmodule>(loadedModules().add(std::move(Loaded.Value)));
      return Loaded.Error;
    });
  });
}

CUresult moduleLoadData(CUmodule *Out, const void *Data) { return addModule(Out, Data, copyImage); }

// Options of the compiler do not apply.
CUresult moduleLoadDataEx(CUmodule *Out, const void *Data, unsigned, CUjit_option *, void **) {
  return moduleLoadData(Out, Data);
}

CUresult moduleLoad(CUmodule *Out, const char *File) {
  return addModule(Out, File,
                   [](const void *File) { return readImage(static_cast<const char *>(File)); });
}

CUresult moduleUnload(CUmodule Module) {
  return viaRuntime([&] {
    return call([&] {
      return loadedModules().remove(Module) ? cudaSuccess : cudaErrorInvalidResourceHandle;
    });
  });
}

CUresult moduleGetFunctionCount(unsigned *Out, CUmodule Module) {
  if (!Out || !Module)
    return Out ? CUDA_ERROR_INVALID_HANDLE : CUDA_ERROR_INVALID_VALUE;
  *Out = static_cast<unsigned>(reinterpret_cast<LoadedModule *>(Module)->code().kernels().size());
  return CUDA_SUCCESS;
}

CUresult libraryGetModule(CUmodule *Out, CUlibrary Handle) {
  if (!Out)
    return CUDA_ERROR_INVALID_VALUE;
  return viaRuntime([&] {
    return call([&] {
      std::shared_ptr<Image> Library = libraries().find(Handle);
      if (!Library)
        return cudaErrorInvalidResourceHandle;
      auto Loaded = Library->load(currentDeviceIndex(), "a library");
      *Out = reinterpret_cast<CUmodule>(Loaded.Value.get());
      return Loaded.Error;
    });
  });
}

CUresult moduleGetFunction(CUfunction *Out, CUmodule Module, const char *Name) {
  if (!Out || !Name)
    return CUDA_ERROR_INVALID_VALUE;
  if (!Module)
    return CUDA_ERROR_INVALID_HANDLE;
  std::shared_ptr<Kernel> K = reinterpret_cast<LoadedModule *>(Module)->kernel(Name);
  if (!K)
    return CUDA_ERROR_NOT_FOUND;
  *Out = reinterpret_cast<CUfunction>(K.get());
  return CUDA_SUCCESS;
}

CUresult moduleGetGlobal(CUdeviceptr *Address, size_t *Bytes, CUmodule Module, const char *Name) {
  if (!Name)
    return CUDA_ERROR_INVALID_VALUE;
  if (!Module)
    return CUDA_ERROR_INVALID_HANDLE;
  const GlobalInfo *Info = reinterpret_cast<LoadedModule *>(Module)->variable(Name);
  if (!Info)
    return CUDA_ERROR_NOT_FOUND;
  if (Address)
    *Address = reinterpret_cast<CUdeviceptr>(Info->Address);
  if (Bytes)
    *Bytes = Info->Bytes;
  return CUDA_SUCCESS;
}

} // namespace gmprof::cpu::api::driver
