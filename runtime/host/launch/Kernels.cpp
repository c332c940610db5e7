//===- Kernels.cpp - The kernels that the program launches ----------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "host/launch/Kernels.h"
#include "gmprof/abi.h"
#include "host/core/Options.h"
#include "host/core/RuntimeApi.h"
#include "host/heat/HeatContexts.h"
#include "host/objects/ModuleVariables.h"
#include "profile/Demangle.h"
#include "profile/KernelDescriptor.h"
#include <cstring>
#include <set>

namespace gmprof::host {

/// More than any descriptor: a damaged module must not make us copy gigabytes.
static constexpr size_t MaxDescriptorBytes = size_t(64) << 20;

Kernel *Kernels::find(const void *Symbol) {
  std::shared_lock<std::shared_mutex> Guard(MapLock);
  auto It = BySymbol.find(Symbol);
  return It == BySymbol.end() ? nullptr : It->second.get();
}

Kernel *Kernels::findByClone(CUfunction Function) {
  std::shared_lock<std::shared_mutex> Guard(MapLock);
  auto It = ByClone.find(Function);
  return It == ByClone.end() ? nullptr : It->second;
}

Kernel *Kernels::findOriginal(CUfunction Function) {
  std::shared_lock<std::shared_mutex> Guard(MapLock);
  auto It = ByOriginal.find(Function);
  return It == ByOriginal.end() ? nullptr : It->second;
}

std::vector<std::string> Kernels::names(bool &AnyWanted) {
  std::vector<std::string> Names;
  std::shared_lock<std::shared_mutex> Guard(MapLock);
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

Kernel *Kernels::get(const void *Symbol, KernelHandle Handle) {
  if (Kernel *Known = find(Symbol))
    return Known;
  std::lock_guard<std::mutex> Loading(LoadLock);
  if (Kernel *Known = find(Symbol))
    return Known;

  std::vector<std::byte> Descriptor;
  std::unique_ptr<Kernel> Loaded = load(Symbol, Handle, Descriptor);
  if (!Loaded)
    return nullptr;
  static std::atomic<uint32_t> LastId{0}; // over all devices
  Loaded->Id = ++LastId;
  log::KernelRecord Record = {};
  Record.id = Loaded->Id;
  Record.device = static_cast<uint32_t>(D.ordinal());
  Record.staticSharedBytes = Loaded->StaticShared;
  Record.registers = Loaded->Registers;
  for (const Clone *C : Loaded->clones())
    if (C->Function && Record.cloneRegisters == 0)
      Record.cloneRegisters =
          static_cast<uint32_t>(attribute(C->Function, CU_FUNC_ATTRIBUTE_NUM_REGS));
  Log.kernel(Record, Descriptor, Loaded->Name, Loaded->NeverProfiled);

  std::unique_lock<std::shared_mutex> Guard(MapLock);
  for (const Clone *Each : Loaded->clones())
    if (Each->Function)
      ByClone[Each->Function] = Loaded.get();
  ByOriginal[Loaded->Original] = Loaded.get();
  return (BySymbol[Symbol] = std::move(Loaded)).get();
}

template <typename Predicate> void Kernels::forget(Predicate IsGone) {
  std::lock_guard<std::mutex> Loading(LoadLock);
  std::unique_lock<std::shared_mutex> Guard(MapLock);
  for (auto It = BySymbol.begin(); It != BySymbol.end();) {
    Kernel &K = *It->second;
    if (!IsGone(K)) {
      ++It;
      continue;
    }
    for (const Clone *Each : K.clones())
      ByClone.erase(Each->Function);
    ByOriginal.erase(K.Original);
    Unloaded.push_back(std::move(It->second));
    It = BySymbol.erase(It);
  }
}

void Kernels::forgetUnloaded() {
  DriverScope Scope(D.api(), D.context());
  // The driver's own handles must not be asked for when they are gone.
  forget([&](const Kernel &K) {
    return K.Handle != KernelHandle::Function &&
           functionOf(D.api(), K.Symbol, K.Handle) != K.Original;
  });
}

void Kernels::forgetModule(CUmodule Module) {
  forget([&](const Kernel &K) { return K.Module == Module; });
}

int Kernels::attribute(CUfunction Function, CUfunction_attribute Attribute) const {
  int Value = 0;
  return D.api().cuFuncGetAttribute(&Value, Attribute, Function) == CUDA_SUCCESS ? Value : 0;
}

CUfunction Kernels::functionOf(const DriverApi &Api, const void *Symbol, KernelHandle Handle) {
  cudaFunction_t Function = nullptr;
  if (Handle != KernelHandle::Stub) {
    auto *Pointer = const_cast<void *>(Symbol);
    if (Api.cuKernelGetFunction &&
        Api.cuKernelGetFunction(&Function, static_cast<CUkernel>(Pointer)) == CUDA_SUCCESS)
      return Function;
    return Handle == KernelHandle::Function ? static_cast<CUfunction>(Pointer) : nullptr;
  }
  bool Clean = GMPROF_REAL(cudaPeekAtLastError) == cudaSuccess;
  if (GMPROF_REAL(cudaGetFuncBySymbol, &Function, Symbol) == cudaSuccess)
    return Function;
  if (Clean)
    GMPROF_REAL(cudaGetLastError);
  return nullptr;
}

std::unique_ptr<Kernel> Kernels::load(const void *Symbol, KernelHandle Handle,
                                      std::vector<std::byte> &Descriptor) {
  const DriverApi &Api = D.api();
  DriverScope Scope(Api, D.context());
  auto K = std::make_unique<Kernel>();
  K->Symbol = Symbol;
  K->Handle = Handle;
  K->Original = functionOf(Api, Symbol, Handle);
  const char *Name = nullptr;
  if (!K->Original || Api.cuFuncGetName(&Name, K->Original) != CUDA_SUCCESS || !Name)
    return nullptr;
  K->Name = Name;
  K->MaxThreads = attribute(K->Original, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
  K->StaticShared = attribute(K->Original, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES);
  K->Registers = attribute(K->Original, CU_FUNC_ATTRIBUTE_NUM_REGS);
  refreshMaxDynamicShared(*K);

  if (Api.cuFuncGetModule(&K->Module, K->Original) != CUDA_SUCCESS)
    K->NeverProfiled = "the driver does not say which module it is in";
  else
    K->NeverProfiled = readDescriptor(*K, K->Module, Descriptor);
  if (!K->Accesses)
    K->Accesses = std::make_unique<KernelAccesses>(
        Api.cuFuncGetParamInfo ? std::optional(paramSizes(K->Original)) : std::nullopt);
  K->Filtered = !matchesKernel(O.Kernels, K->Name, demangle(K->Name));
  if (K->NeverProfiled.empty() && K->Filtered)
    K->NeverProfiled = "it does not match the kernel filter '" + O.Kernels + "'";
  return K;
}

/// A descriptor. Returns why it cannot be read.
std::string Kernels::readBytes(CUmodule Module, const std::string &Symbol,
                               std::vector<std::byte> &To) {
  const DriverApi &Api = D.api();
  CUdeviceptr Address = 0;
  size_t Bytes = 0;
  if (Api.cuModuleGetGlobal(&Address, &Bytes, Module, Symbol.c_str()) != CUDA_SUCCESS)
    return "it was not compiled with the GMProf plugin";
  if (Bytes == 0 || Bytes > MaxDescriptorBytes)
    return "its descriptor is invalid: it has " + std::to_string(Bytes) + " bytes";

  To.resize(Bytes);
  CUresult Error = Api.cuMemcpyDtoHAsync(To.data(), Address, Bytes, D.stream());
  if (Error == CUDA_SUCCESS)
    Error = Api.cuStreamSynchronize(D.stream());
  if (Error != CUDA_SUCCESS)
    return "its descriptor could not be read: " + describe(Error);
  To.resize(descriptorBytes(To)); // the variable may be padded
  return "";
}

/// Adds the descriptors of functions that other translation units have, and of those that they
/// call. One that has none, or an invalid one, has no sites that are known.
void Kernels::addFunctions(CUmodule Module, std::vector<std::string> Names,
                           std::vector<std::byte> &Descriptor) {
  std::set<std::string> Seen(Names.begin(), Names.end());
  while (!Names.empty()) {
    const std::string Symbol = GMPROF_FUNCTION_DESC_PREFIX + Names.back();
    Names.pop_back();
    std::vector<std::byte> Bytes;
    if (!readBytes(Module, Symbol, Bytes).empty())
      continue;
    const Result<profile::Descriptor> Decoded = decodeDescriptor(Bytes);
    if (!Decoded)
      continue;
    Descriptor.insert(Descriptor.end(), Bytes.begin(), Bytes.end());
    for (const std::string &Callee : Decoded->Callees)
      if (Seen.insert(Callee).second)
        Names.push_back(Callee);
  }
}

/// Without dynamic shared memory.
static bool hasNothing(ProfileChoice Profile, const profile::Descriptor &Desc,
                       uint32_t StaticShared) {
  switch (Profile) {
  case ProfileChoice::Shared:
    return StaticShared == 0 && !usesSharedMemory(Desc);
  case ProfileChoice::Global:
  case ProfileChoice::Elements:
    return !usesGlobalMemory(Desc);
  case ProfileChoice::Heat:
    return !usesNotedMemory(Desc);
  case ProfileChoice::Objects:
  case ProfileChoice::Cache:
  case ProfileChoice::Sync:
  case ProfileChoice::Off:
    break;
  }
  return false;
}

std::string Kernels::readDescriptor(Kernel &K, CUmodule Module,
                                    std::vector<std::byte> &Descriptor) {
  std::vector<std::byte> Copy;
  if (std::string Why = readBytes(Module, GMPROF_KERNEL_DESC_PREFIX + K.Name, Copy); !Why.empty())
    return Why;
  Result<profile::Descriptor> Decoded = decodeDescriptor(Copy);
  if (!Decoded)
    return Decoded.error();
  if (O.Profile == ProfileChoice::Heat || O.Profile == ProfileChoice::Cache) {
    addFunctions(Module, Decoded->Callees, Copy);
    Decoded = decodeDescriptor(Copy);
  }
  if (Decoded->Name != K.Name)
    return "its descriptor is invalid: it is of " + Decoded->Name;

  K.ParamCount = Decoded->ParamCount;
  K.VariableCount = static_cast<uint32_t>(Decoded->Variables.size());
  K.Sites = siteNumbers(*Decoded);
  K.CounterBits = Decoded->CounterBits;
  K.RangeVariables = static_cast<uint32_t>(Decoded->RangeVariables.size());
  K.UsesDynamicShared = Decoded->Flags & GMPROF_KERNEL_DYNAMIC_SHARED;
  K.BlocksAlike = Decoded->Flags & GMPROF_KERNEL_BLOCKS_ALIKE;
  K.NothingToProfile = hasNothing(O.Profile, *Decoded, K.StaticShared);
  Descriptor = std::move(Copy);
  K.Accesses = std::make_unique<KernelAccesses>(*Decoded, paramSizes(K.Original),
                                                noteVariables(Module, *Decoded));
  switch (O.Profile) {
  case ProfileChoice::Global:
  case ProfileChoice::Elements:
    return prepareGlobal(K, Module, *Decoded);
  case ProfileChoice::Shared:
    return prepareShared(K, Module, *Decoded);
  case ProfileChoice::Objects:
    return prepareObjects(K, Module, *Decoded);
  case ProfileChoice::Heat:
    return prepareHeat(K, Module, *Decoded);
  case ProfileChoice::Cache:
    return prepareCache(K, Module, *Decoded);
  case ProfileChoice::Sync:
  case ProfileChoice::Off:
    break;
  }
  return "";
}

std::string Kernels::prepareShared(Kernel &K, CUmodule Module, const profile::Descriptor &Desc) {
  const struct {
    GmprofMode Mode;
    const char *Suffix;
    Clone &To;
  } Clones[] = {{GMPROF_MODE_SHARED, GMPROF_SHARED_CLONE_SUFFIX, K.Shared},
                {GMPROF_MODE_SHARED_ALL, GMPROF_SHARED_ALL_CLONE_SUFFIX, K.SharedAll},
                {GMPROF_MODE_SHARED_DM, GMPROF_SHARED_DM_CLONE_SUFFIX, K.SharedDm}};
  K.SharedKnown = Desc.Modes & GMPROF_MODE_SHARED_KNOWN;
  bool Any = K.SharedKnown;
  std::string Why;
  for (const auto &C : Clones)
    if (Why.empty() && (Desc.Modes & C.Mode)) {
      Any = true;
      Why = findClone(K, Module, C.Suffix, sizeof(GmprofSharedLaunch), C.To);
    }
  if (!Any)
    return Desc.SharedReason.empty() ? "it has no clone for this profile" : Desc.SharedReason;
  if (Why.empty())
    K.SharedFacts = std::make_unique<SharedKernel>(Desc, paramSizes(K.Original));
  else
    K.Shared = K.SharedAll = K.SharedDm = {};
  return Why;
}

std::string Kernels::prepareGlobal(Kernel &K, CUmodule Module, const profile::Descriptor &Desc) {
  if ((Desc.Modes & GMPROF_MODE_GLOBAL) == 0)
    return Desc.SkipReason.empty() ? "it has no clone for this profile" : Desc.SkipReason;
  std::string Why;
  if (Desc.Modes & GMPROF_MODE_GLOBAL_CLONE)
    Why = findClone(K, Module, GMPROF_GLOBAL_CLONE_SUFFIX, sizeof(GmprofGlobalLaunch), K.Global);
  if (Why.empty() && (Desc.Modes & GMPROF_MODE_GLOBAL_ALL))
    Why = findClone(K, Module, GMPROF_GLOBAL_ALL_CLONE_SUFFIX, sizeof(GmprofGlobalLaunch),
                    K.GlobalAll);
  if (Why.empty()) {
    K.GlobalFacts =
        std::make_unique<GlobalKernel>(Desc, paramSizes(K.Original), noteVariables(Module, Desc),
                                       D.facts().OnCpu ? UINT64_MAX : GlobalKernel::MaxEvaluated);
    Why = K.GlobalFacts->problem();
    if (Why.empty() && K.GlobalFacts->reachesAnything())
      noteModuleVariables(Module);
  }
  if (!Why.empty())
    K.Global = K.GlobalAll = {};
  return Why;
}

std::string Kernels::prepareObjects(Kernel &K, CUmodule Module, const profile::Descriptor &Desc) {
  if ((Desc.Modes & GMPROF_MODE_OBJECTS_CLONE) == 0)
    return "";
  if (K.Accesses->searches())
    noteModuleVariables(Module);
  return findClone(K, Module, GMPROF_OBJECTS_CLONE_SUFFIX, sizeof(GmprofObjectsLaunch), K.Objects);
}

/// Has it compiled or loaded now: its first real launch may be when the program ends, which is
/// too late for the CPU device's compiler.
std::string Kernels::loadHeatKernel(CUmodule Module, const char *Name, CUfunction &To) {
  if (D.api().cuModuleGetFunction(&To, Module, Name) != CUDA_SUCCESS)
    return std::string("the kernel ") + Name + " is missing from the module";
  CUresult Error = HeatContexts::launchOver(D.api(), To, 0, 0, D.stream());
  if (Error == CUDA_SUCCESS)
    Error = D.api().cuStreamSynchronize(D.stream());
  if (Error != CUDA_SUCCESS)
    return std::string("the kernel ") + Name + " cannot run: " + describe(Error);
  return "";
}

std::string Kernels::prepareHeat(Kernel &K, CUmodule Module, const profile::Descriptor &Desc) {
  if ((Desc.Modes & GMPROF_MODE_HEAT) == 0)
    return Desc.SkipReason.empty() ? "it has no clone for this profile" : Desc.SkipReason;
  noteModuleVariables(Module);
  if (std::string Why = loadHeatKernel(Module, GMPROF_HEAT_NOTE_KERNEL, K.HeatNote); !Why.empty())
    return Why;
  if (std::string Why = loadHeatKernel(Module, GMPROF_HEAT_DIGEST_KERNEL, K.HeatDigest);
      !Why.empty())
    return Why;
  std::string Why;
  if (Desc.Modes & GMPROF_MODE_HEAT_CLONE)
    Why = findClone(K, Module, GMPROF_HEAT_CLONE_SUFFIX, sizeof(GmprofHeatLaunch), K.Heat);
  if (Why.empty() && (Desc.Modes & GMPROF_MODE_HEAT_ALL))
    Why = findClone(K, Module, GMPROF_HEAT_ALL_CLONE_SUFFIX, sizeof(GmprofHeatLaunch), K.HeatAll);
  if (Why.empty())
    K.HeatFacts =
        std::make_unique<HeatKernel>(Desc, paramSizes(K.Original), noteVariables(Module, Desc));
  else
    K.Heat = K.HeatAll = {};
  return Why;
}

static cache::TraceSite tracedSite(const profile::Descriptor &Desc, const profile::Site &S) {
  cache::TraceSite To = {0, S.Source.File, S.Source.Line, S.Function, {}};
  for (const profile::InlinedCall *C : inlineChain(Desc, S.InlinedAt))
    To.InlinedAt.push_back({C->Function, C->Source.File, C->Source.Line});
  return To;
}

std::string Kernels::prepareCache(Kernel &K, CUmodule Module, const profile::Descriptor &Desc) {
  if ((Desc.Modes & GMPROF_MODE_CACHE) == 0)
    return Desc.SkipReason.empty() ? "it has no clone for this profile" : Desc.SkipReason;
  noteModuleVariables(Module);
  noteVariables(Module, Desc);
  std::string Why =
      findClone(K, Module, GMPROF_CACHE_CLONE_SUFFIX, sizeof(GmprofTraceLaunch), K.Cache);
  if (!Why.empty())
    return Why;
  auto Traced = std::make_shared<TracedKernel>();
  Traced->Facts = {demangle(K.Name), (Desc.Flags & GMPROF_KERNEL_USES_WARPS) != 0};
  for (const profile::Site &S : Desc.Sites)
    Traced->Sites.push_back(tracedSite(Desc, S));
  Traced->Numbers = K.Sites;
  Traced->LocalBytes =
      static_cast<uint32_t>(attribute(K.Original, CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES));
  K.Traced = std::move(Traced);
  return "";
}

/// Pointers from memory may lead to any of them.
void Kernels::noteModuleVariables(CUmodule Module) {
  for (const std::string &Symbol : moduleVariables())
    noteVariable(Module, Symbol, demangle(Symbol), log::ObjectKind::GlobalVariable);
}

/// Its address, or 0 if the module does not have it.
uint64_t Kernels::noteVariable(CUmodule Module, const std::string &Symbol, const std::string &Name,
                               log::ObjectKind Kind) {
  CUdeviceptr Address = 0;
  size_t Bytes = 0;
  if (D.api().cuModuleGetGlobal(&Address, &Bytes, Module, Symbol.c_str()) != CUDA_SUCCESS)
    return 0;
  Live.noteVariable(D.ordinal(), Kind, Name, Address, Bytes);
  return Address;
}

/// Addresses of the variables of the module, which become objects.
std::vector<uint64_t> Kernels::noteVariables(CUmodule Module, const profile::Descriptor &Desc) {
  std::vector<uint64_t> Addresses;
  for (const profile::Variable &V : Desc.Variables) {
    log::ObjectKind Kind = V.Kind == GMPROF_VARIABLE_CONSTANT ? log::ObjectKind::Constant
                                                              : log::ObjectKind::GlobalVariable;
    Addresses.push_back(V.Symbol.empty() ? 0 : noteVariable(Module, V.Symbol, V.Name, Kind));
  }
  return Addresses;
}

std::string Kernels::findClone(const Kernel &K, CUmodule Module, const char *Suffix,
                               size_t ParameterBytes, Clone &To) {
  const DriverApi &Api = D.api();
  std::string Name = K.Name + Suffix;
  CUfunction Function = nullptr;
  if (Api.cuModuleGetFunction(&Function, Module, Name.c_str()) != CUDA_SUCCESS)
    return "its clone " + Name + " is missing from the module";
  if (Api.cuFuncGetParamInfo) {
    // The arguments array is as long as the descriptor says: check that against
    // the kernels themselves before the driver reads it.
    size_t Offset = 0, Bytes = 0;
    auto Has = [&](CUfunction F, uint32_t Index) {
      return Api.cuFuncGetParamInfo(F, Index, &Offset, &Bytes) == CUDA_SUCCESS;
    };
    bool Right = !Has(K.Original, K.ParamCount) &&
                 (K.ParamCount == 0 || Has(K.Original, K.ParamCount - 1)) &&
                 !Has(Function, K.ParamCount + 1) && Has(Function, K.ParamCount) &&
                 Bytes == ParameterBytes;
    if (!Right)
      return "its descriptor is invalid: its parameters are not those of " + Name;
  }
  To.MaxThreads = attribute(Function, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
  To.StaticShared = attribute(Function, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES);
  uint32_t Room = D.facts().SharedOptin;
  To.MaxDynamicShared = Room > To.StaticShared ? Room - To.StaticShared : 0;
  if (Api.cuFuncSetAttribute(Function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                             static_cast<int>(To.MaxDynamicShared)) != CUDA_SUCCESS)
    To.MaxDynamicShared = attribute(Function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES);
  To.Function = Function;
  return "";
}

uint32_t Kernels::refreshMaxDynamicShared(Kernel &K) {
  K.MaxDynamicShared = attribute(K.Original, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES);
  return K.MaxDynamicShared;
}

std::string Kernels::updateAttributes(Kernel &K) {
  if (!K.AttributesChanged)
    return "";
  std::lock_guard<std::mutex> Guard(K.AttributeLock);
  if (!K.AttributesChanged)
    return "";
  static constexpr CUfunction_attribute Copied[] = {
      CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT,
      CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH,
      CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_HEIGHT,
      CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_DEPTH,
      CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED,
      CU_FUNC_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE,
  };
  const DriverApi &Api = D.api();
  for (const Clone *C : K.clones()) {
    if (!C->Function)
      continue;
    for (CUfunction_attribute Attribute : Copied) {
      int Wanted = 0, Has = 0;
      if (Api.cuFuncGetAttribute(&Wanted, Attribute, K.Original) != CUDA_SUCCESS ||
          Api.cuFuncGetAttribute(&Has, Attribute, C->Function) != CUDA_SUCCESS || Wanted == Has)
        continue;
      if (CUresult Error = Api.cuFuncSetAttribute(C->Function, Attribute, Wanted))
        return "function attribute " + std::to_string(static_cast<int>(Attribute)) +
               " could not be copied to its clone: " + describe(Error);
    }
    if (K.CacheConfig >= 0 && Api.cuFuncSetCacheConfig)
      Api.cuFuncSetCacheConfig(C->Function, static_cast<CUfunc_cache>(K.CacheConfig));
  }
  refreshMaxDynamicShared(K);
  K.AttributesChanged = false;
  return "";
}

std::vector<size_t> Kernels::paramSizes(CUfunction Function) const {
  std::vector<size_t> Sizes;
  size_t Offset = 0, Bytes = 0;
  while (D.api().cuFuncGetParamInfo &&
         D.api().cuFuncGetParamInfo(Function, Sizes.size(), &Offset, &Bytes) == CUDA_SUCCESS)
    Sizes.push_back(Bytes);
  return Sizes;
}

} // namespace gmprof::host
