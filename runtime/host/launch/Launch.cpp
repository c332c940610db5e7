//===- Launch.cpp - Launches a kernel's clone in its place ----------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "host/launch/Launch.h"
#include "host/core/Session.h"
#include "host/launch/LaunchedFunctions.h"
#include "host/sync/LateWaits.h"

namespace gmprof::host {

// The runtime's attributes are passed on to the driver as they are.
static_assert(sizeof(cudaLaunchAttribute) == sizeof(CUlaunchAttribute));
static_assert(static_cast<int>(cudaLaunchAttributeCooperative) ==
              static_cast<int>(CU_LAUNCH_ATTRIBUTE_COOPERATIVE));

std::shared_ptr<const LaunchObjects> objectsOf(Session &S, const DeviceState &D, const Kernel &K,
                                               const LaunchRequest &R) {
  return K.Accesses->find(R.input(), D.TheDevice->ordinal(), S.memory(), S.accessSets());
}

LaunchPlan planLaunch(DeviceState &D, const Options &O, const LaunchToPlan &L, uint64_t Number) {
  const LaunchRequest &R = L.R;
  if (!L.K.NeverProfiled.empty())
    return {};
  // These the program's own kernel refuses.
  if (R.blocks() == 0 || R.threads() == 0 || R.threads() > L.K.MaxThreads ||
      (!R.Args && L.K.ParamCount != 0))
    return {};
  std::string Why = D.TheKernels.updateAttributes(L.K);
  if (Why.empty() && R.DynamicShared > L.K.MaxDynamicShared &&
      R.DynamicShared > D.TheKernels.refreshMaxDynamicShared(L.K))
    return {};
  return D.Profilers.plan(L, outsideSample(O, L.K.Name, Number - 1), std::move(Why));
}

std::vector<void *> cloneArgs(const Kernel &K, void **Args, CloneParameter &Parameter) {
  std::vector<void *> All(Args, Args + K.ParamCount);
  All.push_back(Parameter.data());
  return All;
}

static CUresult launchClone(const DriverApi &Api, const Kernel &K, const LaunchPlan &P,
                            const LaunchRequest &R, CloneParameter &Parameter) {
  std::vector<void *> Args = cloneArgs(K, R.Args, Parameter);
  CUlaunchConfig Config = {};
  Config.gridDimX = R.Grid.x;
  Config.gridDimY = R.Grid.y;
  Config.gridDimZ = R.Grid.z;
  Config.blockDimX = R.Block.x;
  Config.blockDimY = R.Block.y;
  Config.blockDimZ = R.Block.z;
  Config.sharedMemBytes = P.DynamicShared;
  Config.hStream = R.Stream;
  Config.attrs =
      reinterpret_cast<CUlaunchAttribute *>(const_cast<cudaLaunchAttribute *>(R.Attributes));
  Config.numAttrs = R.AttributeCount;
  return Api.cuLaunchKernelEx(&Config, P.Run->Function, Args.data(), nullptr);
}

log::LaunchRecord launchRecord(Session &S, const DeviceState &D, const Kernel &K,
                               const LaunchRequest &R, const LaunchObjects &Objects) {
  log::LaunchRecord Record = {};
  Record.id = S.log().nextLaunchId();
  Record.timeNs = steadyNs();
  Record.stream = reinterpret_cast<uint64_t>(R.Stream);
  Record.kernel = K.Id;
  const unsigned Grid[] = {R.Grid.x, R.Grid.y, R.Grid.z};
  const unsigned Block[] = {R.Block.x, R.Block.y, R.Block.z};
  std::copy_n(Grid, 3, Record.grid);
  std::copy_n(Block, 3, Record.block);
  Record.dynamicSharedBytes = static_cast<uint32_t>(R.DynamicShared);
  Record.device = static_cast<uint32_t>(D.TheDevice->ordinal());
  Record.accessSet = Objects.Set;
  // Findings about objects name the launches that use them, by their lines.
  if (S.options().Profiles.hasAny(ProfileSet(ProfileChoice::Objects) | ProfileChoice::Elements))
    Record.callPath = S.callPaths().find(R.Caller);
  return Record;
}

namespace {

/// One launch of a known kernel.
class Launch {
public:
  Launch(Session &S, DeviceState &D, Kernel &K, const LaunchRequest &R)
      : S(S), D(D), K(K), R(R), Objects(objectsOf(S, D, K, R)),
        Record(launchRecord(S, D, K, R, *Objects)), Number(K.Launches->next()) {}
  cudaError_t run(PlainCall Plain);
  uint32_t accessSet() const { return Record.accessSet; }

private:
  bool streamState();
  void recordMissingRanges();
  void record();
  LaunchTimes::Timer startTimer();
  void stopTimer(LaunchTimes::Timer T, bool Launched);
  bool runClone();

