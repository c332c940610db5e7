//===- DriverHooks.cpp - The real driver behind interposed functions ------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "host/interpose/DriverHooks.h"
#include "host/core/RuntimeApi.h"
#include "host/core/Session.h"
#include <atomic>
#include <dlfcn.h>
#include <string>
#include <string_view>

namespace gmprof::host {
namespace {

struct Facts {
  const char *Symbol;
  int Since;
};

constexpr Facts AllFacts[] = {
#define GMPROF_DRIVER_HOOK_AS(id, symbol, since) {symbol, since},
#include "host/interpose/DriverHooks.def"
};

std::atomic<void *> Functions[std::size(AllFacts)];

bool isPerThread(std::string_view Symbol) {
  return Symbol.ends_with("_ptsz") || Symbol.ends_with("_ptds");
}

std::string baseName(std::string_view Symbol) {
  if (isPerThread(Symbol))
    Symbol.remove_suffix(std::string_view("_ptsz").size());
  if (Symbol.ends_with("_v2"))
    Symbol.remove_suffix(std::string_view("_v2").size());
  return std::string(Symbol);
}

/// Returns the driver's library; null if it is not loaded, or on the CPU device. The handle is
/// never closed.
void *driverLibrary() {
  static std::atomic<void *> Known;
  if (settings().DeviceKind == "cpu")
    return nullptr;
  void *Library = Known.load(std::memory_order_acquire);
  if (!Library) {
    Library = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD);
    Known.store(Library, std::memory_order_release);
  }
  return Library;
}

} // namespace

DlsymFunction realDlsym() {
  static std::atomic<DlsymFunction> Known;
  DlsymFunction Real = Known.load(std::memory_order_acquire);
  for (const char *Version : {"GLIBC_2.34", "GLIBC_2.2.5"})
    if (!Real)
      Real = reinterpret_cast<DlsymFunction>(dlvsym(RTLD_NEXT, "dlsym", Version));
  Known.store(Real, std::memory_order_release);
  return Real;
}

bool driverIsLoaded() { return settings().DeviceKind == "cpu" || driverLibrary(); }

void *driverEntryPoint(const char *Name, int Version, unsigned long long Flags) {
  void *Function = nullptr, *Library = driverLibrary();
  if (auto *Get = reinterpret_cast<decltype(&cuGetProcAddress_v2)>(
          Library ? realDlsym()(Library, "cuGetProcAddress_v2") : nullptr)) {
    CUdriverProcAddressQueryResult Status = CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
    CUresult Error = Get(Name, &Function, Version, Flags, &Status);
    return Error == CUDA_SUCCESS && Status == CU_GET_PROC_ADDRESS_SUCCESS ? Function : nullptr;
  }
  // libcudart loads the driver; on the CPU device, libcudart replaces the driver as well.
  cudaDriverEntryPointQueryResult Status = cudaDriverEntryPointSymbolNotFound;
  cudaError_t Error = GMPROF_REAL(cudaGetDriverEntryPointByVersion, Name, &Function,
                                  static_cast<unsigned>(Version), Flags, &Status);
  return Error == cudaSuccess && Status == cudaDriverEntryPointSuccess ? Function : nullptr;
}

const char *nameOf(DriverHook Hook) {
  static const auto Names = [] {
    std::array<std::string, std::size(AllFacts)> All;
    for (size_t I = 0; I < All.size(); ++I)
      All[I] = baseName(AllFacts[I].Symbol);
    return All;
  }();
  return Names[static_cast<size_t>(Hook)].c_str();
}

std::array<void *, 2> addressesOf(DriverHook Hook) {
  const Facts &Of = AllFacts[static_cast<size_t>(Hook)];
  void *Library = driverLibrary();
  const auto Flags = isPerThread(Of.Symbol) ? CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM
                                            : CU_GET_PROC_ADDRESS_LEGACY_STREAM;
  return {Library ? realDlsym()(Library, Of.Symbol) : nullptr,
          driverEntryPoint(nameOf(Hook), Of.Since, Flags)};
}

void *realDriverFunction(DriverHook Hook) {
  std::atomic<void *> &Known = Functions[static_cast<size_t>(Hook)];
  void *Found = Known.load(std::memory_order_acquire);
  if (!Found) {
    const auto [Exported, ByName] = addressesOf(Hook);
    Found = Exported ? Exported : ByName;
    Known.store(Found, std::memory_order_release);
  }
  return Found;
}

} // namespace gmprof::host
