//===- Modules.h - The program's device code --------------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Fat binaries, kernels and variables are registered before main. Their device code is loaded at
// the first use of a kernel or variable, once per device. Fat binaries of an object built with
// -fgpu-rdc share one module. A fat binary without code of gmprof-clang++ is run from its PTX.
// Programs also load modules and libraries themselves (Images.h).
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_CPU_API_MODULES_H
#define GMPROF_CPU_API_MODULES_H

#include "cpu/Engine.h"
#include "cpu/api/Handles.h"
#include "profile/Mutex.h"
#include <atomic>
#include <driver_types.h>
#include <map>
#include <set>
#include <unordered_map>

namespace gmprof::cpu::api {

class LoadedModule;

/// Kernel of a loaded module, with its attributes.
struct Kernel {
  Kernel(LoadedModule &Owner, const KernelInfo &Info);

  LoadedModule &Owner;
  const KernelInfo &Info;
  std::atomic<int> MaxDynamicShared;
  std::atomic<int> Carveout{-1};
  std::atomic<int> NonPortableCluster{0};
  std::atomic<int> ClusterPolicy{0}, RequiredCluster[3] = {}; ///< 0: none required
};

/// A module on one device.
class LoadedModule : public std::enable_shared_from_this<LoadedModule> {
public:
  LoadedModule(std::unique_ptr<Module> Code, int Device, int PtxArchitecture = 0)
      : Device(Device), PtxArchitecture(PtxArchitecture), Code(std::move(Code)) {}
  ~LoadedModule();

  const int Device;
  const int PtxArchitecture; ///< that the code was compiled for; 0: the device's

  /// Returns a kernel; null if the module has none of that name.
  std::shared_ptr<Kernel> kernel(const std::string &Name);
  /// Returns a variable and registers it as device memory; null if there is none of that name.
  const GlobalInfo *variable(const std::string &Name);
  Module &code() { return *Code; }

private:
  std::unique_ptr<Module> Code;
  gmprof::Mutex Mutex;
  std::map<std::string, std::unique_ptr<Kernel>> Kernels GMPROF_GUARDED_BY(Mutex);
  std::set<const void *> Variables GMPROF_GUARDED_BY(Mutex);
};

/// Value, or the error why there is none.
template <typename T> struct Result {
  T Value{};
  cudaError_t Error = cudaSuccess;

  Result(T Value) : Value(std::move(Value)) {}
  Result(cudaError_t Error) : Error(Error) {}
  explicit operator bool() const { return Error == cudaSuccess; }
};

/// Device code of one fat binary, of a whole object, or of an image that the program loads.
class Image {
public:
  /// IfInvalid is the error if the engine cannot load the code, PtxArchitecture is that of
  /// LoadedModule.
  Image(std::vector<std::string> Code, std::string File,
        cudaError_t IfInvalid = cudaErrorInvalidKernelImage, int PtxArchitecture = 0);
  /// Makes the image of a registered fat binary. Its code is read at the first use.
  Image(const void *FatBinary, std::string File) : FatBinary(FatBinary), File(std::move(File)) {}

  /// Loads the code. For names what needs it, for the error message.
  Result<std::shared_ptr<LoadedModule>> load(int Device, const std::string &For);
  void unload(int Device);
  /// Returns whether load() returned the module.
  bool has(const LoadedModule &M);

private:
  cudaError_t complainOnce(cudaError_t Error, const std::string &Line) GMPROF_REQUIRES(Mutex);

  std::vector<std::string> Code;   ///< by translation unit
  const void *FatBinary = nullptr; ///< that was registered
  std::string File;
  cudaError_t IfInvalid = cudaErrorInvalidKernelImage;
  int PtxArchitecture = 0;
  gmprof::Mutex Mutex;
  std::map<int, std::shared_ptr<LoadedModule>> Loaded GMPROF_GUARDED_BY(Mutex);
  cudaError_t Failure GMPROF_GUARDED_BY(Mutex) = cudaSuccess;
};

/// Address and size of a variable.
struct Variable {
  void *Address = nullptr;
  size_t Bytes = 0;
};

/// Registry of the program's device code. Safe for concurrent use.
class Modules {
public:
  using Handle = void **;

  Handle addBinary(const void *Wrapper);
  void completeBinary(Handle Binary);
  void removeBinary(Handle Binary);
  void addKernel(Handle Binary, const void *Stub, const char *Name);
  void addVariable(Handle Binary, const void *Shadow, const char *Name, size_t Bytes);
  void addManaged(Handle Binary, void **Pointer, const char *Name, size_t Bytes);

  bool isRegistered(const void *Stub);
  /// Returns the kernel of a host stub or kernel handle.
  Result<std::shared_ptr<Kernel>> kernel(const void *Function);
  Result<Variable> variable(const void *Shadow);

  /// Registers a kernel as its own handle (cudaFunction_t, CUfunction).
  void publish(const std::shared_ptr<Kernel> &K);
  void retract(const Kernel *K);
  std::shared_ptr<Kernel> published(const void *Handle);

  void unload(int Device);

private:
  struct Binary {
    std::shared_ptr<Image> Code;
    bool HasManaged = false;
  };
  struct Symbol {
    Binary *Owner;
    std::string Name;
    size_t Bytes = 0;
    void **Managed = nullptr;
  };

  std::shared_ptr<Image> imageOf(const void *Wrapper) GMPROF_REQUIRES(Mutex);
  Result<Variable> resolve(const Symbol &S, int Device);

  gmprof::Mutex Mutex;
  std::map<Binary *, std::unique_ptr<Binary>> Binaries GMPROF_GUARDED_BY(Mutex);
  /// -fgpu-rdc: by file.
  std::map<std::string, std::weak_ptr<Image>> ObjectImages GMPROF_GUARDED_BY(Mutex);
  std::set<std::string> ObjectsWithoutBitcode GMPROF_GUARDED_BY(Mutex);
  std::unordered_map<const void *, Symbol> Kernels GMPROF_GUARDED_BY(Mutex);
  std::unordered_map<const void *, Symbol> Variables GMPROF_GUARDED_BY(Mutex);

  gmprof::Mutex PublishedMutex;
  std::unordered_map<const void *, std::weak_ptr<Kernel>>
      Published GMPROF_GUARDED_BY(PublishedMutex);
};

Modules &modules();

/// Modules that the program has loaded (cuModuleLoad and similar functions).
HandleTable<LoadedModule> &loadedModules();
/// Libraries that the program has loaded (cuLibraryLoadData and similar functions).
HandleTable<Image> &libraries();

} // namespace gmprof::cpu::api

#endif // GMPROF_CPU_API_MODULES_H
