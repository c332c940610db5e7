//===- KernelModule.cpp - The module that a kernel was loaded from --------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "host/launch/KernelModule.h"
#include "gmprof/abi.h"
#include "host/launch/Kernels.h"
#include "host/objects/ModuleVariables.h"
#include "profile/Demangle.h"
#include "profile/KernelDescriptor.h"
#include <set>
#include <span>

namespace gmprof::host {

/// Upper limit of a descriptor's size, so that a damaged module does not make GMProf copy
/// gigabytes.
static constexpr size_t MaxDescriptorBytes = size_t(64) << 20;

CUfunction KernelModule::kernel() const { return K.Original; }

int KernelModule::attribute(const DriverApi &Api, CUfunction Function,
                            CUfunction_attribute Attribute) {
  int Value = 0;
  return Api.cuFuncGetAttribute(&Value, Attribute, Function) == CUDA_SUCCESS ? Value : 0;
}

std::vector<size_t> KernelModule::paramSizes(const DriverApi &Api, CUfunction Function) {
  std::vector<size_t> Sizes;
  size_t Offset = 0, Bytes = 0;
  while (Api.cuFuncGetParamInfo &&
         Api.cuFuncGetParamInfo(Function, Sizes.size(), &Offset, &Bytes) == CUDA_SUCCESS)
    Sizes.push_back(Bytes);
  return Sizes;
}

bool KernelModule::hasDescriptor() const {
  CUdeviceptr Address = 0;
  size_t Bytes = 0;
  const std::string Symbol = GMPROF_KERNEL_DESC_PREFIX + K.Name;
  return D.api().cuModuleGetGlobal(&Address, &Bytes, K.Module, Symbol.c_str()) == CUDA_SUCCESS;
}

/// Reads one descriptor of the program's module. Returns an error, or an empty string.
std::string KernelModule::readBytes(const std::string &Symbol, std::vector<std::byte> &To) const {
  const DriverApi &Api = D.api();
  CUdeviceptr Address = 0;
  size_t Bytes = 0;
  if (Api.cuModuleGetGlobal(&Address, &Bytes, K.Module, Symbol.c_str()) != CUDA_SUCCESS)
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

/// Appends the descriptors of functions of other translation units, and of those that they call. A
/// function without a valid descriptor has no known sites.
void KernelModule::addFunctions(std::vector<std::string> Names, std::vector<std::byte> &To) const {
  std::set<std::string> Seen(Names.begin(), Names.end());
  while (!Names.empty()) {
    const std::string Symbol = GMPROF_FUNCTION_DESC_PREFIX + Names.back();
    Names.pop_back();
    std::vector<std::byte> Bytes;
    if (!readBytes(Symbol, Bytes).empty())
      continue;
    const Result<profile::Descriptor> Decoded = decodeDescriptor(Bytes);
    if (!Decoded)
      continue;
    To.insert(To.end(), Bytes.begin(), Bytes.end());
    for (const std::string &Callee : Decoded->Callees)
      if (Seen.insert(Callee).second)
        Names.push_back(Callee);
  }
}

std::string KernelModule::readDescriptor(bool WithFunctions, std::vector<std::byte> &Bytes,
                                         std::optional<profile::Descriptor> &Desc) const {
  if (K.OnDemand) {
    const auto Read = std::as_bytes(std::span(K.OnDemand->Instrumented.Descriptor));
    Bytes.assign(Read.begin(), Read.end());
    Bytes.resize(descriptorBytes(Bytes)); // the constant may be padded
  } else if (std::string Why = readBytes(GMPROF_KERNEL_DESC_PREFIX + K.Name, Bytes); !Why.empty()) {
    return Why;
  }
  Result<profile::Descriptor> Decoded = decodeDescriptor(Bytes);
  if (!Decoded)
    return Decoded.error();
  if (WithFunctions && !K.OnDemand) { // the module of clones on demand has all functions
    addFunctions(Decoded->Callees, Bytes);
    Decoded = decodeDescriptor(Bytes);
  }
  if (Decoded->Name != K.Name)
    return "its descriptor is invalid: it is of " + Decoded->Name;
  Desc = std::move(*Decoded);
  return "";
}

CUfunction KernelModule::findFunction(CUmodule Module, const std::string &Name) const {
  CUfunction Function = nullptr;
  return D.api().cuModuleGetFunction(&Function, Module, Name.c_str()) == CUDA_SUCCESS ? Function
                                                                                      : nullptr;
}

std::string KernelModule::findHookKernel(const char *Name, CUfunction &To) const {
  if (!K.OnDemand)
    return (To = findFunction(K.Module, Name))
               ? ""
               : std::string("the kernel ") + Name + " is missing from the module";
  const Result<CUfunction> Made = OnDemand.hookKernel(Name);
  if (!Made)
    return Made.error();
  To = *Made;
  return "";
}

std::string KernelModule::findClone(const char *Suffix, size_t ParameterBytes, Clone &To) const {
  To.Name = K.Name + Suffix;
  To.ParameterBytes = ParameterBytes;
  if (K.OnDemand)
    return "";
  const Result<CUfunction> Loaded = loadClone(To, /*Wait=*/true);
  To.Function = Loaded ? *Loaded : nullptr;
  return Loaded ? "" : Loaded.error();
}

Result<CUfunction> KernelModule::loadClone(Clone &To, bool Wait) const {
  const Result<CUmodule> Module =
      K.OnDemand ? OnDemand.load(K, To, Wait) : Result<CUmodule>(K.Module);
  if (!Module)
    return Error{Module.error()};
  const DriverApi &Api = D.api();
  CUfunction Function = findFunction(*Module, To.Name);
  if (!Function)
    return Error{"its clone " + To.Name + " is missing from the module"};
  if (Api.cuFuncGetParamInfo) {
    // The descriptor states the length of the argument array. Check it against the kernels
    // themselves before the driver reads the array.
    size_t Offset = 0, Bytes = 0;
    auto Has = [&](CUfunction F, uint32_t Index) {
      return Api.cuFuncGetParamInfo(F, Index, &Offset, &Bytes) == CUDA_SUCCESS;
    };
    bool Right = !Has(K.Original, K.ParamCount) &&
                 (K.ParamCount == 0 || Has(K.Original, K.ParamCount - 1)) &&
                 !Has(Function, K.ParamCount + 1) && Has(Function, K.ParamCount) &&
                 Bytes == To.ParameterBytes;
    if (!Right)
      return Error{"its descriptor is invalid: its parameters are not those of " + To.Name};
  }
  To.MaxThreads = attribute(Api, Function, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
  To.StaticShared = attribute(Api, Function, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES);
  uint32_t Room = D.facts().SharedOptin;
  To.MaxDynamicShared = Room > To.StaticShared ? Room - To.StaticShared : 0;
  if (Api.cuFuncSetAttribute(Function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                             static_cast<int>(To.MaxDynamicShared)) != CUDA_SUCCESS)
    To.MaxDynamicShared = attribute(Api, Function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES);
  return Function;
}

/// Returns the registered variables that the module has.
std::vector<std::string> KernelModule::registeredVariables() const {
  std::vector<std::string> Found;
  for (std::string &Symbol : moduleVariables()) {
    CUdeviceptr Address = 0;
    size_t Bytes = 0;
    if (D.api().cuModuleGetGlobal(&Address, &Bytes, K.Module, Symbol.c_str()) == CUDA_SUCCESS)
      Found.push_back(std::move(Symbol));
  }
  return Found;
}

void KernelModule::recordAllVariables() const {
  std::vector<std::string> OfModule;
  std::vector<std::string> &Symbols = K.OnDemand ? K.OnDemand->Registered : OfModule;
  // PyTorch registers thousands, and cuDNN loads a module hundreds of times.
  const size_t Count = moduleVariableCount();
  if (!K.OnDemand || K.OnDemand->RegisteredOf != Count)
    Symbols = registeredVariables();
  if (K.OnDemand)
    K.OnDemand->RegisteredOf = Count;
  for (const std::string &Symbol : Symbols)
    recordVariable(Symbol, demangle(Symbol), log::ObjectKind::GlobalVariable);
}

/// Returns the variable's address, or 0 if the module does not have it.
uint64_t KernelModule::recordVariable(const std::string &Symbol, const std::string &Name,
                                      log::ObjectKind Kind) const {
  CUdeviceptr Address = 0;
  size_t Bytes = 0;
  if (D.api().cuModuleGetGlobal(&Address, &Bytes, K.Module, Symbol.c_str()) != CUDA_SUCCESS)
    return 0;
  Live.noteVariable(D.ordinal(), Kind, Name, Address, Bytes);
  return Address;
}

std::vector<uint64_t> KernelModule::recordVariables(const profile::Descriptor &Desc) const {
  std::vector<uint64_t> Addresses;
  for (const profile::Variable &V : Desc.Variables) {
    log::ObjectKind Kind = V.Kind == GMPROF_VARIABLE_CONSTANT ? log::ObjectKind::Constant
                                                              : log::ObjectKind::GlobalVariable;
    Addresses.push_back(V.Symbol.empty() ? 0 : recordVariable(V.Symbol, V.Name, Kind));
  }
  return Addresses;
}

} // namespace gmprof::host
