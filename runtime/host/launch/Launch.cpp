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

static uint32_t alignTo(uint32_t Value, uint32_t Alignment) {
  return (Value + Alignment - 1) / Alignment * Alignment;
}

bool LaunchRequest::cooperative() const {
  for (unsigned I = 0; I < AttributeCount; ++I)
    if (Attributes[I].id == cudaLaunchAttributeCooperative)
      return Attributes[I].val.cooperative != 0;
  return false;
}

SharedCounterRoom sharedCounterRoom(uint32_t StaticShared, uint32_t DynamicShared,
                                    uint32_t CounterBits, uint32_t RangeVariables) {
  // Dynamic shared memory begins behind the static variables at its alignment,
  // which is at most 128 bytes. 16 words are at least 16 bytes of counters.
  uint32_t Bytes = DynamicShared != 0 ? alignTo(StaticShared, 128) + DynamicShared : StaticShared;
  SharedCounterRoom Room = {};
  Room.Words = std::max(alignTo((Bytes + 3) / 4, 16), 16u);
  Room.CounterOffset = alignTo(DynamicShared, 16);
  const uint32_t Counters = Room.Words * (CounterBits / 8);
  // A spare counter follows the others.
  Room.Ranges = {RangeVariables, RangeVariables ? Counters + 16 : 0};
  Room.CounterBytes = Counters + Room.Ranges.stateBytes(Room.Words) + GMPROF_SHARED_CONTROL_BYTES;
  return Room;
}

/// Of a launch of Function, that an SM holds at a time; 0 if that is not known.
static uint32_t blocksPerSm(DeviceState &D, CUfunction Function, const LaunchRequest &R,
                            size_t DynamicShared) {
  const DriverApi &Api = D.TheDevice->api();
  int PerSm = 0;
  if (!Api.cuOccupancyMaxActiveBlocksPerMultiprocessor ||
      Api.cuOccupancyMaxActiveBlocksPerMultiprocessor(
          &PerSm, Function, static_cast<int>(R.threads()), DynamicShared) != CUDA_SUCCESS)
    return 0;
  return static_cast<uint32_t>(std::max(PerSm, 0));
}

/// Whether all blocks of a launch of the clone can run at a time.
static bool runsAtOnce(DeviceState &D, const LaunchPlan &P, const LaunchRequest &R) {
  return R.blocks() <=
         uint64_t(blocksPerSm(D, P.Run->Function, R, P.DynamicShared)) * D.TheDevice->facts().Sms;
}

/// Why the plan's clone cannot run with this launch's configuration.
static std::string checkFit(DeviceState &D, const LaunchPlan &P, const LaunchRequest &R) {
  if (P.DynamicShared > P.Run->MaxDynamicShared)
    return "the block's shared memory has no room for counters";
  if (R.threads() > P.Run->MaxThreads)
    return "its clone has too many registers for " + std::to_string(R.threads()) +
           " threads per block";
  if (R.cooperative() && !runsAtOnce(D, P, R))
    return "the blocks of this cooperative launch would not all fit on the device with counters";
  return "";
}

/// Whether the launch fits with this room for counters.
static bool planInSharedMemory(DeviceState &D, const Clone &C, const LaunchRequest &R,
                               LaunchPlan &P, const SharedCounterRoom &Room) {
  if (!C.Function)
    return false;
  P.Mode = log::LaunchMode::Shared;
  P.Run = &C;
  P.Shape.CounterOffset = Room.CounterOffset;
  P.Shape.CounterBytes = Room.CounterBytes;
  P.Shape.Ranges = Room.Ranges;
  P.DynamicShared = Room.end();
  P.Why = checkFit(D, P, R);
  return P.Why.empty();
}

bool wantsProfile(Kernel &K, const Options &O, std::string &Why) {
  if (!K.NeverProfiled.empty())
    return false;
  Why = outsideSample(O, K.Name, K.Launches.fetch_add(1, std::memory_order_relaxed));
  return Why.empty();
}