  Session &S;
  DeviceState &D;
  Kernel &K;
  const LaunchRequest &R;
  const std::shared_ptr<const LaunchObjects> Objects;
  log::LaunchRecord Record;
  const CodeLaunches::Number Number;
  LaunchPlan Plan;
  bool Capturing = false;
  LaunchPlace Place = LaunchPlace::Stream;
};

/// Makes the device's context current on a thread that has none yet. It stays so after a launch by
/// the runtime, which does the same. Not right if the thread works with another one.
class CurrentContext {
public:
  CurrentContext(const Device &D, KernelHandle Handle) : Api(D.api()) {
    CUcontext Current = nullptr;
    Api.cuCtxGetCurrent(&Current);
    const bool Pushed = !Current && Api.cuCtxPushCurrent(D.context()) == CUDA_SUCCESS;
    Right = Pushed || Current == D.context();
    Pop = Pushed && Handle == KernelHandle::Function;
  }
  ~CurrentContext() {
    CUcontext Popped = nullptr;
    if (Pop)
      Api.cuCtxPopCurrent(&Popped);
  }
  CurrentContext(const CurrentContext &) = delete;
  CurrentContext &operator=(const CurrentContext &) = delete;
  bool right() const { return Right; }

private:
  const DriverApi &Api;
  bool Pop = false, Right = false;
};

} // namespace

/// Returns false if a launch into the stream cannot succeed.
bool Launch::streamState() {
  CUstreamCaptureStatus Status = CU_STREAM_CAPTURE_STATUS_NONE;
  if (D.TheDevice->api().cuStreamIsCapturing(R.Stream, &Status) != CUDA_SUCCESS)
    return false;
  Capturing = Status == CU_STREAM_CAPTURE_STATUS_ACTIVE;
  if (Capturing)
    Place = S.graphs().placeOfCapture(R.Stream);
  Record.graph = static_cast<uint32_t>(Place);
  return Status != CU_STREAM_CAPTURE_STATUS_INVALIDATED;
}

void Launch::recordMissingRanges() {
  if (Plan.LacksRanges)
    S.log().gap("launches without live ranges",
                "the block's shared memory has no room for what they need", 1);
}

/// Writes the launch, and the further contexts in which it counts, to the log.
void Launch::record() {
  S.log().launch(Record);
  for (const FormsContext &C : Plan.Forms)
    S.log().launchForms({Record.id, C.Context, C.Mode, 0});
  if (Capturing)
    S.graphNodes().capturedLaunch(R.Stream, Record.id);
}

/// Starts timing the launch if it is one of those that are timed.
LaunchTimes::Timer Launch::startTimer() {
  LaunchTimes *Times = D.Profilers.times();
  return Times && !Capturing && LaunchTimes::wants(Number.All) ? Times->begin(R.Stream)
                                                               : LaunchTimes::Timer();
}

/// Stops a timer of startTimer(). Launched: the launch succeeded.
void Launch::stopTimer(LaunchTimes::Timer T, bool Launched) {
  if (!T.Begin)
    return;
  if (Launched)
    D.Profilers.times()->end(T, R.Stream, Record.id);
  else
    D.Profilers.times()->cancel(T);
}

/// Launches the planned clone. Returns false, and sets Plan.Why, if it does not run.
bool Launch::runClone() {
  LaunchContext *C = Plan.Counters->acquire(R, Record.id, Capturing, Plan.Why);
  if (!C)
    return false;
  CloneParameter Parameter = Plan.Counters->parameter(*C);
  const LaunchTimes::Timer Timer = startTimer();
  CUresult Error = launchClone(D.TheDevice->api(), K, Plan, R, Parameter);
  stopTimer(Timer, Error == CUDA_SUCCESS);
  if (Error != CUDA_SUCCESS) {
    Plan.Profiler->contexts().abandoned(C);
    Plan.Why = "its clone could not be launched: " + describe(Error);
    return false;
  }
  K.Launches->cloneRan(Plan.Profiler->index());
  recordMissingRanges();
  Plan.Counters->started();
  // Before launched(): counts must not precede their launch in the log.
  Record.mode = Plan.Mode;
  Record.context = Plan.Counters->logContext(*C);
  Record.notes = Record.context == 0;
  record();
  Plan.Counters->recorded(*C, Record.id);
  if (!Capturing)
    Plan.Profiler->contexts().launched(C, R.Stream, Plan.Counters->caseInContext());
  return true;
}

cudaError_t Launch::run(PlainCall Plain) {
  CurrentContext Context(*D.TheDevice, R.Handle);
  if (!Context.right()) {
    Plan.Why = "it was launched in another context than the device's first kernel";
  } else if (const bool Possible = streamState(); K.Awaits) {
    Plan.Why = K.NeverProfiled; // the kernel's later launches may be profiled
  } else if (Possible && K.NeverProfiled.empty()) {
    // It may be replayed by the driver, too, which is not seen.
    if (R.OwnOnly)
      Plan.Why = R.OwnOnly;
    else if (Capturing && R.Handle == KernelHandle::Function)
      Plan.Why = "the driver's cuLaunchKernel made it a node of a graph";
    else
      Plan = planLaunch(D, S.options(), {K, R, Objects, Place}, Number.Profiled);
  }
  if (Plan.AwaitsClone || K.Awaits)
    K.Launches->awaitedClone();
  if (Plan.Run && runClone())
    return cudaSuccess;
  if (Plan.Run && Plan.HasFallback) {
    const std::optional<log::LaunchMode> WithoutClone = Plan.ModeWithoutClone;
    LaunchProfiler &Profiler = *Plan.Profiler;
    std::vector<FormsContext> Forms = std::move(Plan.Forms);
    Plan = Profiler.plan({K, R, Objects, Place, /*Fallback=*/true}, "");
    Plan.Profiler = &Profiler;
    Plan.ModeWithoutClone = WithoutClone;
    Plan.Forms = std::move(Forms);
    if (Plan.Run && runClone())
      return cudaSuccess;
  }
  const bool Failed = Plan.Run || Plan.Mode == log::LaunchMode::Refused;
  if (Failed && Plan.ModeWithoutClone) {
    if (Plan.Mode != *Plan.ModeWithoutClone)
      S.log().gap("instrumented launches", Plan.Why, 1);
    Plan.Run = nullptr;
    Plan.Mode = *Plan.ModeWithoutClone;
  }
  const LaunchTimes::Timer Timer = startTimer();
  cudaError_t Error = Plain();
  stopTimer(Timer, Error == cudaSuccess);
  if (Error != cudaSuccess)
    return Error;
  if (const uint64_t Known = Plan.contextWithoutClone()) {
    if (Capturing)
      S.graphs().capturedWithoutClone(Known);
    recordMissingRanges();
    Record.mode = Plan.Mode;
    Record.context = Known;
  } else {
    bool Refused = Plan.Run || Plan.Mode == log::LaunchMode::Refused || !Context.right();
    Record.mode = Refused ? log::LaunchMode::Refused : Plan.Mode;
    Record.reason = S.log().reason(Plan.Why);
  }
  record();
  return cudaSuccess;
}

/// Makes a recorded launch. AccessSet receives the number of the set that it accesses.
static cudaError_t launchSeen(Session &S, const LaunchRequest &R, PlainCall Plain,
                              uint32_t *AccessSet) {
  if (R.Handle == KernelHandle::Stub && LaunchedFunctions::get().contains(R.Symbol)) {
    LaunchRequest OfDriver = R;
    OfDriver.Handle = KernelHandle::Function;
    return launchSeen(S, OfDriver, Plain, AccessSet);
  }
  std::string Why;
  DeviceState *D = S.device(R.Symbol, Why, R.Handle);
  Kernel *K = D ? D->TheKernels.get(R.Symbol, R.Handle) : nullptr;
  if (K && K->Awaits && R.Handle != KernelHandle::Function && S.capturing(R.Stream))
    K = D->TheKernels.get(R.Symbol, R.Handle, /*Wait=*/true);
  if (K) {
    Launch L(S, *D, *K, R);
    if (AccessSet)
      *AccessSet = L.accessSet();
    return L.run(Plain);
  }
  cudaError_t Error = Plain();
  if (Error != cudaSuccess)
    return Error;
  if (Why.empty()) {
    Why = "CUDA does not know the kernel's handle";
    if (R.Handle == KernelHandle::Stub && !isInLoadedFile(R.Symbol)) {
      LaunchedFunctions::get().add(R.Symbol);
      Why = "cudaLaunchKernel got a CUfunction, which GMProf knows from its second launch on";
    }
  }
  S.log().gap("launches", Why, 1);
  return Error;
}

static cudaError_t launchObserved(Session &S, SyncProfile &Sync, const LaunchRequest &R,
                                  PlainCall Plain) {
  const char *Api = R.Handle == KernelHandle::Function ? "cuLaunchKernel" : "cudaLaunchKernel";
  ObservedCall Observed({log::CallKind::Launch, Api, R.Caller, R.Stream});
  uint32_t AccessSet = 0;
  auto Watched = [&] {
    // On the CPU device a kernel may begin before the call returns.
    Sync.launching(Observed.operation(), Observed.device(), AccessSet);
    cudaError_t Error = Plain();
    Observed.returned(Error);
    return Error;
  };
  if (Sync.watchesHost())
    return launchSeen(S, R, Watched, &AccessSet);
  // A clone may run in the kernel's place.
  cudaError_t Error = Sync.recordsLaunches() ? launchSeen(S, R, Plain, nullptr) : Plain();
  Observed.returned(Error);
  return Error;
}

cudaError_t launchKernel(const void *Caller, LaunchRequest R, PlainCall Plain) {
  if (Inside::now())
    return Plain();
  R.Caller = Caller;
  Inside Guard;
  if (LateWaits *L = LateWaits::active())
    L->calling({log::CallKind::Launch, "", nullptr, R.Stream});
  Session *S = Session::begin();
  if (!S) {
    Session::lateLaunch();
    return Plain();
  }
  if (SyncProfile *Sync = S->sync())
    return launchObserved(*S, *Sync, R, Plain);
  return launchSeen(*S, R, Plain, nullptr);
}

} // namespace gmprof::host
