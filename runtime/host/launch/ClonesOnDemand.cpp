//===- ClonesOnDemand.cpp - Clones of kernels that lack them --------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "host/launch/ClonesOnDemand.h"
#include "host/core/Session.h"
#include "host/instrument/ModuleImages.h"
#include "host/launch/KernelAttributes.h"
#include "host/launch/KernelModule.h"
#include "host/launch/Kernels.h"
#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

namespace gmprof::host {

/// Returns the form in which the device takes code that LLVM has as IR. The CPU device takes PTX,
/// too, but would have to read it.
static CodeForm formOfDevice() {
  return settings().DeviceKind == "cpu" ? CodeForm::Bitcode : CodeForm::Ptx;
}

/// Returns the handle of the kernel's module or library, as moduleImages() knows it; null if it
/// does not.
const void *ClonesOnDemand::imageOf(const Kernel &K) const {
  for (const void *Each :
       {static_cast<const void *>(K.Module), static_cast<const void *>(K.Library)})
    if (moduleImages().knows(Each))
      return Each;
  const DriverApi &Api = D.api();
  if (!Api.cuLibraryGetKernel || !Api.cuKernelGetFunction)
    return nullptr;
  // The driver does not say which library a function is of.
  for (const void *Each : moduleImages().libraries()) {
    CUkernel Kernel = nullptr;
    CUfunction Function = nullptr;
    auto *Library = static_cast<CUlibrary>(const_cast<void *>(Each));
    if (Api.cuLibraryGetKernel(&Kernel, Library, K.Name.c_str()) == CUDA_SUCCESS &&
        Api.cuKernelGetFunction(&Function, Kernel) == CUDA_SUCCESS && Function == K.Original)
      return Each;
  }
  return nullptr;
}

/// Returns the addresses of the program's variables in the kernel's module.
Result<std::vector<uint64_t>> ClonesOnDemand::addressesOf(const std::vector<std::string> &Variables,
                                                          const Kernel &K) const {
  std::vector<uint64_t> Addresses;
  for (const std::string &Name : Variables) {
    CUdeviceptr Address = 0;
    size_t Bytes = 0;
    if (D.api().cuModuleGetGlobal(&Address, &Bytes, K.Module, Name.c_str()) != CUDA_SUCCESS)
      return Error{"the module does not have the variable " + Name};
    Addresses.push_back(Address);
  }
  return Addresses;
}

/// Writes the addresses of the program's variables to the table of a clone's module. Returns an
/// error, or an empty string.
std::string ClonesOnDemand::fillTable(CUmodule Clone,
                                      const std::vector<uint64_t> &Addresses) const {
  if (Addresses.empty())
    return "";
  const DriverApi &Api = D.api();
  CUdeviceptr Table = 0;
  size_t Bytes = 0;
  if (Api.cuModuleGetGlobal(&Table, &Bytes, Clone, GMPROF_VARIABLES_TABLE) != CUDA_SUCCESS ||
      Bytes != Addresses.size() * sizeof(uint64_t))
    return "its clones lack the table of variables";
  CUresult Error = Api.cuMemcpyHtoDAsync(Table, Addresses.data(), Bytes, D.stream());
  if (Error == CUDA_SUCCESS)
    Error = Api.cuStreamSynchronize(D.stream());
  return Error == CUDA_SUCCESS
             ? ""
             : "the addresses of its variables could not be written: " + describe(Error);
}

Result<std::shared_ptr<KernelOnDemand>>
ClonesOnDemand::instrument(Kernel &K, std::vector<std::string_view> Profiles, bool Repeats) {
  const DriverApi &Api = D.api();
  const void *Image = imageOf(K);
  if (!Image || !Api.cuModuleLoadDataEx || !Api.cuModuleUnload)
    return Error{"it was not compiled with the GMProf plugin"};
  const auto Architecture = [&](CUfunction_attribute Of) {
    return static_cast<unsigned>(KernelModule::attribute(Api, K.Original, Of));
  };
  const Result<std::shared_ptr<const ModuleCode>> Text =
      moduleImages().codeOf(Image, {Architecture(CU_FUNC_ATTRIBUTE_PTX_VERSION),
                                    Architecture(CU_FUNC_ATTRIBUTE_BINARY_VERSION)});
  if (!Text)
    return Error{Text.error()};
  CodesOfName &OfName = Codes[K.Name];
  Code &Of = OfName.ByHash[(*Text)->Hash];
  if (!Of.Launches)
    Of.Launches = K.Launches;
  if (!Of.Made) {
    std::string Why = Time.exceeded();
    if (Why.empty() && OfName.Made >= MaxCodes)
      Why = "kernels of " + std::to_string(MaxCodes) + " other modules have its name and clones";
    // Launches of another code with the same name do not count: an autotuner tries many.
    const size_t Kernels = OfName.Made != 0 ? CloneTime::FirstKernels : NamesMade;
    const std::string Later = Repeats ? "" : Time.awaitsLaunches(Kernels, Of.Launches->count() + 1);
    if (Why.empty() && !Later.empty()) {
      K.Launches = Of.Launches;
      K.AwaitsLaunches = true;
      return Error{"no clones were made: " + Later};
    }
    K.AwaitedAs = std::exchange(Of.Launches->AwaitingKernel, 0);
    if (!Why.empty())
      return Error{"no clones were made: " + Why};
    // Samples are taken of the launches from now on.
    Of.Launches = K.Launches;
    NamesMade += OfName.Made++ == 0;
    const CloneTime::Spending Spending(Time);
    Of.Made = instrumentCode(K, **Text, std::move(Profiles));
  }
  K.Launches = Of.Launches; // earlier loads of the module have begun to count
  return *Of.Made;
}

/// Makes the clones of a kernel's code, or returns why there are none.
ClonesOnDemand::ResultOfCode
ClonesOnDemand::instrumentCode(const Kernel &K, const ModuleCode &Code,
                               std::vector<std::string_view> Profiles) {
  const std::string Target = architecture();
  CloneRequest Request;
  Request.Module = Code.Text;
  Request.MachineCode = Code.MachineCode;
  Request.ModuleHash = Code.Hash;
  Request.Kernel = K.Name;
  Request.Profiles = std::move(Profiles);
  Request.Architecture = Target;
  Request.Form = CodeForm::Instrumented;
  const Result<CloneSource::Clone> Clones = Source.get(std::move(Request));
  if (!Clones)
    return Error{"no clones were made: " + Clones.error() +
                 (Code.isBitcode()
                      ? "; gmprof-clang++ --gmprof-clones=compiled makes them at compile time"
                      : "")};
  std::optional<InstrumentedKernel> Instrumented = decodeInstrumentedKernel(Clones->Code);
  if (!Instrumented)
    return Error{"no clones were made: gmprof-instrument gave an invalid answer"};
  auto Made = std::make_shared<KernelOnDemand>();
  Made->Instrumented = *std::move(Instrumented);
  Made->Form = Code.isBitcode() ? formOfDevice() : CodeForm::Ptx;
  Made->ModuleHash = Code.Hash;
  return Made;
}

/// Returns true if a loaded clone can run in the kernel's place.
bool ClonesOnDemand::fits(const LoadedClone &Each, const std::string &Clone,
                          const Kernel &K) const {
  // The driver does not tell the cache configuration.
  const auto HasNoCacheConfig = [](const Kernel *User) { return User->CacheConfig < 0; };
  CUfunction Function = nullptr;
  if (!HasNoCacheConfig(&K) || !std::ranges::all_of(Each.Users, HasNoCacheConfig) ||
      D.api().cuModuleGetFunction(&Function, Each.Module, Clone.c_str()) != CUDA_SUCCESS ||
      !hasAttributes(D.api(), Function, K))
    return false;
  const Result<std::vector<uint64_t>> Addresses = addressesOf(Each.Variables, K);
  return Addresses && *Addresses == Each.Addresses;
}

Result<CUmodule> ClonesOnDemand::load(const Kernel &K, const std::string &Clone) {
  const KernelOnDemand &Made = *K.OnDemand;
  const LoadedClones::Id Id = {Made.ModuleHash, Clone};
  if (const LoadedClone *Known =
          Loaded.take(Id, K, [&](const LoadedClone &Each) { return fits(Each, Clone, K); }))
    return Known->Module;
  const auto Found = std::ranges::find(Made.Instrumented.Clones, Clone, &InstrumentedClone::Name);
  if (Found == Made.Instrumented.Clones.end())
    return Error{"its clone " + Clone + " was not made"};
  if (const std::string Why = Time.exceeded(); !Why.empty())
    return Error{"its clone " + Clone + " was not compiled: " + Why};
  const CloneTime::Spending Spending(Time);
  CloneRequest Request;
  Request.Module = Found->Bitcode;
  Request.Kernel = Clone;
  Request.Form = Made.Form;
  Result<CloneSource::Clone> Compiled = Source.get(std::move(Request));
  if (!Compiled)
    return Error{"its clone " + Clone + " was not compiled: " + Compiled.error()};
  Result<std::vector<uint64_t>> Addresses = addressesOf(Compiled->Variables, K);
  if (!Addresses)
    return Error{Addresses.error()};
  Result<CUmodule> New = loadCode(Compiled->Code);
  if (!New)
    return Error{"the driver refuses its clone " + Clone + ": " + New.error()};
  if (const std::string Why = fillTable(*New, *Addresses); !Why.empty()) {
    unload(*New);
    return Error{Why};
  }
  Loaded.add(Id, {*New, std::move(Compiled->Variables), *std::move(Addresses), {&K}});
  return New;
}

bool ClonesOnDemand::isShared(const Kernel &K, const std::string &Clone) const {
  return K.OnDemand && Loaded.isShared({K.OnDemand->ModuleHash, Clone}, K);
}

void ClonesOnDemand::release(const Kernel &K, const std::string &Clone) {
  if (K.OnDemand)
    Loaded.release({K.OnDemand->ModuleHash, Clone}, K, /*Keep=*/K.CacheConfig < 0);
}

bool ClonesOnDemand::unloadUnused() { return Loaded.unloadIdle(); }

Result<CUmodule> ClonesOnDemand::loadCode(const std::string &Code) const {
  std::array<char, 1024> Messages = {};
  // Compiling takes most of the time until the clones run: all processors take part (0).
  CUjit_option Options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES,
                            CU_JIT_SPLIT_COMPILE};
  void *Values[] = {Messages.data(), reinterpret_cast<void *>(Messages.size()), nullptr};
  CUmodule Loaded = nullptr;
  MemoryReadings::Loading Growth(Session::currentReadings(), MemoryReadings::Step::LoadOwn);
  const CUresult Refused =
      D.api().cuModuleLoadDataEx(&Loaded, Code.c_str(), std::size(Options), Options, Values);
  if (Refused == CUDA_SUCCESS)
    return Loaded;
  const std::string_view Log(Messages.data(), ::strnlen(Messages.data(), Messages.size()));
  return Error{describe(Refused) +
               (Log.empty() ? "" : ": " + std::string(Log.substr(0, Log.find('\n'))))};
}