static LaunchPlan refused(LaunchPlan P) {
  P.Mode = log::LaunchMode::Refused;
  P.Run = nullptr;
  P.Case = nullptr;
  P.KnownContext = 0;
  return P;
}

/// Whether this launch counts live ranges, if it has room.
static bool wantsRanges(Kernel &K, LiveRangeLaunches Which) {
  return K.RangeVariables != 0 && Which != LiveRangeLaunches::None &&
         (Which == LiveRangeLaunches::Every || !K.RangesCounted.load(std::memory_order_relaxed));
}

/// Why there is a reason already, none of the clones can run. In a body all is counted, since it is
/// not known how often closed forms would be true.
static LaunchPlan planShared(Session &S, DeviceState &D, Kernel &K, const LaunchRequest &R,
                             LaunchPlace Place, bool AllowShared, LaunchPlan P) {
  const bool InBody = Place == LaunchPlace::GraphBody;
  auto Dynamic = static_cast<uint32_t>(R.DynamicShared);
  SharedCounterRoom Room = sharedCounterRoom(K.StaticShared, Dynamic, K.CounterBits);
  P.Shape = {{K.Id, Place}, Room.Words, K.VariableCount, Dynamic, 0, 0, false, {}};
  P.Shape.BlockSample = S.options().BlockSample;
  if (InBody)
    P.Shape.BodyBlocks =
        K.BlocksAlike ? R.blocks() : (R.blocks() + P.Shape.BlockSample - 1) / P.Shape.BlockSample;
  if (P.Why.empty() && AllowShared) {
    P.WantsRanges = wantsRanges(K, S.options().LiveRanges);
    if (P.WantsRanges && planInSharedMemory(D, K.SharedAll, R, P,
                                            sharedCounterRoom(K.StaticShared, Dynamic,
                                                              K.CounterBits, K.RangeVariables)))
      return P;
    if (!InBody && (K.SharedKnown || K.SharedFacts->hasForms()))
      P.Shape.Case = K.SharedFacts->caseOf(K.Id, {R.Grid.x, R.Grid.y, R.Grid.z},
                                           {R.Block.x, R.Block.y, R.Block.z}, Dynamic, R.Args,
                                           Place == LaunchPlace::Graph, S.log());
    if (K.SharedKnown && P.Shape.Case != 0) {
      P.Mode = log::LaunchMode::Shared;
      P.Run = nullptr;
      P.KnownContext = P.Shape.Case;
      P.Shape.Ranges = {};
      P.Why.clear();
      return P;
    }
    const bool CountsAll = P.Shape.Case == 0 && (K.SharedKnown || K.SharedFacts->hasForms());
    if (planInSharedMemory(D, CountsAll ? K.SharedAll : K.Shared, R, P, Room))
      return P;
    P.Shape.Case = 0;
  }
  P.Shape.Ranges = {};
  if (K.SharedDm.Function && (P.Run || P.Why.empty())) {
    P.Mode = log::LaunchMode::SharedDm;
    P.Run = &K.SharedDm;
    P.Shape.CounterOffset = P.Shape.CounterBytes = 0;
    P.Shape.DeviceCounters = true;
    P.DynamicShared = Dynamic;
    P.Why = checkFit(D, P, R);
    if (P.Why.empty())
      return P;
  }
  return refused(P);
}

static std::shared_ptr<const GlobalCase> caseOf(Session &S, DeviceState &D, Kernel &K,
                                                const LaunchRequest &R, LaunchPlace Place,
                                                unsigned BlockSample) {
  // Single launches are compared where nothing else keeps that from being exact, and there is
  // memory for the counters of several.
  const bool Singles = S.options().Profile == ProfileChoice::Elements &&
                       Place == LaunchPlace::Stream && S.options().BlockSample == 1;
  const uint64_t SingleBytes = Singles ? D.Global.availableBytes() / 4 : 0;
  return K.GlobalFacts->caseOf(K.Id, D.TheDevice->ordinal(), {R.Grid.x, R.Grid.y, R.Grid.z},
                               {R.Block.x, R.Block.y, R.Block.z}, R.Args, Place, BlockSample,
                               S.objects(), S.log(), SingleBytes);
}

