//===- Kernels.h - The kernels that the program launches --------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel is known by its handle (the host stub's address) and the device. At
// its first launch its descriptor is read from the loaded module and checked, each
// profile of the run finds its clones, and the kernel is recorded. An error becomes
// the reason why it is never profiled; the program's own kernel then runs.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_HOST_LAUNCH_KERNELS_H
#define GMPROF_HOST_LAUNCH_KERNELS_H

#include "host/core/Device.h"
#include "host/launch/ClonesOnDemand.h"
#include "host/launch/CodeLaunches.h"
#include "host/launch/KernelAccesses.h"
#include "host/launch/KernelClones.h"
#include "profile/Mutex.h"
#include <atomic>
#include <cuda_runtime_api.h>
#include <optional>
#include <unordered_map>

namespace gmprof::host {

struct Options;

/// Kind of handle by which a launch names its kernel.
enum class KernelHandle {
  Stub,    ///< of the host code, as cudaLaunchKernel has it, or a cudaKernel_t in its place
  Kernel,  ///< a cudaKernel_t
  Function ///< of the driver: a CUfunction, or a CUkernel in its place
};

/// Returns whether an address is in a loaded file, as those of stubs are. The driver, which may
/// read what a handle points to, is not asked for one whose module failed to load.
bool isInLoadedFile(const void *Address);

class Kernels;

struct Kernel {
  Kernels *Owner = nullptr;
  uint32_t Id = 0;
  const void *Symbol = nullptr;
  KernelHandle Handle = KernelHandle::Stub; ///< what Symbol is
  std::string Name;
  CUfunction Original = nullptr;
  CUmodule Module = nullptr; ///< null: the driver does not say
  /// The library that Symbol belongs to. Null: Symbol is no cudaKernel_t or CUkernel, or the driver
  /// does not know its library.
  CUlibrary Library = nullptr;
  /// Its clones that are made on demand; null: they are in Module.
  std::shared_ptr<KernelOnDemand> OnDemand;
  uint32_t MaxThreads = 0;
  uint32_t StaticShared = 0;
  uint32_t Registers = 0;
  uint32_t ParamCount = 0;
  std::unique_ptr<KernelAccesses> Accesses;
  /// By LaunchProfiler::index(); empty if the kernel has no valid descriptor.
  std::vector<std::unique_ptr<KernelClones>> ByProfile;
  bool Filtered = false;     ///< excluded by the kernel filter
  std::string NeverProfiled; ///< why no profile records it; empty: one does
  /// The job that instruments it in the background: it has no clones yet. Null: it does not wait.
  std::shared_ptr<const CloneJob> Awaits;
  uint32_t AwaitedAs = 0; ///< Id of the kernels that awaited its clones; 0: none did

  /// Shared by all kernels of this name whose modules have the same code.
  std::shared_ptr<CodeLaunches> Launches;

  /// The program set attributes of the kernel which its clones lack.
  std::atomic<bool> AttributesChanged{true};
  mutable Mutex AttributeLock;
  std::atomic<uint32_t> MaxDynamicShared{0}; ///< as the program set it
  std::atomic<int> CacheConfig = -1;         ///< as the program set it; -1: not

  /// Returns the clones of all profiles that are loaded.
  std::vector<Clone *> clones() const;
  /// Returns true if no profile has anything to record in a launch without dynamic shared memory.
  bool hasNothingToProfile() const;
};

class LaunchProfilers;

/// The profile and the parameters of a loaded clone.
struct CloneFunction {
  size_t Profile = 0;      ///< LaunchProfiler::index()
  uint32_t ParamCount = 0; ///< of the kernel: the clone's additional parameter follows
};

class Kernels {
public:
  Kernels(Device &D, Recorder &Log, Objects &Live, const Options &O, LaunchProfilers &Profilers,
          CloneSource &Source, CloneTime &Time)
      : D(D), Log(Log), Live(Live), O(O), Profilers(Profilers), OnDemand(D, Source, Time) {}

