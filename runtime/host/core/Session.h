//===- Session.h - The profiling of this process ----------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A process has one session, begun by its first launch, allocation, copy or stream and
// finished by an exit handler that was registered then: a library's destructor is too
// late for CUDA calls. A forked child begins its own.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_HOST_CORE_SESSION_H
#define GMPROF_HOST_CORE_SESSION_H

#include "host/cache/CacheTrace.h"
#include "host/core/Options.h"
#include "host/launch/GraphNodes.h"
#include "host/launch/Graphs.h"
#include "host/launch/Kernels.h"
#include "host/launch/LaunchProfilers.h"
#include "host/objects/MemoryReadings.h"
#include "host/objects/Objects.h"
#include "host/objects/Pools.h"
#include "host/record/OutputDirectory.h"
#include "host/sync/SyncProfile.h"
#include "profile/Mutex.h"
#include <array>

namespace gmprof::host {

/// Settings of the process; fixed by the library's constructor.
struct Settings {
  Options TheOptions;
  std::vector<std::string> Mistakes; ///< in GMPROF_OPTIONS
  std::string DeviceKind = "gpu";
  bool Enabled = false;
};
Settings &settings();

/// Returns whether call paths are kept, to which Python functions belong.
bool needsPythonStacks(const Settings &S);

/// While one is alive on this thread, CUDA calls are not the program's.
class Inside {
public:
  Inside() { ++Depth; }
  ~Inside() { --Depth; }
  Inside(const Inside &) = delete;
  Inside &operator=(const Inside &) = delete;
  static bool now() { return Depth != 0; }

private:
  static thread_local unsigned Depth;
};

/// A device and what is known of it. Gone after cudaDeviceReset.
struct DeviceState {
  DeviceState(std::unique_ptr<Device> Opened, Session &S);

  std::unique_ptr<Device> TheDevice;
  LaunchProfilers Profilers;
  Kernels TheKernels;
};

class Session {
public:
  /// Returns the session, and begins one if there is none. Returns null if nothing is recorded.
  static Session *begin();
  /// Does the same for a call that only profiles of all calls record; returns null in other
  /// profiles.
  static Session *beginForCall();
  /// Returns the session, or null if none has begun.
  static Session *current();
  /// Returns the session even if it is finished, for releases by exit handlers and destructors;
  /// null if there was none.
  static Session *last();
  /// Waits for what runs, reads all counts and writes the summary.
  static void finishCurrent(std::optional<int> ExitStatus);
  /// Registers finishCurrent() as an exit handler that runs before the driver's. Must be called
  /// once the driver is loaded; a session may have begun before.
  static void finishBeforeDriver();
  /// Counts a launch by an exit handler or destructor of the program, after finishCurrent().
  static void lateLaunch();
  /// Adds late launches and releases to the results, at the very end of the process.
  static void reportLate();
  /// Forgets the session, so that the next launch begins another one. For forked children and
  /// tests.
  static void forget();
  /// Closes the parent's log and its lock on the directory, in a forked child.
  void closeFiles();

  Recorder &log() { return *Log; }
  const DriverApi &driver() const { return Api; }
  const Options &options() const { return TheOptions; }
  Graphs &graphs() { return TheGraphs; }
  GraphNodes &graphNodes() { return TheNodes; }
  Objects &objects() { return TheObjects; }
  AccessSets &accessSets() { return TheAccessSets; }
  CallPaths &callPaths() { return Paths; }
  Pools &pools() { return ThePools; }
  MemoryReadings &readings() { return Readings; }
  /// Returns the readings of the current session; null if no session has begun.
  static MemoryReadings *currentReadings() {
    Session *S = current();
    return S ? &S->Readings : nullptr;
  }
  /// Returns the trace; null if no profile traces requests.
  CacheTrace *trace() { return TheTrace.get(); }
  Textures &textures() { return TheTextures; }
  const ProfileNeeds &needs() const { return Needs; }
  const ProgramMemory &memory() const { return Memory; }
  CloneSource &cloneSource() { return Clones; }
  CloneTime &cloneTime() { return TimeOfClones; }
  StoredAddresses &storedAddresses() { return Stored; }
  /// Returns the sync profile; null if no profile records calls.
  SyncProfile *sync() { return TheSync.get(); }
  /// Returns whether what is enqueued into the stream becomes part of a graph.
  bool capturing(CUstream Stream) const;

