//===- InterposeModules.cpp - Loading and unloading of modules ------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Interposes loading and unloading of modules. Variables are registered with libcudart when a
// program or library is loaded. Closing a shared library removes its kernels; libraries loaded
// later may have other kernels at the same addresses.
//
//===----------------------------------------------------------------------===//

#include "host/core/Export.h"
#include "host/core/RuntimeApi.h"
#include "host/core/Session.h"
#include "host/instrument/CompiledFiles.h"
#include "host/interpose/DriverHooks.h"
#include "host/objects/ModuleVariables.h"
#include "host/objects/Transfers.h"
#include <type_traits>

using namespace gmprof;
using namespace gmprof::host;

GMPROF_INTERPOSE void __cudaRegisterVar(void **Binary, char *Shadow, char *Address,
                                        const char *Symbol, int External, size_t Bytes,
                                        int Constant, int Global) {
  auto *Real = reinterpret_cast<decltype(&__cudaRegisterVar)>(
      realFunction(RuntimeFunction::__cudaRegisterVar));
  if (Real)
    Real(Binary, Shadow, Address, Symbol, External, Bytes, Constant, Global);
  if (Symbol)
    registerModuleVariable(Shadow, Symbol, Constant != 0);
}

/// Registers the variable as an object, because the program may use its address.
GMPROF_INTERPOSE cudaError_t cudaGetSymbolAddress(void **Address, const void *Symbol) {
  if (Inside::now())
    return GMPROF_REAL(cudaGetSymbolAddress, Address, Symbol);
  Inside Guard;
  cudaError_t Error = GMPROF_REAL(cudaGetSymbolAddress, Address, Symbol);
  if (Session *S = Error == cudaSuccess ? Session::begin() : nullptr)
    noteShadowedVariable(*S, Symbol);
  return Error;
}

GMPROF_INTERPOSE void __cudaUnregisterFatBinary(void **Binary) {
  Session *S = Inside::now() ? nullptr : Session::current();
  Inside Guard;
  auto *Real = reinterpret_cast<decltype(&__cudaUnregisterFatBinary)>(
      realFunction(RuntimeFunction::__cudaUnregisterFatBinary));
  if (Real)
    Real(Binary);
  if (S)
    S->moduleUnloaded();
}

//===----------------------------------------------------------------------===//
// The driver
//===----------------------------------------------------------------------===//

// Modules are remembered whoever loads them: libcudart does so inside of calls of GMProf as well.

/// Remembers a module after it was loaded from memory.
template <typename Handle>
static CUresult afterLoad(cudaError_t Error, const Handle *Loaded, const void *Image) {
  constexpr auto Kind =
      std::is_same_v<Handle, CUmodule> ? ModuleImages::Kind::Module : ModuleImages::Kind::Library;
  if (Error == cudaSuccess && settings().Enabled)
    moduleImages().loaded(Kind, *Loaded, Image);
  return static_cast<CUresult>(Error);
}

/// Remembers a module after it was loaded from a file.
template <typename Handle>
static CUresult afterLoadOfFile(cudaError_t Error, const Handle *Loaded, const char *Name) {
  if (Error != cudaSuccess || !settings().Enabled)
    return static_cast<CUresult>(Error);
  rememberNeighbours(Name, moduleImages());
  std::string Image = contentOfFile(Name);
  Image.resize(std::max(Image.size(), sizeof(uint32_t)));
  return afterLoad(Error, Loaded, Image.c_str());
}

/// Returns the readings of memory, for loading by the program.
static MemoryReadings *readings() { return Inside::now() ? nullptr : Session::currentReadings(); }

GMPROF_INTERPOSE_DRIVER(cuModuleLoad, (CUmodule * Module, const char *Name)) {
  MemoryReadings::Loading Growth(readings());
  return afterLoadOfFile(GMPROF_REAL_DRIVER(cuModuleLoad, Module, Name), Module, Name);
}

GMPROF_INTERPOSE_DRIVER(cuModuleLoadData, (CUmodule * Module, const void *Image)) {
  MemoryReadings::Loading Growth(readings());
  return afterLoad(GMPROF_REAL_DRIVER(cuModuleLoadData, Module, Image), Module, Image);
}

GMPROF_INTERPOSE_DRIVER(cuModuleLoadDataEx, (CUmodule * Module, const void *Image, unsigned Count,
                                             CUjit_option *Options, void **Values)) {
  MemoryReadings::Loading Growth(readings());
  return afterLoad(GMPROF_REAL_DRIVER(cuModuleLoadDataEx, Module, Image, Count, Options, Values),
                   Module, Image);
}