static LaunchPlan planGlobal(Session &S, DeviceState &D, Kernel &K, const LaunchRequest &R,
                             LaunchPlace Place, LaunchPlan P) {
  if (!P.Why.empty())
    return refused(P);
  P.Case = caseOf(S, D, K, R, Place, S.options().BlockSample);
  P.Mode = P.Case->FormsHold ? log::LaunchMode::Global : log::LaunchMode::GlobalAll;
  if (!P.Case->Counts)
    return P;
  P.Run = P.Case->FormsHold ? &K.Global : &K.GlobalAll;
  P.DynamicShared = static_cast<uint32_t>(R.DynamicShared);
  if (!P.Run->Function)
    P.Why = "its clone that counts is missing from the module";
  else
    P.Why = checkFit(D, P, R);
  return P.Why.empty() ? P : refused(P);
}

/// Where all blocks run at a time, the slowest one sets the launch's time, and that is one of
/// those that count. So after the first launch, each N-th one counts with all its blocks, and
/// the others with none.
static LaunchPlan sampleLaunches(Session &S, DeviceState &D, Kernel &K, const LaunchRequest &R,
                                 LaunchPlan P) {
  const unsigned N = S.options().BlockSample;
  const uint64_t Number = K.BlockSamples.fetch_add(1, std::memory_order_relaxed);
  if (Number == 0)
    return P;
  if (Number % N == 0) {
    P.Shape.BlockSample = 1;
    if (P.Case)
      P.Case = caseOf(S, D, K, R, LaunchPlace::Stream, /*BlockSample=*/1);
    return P;
  }
  LaunchPlan Plain;
  Plain.Why = "not in the sample (block-sample=" + std::to_string(N) +
              "; its blocks all run at a time, so that each such launch counts whole)";
  return Plain;
}

std::shared_ptr<const LaunchObjects> objectsOf(Session &S, const DeviceState &D, const Kernel &K,
                                               const LaunchRequest &R) {
  return K.Accesses->find(
      {{R.Grid.x, R.Grid.y, R.Grid.z}, {R.Block.x, R.Block.y, R.Block.z}, R.Args},
      D.TheDevice->ordinal(), S.memory(), S.accessSets());
}

/// The clone runs where hits say more than is known before. If it cannot, it is not known, but
/// the launch is profiled all the same.
static LaunchPlan planObjects(DeviceState &D, const Kernel &K, const LaunchRequest &R,
                              const std::shared_ptr<const LaunchObjects> &Objects, LaunchPlan P) {
  P.Mode = log::LaunchMode::Objects;
  if (!P.Why.empty() || !K.Objects.Function || !Objects->hasHits())
    return P;
  P.Run = &K.Objects;
  P.DynamicShared = static_cast<uint32_t>(R.DynamicShared);
  P.Why = checkFit(D, P, R);
  if (P.Why.empty())
    P.Objects = Objects;
  else
    P.Run = nullptr;
  return P;
}

std::optional<HeatCase> heatCaseOf(Session &S, const DeviceState &D, Kernel &K,
                                   const LaunchInput &L, uint32_t DynamicShared, bool InGraph) {
  return K.HeatFacts->caseOf(K.Id, L, DynamicShared, S.options().HeatBlocks,
                             *S.memory().ranges(D.TheDevice->ordinal()),
                             K.HeatFacts->objects(L.Args, S.memory()), InGraph, S.log());
}

