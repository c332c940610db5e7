//===- DeviceModule.cpp - Implementation of Engine.h ----------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "cpu/Engine.h"
#include "cpu/engine/Image.h"
#include "cpu/engine/Jit.h"
#include "cpu/engine/Launch.h"
#include "cpu/engine/Races.h"
#include "cpu/engine/SourceLines.h"
#include "gmprof/abi.h"
#include "profile/Mutex.h"
#include <llvm/Demangle/Demangle.h>

#include <cstring>

namespace gmprof::cpu {

namespace {

std::string text(const Dim3 &Index) {
  return "(" + std::to_string(Index.X) + "," + std::to_string(Index.Y) + "," +
         std::to_string(Index.Z) + ")";
}

class DeviceModule : public Module {
public:
  explicit DeviceModule(std::unique_ptr<Image> I) : TheImage(std::move(I)) {}

  const KernelInfo *kernel(const std::string &Name) override {
    auto Found = TheImage->Kernels.find(Name);
    return Found == TheImage->Kernels.end() ? nullptr : &Found->second.Info;
  }

  const GlobalInfo *global(const std::string &Name) override {
    auto Found = TheImage->Variables.find(Name);
    return Found == TheImage->Variables.end() ? nullptr : &Found->second;
  }

  std::vector<std::string> kernels() override {
    std::vector<std::string> Names;
    for (const auto &[Name, Kernel] : TheImage->Kernels)
      Names.push_back(Name);
    return Names;
  }

  std::variant<std::monostate, Fault, LoadError> run(const KernelInfo &Kernel,
                                                     const LaunchConfig &Config,
                                                     const void *const *Args,
                                                     const MemoryMap &Memory) override;

private:
  struct Code {
    CompiledKernel Kernel;
    std::unique_ptr<CodeUnit> Unit;
    std::string Error;
  };

  const Code &compiled(const std::string &Name);
  void compile(const Image::Kernel &Kernel, Code &To) GMPROF_REQUIRES(Mutex);
  std::string fillFunctionTable() GMPROF_REQUIRES(Mutex);

