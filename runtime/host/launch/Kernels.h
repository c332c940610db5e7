//===- Kernels.h - The kernels that the program launches --------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel is known by its handle (the host stub's address) and the device. At
// first sight its descriptor is read from the loaded module and checked, its
// clones are found, and it is recorded. Whatever is wrong with it becomes the
// reason why it is never profiled; the program's own kernel then runs.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_HOST_LAUNCH_KERNELS_H
#define GMPROF_HOST_LAUNCH_KERNELS_H

#include "host/cache/CacheTrace.h"
#include "host/core/Device.h"
#include "host/global/GlobalKernel.h"
#include "host/heat/HeatKernel.h"
#include "host/launch/KernelAccesses.h"
#include "host/shared/SharedKernel.h"
#include "profile/SiteNumbers.h"
#include <atomic>
#include <cuda_runtime_api.h>
#include <shared_mutex>
#include <unordered_map>

namespace gmprof::host {

struct Options;

/// What a launch names its kernel by.
enum class KernelHandle {
  Stub,    ///< of the host code, as cudaLaunchKernel has it
  Kernel,  ///< a cudaKernel_t
  Function ///< of the driver: a CUfunction, or a CUkernel in its place
};

struct Clone {
  CUfunction Function = nullptr; ///< null: there is none
  uint32_t MaxThreads = 0;
  uint32_t StaticShared = 0;
  uint32_t MaxDynamicShared = 0; ///< the device's room
};

struct Kernel {
  uint32_t Id = 0;
  const void *Symbol = nullptr;
  KernelHandle Handle = KernelHandle::Stub; ///< what Symbol is
  std::string Name;
  CUfunction Original = nullptr;
  CUmodule Module = nullptr; ///< null: the driver does not say
  uint32_t MaxThreads = 0;
  uint32_t StaticShared = 0;
  uint32_t Registers = 0;
  Clone Shared, SharedAll, SharedDm;
  Clone Global, GlobalAll;
  Clone Objects;                              ///< notes which objects are accessed
  Clone Heat, HeatAll;                        ///< note which warps access words
  CUfunction HeatNote = nullptr;              ///< notes the requests that they left
  CUfunction HeatDigest = nullptr;            ///< makes digests of what they noted
  std::unique_ptr<HeatKernel> HeatFacts;      ///< in the profile of heat
  Clone Cache;                                ///< records requests
  std::shared_ptr<const TracedKernel> Traced; ///< in the profile of caches
  std::unique_ptr<GlobalKernel> GlobalFacts;  ///< in the global profile
  std::unique_ptr<KernelAccesses> Accesses;
  std::unique_ptr<SharedKernel> SharedFacts; ///< in that of shared memory
  bool SharedKnown = false;                  ///< K__gm_shared would have nothing to count
  uint32_t ParamCount = 0;
  uint32_t VariableCount = 0;
  SiteNumbers Sites;
  uint32_t CounterBits = 0;
  uint32_t RangeVariables = 0; ///< whose live ranges K__gm_shared_all counts
  bool UsesDynamicShared = false;
  bool BlocksAlike = false;      ///< K__gm_shared and its like count the first for all
  bool NothingToProfile = false; ///< it accesses nothing that the profile looks at
  bool Filtered = false;         ///< the kernel filter leaves it out
  std::string NeverProfiled;     ///< why; empty: it is

  std::atomic<uint64_t> Launches{0};
  std::atomic<uint64_t> BlockSamples{0};  ///< launches whose blocks all run at a time
  std::atomic<bool> RangesCounted{false}; ///< a launch has counted live ranges

  /// The program set attributes of the kernel which its clones lack.
  std::atomic<bool> AttributesChanged{true};
  std::mutex AttributeLock;
  std::atomic<uint32_t> MaxDynamicShared{0}; ///< as the program set it
  int CacheConfig = -1;                      ///< as the program set it; -1: not