GMPROF_INTERPOSE_DRIVER(cuModuleLoadFatBinary, (CUmodule * Module, const void *Image)) {
  MemoryReadings::Loading Growth(readings());
  return afterLoad(GMPROF_REAL_DRIVER(cuModuleLoadFatBinary, Module, Image), Module, Image);
}

GMPROF_INTERPOSE_DRIVER(cuLibraryLoadData,
                        (CUlibrary * Library, const void *Image, CUjit_option *JitOptions,
                         void **JitValues, unsigned JitCount, CUlibraryOption *Options,
                         void **Values, unsigned Count)) {
  MemoryReadings::Loading Growth(readings());
  return afterLoad(GMPROF_REAL_DRIVER(cuLibraryLoadData, Library, Image, JitOptions, JitValues,
                                      JitCount, Options, Values, Count),
                   Library, Image);
}

GMPROF_INTERPOSE_DRIVER(cuLibraryLoadFromFile,
                        (CUlibrary * Library, const char *Name, CUjit_option *JitOptions,
                         void **JitValues, unsigned JitCount, CUlibraryOption *Options,
                         void **Values, unsigned Count)) {
  MemoryReadings::Loading Growth(readings());
  return afterLoadOfFile(GMPROF_REAL_DRIVER(cuLibraryLoadFromFile, Library, Name, JitOptions,
                                            JitValues, JitCount, Options, Values, Count),
                         Library, Name);
}

/// Called by the CPU device after it loaded a registered fat binary.
extern "C" __attribute__((visibility("default"))) void gmprof_module_loaded(const void *Module,
                                                                            const void *FatBinary) {
  if (settings().Enabled)
    moduleImages().loaded(ModuleImages::Kind::Module, Module, FatBinary);
}

GMPROF_INTERPOSE_DRIVER(cuModuleUnload, (CUmodule Module)) {
  if (Session *S = Inside::now() ? nullptr : Session::current(); S && Module) {
    Inside Guard;
    S->moduleUnloading(Module);
  }
  moduleImages().unloaded(Module);
  MemoryReadings::Loading Growth(readings(), MemoryReadings::Step::Unload);
  return static_cast<CUresult>(GMPROF_REAL_DRIVER(cuModuleUnload, Module));
}

/// Handles a library that is about to be unloaded. In the current context it is a module.
static void libraryUnloading(CUlibrary Library) {
  if (Session *S = Inside::now() ? nullptr : Session::current()) {
    Inside Guard;
    CUmodule Module = nullptr;
    if (S->driver().cuLibraryGetModule)
      S->driver().cuLibraryGetModule(&Module, Library); // none: no kernel of it was launched here
    S->moduleUnloading(Module, Library);
  }
  moduleImages().unloaded(Library);
}

GMPROF_INTERPOSE_DRIVER(cuLibraryUnload, (CUlibrary Library)) {
  libraryUnloading(Library);
  MemoryReadings::Loading Growth(readings(), MemoryReadings::Step::Unload);
  return static_cast<CUresult>(GMPROF_REAL_DRIVER(cuLibraryUnload, Library));
}

//===----------------------------------------------------------------------===//
// Libraries of libcudart: NVIDIA's calls the driver, the CPU device's does not
//===----------------------------------------------------------------------===//

GMPROF_INTERPOSE cudaError_t cudaLibraryLoadData(cudaLibrary_t *Library, const void *Image,
                                                 cudaJitOption *JitOptions, void **JitValues,
                                                 unsigned JitCount, cudaLibraryOption *Options,
                                                 void **Values, unsigned Count) {
  const cudaError_t Error = GMPROF_REAL(cudaLibraryLoadData, Library, Image, JitOptions, JitValues,
                                        JitCount, Options, Values, Count);
  return static_cast<cudaError_t>(afterLoad(Error, reinterpret_cast<CUlibrary *>(Library), Image));
}

GMPROF_INTERPOSE cudaError_t cudaLibraryLoadFromFile(cudaLibrary_t *Library, const char *Name,
                                                     cudaJitOption *JitOptions, void **JitValues,
                                                     unsigned JitCount, cudaLibraryOption *Options,
                                                     void **Values, unsigned Count) {
  const cudaError_t Error = GMPROF_REAL(cudaLibraryLoadFromFile, Library, Name, JitOptions,
                                        JitValues, JitCount, Options, Values, Count);
  return static_cast<cudaError_t>(
      afterLoadOfFile(Error, reinterpret_cast<CUlibrary *>(Library), Name));
}

GMPROF_INTERPOSE cudaError_t cudaLibraryUnload(cudaLibrary_t Library) {
  libraryUnloading(reinterpret_cast<CUlibrary>(Library));
  return GMPROF_REAL(cudaLibraryUnload, Library);
}
