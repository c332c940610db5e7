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
  /// The session, begun if there is none. Null when nothing is to be recorded.
  static Session *begin();
  /// The same for a call that only profiles of all calls record. Null for others.
  static Session *beginForCall();
  /// The session, if one has begun.
  static Session *current();
  /// The session, even if it is finished: releases by exit handlers and destructors
  /// are recorded too. Null if there was none.
  static Session *last();
  /// Waits for what runs, reads all counts and writes the summary.
  static void finishCurrent(std::optional<int> ExitStatus);
  /// Once the driver is there: its exit handler runs after those that are registered now, and
  /// a session may have begun before.
  static void finishBeforeDriver();
  /// After finishCurrent(): a launch by an exit handler or destructor of the program.
  static void lateLaunch();
  /// At the very end of the process: adds late launches and releases to the results.
  static void reportLate();
  /// The next launch begins another session. For forked children and for tests.
  static void forget();
  /// In a forked child: gives up the parent's log, and its lock on the directory.
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
  /// Null if no profile traces requests.
  CacheTrace *trace() { return TheTrace.get(); }
  Textures &textures() { return TheTextures; }
  const ProfileNeeds &needs() const { return Needs; }
  const ProgramMemory &memory() const { return Memory; }
  CloneSource &cloneSource() { return Clones; }
  StoredAddresses &storedAddresses() { return Stored; }
  /// Null if no profile records calls.
  SyncProfile *sync() { return TheSync.get(); }
  /// Returns whether what is enqueued into the stream becomes part of a graph.
  bool capturing(CUstream Stream) const;

  /// The current device, opened at first sight. Symbol is a kernel's handle. Null
  /// if it cannot be profiled: a reason, if any, is in Why.
  DeviceState *device(const void *Symbol, std::string &Why,
                      KernelHandle Handle = KernelHandle::Stub);
  /// The current device, if it has been opened.
  DeviceState *openDevice();
  /// Profile: the index of the clone's profile.
  DeviceState *findClone(CUfunction Function, Kernel *&Of, size_t &Profile);
  /// The device whose kernel the program launches as Function.
  DeviceState *findOriginal(CUfunction Function, Kernel *&Of);

  /// Takes the next step of some launches, on all devices.
  void poll();
  /// After the program waited for the device.
  void deviceIdle();
  void streamDestroyed(CUstream Stream);
  /// After a module went, and its kernels with it.
  void moduleUnloaded();
  /// Before a module of the driver's goes.
  void moduleUnloading(CUmodule Module);
  /// The program found no memory on the current device. Whether there is more now.
  bool giveBackMemory();
  /// The device that is profiled in this context.
  std::optional<int> deviceOf(CUcontext Context) const;
  /// Before a device is reset. The objects that go with it, for released().
  std::vector<Objects::Removed> deviceReset(int Ordinal, const void *Caller);
  /// After the call that Gone was removed for.
  void released(const Objects::Removed &Gone, std::string_view Api, uint64_t Stream,
                bool InGraph = false);

private:
  Session(const Settings &S, std::unique_ptr<OutputDirectory> Directory,
          std::unique_ptr<EventLogWriter> Log);
  static Session *create();
  void finish(std::optional<int> ExitStatus);
  void writeResults(bool SayWhere);
  void checkKernelFilter();

  const Options TheOptions;
  const ProfileNeeds Needs;
  const pid_t Owner;
  std::unique_ptr<OutputDirectory> Directory;
  std::unique_ptr<Recorder> Log;
  DriverApi Api;
  std::string DriverProblem;
  CloneSource Clones{CloneSource::Settings()};
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
  std::mutex OpenLock;
  std::array<std::atomic<DeviceState *>, 64> Devices = {};
  std::array<bool, 64> Recorded = {}; ///< devices that the log describes
  /// Kept, because other threads may still be in a call on one that was reset.
  std::vector<std::unique_ptr<DeviceState>> AllDevices;
};

} // namespace gmprof::host

#endif // GMPROF_HOST_CORE_SESSION_H
