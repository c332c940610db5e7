//===- Launch.cpp - Launches a kernel's clone in its place ----------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "host/launch/Launch.h"
#include "host/core/Session.h"
#include "host/sync/LateWaits.h"

namespace gmprof::host {

// The runtime's attributes are passed on to the driver as they are.
static_assert(sizeof(cudaLaunchAttribute) == sizeof(CUlaunchAttribute));
static_assert(static_cast<int>(cudaLaunchAttributeCooperative) ==
              static_cast<int>(CU_LAUNCH_ATTRIBUTE_COOPERATIVE));

bool wantsProfile(Kernel &K, const Options &O, std::string &Why) {
  if (!K.NeverProfiled.empty())
    return false;
  Why = outsideSample(O, K.Name, K.Launches.fetch_add(1, std::memory_order_relaxed));
  return Why.empty();
}

std::shared_ptr<const LaunchObjects> objectsOf(Session &S, const DeviceState &D, const Kernel &K,
                                               const LaunchRequest &R) {
  return K.Accesses->find(R.input(), D.TheDevice->ordinal(), S.memory(), S.accessSets());
}

LaunchPlan planLaunch(DeviceState &D, const LaunchToPlan &L) {
  const LaunchRequest &R = L.R;
  // These the program's own kernel refuses.
  if (R.blocks() == 0 || R.threads() == 0 || R.threads() > L.K.MaxThreads ||
      (!R.Args && L.K.ParamCount != 0))
    return {};
  std::string Why = D.TheKernels.updateAttributes(L.K);
  if (Why.empty() && R.DynamicShared > L.K.MaxDynamicShared &&
      R.DynamicShared > D.TheKernels.refreshMaxDynamicShared(L.K))
    return {};
  return D.Profiler->plan(L, std::move(Why));
}

std::vector<void *> cloneArgs(const Kernel &K, void **Args, CloneParameter &Parameter) {
  std::vector<void *> All(Args, Args + K.ParamCount);
  All.push_back(&Parameter);
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
  return Record;
}

namespace {

/// One launch of a known kernel.
class Launch {
public:
  Launch(Session &S, DeviceState &D, Kernel &K, const LaunchRequest &R)
      : S(S), D(D), K(K), R(R), Objects(objectsOf(S, D, K, R)),
        Record(launchRecord(S, D, K, R, *Objects)) {}
  cudaError_t run(PlainCall Plain);
  uint32_t accessSet() const { return Record.accessSet; }

private:
  bool streamState();
  void noteMissingRanges();
  bool runClone();

  Session &S;
  DeviceState &D;
  Kernel &K;
  const LaunchRequest &R;
  const std::shared_ptr<const LaunchObjects> Objects;
  log::LaunchRecord Record;
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

/// False when a launch into the stream cannot succeed.
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

void Launch::noteMissingRanges() {
  if (Plan.LacksRanges)
    S.log().gap("launches without live ranges",
                "the block's shared memory has no room for what they need", 1);
}

/// Launches the planned clone; false, with the plan saying why, if it does not
/// run.
bool Launch::runClone() {
  LaunchContext *C = Plan.Counters->acquire(R, Record.id, Capturing, Plan.Why);
  if (!C)
    return false;
  CloneParameter Parameter = Plan.Counters->parameter(*C);
  CUresult Error = launchClone(D.TheDevice->api(), K, Plan, R, Parameter);
  if (Error != CUDA_SUCCESS) {
    D.Profiler->contexts().abandoned(C);
    Plan.Why = "its clone could not be launched: " + describe(Error);
    return false;
  }
  noteMissingRanges();
  Plan.Counters->started();
  // Before launched(): counts must not precede their launch in the log.
  Record.mode = Plan.Mode;
  Record.context = Plan.Counters->logContext(*C);
  Record.notes = Record.context == 0;
  S.log().launch(Record);
  Plan.Counters->recorded(*C, Record.id);
  if (Capturing)
    S.graphNodes().capturedLaunch(R.Stream, Record.id);
  if (!Capturing)
    D.Profiler->contexts().launched(C, R.Stream, Plan.Counters->caseInContext());
  return true;
}

cudaError_t Launch::run(PlainCall Plain) {
  CurrentContext Context(*D.TheDevice, R.Handle);
  if (!Context.right()) {
    Plan.Why = "it was launched in another context than the device's first kernel";
  } else if (streamState() && wantsProfile(K, S.options(), Plan.Why)) {
    // It may be replayed by the driver, too, which is not seen.
    if (R.OwnOnly)
      Plan.Why = R.OwnOnly;
    else if (Capturing && R.Handle == KernelHandle::Function)
      Plan.Why = "the driver's cuLaunchKernel made it a node of a graph";
    else
      Plan = planLaunch(D, {K, R, Objects, Place});
  }
  if (Plan.Run && runClone())
    return cudaSuccess;
  if (Plan.CloneIsOptional)
    Plan.Run = nullptr;
  if (Plan.Run && Plan.HasFallback) {
    Plan = planLaunch(D, {K, R, Objects, Place, /*Fallback=*/true});
    if (Plan.Run && runClone())
      return cudaSuccess;
  }
  cudaError_t Error = Plain();
  if (Error != cudaSuccess)
    return Error;
  if (const uint64_t Known = Plan.contextWithoutClone()) {
    if (Capturing)
      S.graphs().capturedWithoutClone(Known);
    noteMissingRanges();
    Record.mode = Plan.Mode;
    Record.context = Known;
  } else {
    bool Refused = Plan.Run || Plan.Mode == log::LaunchMode::Refused || !Context.right();
    Record.mode = Refused ? log::LaunchMode::Refused : Plan.Mode;
    Record.reason = S.log().reason(Plan.Why);
  }
  S.log().launch(Record);
  if (Capturing)
    S.graphNodes().capturedLaunch(R.Stream, Record.id);
  return cudaSuccess;
}

/// AccessSet: where the number of what it accesses goes.
static cudaError_t launchSeen(Session &S, const LaunchRequest &R, PlainCall Plain,
                              uint32_t *AccessSet) {
  std::string Why;
  DeviceState *D = S.device(R.Symbol, Why, R.Handle);
  if (Kernel *K = D ? D->TheKernels.get(R.Symbol, R.Handle) : nullptr) {
    Launch L(S, *D, *K, R);
    if (AccessSet)
      *AccessSet = L.accessSet();
    return L.run(Plain);
  }
  cudaError_t Error = Plain();
  if (Error == cudaSuccess)
    S.log().gap("launches",
                Why.empty() ? "the kernel's handle is not known to cudaGetFuncBySymbol" : Why, 1);
  return Error;
}

static cudaError_t launchObserved(Session &S, SyncProfile &Sync, const LaunchRequest &R,
                                  PlainCall Plain) {
  const char *Api = R.Handle == KernelHandle::Function ? "cuLaunchKernel" : "cudaLaunchKernel";
  ObservedCall Observed({log::CallKind::Launch, Api, nullptr, R.Stream});
  uint32_t AccessSet = 0;
  auto Watched = [&] {
    // On the CPU device a kernel may begin before the call returns.
    Sync.launching(Observed.operation(), Observed.device(), AccessSet);
    cudaError_t Error = Plain();
    Observed.returned(Error);
    return Error;
  };
  if (Sync.callsOnly())
    return Watched();
  return launchSeen(S, R, Watched, &AccessSet);
}

cudaError_t launchKernel(const LaunchRequest &R, PlainCall Plain) {
  if (Inside::now())
    return Plain();
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
