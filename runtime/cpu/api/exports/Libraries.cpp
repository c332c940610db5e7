//===- Libraries.cpp - Functions of libcudart for loaded libraries --------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A library is an image, which is loaded on each device at its first use there. Options for the
// compiler are ignored.
//
//===----------------------------------------------------------------------===//

#include "cpu/api/Images.h"
#include "cpu/api/exports/Call.h"

using namespace gmprof::cpu::api;

namespace {

cudaError_t addLibrary(cudaLibrary_t *Out, Result<std::shared_ptr<Image>> Code) {
  if (!Code)
    return Code.Error;
  // Errors in the code are reported here, not at the first use.
  if (auto Loaded = Code.Value->load(currentDeviceIndex(), "a library"); !Loaded)
    return Loaded.Error;
  *Out = static_cast<cudaLibrary_t>(libraries().add(std::move(Code.Value)));
  return cudaSuccess;
}

template <typename F> cudaError_t callOnLibrary(cudaLibrary_t Handle, F Body) {
  return call([&] {
    std::shared_ptr<Image> Library = libraries().find(Handle);
    if (!Library)
      return cudaErrorInvalidResourceHandle;
    auto Loaded = Library->load(currentDeviceIndex(), "a library");
    return Loaded ? Body(*Loaded.Value) : Loaded.Error;
  });
}

} // namespace

cudaError_t cudaLibraryLoadData(cudaLibrary_t *Out, const void *Code, cudaJitOption *, void **,
                                unsigned, cudaLibraryOption *, void **, unsigned) {
  return call(
      [&] { return Out && Code ? addLibrary(Out, copyImage(Code)) : cudaErrorInvalidValue; });
}

cudaError_t cudaLibraryLoadFromFile(cudaLibrary_t *Out, const char *File, cudaJitOption *, void **,
                                    unsigned, cudaLibraryOption *, void **, unsigned) {
  return call(
      [&] { return Out && File ? addLibrary(Out, readImage(File)) : cudaErrorInvalidValue; });
}

cudaError_t cudaLibraryUnload(cudaLibrary_t Handle) {
  return call(
      [&] { return libraries().remove(Handle) ? cudaSuccess : cudaErrorInvalidResourceHandle; });
}

cudaError_t cudaLibraryGetKernel(cudaKernel_t *Out, cudaLibrary_t Handle, const char *Name) {
  return callOnLibrary(Handle, [&](LoadedModule &M) {
    if (!Out || !Name)
      return cudaErrorInvalidValue;
    std::shared_ptr<Kernel> K = M.kernel(Name);
    if (!K)
      return cudaErrorSymbolNotFound;
    *Out = reinterpret_cast<cudaKernel_t>(K.get());
    return cudaSuccess;
  });
}

cudaError_t cudaLibraryGetKernelCount(unsigned *Out, cudaLibrary_t Handle) {
  return callOnLibrary(Handle, [&](LoadedModule &M) {
    if (!Out)
      return cudaErrorInvalidValue;
    *Out = static_cast<unsigned>(M.code().kernels().size());
    return cudaSuccess;
  });
}

cudaError_t cudaLibraryEnumerateKernels(cudaKernel_t *Out, unsigned Count, cudaLibrary_t Handle) {
  return callOnLibrary(Handle, [&](LoadedModule &M) {
    if (!Out)
      return cudaErrorInvalidValue;
    const std::vector<std::string> Names = M.code().kernels();
    for (unsigned I = 0; I != Count && I != Names.size(); ++I)
      Out[I] = reinterpret_cast<cudaKernel_t>(M.kernel(Names[I]).get());
    return cudaSuccess;
  });
}

cudaError_t cudaLibraryGetGlobal(void **Address, size_t *Bytes, cudaLibrary_t Handle,
                                 const char *Name) {
  return callOnLibrary(Handle, [&](LoadedModule &M) {
    if (!Name)
      return cudaErrorInvalidValue;
    const gmprof::cpu::GlobalInfo *Info = M.variable(Name);
    if (!Info)
      return cudaErrorSymbolNotFound;
    if (Address)
      *Address = Info->Address;
    if (Bytes)
      *Bytes = Info->Bytes;
    return cudaSuccess;
  });
}

// Managed variables are device memory, which is host memory.
cudaError_t cudaLibraryGetManaged(void **Address, size_t *Bytes, cudaLibrary_t Handle,
                                  const char *Name) {
  return cudaLibraryGetGlobal(Address, Bytes, Handle, Name);
}
