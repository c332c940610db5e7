//===- Modules.cpp - The program's device code ----------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "cpu/api/Modules.h"
#include "cpu/api/Architecture.h"
#include "cpu/api/Device.h"
#include "cpu/api/Errors.h"
#include "cpu/api/Images.h"
#include "cpu/api/Memory.h"
#include "host/instrument/EmbeddedBitcode.h"

/// In libgmprof.so, if it is loaded: a fat binary is loaded by no function that it interposes.
extern "C" __attribute__((weak)) void gmprof_module_loaded(const void *Module,
                                                           const void *FatBinary);

namespace gmprof::cpu::api {

Kernel::Kernel(LoadedModule &Owner, const KernelInfo &Info)
    : Owner(Owner), Info(Info),
      MaxDynamicShared(Info.StaticShared < SharedPerBlock
                           ? static_cast<int>(SharedPerBlock - Info.StaticShared)
                           : 0) {
  if (const std::optional<Dim3> &C = Info.Cluster) {
    RequiredCluster[0] = static_cast<int>(C->X);
    RequiredCluster[1] = static_cast<int>(C->Y);
    RequiredCluster[2] = static_cast<int>(C->Z);
  }
}

LoadedModule::~LoadedModule() {
  for (const auto &[Name, K] : Kernels)
    modules().retract(K.get());
  for (const void *Address : Variables)
    memory().forget(Address);
}

std::shared_ptr<Kernel> LoadedModule::kernel(const std::string &Name) {
  LockGuard Lock(Mutex);
  std::unique_ptr<Kernel> &K = Kernels[Name];
  if (K)
    return {shared_from_this(), K.get()};
  const KernelInfo *Info = Code->kernel(Name);
  if (!Info) {
    Kernels.erase(Name);
    return nullptr;
  }
  K = std::make_unique<Kernel>(*this, *Info);
  std::shared_ptr<Kernel> Shared(shared_from_this(), K.get());
  modules().publish(Shared);
  return Shared;
}

const GlobalInfo *LoadedModule::variable(const std::string &Name) {
  LockGuard Lock(Mutex);
  const GlobalInfo *Info = Code->global(Name);
  if (Info && Variables.insert(Info->Address).second) {
    Allocation A;
    A.Base = reinterpret_cast<uintptr_t>(Info->Address);
    A.Bytes = Info->Bytes;
    A.Kind = MemoryKind::Variable;
    A.Device = Device;
    A.Origin = Name;
    memory().note(A);
  }
  return Info;
}

Image::Image(std::vector<std::string> Code, std::string File, cudaError_t IfInvalid,
             int PtxArchitecture)
    : Code(std::move(Code)), File(std::move(File)), IfInvalid(IfInvalid),
      PtxArchitecture(PtxArchitecture) {}

cudaError_t Image::complainOnce(cudaError_t Error, const std::string &Line) {
  Failure = Error;
  complain(Line);
  return Error;
}

Result<std::shared_ptr<LoadedModule>> Image::load(int Device, const std::string &For) {
  LockGuard Lock(Mutex);
  if (Failure != cudaSuccess)
    return Failure;
  std::shared_ptr<LoadedModule> &Existing = Loaded[Device];
  if (Existing)
    return Existing;
  if (Code.empty()) {
    EmbeddedCode Found = codeOf(FatBinary);
    if (!Found.Missing.empty())
      return complainOnce(cudaErrorNoKernelImageForDevice, File + " " + Found.Missing +
                                                               " (needed for " + For + "); " +
                                                               HowToEmbedPtx);
    Code = std::move(Found.Units);
    PtxArchitecture = Found.Architecture;
    IfInvalid = Found.IsPtx ? cudaErrorInvalidPtx : cudaErrorInvalidKernelImage;
  }
  const std::vector<std::span<const char>> Files(Code.begin(), Code.end());
  auto New = Module::load(Files, File);
  if (auto *Error = std::get_if<LoadError>(&New))
    return complainOnce(IfInvalid, Error->Message);
  Existing = std::make_shared<LoadedModule>(std::move(std::get<std::unique_ptr<Module>>(New)),
                                            Device, PtxArchitecture);
  if (FatBinary && gmprof_module_loaded)
    gmprof_module_loaded(Existing.get(), FatBinary);
  return Existing;
}

void Image::unload(int Device) {
  LockGuard Lock(Mutex);
  Loaded.erase(Device);
}

bool Image::has(const LoadedModule &M) {
  LockGuard Lock(Mutex);
  const auto Found = Loaded.find(M.Device);
  return Found != Loaded.end() && Found->second.get() == &M;
}

std::shared_ptr<Image> Modules::imageOf(const void *Wrapper) {
  std::string File = objectFile(Wrapper);
  if (!bitcodeBehind(Wrapper).empty() || ObjectsWithoutBitcode.contains(File))
    return std::make_shared<Image>(Wrapper, std::move(File));
  std::weak_ptr<Image> &Known = ObjectImages[File];
  std::shared_ptr<Image> OfObject = Known.lock();
  if (OfObject)
    return OfObject;
  OfObject = std::make_shared<Image>(Wrapper, File);
  if (bitcodeSection(Wrapper).empty())
    ObjectsWithoutBitcode.insert(File);
  else
    Known = OfObject;
  return OfObject;
}

Modules::Handle Modules::addBinary(const void *Wrapper) {
  LockGuard Lock(Mutex);
  auto New = std::make_unique<Binary>();
  New->Code = imageOf(Wrapper);
  Binary *Key = New.get();
  Binaries.emplace(Key, std::move(New));
  return reinterpret_cast<Handle>(Key);
}

/// Loads managed variables, which the host may read before any API call.
void Modules::completeBinary(Handle H) {
  std::vector<Symbol> Managed;
  {
    LockGuard Lock(Mutex);
    auto *Owner = reinterpret_cast<Binary *>(H);
    if (!Owner->HasManaged)
      return;
    for (const auto &[Shadow, S] : Variables)
      if (S.Owner == Owner && S.Managed)
        Managed.push_back(S);
  }
  for (const Symbol &S : Managed)
    resolve(S, currentDeviceIndex());
}

void Modules::removeBinary(Handle H) {
  std::unique_ptr<Binary> Removed; // destroyed after the lock is released
  LockGuard Lock(Mutex);
  auto Found = Binaries.find(reinterpret_cast<Binary *>(H));
  if (Found == Binaries.end())
    return;
  auto OfBinary = [&](const auto &Entry) { return Entry.second.Owner == Found->first; };
  std::erase_if(Kernels, OfBinary);
  std::erase_if(Variables, OfBinary);
  Removed = std::move(Found->second);
  Binaries.erase(Found);
}

void Modules::addKernel(Handle H, const void *Stub, const char *Name) {
  LockGuard Lock(Mutex);
  Kernels[Stub] = {reinterpret_cast<Binary *>(H), Name};
}

void Modules::addVariable(Handle H, const void *Shadow, const char *Name, size_t Bytes) {
  LockGuard Lock(Mutex);
  Variables[Shadow] = {reinterpret_cast<Binary *>(H), Name, Bytes};
}

void Modules::addManaged(Handle H, void **Pointer, const char *Name, size_t Bytes) {
  LockGuard Lock(Mutex);
  auto *Owner = reinterpret_cast<Binary *>(H);
  Owner->HasManaged = true;
  Variables[Pointer] = {Owner, Name, Bytes, Pointer};
}

bool Modules::isRegistered(const void *Stub) {
  LockGuard Lock(Mutex);
  return Kernels.contains(Stub);
}

Result<std::shared_ptr<Kernel>> Modules::kernel(const void *Function) {
  if (!Function)
    return cudaErrorInvalidDeviceFunction;
  std::shared_ptr<Image> Code;
  std::string Name;
  {
    LockGuard Lock(Mutex);
    auto Found = Kernels.find(Function);
    if (Found != Kernels.end()) {
      Code = Found->second.Owner->Code;
      Name = Found->second.Name;
    }
  }
  if (!Code) {
    if (std::shared_ptr<Kernel> K = published(Function))
      return K;
    return cudaErrorInvalidResourceHandle;
  }
  auto Loaded = Code->load(currentDeviceIndex(), "kernel " + Name);
  if (!Loaded)
    return Loaded.Error;
  if (std::shared_ptr<Kernel> K = Loaded.Value->kernel(Name))
    return K;
  return cudaErrorInvalidDeviceFunction;
}

Result<Variable> Modules::resolve(const Symbol &S, int Device) {
  std::shared_ptr<Image> Code;
  {
    LockGuard Lock(Mutex);
    Code = S.Owner->Code;
  }
  auto Loaded = Code->load(Device, "variable " + S.Name);
  if (!Loaded)
    return Loaded.Error;
  const GlobalInfo *Info = Loaded.Value->variable(S.Name);
  if (!Info)
    return cudaErrorInvalidSymbol;
  if (S.Managed)
    *S.Managed = Info->Address;
  return Variable{Info->Address, Info->Bytes};
}

Result<Variable> Modules::variable(const void *Shadow) {
  Symbol S;
  {
    LockGuard Lock(Mutex);
    auto Found = Variables.find(Shadow);
    if (Found == Variables.end())
      return cudaErrorInvalidSymbol;
    S = Found->second;
  }
  return resolve(S, currentDeviceIndex());
}

void Modules::publish(const std::shared_ptr<Kernel> &K) {
  LockGuard Lock(PublishedMutex);
  Published[K.get()] = K;
}

void Modules::retract(const Kernel *K) {
  LockGuard Lock(PublishedMutex);
  Published.erase(K);
}

std::shared_ptr<Kernel> Modules::published(const void *Handle) {
  LockGuard Lock(PublishedMutex);
  auto Found = Published.find(Handle);
  return Found == Published.end() ? nullptr : Found->second.lock();
}

void Modules::unload(int Device) {
  std::vector<std::shared_ptr<Image>> Images;
  {
    LockGuard Lock(Mutex);
    for (const auto &[Key, B] : Binaries)
      Images.push_back(B->Code);
  }
  for (const std::shared_ptr<Image> &Library : libraries().all())
    Images.push_back(Library);
  for (const std::shared_ptr<Image> &I : Images)
    I->unload(Device);
  for (const std::shared_ptr<LoadedModule> &M : loadedModules().all())
    if (M->Device == Device)
      loadedModules().remove(M.get());
}

Modules &modules() {
  static Modules &TheModules = *new Modules; // used by the program's destructors
  return TheModules;
}

HandleTable<LoadedModule> &loadedModules() {
  static auto &Table = *new HandleTable<LoadedModule>; // used by the program's destructors
  return Table;
}

HandleTable<Image> &libraries() {
  static auto &Table = *new HandleTable<Image>; // used by the program's destructors
  return Table;
}

} // namespace gmprof::cpu::api