  /// Returns the current device, and opens it at the first call. Symbol: a kernel's handle. Returns
  /// null if the device cannot be profiled, and the reason, if any, in Why.
  DeviceState *device(const void *Symbol, std::string &Why,
                      KernelHandle Handle = KernelHandle::Stub);
  /// Returns the current device; null if it is not open.
  DeviceState *openDevice();
  /// Returns the device that a clone is loaded on; Is receives its profile and parameters.
  DeviceState *findClone(CUfunction Function, CloneFunction &Is);
  /// Returns the device whose kernel the program launches as Function, and the kernel.
  DeviceState *findOriginal(CUfunction Function, Kernel *&Of);

  /// Takes the next step of some launches, on all devices.
  void poll();
  /// Must be called after the program waited for the device.
  void deviceIdle();
  void streamDestroyed(CUstream Stream);
  /// Must be called after a module and its kernels were unloaded.
  void moduleUnloaded();
  /// Must be called before a module is unloaded by the driver. Library: what is unloaded; null: the
  /// module alone.
  void moduleUnloading(CUmodule Module, CUlibrary Library = nullptr);
  /// Releases memory after the program found none on the current device. Returns whether there is
  /// more now.
  bool giveBackMemory();
  /// Returns the device that is profiled in this context.
  std::optional<int> deviceOf(CUcontext Context) const;
  /// Prepares for the reset of a device. Returns the objects that it releases, for released().
  std::vector<Objects::Removed> deviceReset(int Ordinal, const void *Caller);
  /// Records the release of Gone, after the call.
  void released(const Objects::Removed &Gone, std::string_view Api, uint64_t Stream,
                bool InGraph = false);

private:
  Session(const Settings &S, std::unique_ptr<OutputDirectory> Directory,
          std::unique_ptr<EventLogWriter> Log);
  static Session *create();
  void finish(std::optional<int> ExitStatus);
  void writeResults(bool SayWhere);
  void finishClones(DeviceState &D);
  void checkKernelFilter();

  /// Returns the devices that were ever opened.
  std::vector<DeviceState *> allDevices();

  const Options TheOptions;
  const ProfileNeeds Needs;
  const pid_t Owner;
  std::unique_ptr<OutputDirectory> Directory;
  std::unique_ptr<Recorder> Log;
  DriverApi Api;
  std::string DriverProblem;
  CloneSource Clones{CloneSource::Settings()};
  CloneTime TimeOfClones{TheOptions.CloneSeconds, TheOptions.FirstLaunchSeconds};
  Graphs TheGraphs;
  GraphNodes TheNodes{*this};
  CallPaths Paths;
  Objects TheObjects;
  MemoryReadings Readings; ///< before ThePools: reads before the parts of a slab are released
  AccessSets TheAccessSets;
  Pools ThePools;
  Textures TheTextures;
  StoredAddresses Stored{TheObjects, ThePools};
  const ProgramMemory Memory{TheObjects, ThePools, TheTextures, Stored};
  std::unique_ptr<SyncProfile> TheSync;
  std::unique_ptr<CacheTrace> TheTrace;
  std::atomic<bool> Finished{false};
  std::atomic<uint64_t> LateLaunches{0}, LateReleases{0};
  Mutex OpenLock;
  std::array<std::atomic<DeviceState *>, 64> Devices = {};
  std::array<bool, 64>
      Recorded GMPROF_GUARDED_BY(OpenLock) = {}; ///< devices that the log describes
  /// Kept, because other threads may still be in a call on one that was reset.
  std::vector<std::unique_ptr<DeviceState>> AllDevices GMPROF_GUARDED_BY(OpenLock);
};

} // namespace gmprof::host

#endif // GMPROF_HOST_CORE_SESSION_H