  std::unique_ptr<Image> TheImage;
  gmprof::Mutex Mutex;
  std::map<std::string, Code> Kernels GMPROF_GUARDED_BY(Mutex);
  ReportedRaces Races GMPROF_GUARDED_BY(Mutex);
  std::unique_ptr<CodeUnit> FunctionTable GMPROF_GUARDED_BY(Mutex);
  std::optional<std::string> FunctionTableError GMPROF_GUARDED_BY(Mutex); ///< empty: filled
};

/// Returns a kernel's code, compiled at its first launch; errors persist.
const DeviceModule::Code &DeviceModule::compiled(const std::string &Name) {
  LockGuard Lock(Mutex);
  auto [Found, New] = Kernels.try_emplace(Name);
  if (New)
    compile(TheImage->Kernels.at(Name), Found->second);
  return Found->second;
}

void DeviceModule::compile(const Image::Kernel &Kernel, Code &To) {
  const std::string &Name = Kernel.Info.Name;
  if (Kernel.UsesFunctionTable) {
    if (!FunctionTableError)
      FunctionTableError = fillFunctionTable();
    To.Error = *FunctionTableError;
    if (!To.Error.empty())
      return;
  }
  To.Kernel.FirstSite = newSites();
  LoweredUnit Unit = lower(*TheImage, Name, To.Kernel.FirstSite, hostTriple(), hostLayout());
  if (Unit.Error.empty())
    To.Unit = CodeUnit::compile(Unit, Name);
  CompiledKernel &K = To.Kernel;
  if (Unit.Error.empty())
    K.Entry = reinterpret_cast<void (*)(ThreadState *)>(To.Unit->address(EntryName, Unit.Error));
  To.Error = std::move(Unit.Error);
  K.Name = Name;
  K.NeedsFibers = Unit.NeedsFibers;
  K.Watched = Unit.Watched;
  K.StackBytes = Unit.StackBytes;
  K.StaticShared = Kernel.Shared.StaticBytes;
  K.DynamicOffset = Kernel.Shared.DynamicOffset;
  recordSites(K.FirstSite, std::move(Unit.Sites));
  for (const ParamInfo &P : Kernel.Info.Params)
    K.ParamBytes = P.Offset + P.Bytes;
}

/// Fills variables that hold pointers to functions (mainly virtual tables), when the first kernel
/// needs them. Returns the error, or an empty string.
std::string DeviceModule::fillFunctionTable() {
  uint32_t FirstSite = newSites();
  LoweredUnit Unit = lower(*TheImage, "", FirstSite, hostTriple(), hostLayout());
  if (Unit.Error.empty())
    FunctionTable = CodeUnit::compile(Unit, TheImage->Name);
  for (const Image::FunctionPointer &Pointer : TheImage->FunctionPointers) {
    if (!Unit.Error.empty())
      break;
    uint64_t Address = FunctionTable->address(Pointer.Function, Unit.Error);
    memcpy(Pointer.Place, &Address, sizeof(Address));
  }
  recordSites(FirstSite, std::move(Unit.Sites));
  return Unit.Error;
}

/// Returns a kernel's demangled name without the suffix of a profiled clone
/// (GMPROF_*_CLONE_SUFFIX).
std::string nameInSource(llvm::StringRef Kernel) {
  return llvm::demangle(Kernel.substr(0, Kernel.rfind("__gm_")));
}

std::variant<std::monostate, Fault, LoadError> DeviceModule::run(const KernelInfo &Kernel,
                                                                 const LaunchConfig &Config,
                                                                 const void *const *Args,
                                                                 const MemoryMap &Memory) {
  auto Unsupported = [&](const std::string &What) {
    return LoadError{"kernel " + Kernel.Name + " was launched with " + What +
                     ", which the CPU device does not support; run it on a GPU"};
  };
  const Code &C = compiled(Kernel.Name);
  if (!C.Error.empty())
    return LoadError{C.Error};
  if (C.Kernel.DynamicOffset + Config.DynamicShared > SharedWindow::MaxBytes)
    return Unsupported(std::to_string(C.Kernel.DynamicOffset + Config.DynamicShared) +
                       " bytes of shared memory per block");
  uint64_t Threads = uint64_t(Config.Block.X) * Config.Block.Y * Config.Block.Z;
  if (Threads == 0 || Threads > MaxBlockThreads)
    return Unsupported("blocks of " + std::to_string(Threads) + " threads");

  // Padding for vector loads at the end of the last parameter.
  auto Params = std::make_unique<char[]>(C.Kernel.ParamBytes + 64);
  for (size_t I = 0; I < Kernel.Params.size(); ++I)
    memcpy(Params.get() + Kernel.Params[I].Offset, Args[I], Kernel.Params[I].Bytes);
  Launch L(C.Kernel, Config, Memory, std::move(Params));
  L.ConstantLow = uint64_t(TheImage->Constants.data());
  L.ConstantHigh = L.ConstantLow + TheImage->Constants.size();
  std::optional<Fault> F = L.run();
  if (L.Races) {
    LockGuard Lock(Mutex);
    const std::string Found = L.Races->report(nameInSource(Kernel.Name), Races);
    fputs(Found.c_str(), stderr);
    if (!F && !Found.empty() && failsOfRaces())
      return Fault{FaultKind::Trap,
                   Kernel.Name,
                   {},
                   {},
                   0,
                   "kernel " + nameInSource(Kernel.Name) +
                       " failed because of its races (GMPROF_CPU_RACES=fail)"};
  }
  if (!F)
    return std::monostate();
  std::string Where = "kernel " + nameInSource(F->Kernel) + ", block " + text(F->Block) +
                      ", thread " + text(F->Thread);
  if (L.faultCode())
    if (std::string Line = sourceLine(*TheImage, C.Kernel, L.faultCode()); !Line.empty())
      Where += ", " + Line;
  F->Message = Where + ": " + F->Message;
  return std::move(*F);
}

} // namespace

std::variant<std::unique_ptr<Module>, LoadError>
Module::load(std::span<const std::span<const char>> Code, const std::string &Name) {
  auto Loaded = Image::load(Code, Name);
  if (auto *Error = std::get_if<LoadError>(&Loaded))
    return std::move(*Error);
  return std::make_unique<DeviceModule>(std::move(std::get<std::unique_ptr<Image>>(Loaded)));
}

} // namespace gmprof::cpu
