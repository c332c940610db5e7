//===- InterposeDriver.cpp - Lookups of driver functions ------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Interposes the ways in which programs find driver functions. Programs that are linked with
// libcuda call its symbols. All others look functions up: libraries such as cuBLAS, and some
// programs, contain a libcudart of their own, which calls dlsym and then cuGetProcAddress; others
// call cudaGetDriverEntryPoint. These lookups return GMProf's function in place of the driver's,
// which they recognise by its address.
//
// The shared libcudart, whose functions are interposed, gets the driver's own functions.
//
//===----------------------------------------------------------------------===//

#include "host/core/Export.h"
#include "host/core/RuntimeApi.h"
#include "host/core/Session.h"
#include "host/interpose/DriverHooks.h"
#include "host/interpose/InterposeCompilers.h"
#include "host/python/PythonStacks.h"
#include "host/sync/WhatIf.h"
#include <cstring>
#include <dlfcn.h>
#include <span>
#include <string_view>
#include <unordered_map>

using namespace gmprof::host;

namespace {

CUresult getProcAddressForRuntime(const char *Name, void **Function, int Version, cuuint64_t Flags,
                                  CUdriverProcAddressQueryResult *Status);

/// Returns GMProf's functions by the driver's addresses. ForRuntime: those that the shared
/// libcudart gets.
std::unordered_map<void *, void *> findAll(bool ForRuntime = false) {
  Inside Guard;
  const std::pair<DriverHook, void *> RuntimeHooks[] = {
      {DriverHook::cuGetProcAddress_v2, reinterpret_cast<void *>(getProcAddressForRuntime)},
#define GMPROF_DRIVER_HOOK_AS(id, symbol, since)
#define GMPROF_DRIVER_HOOK(symbol, since)
#define GMPROF_DRIVER_LOAD_HOOK(symbol, since)                                                     \
  {DriverHook::symbol, reinterpret_cast<void *>(hooked_##symbol)},
#include "host/interpose/DriverHooks.def"
  };
  const std::pair<DriverHook, void *> Hooks[] = {
#define GMPROF_DRIVER_HOOK_AS(id, symbol, since)                                                   \
  {DriverHook::id, reinterpret_cast<void *>(hooked_##id)},
#include "host/interpose/DriverHooks.def"
  };
  // A driver that lacks a form of a function may return an older form by its name, so symbols come
  // first.
  std::unordered_map<void *, void *> All;
  const std::span<const std::pair<DriverHook, void *>> Wanted =
      ForRuntime ? std::span<const std::pair<DriverHook, void *>>(RuntimeHooks) : Hooks;
  for (size_t I : {0, 1})
    for (const auto &[Hook, Ours] : Wanted)
      if (void *Address = addressesOf(Hook)[I])
        All.emplace(Address, Ours);
  return All;
}

using HookTable = std::unordered_map<void *, void *>;

void *replacedBy(const HookTable &Ours, void *Found) {
  auto It = Ours.find(Found);
  return It == Ours.end() ? Found : It->second;
}

// The tables are never destroyed: libraries look functions up until they are unloaded.

/// Returns whether calls of the driver concern GMProf. Without a need, nothing may be asked of the
/// driver: Nsight Compute, which looks up functions first, ends programs that call it before.
bool needsHooks() {
  return settings().Enabled || WhatIf::active() || settings().DeviceKind == "cpu";
}

/// Returns the function to give the program.
void *replaced(void *Found) {
  if (!Found || !needsHooks() || Inside::now() || !driverIsLoaded())
    return Found;
  static const auto &Ours = *new HookTable(findAll());
  return replacedBy(Ours, Found);
}

/// Returns the function to give the shared libcudart. It calls the driver for the program, whose
/// calls of libcudart are interposed; what only the driver sees are the modules that it loads.
void *replacedForRuntime(void *Found) {
  if (!Found || !settings().Enabled || !driverIsLoaded())
    return Found;
  static const auto &Ours = *new HookTable(findAll(/*ForRuntime=*/true));
  return replacedBy(Ours, Found);
}

bool isSharedRuntime(const void *Caller) {
  Dl_info Info = {};
  if (!dladdr(Caller, &Info) || !Info.dli_fname)
    return false;
  std::string_view Name = Info.dli_fname;
  return Name.substr(Name.rfind('/') + 1).starts_with("libcudart.so");
}

/// Returns whether the name is a driver function's, not one of libcublas or libcudart.
bool isDriverName(const char *Name) {
  return Name && Name[0] == 'c' && Name[1] == 'u' && Name[2] >= 'A' && Name[2] <= 'Z';
}

/// Returns whether the name is a function's of NVRTC or nvJitLink.
bool isCompilerName(const char *Name) {
  return Name &&
         (std::strcmp(Name, "nvrtcGetCUBIN") == 0 || std::strncmp(Name, "nvJitLink", 9) == 0 ||
          std::strncmp(Name, "__nvJitLink", 11) == 0);
}

void *driverSymbol(const void *Caller, void *Handle, const char *Name) {
  void *Found = realDlsym()(Handle, Name);
  return isSharedRuntime(Caller) ? replacedForRuntime(Found) : replaced(Found);
}

/// Makes a call that looks a function up, and replaces what it returns by Replaced.
template <typename Call>
cudaError_t entryPoint(void **Function, Call Plain, void *(*Replaced)(void *) = replaced) {
  cudaError_t Error = Plain();
  if (Error == cudaSuccess && Function)
    *Function = Replaced(*Function);
  return Error;
}

CUresult getProcAddressForRuntime(const char *Name, void **Function, int Version, cuuint64_t Flags,
                                  CUdriverProcAddressQueryResult *Status) {
  auto Plain = [&] {
    return GMPROF_REAL_DRIVER(cuGetProcAddress_v2, Name, Function, Version, Flags, Status);
  };
  return static_cast<CUresult>(entryPoint(Function, Plain, replacedForRuntime));
}

} // namespace

// RTLD_NEXT depends on the caller's library, so the real function is called by a tail call. (clang
// does not allow a tail call in a noexcept function.)
GMPROF_INTERPOSE void *interposedDlsym(void *Handle, const char *Name) __asm__("dlsym");
void *interposedDlsym(void *Handle, const char *Name) {
  if (isDriverName(Name) && Handle != RTLD_NEXT)
    return driverSymbol(__builtin_return_address(0), Handle, Name);
  // Python has loaded an extension module.
  if (Name && std::strncmp(Name, "PyInit_", 7) == 0 && needsPythonStacks(settings()))
    PythonStacks::ofProcess().find();
  if (isCompilerName(Name) && Handle != RTLD_NEXT)
    return lookedUpInCompiler(Name, realDlsym()(Handle, Name));
  [[clang::musttail]] return realDlsym()(Handle, Name);
}

GMPROF_INTERPOSE_DRIVER(cuGetProcAddress_v2,
                        (const char *Name, void **Function, int Version, cuuint64_t Flags,
                         CUdriverProcAddressQueryResult *Status)) {
  return static_cast<CUresult>(entryPoint(Function, [&] {
    return GMPROF_REAL_DRIVER(cuGetProcAddress_v2, Name, Function, Version, Flags, Status);
  }));
}

GMPROF_INTERPOSE_DRIVER(cuGetProcAddress_v1,
                        (const char *Name, void **Function, int Version, cuuint64_t Flags)) {
  return static_cast<CUresult>(entryPoint(Function, [&] {
    return GMPROF_REAL_DRIVER(cuGetProcAddress_v1, Name, Function, Version, Flags);
  }));
}

// Programs still use deprecated functions.
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wdeprecated-declarations"

#define GMPROF_ENTRY_POINT(name)                                                                   \
  GMPROF_INTERPOSE cudaError_t name(const char *Name, void **Function, unsigned long long Flags,   \
                                    cudaDriverEntryPointQueryResult *Status) {                     \
    return entryPoint(Function, [&] { return GMPROF_REAL(name, Name, Function, Flags, Status); }); \
  }
#define GMPROF_ENTRY_POINT_BY_VERSION(name)                                                        \
  GMPROF_INTERPOSE cudaError_t name(const char *Name, void **Function, unsigned Version,           \
                                    unsigned long long Flags,                                      \
                                    cudaDriverEntryPointQueryResult *Status) {                     \
    return entryPoint(Function,                                                                    \
                      [&] { return GMPROF_REAL(name, Name, Function, Version, Flags, Status); });  \
  }

GMPROF_ENTRY_POINT(cudaGetDriverEntryPoint)
GMPROF_ENTRY_POINT(cudaGetDriverEntryPoint_ptsz)
GMPROF_ENTRY_POINT_BY_VERSION(cudaGetDriverEntryPointByVersion)
GMPROF_ENTRY_POINT_BY_VERSION(cudaGetDriverEntryPointByVersion_ptsz)

#pragma clang diagnostic pop