std::string ClonesOnDemand::architecture() const {
  return "sm_" + std::to_string(D.facts().Major * 10 + D.facts().Minor);
}

Result<CUfunction> ClonesOnDemand::hookKernel(const std::string &Name) {
  CUfunction &Known = HookKernels[Name];
  if (Known)
    return Known;
  const std::string Target = architecture();
  CloneRequest Request;
  Request.Module = HooksModule;
  Request.Kernel = Name;
  Request.Architecture = Target;
  Request.Form = formOfDevice();
  const Result<CloneSource::Clone> Made = Source.get(std::move(Request));
  if (!Made)
    return Error{"the kernel " + Name + " was not made: " + Made.error()};
  const Result<CUmodule> Module = loadCode(Made->Code);
  if (!Module)
    return Error{"the driver refuses the kernel " + Name + ": " + Module.error()};
  if (const CUresult Failure = D.api().cuModuleGetFunction(&Known, *Module, Name.c_str())) {
    Known = nullptr;
    return Error{"the kernel " + Name + " was not found: " + describe(Failure)};
  }
  return Known;
}

void ClonesOnDemand::unload(CUmodule Module) const {
  MemoryReadings::Loading Growth(Session::currentReadings(), MemoryReadings::Step::UnloadOwn);
  D.api().cuModuleUnload(Module);
}

} // namespace gmprof::host