  std::array<const Clone *, 9> clones() const {
    return {&Shared, &SharedAll, &SharedDm, &Global, &GlobalAll, &Objects, &Heat, &HeatAll, &Cache};
  }
};

class Kernels {
public:
  Kernels(Device &D, Recorder &Log, Objects &Live, const Options &O)
      : D(D), Log(Log), Live(Live), O(O) {}

  /// The kernel behind a handle, loaded at first sight. Null if CUDA does not know it.
  Kernel *get(const void *Symbol, KernelHandle Handle = KernelHandle::Stub);
  /// Only if it has been seen before.
  Kernel *find(const void *Symbol);
  /// The kernel of which Function is a clone.
  Kernel *findByClone(CUfunction Function);
  /// The kernel that the program itself launches as Function.
  Kernel *findOriginal(CUfunction Function);

  /// Names, as in the source, of the kernels that were seen; whether the kernel filter
  /// lets any through.
  std::vector<std::string> names(bool &AnyWanted);

  /// Forgets those that libcudart knows no more, or as others.
  void forgetUnloaded();
  /// Forgets those of a module that is about to go.
  void forgetModule(CUmodule Module);

  /// Copies the attributes that the program set. Returns why that failed.
  std::string updateAttributes(Kernel &K);
  /// What the kernel may use now; asks the driver.
  uint32_t refreshMaxDynamicShared(Kernel &K);

  /// What CUDA knows behind a handle, without a trace in the program's last error; null
  /// if nothing.
  static CUfunction functionOf(const DriverApi &Api, const void *Symbol, KernelHandle Handle);

  /// Sizes of its parameters; empty if the driver does not say.
  std::vector<size_t> paramSizes(CUfunction Function) const;

private:
  std::unique_ptr<Kernel> load(const void *Symbol, KernelHandle Handle,
                               std::vector<std::byte> &Descriptor);
  template <typename Predicate> void forget(Predicate IsGone);
  std::string readDescriptor(Kernel &K, CUmodule Module, std::vector<std::byte> &Descriptor);
  std::string readBytes(CUmodule Module, const std::string &Symbol, std::vector<std::byte> &To);
  void addFunctions(CUmodule Module, std::vector<std::string> Names,
                    std::vector<std::byte> &Descriptor);
  std::string prepareShared(Kernel &K, CUmodule Module, const profile::Descriptor &Desc);
  std::string loadHeatKernel(CUmodule Module, const char *Name, CUfunction &To);
  std::string prepareCache(Kernel &K, CUmodule Module, const profile::Descriptor &Desc);
  std::string prepareHeat(Kernel &K, CUmodule Module, const profile::Descriptor &Desc);
  std::string prepareObjects(Kernel &K, CUmodule Module, const profile::Descriptor &Desc);
  void noteModuleVariables(CUmodule Module);
  std::string prepareGlobal(Kernel &K, CUmodule Module, const profile::Descriptor &Desc);
  uint64_t noteVariable(CUmodule Module, const std::string &Symbol, const std::string &Name,
                        log::ObjectKind Kind);
  std::vector<uint64_t> noteVariables(CUmodule Module, const profile::Descriptor &Desc);
  std::string findClone(const Kernel &K, CUmodule Module, const char *Suffix, size_t ParameterBytes,
                        Clone &To);
  int attribute(CUfunction Function, CUfunction_attribute Attribute) const;

  Device &D;
  Recorder &Log;
  Objects &Live;
  const Options &O;
  std::mutex LoadLock;
  std::shared_mutex MapLock;
  std::unordered_map<const void *, std::unique_ptr<Kernel>> BySymbol;
  std::unordered_map<CUfunction, Kernel *> ByClone, ByOriginal;
  /// Kept, because other threads may still be in a launch of one.
  std::vector<std::unique_ptr<Kernel>> Unloaded;
};

} // namespace gmprof::host

#endif // GMPROF_HOST_LAUNCH_KERNELS_H
