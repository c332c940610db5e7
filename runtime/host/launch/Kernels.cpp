//===- Kernels.cpp - The kernels that the program launches ----------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "host/launch/Kernels.h"
#include "host/core/KernelRegex.h"
#include "host/core/Options.h"
#include "host/core/RuntimeApi.h"
#include "host/core/Session.h"
#include "host/instrument/ModuleImages.h"
#include "host/launch/KernelAttributes.h"
#include "host/launch/KernelModule.h"
#include "host/launch/LaunchProfilers.h"
#include "profile/Demangle.h"
#include "profile/Mutex.h"
#include <algorithm>
#include <dlfcn.h>

namespace gmprof::host {

std::vector<Clone *> Kernel::clones() const {
  std::vector<Clone *> Found;
  for (const std::unique_ptr<KernelClones> &Each : ByProfile)
    for (Clone *C : Each->all())
      if (C->Function)
        Found.push_back(C);
  return Found;
}

bool Kernel::hasNothingToProfile() const {
  return !ByProfile.empty() &&
         std::ranges::all_of(ByProfile, [](const std::unique_ptr<KernelClones> &Each) {
           return Each->NothingToProfile;
         });
}

Kernel *Kernels::find(const void *Symbol) {
  SharedLockGuard Guard(MapLock);
  auto It = BySymbol.find(Symbol);
  return It == BySymbol.end() ? nullptr : It->second.get();
}

Kernel *Kernels::findById(uint32_t Id) {
  SharedLockGuard Guard(MapLock);
  const auto It = std::ranges::find_if(
      BySymbol, [&](const auto &Each) { return Each.second->Id == Id && !Each.second->Awaits; });
  return It == BySymbol.end() ? nullptr : It->second.get();
}

std::optional<CloneFunction> Kernels::findClone(CUfunction Function) {
  SharedLockGuard Guard(MapLock);
  const auto It = ByClone.find(Function);
  return It == ByClone.end() ? std::nullopt : std::optional(It->second.Is);
}

Kernel *Kernels::findOriginal(CUfunction Function) {
  SharedLockGuard Guard(MapLock);
  auto It = ByOriginal.find(Function);
  return It == ByOriginal.end() ? nullptr : It->second;
}

std::vector<std::string> Kernels::names(bool &AnyWanted) {
  std::vector<std::string> Names;
  SharedLockGuard Guard(MapLock);
  for (const auto &[Symbol, K] : BySymbol) {
    Names.push_back(demangle(K->Name));
    AnyWanted |= !K->Filtered;
  }
  for (const std::unique_ptr<Kernel> &K : Unloaded) {
    Names.push_back(demangle(K->Name));
    AnyWanted |= !K->Filtered;
  }
  return Names;
}

/// Returns whether a kernel that awaits its clones gets them at the launch that begins.
static bool isDue(const Kernel &K, bool Wait) { return K.Awaits && (Wait || K.Awaits->done()); }

Kernel *Kernels::get(const void *Symbol, KernelHandle Handle, bool Wait) {
  if (Kernel *Known = find(Symbol); Known && !isDue(*Known, Wait))
    return Known;
  LockGuard Loading(LoadLock);
  Kernel *Known = find(Symbol);
  if (Known && !isDue(*Known, Wait))
    return Known;

  std::vector<std::byte> Descriptor;
  std::unique_ptr<Kernel> Loaded = load(Symbol, Handle, Wait, Descriptor);
  if (!Loaded)
    return Known;
  if (Known)
    Loaded->CacheConfig = Known->CacheConfig.load();
  if (giveId(*Loaded))
    record(*Loaded, Descriptor);

  LockGuard Guard(MapLock);
  for (const Clone *Each : Loaded->clones())
    remember(*Loaded, Each->Function);
  ByOriginal[Loaded->Original] = Loaded.get();
  if (Known)
    Unloaded.push_back(std::move(BySymbol[Symbol]));
  return (BySymbol[Symbol] = std::move(Loaded)).get();
}

/// Sets the kernel's id. Returns whether its record is missing from the log: all loads of a code
/// that awaits clones are one kernel, which is recorded again when it gets them.
bool Kernels::giveId(Kernel &K) {
  static std::atomic<uint32_t> LastId{0}; // over all devices
  uint32_t &Awaiting = K.Launches->AwaitingKernel;
  const uint32_t Known = K.Awaits ? Awaiting : K.AwaitedAs;
  K.Id = Known != 0 ? Known : ++LastId;
  if (!K.Awaits)
    return true;
  Awaiting = K.Id;
  return Known == 0;
}

/// Writes the kernel's record.
void Kernels::record(const Kernel &K, const std::vector<std::byte> &Descriptor) {
  log::KernelRecord Record = {};
  Record.id = K.Id;
  Record.device = static_cast<uint32_t>(D.ordinal());
  Record.staticSharedBytes = K.StaticShared;
  Record.registers = K.Registers;
  Record.awaitsClones = K.Awaits != nullptr;
  if (const std::vector<Clone *> Clones = K.clones(); !Clones.empty())
    Record.cloneRegisters = static_cast<uint32_t>(
        KernelModule::attribute(D.api(), Clones[0]->Function, CU_FUNC_ATTRIBUTE_NUM_REGS));
  Log.kernel(Record, Descriptor, K.Name, K.NeverProfiled);
}

/// Adds a kernel that runs a clone.
void Kernels::remember(const Kernel &K, CUfunction Clone) {
  UsedClone &Used = ByClone[Clone];
  ++Used.Users;
  for (size_t I = 0; I < K.ByProfile.size(); ++I)
    for (const auto *Each : K.ByProfile[I]->all())
      if (Each->Function == Clone)
        Used.Is = {I, K.ParamCount};
}

/// Removes a kernel that runs a clone.
void Kernels::forgetFunction(CUfunction Clone) {
  if (const auto Used = ByClone.find(Clone); Used != ByClone.end() && --Used->second.Users == 0)
    ByClone.erase(Used);
}

/// Loads a clone and gives it the kernel's attributes. Returns why that failed, or an empty string.
std::string Kernels::loadFunction(Kernel &K, Clone &C, bool Wait) {
  const Result<CUfunction> Loaded = KernelModule(D, Live, OnDemand, K).loadClone(C, Wait);
  std::string Why = Loaded ? copyAttributes(D.api(), K, *Loaded) : Loaded.error();
  if (!Why.empty()) {
    OnDemand.release(K, C.Name);
    return Why;
  }
  C.Function = *Loaded;
  LockGuard Guard(MapLock);
  remember(K, *Loaded);
  return "";
}

std::string Kernels::loadClone(Kernel &K, Clone &C, bool Wait) {
  if (C.Function)
    return "";
  if (!Wait && C.isAwaited())
    return CloneTime::AwaitsClones;
  LockGuard Loading(LoadLock);
  if (C.Function || !C.Failure.empty())
    return C.Failure;
  DriverScope Scope(D.api(), D.context());
  std::string Why = loadFunction(K, C, Wait);
  if (!C.isAwaited())
    C.Failure = Why;
  return Why;
}

bool Kernels::giveBackMemory() {
  LockGuard Loading(LoadLock);
  DriverScope Scope(D.api(), D.context());
  return OnDemand.unloadUnused();
}

std::string Kernels::findHookKernel(Kernel &K, const char *Name, CUfunction &To) {
  LockGuard Loading(LoadLock);
  DriverScope Scope(D.api(), D.context());
  return KernelModule(D, Live, OnDemand, K).findHookKernel(Name, To);
}

template <typename Predicate> void Kernels::forget(Predicate IsGone) {
  LockGuard Loading(LoadLock);
  LockGuard Guard(MapLock);
  for (auto It = BySymbol.begin(); It != BySymbol.end();) {
    Kernel &K = *It->second;
    if (!IsGone(K)) {
      ++It;
      continue;
    }
    removeClones(K);
    Unloaded.push_back(std::move(It->second));
    It = BySymbol.erase(It);
  }
}

void Kernels::forgetUnloaded() {
  DriverScope Scope(D.api(), D.context());
  // The driver's own handles must not be asked for when they are gone.
  forget([&](const Kernel &K) {
    if (K.Library)
      return !moduleImages().knows(K.Library);
    return K.Handle != KernelHandle::Function &&
           functionOf(D.api(), K.Symbol, K.Handle) != K.Original;
  });
}

void Kernels::forgetModule(CUmodule Module, CUlibrary Library) {
  forget([&](const Kernel &K) {
    return (Module && K.Module == Module) || (Library && K.Library == Library);
  });
}

/// Removes a kernel's entries in the maps, and ends its use of clones.
void Kernels::removeClones(Kernel &K) {
  for (const Clone *Each : K.clones()) {
    forgetFunction(Each->Function);
    OnDemand.release(K, Each->Name);
  }
  ByOriginal.erase(K.Original);
}

bool isInLoadedFile(const void *Address) {
  Dl_info Found = {};
  return ::dladdr(Address, &Found) != 0;
}

/// Returns the function of a cudaKernel_t or CUkernel in the current context, or null.
static CUfunction functionOfKernel(const DriverApi &Api, const void *Handle) {
  auto *Kernel = static_cast<CUkernel>(const_cast<void *>(Handle));
  CUfunction Function = nullptr;
  return Api.cuKernelGetFunction && Api.cuKernelGetFunction(&Function, Kernel) == CUDA_SUCCESS
             ? Function
             : nullptr;
}

/// Returns the library of a kernel's handle; null if it is a stub or a function.
static CUlibrary libraryOf(const DriverApi &Api, const Kernel &K) {
  CUlibrary Library = nullptr;
  if (!Api.cuKernelGetLibrary || K.Symbol == K.Original || isInLoadedFile(K.Symbol))
    return nullptr;
  auto *Kernel = static_cast<CUkernel>(const_cast<void *>(K.Symbol));
  return Api.cuKernelGetLibrary(&Library, Kernel) == CUDA_SUCCESS ? Library : nullptr;
}

CUfunction Kernels::functionOf(const DriverApi &Api, const void *Symbol, KernelHandle Handle) {
  cudaFunction_t Function = nullptr;
  if (Handle != KernelHandle::Stub) {
    if (CUfunction OfKernel = functionOfKernel(Api, Symbol))
      return OfKernel;
    return Handle == KernelHandle::Function ? static_cast<CUfunction>(const_cast<void *>(Symbol))
                                            : nullptr;
  }
  bool Clean = GMPROF_REAL(cudaPeekAtLastError) == cudaSuccess;
  if (GMPROF_REAL(cudaGetFuncBySymbol, &Function, Symbol) == cudaSuccess)
    return Function;
  if (Clean)
    GMPROF_REAL(cudaGetLastError);
  return isInLoadedFile(Symbol) ? nullptr : functionOfKernel(Api, Symbol);
}

std::unique_ptr<Kernel> Kernels::load(const void *Symbol, KernelHandle Handle, bool Wait,
                                      std::vector<std::byte> &Descriptor) {
  const DriverApi &Api = D.api();
  DriverScope Scope(Api, D.context());
  auto K = std::make_unique<Kernel>();
  K->Owner = this;
  K->Symbol = Symbol;
  K->Handle = Handle;
  {
    MemoryReadings::Loading Growth(Session::currentReadings()); // CUDA may load the module now
    K->Original = functionOf(Api, Symbol, Handle);
  }
  const char *Name = nullptr;
  if (!K->Original || Api.cuFuncGetName(&Name, K->Original) != CUDA_SUCCESS || !Name)
    return nullptr;
  K->Name = Name;
  K->Library = libraryOf(Api, *K);
  K->MaxThreads =
      KernelModule::attribute(Api, K->Original, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
  K->StaticShared = KernelModule::attribute(Api, K->Original, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES);
  K->Registers = KernelModule::attribute(Api, K->Original, CU_FUNC_ATTRIBUTE_NUM_REGS);
  refreshMaxDynamicShared(*K);

  K->Launches = std::make_shared<CodeLaunches>(Profilers.size());
  K->Filtered = !matchesKernel(O.Kernels, K->Name, demangle(K->Name));
  if (Api.cuFuncGetModule(&K->Module, K->Original) != CUDA_SUCCESS)
    K->NeverProfiled = "the driver does not say which module it is in";
  else if (K->NeverProfiled = findClones(*K, Wait); K->NeverProfiled.empty())
    K->NeverProfiled = readDescriptor(*K, Descriptor);
  if (!K->Accesses)
    K->Accesses = std::make_unique<KernelAccesses>(
        Api.cuFuncGetParamInfo ? std::optional(KernelModule::paramSizes(Api, K->Original))
                               : std::nullopt);
  if (K->Filtered)
    K->NeverProfiled = "it does not match the kernel filter '" + O.Kernels + "'";
  return K;
}

/// Finds the kernel's clones in its module, or has it instrumented. Returns why there are none, or
/// an empty string.
std::string Kernels::findClones(Kernel &K, bool Wait) {
  std::vector<std::string_view> Profiles = Profilers.cloneProfiles();
  if (K.Filtered || Profiles.empty() || KernelModule(D, Live, OnDemand, K).hasDescriptor())
    return "";
  if (O.Clones == CloneOrigin::Compiled)
    return "the module has no compiled clones";
  const Result<std::shared_ptr<KernelOnDemand>> Made =
      OnDemand.instrument(K, std::move(Profiles), Wait);
  if (!Made)
    return Made.error();
  K.OnDemand = *Made;
  return "";
}

/// Reads the kernel's descriptor and has each profile find its clones. Returns why no profile
/// records the kernel, or an empty string.
std::string Kernels::readDescriptor(Kernel &K, std::vector<std::byte> &Descriptor) {
  const KernelModule Module(D, Live, OnDemand, K);
  std::vector<std::byte> Bytes;
  std::optional<profile::Descriptor> Desc;
  if (std::string Why = Module.readDescriptor(Profilers.needFunctions(), Bytes, Desc); !Why.empty())
    return Why;
  K.ParamCount = Desc->ParamCount;
  Descriptor = std::move(Bytes);
  K.Accesses =
      std::make_unique<KernelAccesses>(*Desc, Module.paramSizes(), Module.recordVariables(*Desc));
  return Profilers.prepare(K, Module, *Desc);
}

uint32_t Kernels::refreshMaxDynamicShared(Kernel &K) {
  K.MaxDynamicShared =
      KernelModule::attribute(D.api(), K.Original, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES);
  return K.MaxDynamicShared;
}

/// Copies the attributes that the program set to a loaded clone. Returns why that failed, or an
/// empty string.
std::string Kernels::updateClone(Kernel &K, Clone &C) {
  if (!OnDemand.isShared(K, C.Name) || (K.CacheConfig < 0 && hasAttributes(D.api(), C.Function, K)))
    return copyAttributes(D.api(), K, C.Function);
  DriverScope Scope(D.api(), D.context());
  {
    LockGuard Guard(MapLock);
    forgetFunction(C.Function);
  }
  OnDemand.release(K, C.Name);
  C.Failure = loadFunction(K, C, /*Wait=*/true);
  if (!C.Failure.empty())
    C.Function = nullptr;
  return C.Failure;
}

void Kernels::attributesChanged(const void *Handle) {
  const CUfunction Function = functionOf(D.api(), Handle, KernelHandle::Function);
  SharedLockGuard Guard(MapLock);
  for (const auto &[Symbol, K] : BySymbol) // a kernel and its function are two handles
    if (K->Original == Function)
      K->AttributesChanged = true;
}

std::string Kernels::updateAttributes(Kernel &K) {
  if (!K.AttributesChanged)
    return "";
  LockGuard Loading(LoadLock);
  LockGuard Guard(K.AttributeLock);
  if (!K.AttributesChanged)
    return "";
  for (Clone *Each : K.clones())
    if (std::string Why = updateClone(K, *Each); !Why.empty())
      return Why;
  refreshMaxDynamicShared(K);
  K.AttributesChanged = false;
  return "";
}

} // namespace gmprof::host
