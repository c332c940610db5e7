//===- Session.cpp - The profiling of this process ------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "host/core/Session.h"
#include "host/core/RuntimeApi.h"
#include "host/python/PythonStacks.h"
#include "host/record/OutputName.h"
#include "host/record/SummaryProcess.h"
#include "host/sync/WhatIf.h"
#include "profile/Mutex.h"
#include <cstdlib>
#include <filesystem>
#include <pthread.h>
#include <set>
#include <unistd.h>

namespace gmprof::host {
namespace {

Mutex SessionLock;
std::atomic<Session *> TheSession{nullptr};
std::atomic<bool> Impossible{false}; ///< no session can be had; that was said

/// Prints a line with one write, so that lines of other threads do not mix with it.
void say(const std::string &Line) {
  std::string Text = "gmprof: " + Line + "\n";
  [[maybe_unused]] ssize_t Written = write(STDERR_FILENO, Text.data(), Text.size());
}

void onExit(int Status, void *) { Session::finishCurrent(Status); }

/// Forgets the parent's session in a child, whose locks may be held by threads
/// that the child does not have.
void afterForkInChild() {
  if (Session *S = TheSession.load(std::memory_order_acquire))
    S->closeFiles();
  HostWatch::afterForkInChild();
  PythonStacks::ofProcess().afterFork();
  Session::forget();
}

/// Returns a path as seen from the current directory, if it lies there.
std::string shown(const std::string &Path) {
  std::error_code Failed;
  std::string Here = std::filesystem::current_path(Failed).string() + "/";
  return !Failed && Path.starts_with(Here) ? Path.substr(Here.size()) : Path;
}

std::string executableName() {
  char Path[4096];
  ssize_t Length = readlink("/proc/self/exe", Path, sizeof(Path));
  std::string Name(Path, Length < 0 ? 0 : Length);
  return Name.substr(Name.rfind('/') + 1);
}

} // namespace

thread_local unsigned Inside::Depth = 0;

bool needsPythonStacks(const Settings &S) {
  return (S.Enabled && S.TheOptions.framesToKeep() != 0) || WhatIf::active();
}

Settings &settings() {
  static auto &Instance = *new Settings; // libraries call until they are unloaded at exit
  return Instance;
}

void Session::forget() {
  TheSession.store(nullptr, std::memory_order_release);
  Impossible.store(false, std::memory_order_release);
  new (&SessionLock) Mutex;
}

Session *Session::current() {
  Session *S = TheSession.load(std::memory_order_acquire);
  return S && !S->Finished.load(std::memory_order_acquire) ? S : nullptr;
}

Session *Session::last() {
  Session *S = TheSession.load(std::memory_order_acquire);
  return S && S->Owner == getpid() ? S : nullptr;
}

void Session::finishBeforeDriver() {
  static std::once_flag Registered;
  std::call_once(Registered, [] { on_exit(onExit, nullptr); });
}

Session *Session::begin() {
  if (WhatIf *W = WhatIf::active())
    W->started();
  if (!settings().Enabled || Impossible.load(std::memory_order_acquire))
    return nullptr;
  if (TheSession.load(std::memory_order_acquire))
    return current();
  LockGuard Guard(SessionLock);
  if (TheSession.load(std::memory_order_acquire) || Impossible)
    return current();
  Session *New = create();
  TheSession.store(New, std::memory_order_release);
  Impossible = !New;
  return New;
}

Session *Session::beginForCall() {
  const Session *Begun = TheSession.load(std::memory_order_acquire);
  const bool Calls = Begun ? Begun->Needs.Calls : needsOf(settings().TheOptions.Profiles).Calls;
  return Calls ? begin() : nullptr;
}

Session *Session::create() {
  const Settings &S = settings();
  const Result<std::string> Path = expandOutput(S.TheOptions.Output, outputFacts(executableName()));
  if (!Path) {
    say(Path.error() + " (GMPROF_OPTIONS=output=DIR); the program runs without profiling");
    return nullptr;
  }
  auto Directory =
      S.TheOptions.LogOnly ? OutputDirectory::openForLog(*Path) : OutputDirectory::open(*Path);
  if (!Directory) {
    say(Directory.error() + " (GMPROF_OPTIONS=output=DIR); the program runs without profiling");
    return nullptr;
  }
  (*Directory)->makeAbsolute();
  auto Log = EventLogWriter::create((*Directory)->newLogPath());
  if (!Log) {
    say(Log.error() + "; the program runs without profiling");
    return nullptr;
  }
  static std::once_flag Registered;
  std::call_once(Registered, [] {
    on_exit(onExit, nullptr);
    pthread_atfork(HostWatch::beforeFork, HostWatch::afterForkInParent, afterForkInChild);
  });
  return new Session(S, std::move(*Directory), std::move(*Log));
}

Session::Session(const Settings &S, std::unique_ptr<OutputDirectory> Where,
                 std::unique_ptr<EventLogWriter> Writer)
    : TheOptions(S.TheOptions), Needs(needsOf(TheOptions.Profiles)), Owner(getpid()),
      Directory(std::move(Where)), Log(std::make_unique<Recorder>(std::move(Writer))),
      TheGraphs(*this), Paths(Log.get(), S.TheOptions.framesToKeep()), TheObjects(*Log, Paths),
      Readings(*Log, Api, Paths, TheObjects, S.DeviceKind == "cpu"), TheAccessSets(*Log),
      ThePools(*Log, Paths, TheObjects) {
  TheObjects.beforeRelease([this](const LiveObject &Gone) {
    if (Finished.load(std::memory_order_acquire))
      return;
    for (std::atomic<DeviceState *> &Each : Devices)
      if (DeviceState *D = Each.load(std::memory_order_acquire))
        D->Profilers.objectReleased(Gone.Id);
  });
  Log->run(TheOptions, S.DeviceKind, commandLine(), getpid());
  for (const std::string &Mistake : S.Mistakes)
    Log->gap("options", Mistake, 1);
  DriverProblem = Api.load();
  TheTrace = CacheTrace::create(TheOptions, *Log);
  if (DriverProblem.empty())
    TheSync = SyncProfile::create(TheOptions, *Log, Paths, Api, TheObjects, TheAccessSets,
                                  S.DeviceKind == "gpu");
}

void Session::closeFiles() {
  Log->closeFile();
  close(Directory->fd());
}

DeviceState::DeviceState(std::unique_ptr<Device> Opened, Session &S)
    : TheDevice(std::move(Opened)), Profilers(S, *TheDevice),
      TheKernels(*TheDevice, S.log(), S.objects(), S.options(), Profilers, S.cloneSource(),
                 S.cloneTime()) {}

DeviceState *Session::openDevice() {
  // Sooner known than its number is: launches ask for it.
  CUcontext Current = nullptr;
  if (Api.cuCtxGetCurrent && Api.cuCtxGetCurrent(&Current) == CUDA_SUCCESS && Current)
    for (std::atomic<DeviceState *> &Each : Devices)
      if (DeviceState *D = Each.load(std::memory_order_acquire);
          D && D->TheDevice->context() == Current)
        return D;
  const auto Ordinal = static_cast<size_t>(Api.currentDevice());
  return Ordinal < Devices.size() ? Devices[Ordinal].load(std::memory_order_acquire) : nullptr;
}

DeviceState *Session::device(const void *Symbol, std::string &Why, KernelHandle Handle) {
  if (DeviceState *Open = openDevice())
    return Open;
  Why = DriverProblem;
  if (!Why.empty())
    return nullptr;
  const int Ordinal = Api.currentDevice();
  if (size_t(Ordinal) >= Devices.size()) {
    Why = "its device is not one of the first " + std::to_string(Devices.size());
    return nullptr;
  }
  LockGuard Guard(OpenLock);
  if (DeviceState *Open = openDevice())
    return Open;
  RelaxedCapture Relaxed(Api);
  // Makes the device's context current on this thread, as the launch would.
  if (Handle != KernelHandle::Function)
    GMPROF_REAL(cudaFree, nullptr);
  if (!Kernels::functionOf(Api, Symbol, Handle))
    return nullptr;
  std::unique_ptr<Device> New = Device::open(Api, Ordinal, Why);
  if (!New)
    return nullptr;
  // Where calls are recorded, the session began before the program's first call started the driver.
  if (TheSync)
    finishBeforeDriver();
  if (!Recorded[Ordinal])
    Log->device(New->facts());
  Recorded[Ordinal] = true;
  AllDevices.push_back(std::make_unique<DeviceState>(std::move(New), *this));
  Devices[Ordinal].store(AllDevices.back().get(), std::memory_order_release);
  return AllDevices.back().get();
}

DeviceState *Session::findClone(CUfunction Function, CloneFunction &Is) {
  for (std::atomic<DeviceState *> &Each : Devices)
    if (DeviceState *D = Each.load(std::memory_order_acquire))
      if (const std::optional<CloneFunction> Found = D->TheKernels.findClone(Function)) {
        Is = *Found;
        return D;
      }
  return nullptr;
}

DeviceState *Session::findOriginal(CUfunction Function, Kernel *&Of) {
  for (std::atomic<DeviceState *> &Each : Devices)
    if (DeviceState *D = Each.load(std::memory_order_acquire))
      if ((Of = D->TheKernels.findOriginal(Function)))
        return D;
  return nullptr;
}

void Session::poll() {
  for (std::atomic<DeviceState *> &Each : Devices)
    if (DeviceState *D = Each.load(std::memory_order_acquire))
      D->Profilers.poll();
}

void Session::deviceIdle() {
  if (DeviceState *D = openDevice())
    D->Profilers.finishEnded();
}

void Session::streamDestroyed(CUstream Stream) {
  for (std::atomic<DeviceState *> &Each : Devices)
    if (DeviceState *D = Each.load(std::memory_order_acquire))
      D->Profilers.streamDestroyed(Stream);
}

void Session::moduleUnloaded() {
  for (std::atomic<DeviceState *> &Each : Devices)
    if (DeviceState *D = Each.load(std::memory_order_acquire))
      D->TheKernels.forgetUnloaded();
}

void Session::moduleUnloading(CUmodule Module, CUlibrary Library) {
  for (std::atomic<DeviceState *> &Each : Devices)
    if (DeviceState *D = Each.load(std::memory_order_acquire)) {
      D->Profilers.moduleUnloading();
      D->TheKernels.forgetModule(Module, Library);
    }
}

bool Session::capturing(CUstream Stream) const {
  CUstreamCaptureStatus Status = CU_STREAM_CAPTURE_STATUS_NONE;
  return DriverProblem.empty() && Api.cuStreamIsCapturing(Stream, &Status) == CUDA_SUCCESS &&
         Status == CU_STREAM_CAPTURE_STATUS_ACTIVE;
}

void Session::released(const Objects::Removed &Gone, std::string_view Api, uint64_t Stream,
                       bool InGraph) {
  TheObjects.released(Gone, Api, Stream, InGraph);
  if (Finished.load(std::memory_order_acquire))
    LateReleases.fetch_add(1, std::memory_order_relaxed);
}

bool Session::giveBackMemory() {
  DeviceState *D = openDevice();
  if (!D)
    return false;
  const bool Counters = D->Profilers.giveBackMemory();
  return D->TheKernels.giveBackMemory() || Counters;
}

std::optional<int> Session::deviceOf(CUcontext Context) const {
  for (const std::atomic<DeviceState *> &Each : Devices)
    if (DeviceState *D = Each.load(std::memory_order_acquire);
        D && D->TheDevice->context() == Context)
      return D->TheDevice->ordinal();
  return std::nullopt;
}

std::vector<Objects::Removed> Session::deviceReset(int Ordinal, const void *Caller) {
  if (size_t(Ordinal) >= Devices.size())
    return {};
  if (DeviceState *D = Devices[Ordinal].load(std::memory_order_acquire)) {
    finishClones(*D);
    D->Profilers.finish();
    TheGraphs.forgetAll();
    Devices[Ordinal].store(nullptr, std::memory_order_release);
  }
  std::vector<Objects::Removed> Gone = TheObjects.removeAll(Ordinal, Caller);
  Readings.deviceReset(Ordinal);
  return Gone;
}

/// Records that kernels of the device have failed. Such an error is reported by all later calls.
static void noteFailure(const Device &D, Recorder &Log) {
  DriverScope Scope(D.api(), D.context());
  CUevent Event = nullptr; // lives until the program ends, now
  const CUresult State = D.api().cuEventCreate(&Event, CU_EVENT_DISABLE_TIMING);
  if (State != CUDA_SUCCESS && State != CUDA_ERROR_DEINITIALIZED &&
      State != CUDA_ERROR_CONTEXT_IS_DESTROYED)
    Log.gap("failed kernels",
            "a kernel has failed (" + describe(State) +
                "): it and what came after it did less than the numbers say",
            1);
}

std::vector<DeviceState *> Session::allDevices() {
  LockGuard Guard(OpenLock);
  std::vector<DeviceState *> All;
  for (const std::unique_ptr<DeviceState> &D : AllDevices)
    All.push_back(D.get());
  return All;
}

/// Ends the making of clones in the background.
void Session::finishClones(DeviceState &D) {
  if (const size_t Missing = D.TheKernels.finishClones())
    Log->gap("clones",
             "the program ended before they were made (a greater --first-launch-seconds has "
             "launches wait)",
             Missing);
}

void Session::finish(std::optional<int> ExitStatus) {
  if (Finished.exchange(true))
    return;
  size_t DeviceBytes = 0;
  for (DeviceState *D : allDevices()) {
    if (Devices[D->TheDevice->ordinal()].load() == D) {
      finishClones(*D);
      D->Profilers.finish();
    }
    noteFailure(*D->TheDevice, *Log);
    DeviceBytes += D->TheDevice->memory().reserved() + D->Profilers.peakBytes();
  }
  if (TheTrace)
    TheTrace->finish();
  if (TheSync)
    TheSync->finish();
  Readings.end();
  checkKernelFilter();
  ThePools.finish();
  Log->end(ExitStatus, DeviceBytes);
  if (!TheOptions.LogOnly)
    writeResults(!TheOptions.Quiet);
  else if (!Log->error().empty())
    say(Log->error() + "; what came after is lost");
}

/// A filter that matches nothing is probably a mistake.
void Session::checkKernelFilter() {
  constexpr size_t MostNames = 20;
  bool AnyWanted = false;
  std::set<std::string> Names;
  for (DeviceState *D : allDevices())
    for (std::string &Name : D->TheKernels.names(AnyWanted))
      Names.insert(std::move(Name));
  if (AnyWanted || Names.empty())
    return;
  std::string List;
  for (const std::string &Name : Names) {
    if (&Name == &*std::next(Names.begin(), std::min(MostNames, Names.size() - 1)) &&
        Names.size() > MostNames) {
      List += ", … (" + std::to_string(Names.size()) + " in all)";
      break;
    }
    List += (List.empty() ? "" : ", ") + Name;
  }
  std::string Why = "'" + TheOptions.Kernels + "' matches none of the kernels launched: " + List;
  Log->gap("kernel filters", Why, 1);
  if (!TheOptions.Quiet)
    say("warning: the kernel filter " + Why);
}

void Session::writeResults(bool SayWhere) {
  const std::string Summary = shown(Directory->path() + "/summary.json");
  if (const std::string Why = writeSummaryOf(Log->path(), Directory->path()); !Why.empty())
    say(Why + "; the events are in " + shown(Log->path()));
  else if (!Log->error().empty())
    say(Log->error() + "; " + Summary + " lacks what came after");
  else if (SayWhere)
    say("wrote " + Summary + " (" + std::to_string(Log->kernels()) +
        (Log->kernels() == 1 ? " kernel, " : " kernels, ") + std::to_string(Log->launches()) +
        (Log->launches() == 1 ? " launch)" : " launches)"));
}

void Session::finishCurrent(std::optional<int> ExitStatus) {
  Session *S = last();
  if (!S)
    return;
  Inside Guard;
  S->finish(ExitStatus);
}

void Session::lateLaunch() {
  if (Session *S = last())
    S->LateLaunches.fetch_add(1, std::memory_order_relaxed);
}

void Session::reportLate() {
  Session *S = last();
  if (!S || (S->LateLaunches == 0 && S->LateReleases == 0))
    return;
  if (S->LateLaunches != 0)
    S->Log->gap("launches", "the program launched them after its exit handlers began",
                S->LateLaunches);
  if (!S->TheOptions.LogOnly)
    S->writeResults(/*SayWhere=*/false);
}

} // namespace gmprof::host