/// Where closed forms say all, the program's own kernel runs.
static LaunchPlan planHeat(Session &S, DeviceState &D, Kernel &K, const LaunchRequest &R,
                           LaunchPlace Place, LaunchPlan P) {
  if (!P.Why.empty())
    return refused(P);
  P.Mode = log::LaunchMode::Heat;
  P.DynamicShared = static_cast<uint32_t>(R.DynamicShared);
  const bool NotesRest = K.Heat.Function;
  std::optional<HeatCase> Case;
  if (K.HeatFacts->hasForms() && Place != LaunchPlace::GraphBody) {
    P.Run = NotesRest ? &K.Heat : nullptr;
    if (!NotesRest || checkFit(D, P, R).empty())
      Case = heatCaseOf(S, D, K,
                        {{R.Grid.x, R.Grid.y, R.Grid.z}, {R.Block.x, R.Block.y, R.Block.z}, R.Args},
                        P.DynamicShared, Place == LaunchPlace::Graph && !NotesRest);
  }
  if (Case && !NotesRest) {
    P.KnownContext = Case->Context;
    return P;
  }
  P.Run = Case || !K.HeatFacts->hasForms() ? &K.Heat : &K.HeatAll;
  P.Why = checkFit(D, P, R);
  if (!P.Why.empty())
    return refused(P);
  HeatShape Shape;
  static_cast<ContextShape &>(Shape) = {K.Id, Place};
  Shape.Ranges = S.memory().ranges(D.TheDevice->ordinal());
  Shape.Note = K.HeatNote;
  Shape.Digest = K.HeatDigest;
  Shape.Noted = S.options().HeatBlocks;
  Shape.Blocks = R.blocks();
  Shape.Threads = static_cast<uint32_t>(R.threads());
  Shape.Sites = K.Sites;
  Shape.FunctionPlaces = K.HeatFacts->functionPlaces();
  Shape.Objects = K.HeatFacts->objects(R.Args, S.memory());
  Shape.Case = std::move(Case);
  Shape.SharedBytes = alignTo(K.StaticShared, 128) + P.DynamicShared;
  Shape.DynamicShared = P.DynamicShared;
  P.Heat = std::move(Shape);
  return P;
}

static LaunchPlan planCache(Session &S, DeviceState &D, Kernel &K, const LaunchRequest &R,
                            LaunchPlace Place, LaunchPlan P) {
  if (P.Why.empty() && Place != LaunchPlace::Stream)
    P.Why = "launches of graphs are not traced";
  P.Run = &K.Cache;
  P.DynamicShared = static_cast<uint32_t>(R.DynamicShared);
  if (P.Why.empty())
    P.Why = checkFit(D, P, R);
  if (!P.Why.empty())
    return refused(P);
  P.Mode = log::LaunchMode::Cache;
  CacheShape Shape;
  Shape.Kernel = K.Id;
  Shape.Launch.Kernel = K.Traced;
  Shape.Launch.Ranges = S.memory().ranges(D.TheDevice->ordinal());
  cache::TraceLaunch &Facts = Shape.Launch.Facts;
  Facts.Grid = {R.Grid.x, R.Grid.y, R.Grid.z};
  Facts.Block = {R.Block.x, R.Block.y, R.Block.z};
  Facts.SharedBytes = alignTo(K.StaticShared, 128) + P.DynamicShared;
  Facts.BlocksPerSm = blocksPerSm(D, K.Original, R, R.DynamicShared);
  Facts.LocalBytesPerThread = K.Traced->LocalBytes;
  Facts.BlockSample = static_cast<uint32_t>(S.options().CacheBlocks.Step);
  Facts.SmSample = S.options().SmSample;
  P.Cache = std::move(Shape);
  return P;
}

LaunchPlan planLaunch(Session &S, DeviceState &D, Kernel &K, const LaunchRequest &R,
                      const std::shared_ptr<const LaunchObjects> &Objects, LaunchPlace Place,
                      bool AllowShared) {
  LaunchPlan P;
  // These the program's own kernel refuses.
  if (R.blocks() == 0 || R.threads() == 0 || R.threads() > K.MaxThreads ||
      (!R.Args && K.ParamCount != 0))
    return P;
  P.Why = D.TheKernels.updateAttributes(K);
  if (P.Why.empty() && R.DynamicShared > K.MaxDynamicShared &&
      R.DynamicShared > D.TheKernels.refreshMaxDynamicShared(K))
    return P;
  if (S.options().Profile == ProfileChoice::Objects)
    return planObjects(D, K, R, Objects, std::move(P));
  if (S.options().Profile == ProfileChoice::Heat)
    return planHeat(S, D, K, R, Place, std::move(P));
  if (S.options().Profile == ProfileChoice::Cache)
    return planCache(S, D, K, R, Place, std::move(P));
  if (S.options().Profile == ProfileChoice::Sync) {
    P.Mode = log::LaunchMode::Objects;
    return P;
  }
  P = K.GlobalFacts ? planGlobal(S, D, K, R, Place, std::move(P))
                    : planShared(S, D, K, R, Place, AllowShared, std::move(P));
  return P.Run && S.options().BlockSample > 1 && Place == LaunchPlace::Stream && runsAtOnce(D, P, R)
             ? sampleLaunches(S, D, K, R, std::move(P))
             : P;
}

