//===- ClonesOnDemand.cpp - Clones of kernels that lack them --------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "host/launch/ClonesOnDemand.h"
#include "host/core/PtxLinker.h"
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
ClonesOnDemand::instrument(Kernel &K, std::vector<std::string_view> Profiles, bool Wait) {
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
  K.Launches = Of.Launches; // earlier loads of the module have begun to count
  if (!Of.Made)
    if (std::string Why = make(Of, OfName, K, *Text, std::move(Profiles), Wait); !Why.empty())
      return Error{std::move(Why)};
  return *Of.Made;
}

/// Sets Of.Made, or begins to make it in the background. Returns why it is not there, or an empty
/// string.
std::string ClonesOnDemand::make(Code &Of, CodesOfName &OfName, Kernel &K,
                                 const std::shared_ptr<const ModuleCode> &Text,
                                 std::vector<std::string_view> Profiles, bool Wait) {
  // Launches of another code with the same name do not count: an autotuner tries many.
  const size_t Kernels = OfName.Made != 0 ? CloneTime::FirstKernels : NamesMade;
  if (!Of.Job) {
    if (OfName.Made >= MaxCodes)
      return "no clones were made: kernels of " + std::to_string(MaxCodes) +
             " other modules have its name and clones";
    const std::string Exceeded = Time.exceeded();
    if (Wait && !Exceeded.empty())
      return "no clones were made: " + Exceeded;
    Wait |= Exceeded.empty() && Time.launchesWait(Kernels);
    NamesMade += OfName.Made++ == 0;
  }
  if (Wait && !(Of.Job && Of.Job->done())) {
    const CloneTime::Spending Spending(Time);
    Of.Made = instrumentCode(Source, K.Name, *Text, std::move(Profiles));
  } else if (!Of.Job) {
    Of.Job = std::make_shared<InstrumentJob>(
        Of.Launches, [this, Name = K.Name, Text, Profiles = std::move(Profiles)] {
          return instrumentCode(Background, Name, *Text, Profiles);
        });
    Worker.add(Of.Job);
  } else if (Of.Job->done()) {
    Of.Made = std::move(Of.Job->result());
  }
  if (!Of.Made) {
    K.Awaits = Of.Job;
    return CloneTime::AwaitsClones;
  }
  K.AwaitedAs = std::exchange(Of.Launches->AwaitingKernel, 0);
  if (*Of.Made)
    (**Of.Made)->InBackground = !Wait;
  return "";
}

/// Makes the clones of a kernel's code, or returns why there are none. May be called by the worker.
ClonesOnDemand::ResultOfCode
ClonesOnDemand::instrumentCode(CloneSource &By, const std::string &Name, const ModuleCode &Code,
                               std::vector<std::string_view> Profiles) const {
  const std::string Target = architecture();
  CloneRequest Request;
  Request.Module = Code.Text;
  Request.MachineCode = Code.MachineCode;
  Request.ModuleHash = Code.Hash;
  Request.Kernel = Name;
  Request.Profiles = std::move(Profiles);
  Request.Architecture = Target;
  Request.Form = CodeForm::Instrumented;
  const Result<CloneSource::Clone> Clones = By.get(std::move(Request));
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

Result<CUmodule> ClonesOnDemand::load(const Kernel &K, Clone &C, bool Wait) {
  const LoadedClones::Id Id = {K.OnDemand->ModuleHash, C.Name};
  C.Loading = nullptr;
  if (const LoadedClone *Known =
          Loaded.take(Id, K, [&](const LoadedClone &Each) { return fits(Each, C.Name, K); }))
    return Known->Module;
  Result<LoadedCode> New = Error{""};
  const std::string Exceeded = Time.exceeded();
  if (!Wait && (K.OnDemand->InBackground || !Exceeded.empty())) {
    New = compileInBackground(K, C);
  } else if (!Exceeded.empty()) {
    return Error{"its clone " + C.Name + " was not compiled: " + Exceeded};
  } else {
    const CloneTime::Spending Spending(Time);
    New = compile(Source, *K.OnDemand, C.Name);
  }
  if (!New)
    return Error{New.error()};
  Result<std::vector<uint64_t>> Addresses = addressesOf(New->Variables, K);
  if (const std::string Why = Addresses ? fillTable(New->Module, *Addresses) : Addresses.error();
      !Why.empty()) {
    unload(New->Module);
    return Error{Why};
  }
  Loaded.add(Id, {New->Module, std::move(New->Variables), *std::move(Addresses), {&K}});
  return New->Module;
}

/// Compiles and loads a clone. May be called by the worker.
Result<ClonesOnDemand::LoadedCode>
ClonesOnDemand::compile(CloneSource &By, const KernelOnDemand &Of, const std::string &Clone) const {
  const auto Found = std::ranges::find(Of.Instrumented.Clones, Clone, &InstrumentedClone::Name);
  if (Found == Of.Instrumented.Clones.end())
    return Error{"its clone " + Clone + " was not made"};
  CloneRequest Request;
  Request.Module = Found->Bitcode;
  Request.Kernel = Clone;
  Request.Form = Of.Form;
  Result<CloneSource::Clone> Compiled = By.get(std::move(Request));
  if (!Compiled)
    return Error{"its clone " + Clone + " was not compiled: " + Compiled.error()};
  std::string Refused;
  if (&By == &Background && Of.Form == CodeForm::Ptx && PtxLinker::get()) {
    Result<std::string> Cubin = PtxLinker::get().compile(Compiled->Code);
    Refused = Cubin ? "" : Cubin.error();
    Compiled->Code = Cubin ? *std::move(Cubin) : "";
  }
  const Result<CUmodule> New =
      Refused.empty() ? loadCode(Compiled->Code) : Result<CUmodule>(Error{Refused});
  if (!New)
    return Error{"the driver refuses its clone " + Clone + ": " + New.error()};
  return LoadedCode{*New, std::move(Compiled->Variables)};
}

/// Returns what a job of the worker has loaded. Begins that job if there is none, and sets
/// C.Loading if it is not done.
Result<ClonesOnDemand::LoadedCode> ClonesOnDemand::compileInBackground(const Kernel &K, Clone &C) {
  LoadJob *&Job = Loading[{K.OnDemand->ModuleHash, C.Name}];
  if (!Job) {
    PtxLinker::get(); // loads the driver's compiler on this thread
    LoadJobs.push_back(
        std::make_shared<LoadJob>(K.Launches, [this, Of = K.OnDemand, Name = C.Name] {
          DriverScope Scope(D.api(), D.context());
          return compile(Background, *Of, Name);
        }));
    Job = LoadJobs.back().get();
    Worker.add(LoadJobs.back());
  }
  if (!Job->done()) {
    C.Loading = Job;
    return Error{CloneTime::AwaitsClones};
  }
  return std::move(std::exchange(Job, nullptr)->result());
}

size_t ClonesOnDemand::finish() {
  return Worker.finish([this] { Background.cancel(); });
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