  /// Returns the kernel of a handle, and loads it at the first call; null if CUDA does not know it.
  /// One that awaits its clones is loaded again once they are made. Wait: makes them now if they
  /// are not, because the launch is of a graph, which keeps what it gets.
  Kernel *get(const void *Symbol, KernelHandle Handle = KernelHandle::Stub, bool Wait = false);
  /// Returns the kernel of a handle if it is loaded; else null.
  Kernel *find(const void *Symbol);
  /// Returns the kernel with this Kernel::Id if it is loaded; else null.
  Kernel *findById(uint32_t Id);
  /// Returns the profile and the parameters of a clone; nothing if the function is none.
  std::optional<CloneFunction> findClone(CUfunction Function);
  /// Returns the kernel that the program itself launches as Function; null if there is none.
  Kernel *findOriginal(CUfunction Function);

  /// Returns the names, as in the source, of the loaded kernels, and in AnyWanted whether the
  /// kernel filter selects any.
  std::vector<std::string> names(bool &AnyWanted);

  /// Forgets those that libcudart knows no more, or as others.
  void forgetUnloaded();
  /// Forgets those of a module or library that is about to go.
  void forgetModule(CUmodule Module, CUlibrary Library);

  /// Loads a clone of the kernel if it is not, and copies the attributes that the program set.
  /// Returns why it cannot run, or an empty string. Wait: the clone must not be made in the
  /// background. May be called from any thread.
  std::string loadClone(Kernel &K, Clone &C, bool Wait);
  /// Finds a kernel among the hooks that the kernel's clones need, see
  /// KernelModule::findHookKernel.
  std::string findHookKernel(Kernel &K, const char *Name, CUfunction &To);

  /// Ends the making of clones in the background. Returns the number of kernels and clones that
  /// were not made.
  size_t finishClones() { return OnDemand.finish(); }
  /// Unloads clones that no kernel uses. Returns whether there were any.
  bool giveBackMemory();

  /// Must be called after the program set attributes of a handle of the driver.
  void attributesChanged(const void *Handle);
  /// Copies the attributes that the program set. Returns why that failed.
  std::string updateAttributes(Kernel &K);
  /// Returns the dynamic shared memory that the kernel may use now, as the driver tells.
  uint32_t refreshMaxDynamicShared(Kernel &K);

  /// Returns the function of a handle, or null. Does not change the program's last error.
  static CUfunction functionOf(const DriverApi &Api, const void *Symbol, KernelHandle Handle);

private:
  std::unique_ptr<Kernel> load(const void *Symbol, KernelHandle Handle, bool Wait,
                               std::vector<std::byte> &Descriptor) GMPROF_REQUIRES(LoadLock);
  static bool giveId(Kernel &K);
  void record(const Kernel &K, const std::vector<std::byte> &Descriptor);
  template <typename Predicate> void forget(Predicate IsGone);
  void removeClones(Kernel &K) GMPROF_REQUIRES(LoadLock, MapLock);
  std::string findClones(Kernel &K, bool Wait) GMPROF_REQUIRES(LoadLock);
  std::string loadFunction(Kernel &K, Clone &C, bool Wait) GMPROF_REQUIRES(LoadLock);
  std::string updateClone(Kernel &K, Clone &C) GMPROF_REQUIRES(LoadLock);
  void remember(const Kernel &K, CUfunction Clone) GMPROF_REQUIRES(MapLock);
  void forgetFunction(CUfunction Clone) GMPROF_REQUIRES(MapLock);
  std::string readDescriptor(Kernel &K, std::vector<std::byte> &Descriptor);

  Device &D;
  Recorder &Log;
  Objects &Live;
  const Options &O;
  LaunchProfilers &Profilers;
  ClonesOnDemand OnDemand;
  Mutex LoadLock;
  SharedMutex MapLock;
  std::unordered_map<const void *, std::unique_ptr<Kernel>> BySymbol GMPROF_GUARDED_BY(MapLock);
  std::unordered_map<CUfunction, Kernel *> ByOriginal GMPROF_GUARDED_BY(MapLock);
  struct UsedClone {
    CloneFunction Is;
    unsigned Users = 0; ///< kernels that run it
  };
  std::unordered_map<CUfunction, UsedClone> ByClone GMPROF_GUARDED_BY(MapLock);
  /// Kept, because other threads may still be in a launch of one.
  std::vector<std::unique_ptr<Kernel>> Unloaded;
};

} // namespace gmprof::host

#endif // GMPROF_HOST_LAUNCH_KERNELS_H