LaunchContext *acquireContext(DeviceState &D, const Kernel &K, LaunchPlan &P,
                              const LaunchRequest &R, bool Capturing) {
  if (P.Objects)
    return D.Hits.acquire(K.Id, Capturing, P.Objects, R.blocks(), R.Stream, Capturing, P.HitSlot,
                          P.Why);
  if (P.Heat)
    return D.Heat.acquire(*P.Heat, R.Stream, Capturing, P.Why);
  if (P.Cache)
    return D.Cache.acquire(*P.Cache, R.Stream, P.Why);
  return P.Case ? D.Global.acquire(P.Case, R.Stream, Capturing, P.Why)
                : D.Shared.acquire(P.Shape, R.blocks(), R.Stream, Capturing, P.Why);
}

CloneParameter cloneParameter(const DeviceState &D, const LaunchPlan &P, const LaunchContext &C) {
  CloneParameter Parameter;
  if (P.Objects)
    Parameter.Objects = D.Hits.parameter(C, P.HitSlot);
  else if (P.Heat)
    Parameter.Heat = D.Heat.parameter(C);
  else if (P.Cache)
    Parameter.Cache = D.Cache.parameter(C);
  else if (P.Case)
    Parameter.Global = D.Global.parameter(C);
  else
    Parameter.Shared = D.Shared.parameter(C);
  return Parameter;
}

void noteRangesCounted(Kernel &K, const LaunchPlan &P) {
  if (P.Shape.Ranges.Variables != 0)
    K.RangesCounted.store(true, std::memory_order_relaxed);
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
  if (Plan.WantsRanges && Plan.Shape.Ranges.Variables == 0)
    S.log().gap("launches without live ranges",
                "the block's shared memory has no room for what they need", 1);
}

/// Launches the planned clone; false, with the plan saying why, if it does not
/// run.
bool Launch::runClone() {
  if (Plan.Cache)
    Plan.Cache->Launch.Facts.Number = Record.id;
  LaunchContext *C = acquireContext(D, K, Plan, R, Capturing);
  if (!C)
    return false;
  CloneParameter Parameter = cloneParameter(D, Plan, *C);
  CUresult Error = launchClone(D.TheDevice->api(), K, Plan, R, Parameter);
  if (Error != CUDA_SUCCESS) {
    D.Contexts.abandoned(C);
    Plan.Why = "its clone could not be launched: " + describe(Error);
    return false;
  }
  noteMissingRanges();
  noteRangesCounted(K, Plan);
  // Before launched(): counts must not precede their launch in the log.
  Record.mode = Plan.Mode;
  Record.context = Plan.contextWithClone(*C);
  Record.notes = Plan.Objects != nullptr;
  S.log().launch(Record);
  if (Plan.Objects)
    HitContexts::recorded(*C, Plan.HitSlot, Record.id);
  if (Capturing)
    S.graphNodes().capturedLaunch(R.Stream, Record.id);
  if (!Capturing)
    D.Contexts.launched(C, R.Stream, Plan.Case ? Plan.Case->Context : 0);
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
      Plan = planLaunch(S, D, K, R, Objects, Place);
  }
  if (Plan.Run && runClone())
    return cudaSuccess;
  if (Plan.Objects)
    Plan.Run = nullptr;
  if (Plan.Run && Plan.Mode == log::LaunchMode::Shared && K.SharedDm.Function) {
    Plan = planLaunch(S, D, K, R, Objects, Place, /*AllowShared=*/false);
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
