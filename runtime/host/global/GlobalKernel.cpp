//===- GlobalKernel.cpp - What a launch can count in global memory --------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "host/global/GlobalKernel.h"
#include "profile/CounterKind.h"
#include "profile/ElementSize.h"
#include "profile/Mutex.h"
#include <algorithm>
#include <bit>
#include <set>

namespace gmprof::host {

/// More cases than any program needs at a time; then they are worked out again.
static constexpr size_t MaxCases = 4096;

/// Limit of the bytes of a launch's counters, of a node in a conditional body, with which counters
/// of 64 bits are used.
static constexpr uint64_t MostWideBytes = uint64_t(64) << 20;

static constexpr CounterKinds Reads = 1u << GMPROF_COUNTER_READS;
static constexpr CounterKinds Writes = 1u << GMPROF_COUNTER_WRITES;
static constexpr CounterKinds Atomics = 1u << GMPROF_COUNTER_ATOMICS;

static CounterKinds kindsOf(GmprofAccessKind Access) {
  const std::optional<GmprofCounterKind> Kind = counterKind(Access);
  return Kind ? 1u << *Kind : Reads | Writes;
}

bool CountedAccesses::none() const {
  return Anywhere == 0 &&
         std::all_of(ByVariable.begin(), ByVariable.end(), [](auto K) { return K == 0; });
}

uint64_t counterBytes(const CountedObject &O, unsigned CounterBits) {
  if (O.Replicas != 0)
    return uint64_t(O.Replicas) << O.ReplicaShift;
  return (O.elements() * (CounterBits / 8) + 63) / 64 * 64;
}

uint64_t GlobalCase::counterBytes() const {
  uint64_t Bytes = 0;
  for (const CountedObject &O : Objects)
    Bytes += host::counterBytes(O, CounterBits) * std::popcount(O.Kinds);
  return Bytes;
}

bool GlobalCase::countsLike(const GlobalCase &Other) const {
  // What unknown pointers may reach is long to compare.
  return Kernel == Other.Kernel && FormsHold == Other.FormsHold && !Table && !Other.Table &&
         CounterBits == Other.CounterBits && Threshold == Other.Threshold &&
         BlockSample == Other.BlockSample && Roots == Other.Roots && Objects == Other.Objects;
}

void chooseReplicas(GlobalCase &Case, uint64_t Blocks) {
  constexpr uint64_t MostElements = 4096;
  constexpr uint64_t MostReplicas = 256, FewestReplicas = 8;
  if (Case.CounterBits == 32)
    return;
  const uint64_t Wanted = std::min(std::bit_ceil(Blocks), MostReplicas);
  const uint64_t Room = Case.ObjectBytes / 4, Taken = Case.counterBytes();
  uint64_t Left = Room - std::min(Room, Taken);
  for (CountedObject &O : Case.Objects) {
    const uint64_t Bytes = std::bit_ceil(std::max<uint64_t>(O.elements() * sizeof(uint64_t), 64));
    const uint64_t Fit = Left / Bytes / std::max(std::popcount(O.Kinds), 1);
    const uint64_t Replicas = std::min(std::bit_floor(Fit), Wanted);
    if (O.elements() > MostElements || Replicas < std::min(Wanted, FewestReplicas))
      continue;
    Left -= Replicas * Bytes * std::popcount(O.Kinds);
    O.Replicas = static_cast<unsigned>(Replicas);
    O.ReplicaShift = static_cast<unsigned>(std::countr_zero(Bytes));
  }
}

void chooseWideCounters(GlobalCase &Case, uint64_t MostBytes) {
  if (Case.CounterBits == 32)
    return;
  for (CountedObject &O : Case.Objects) {
    if (O.Replicas != 0)
      continue;
    CountedObject Wide = O;
    const uint64_t Bytes = std::bit_ceil(std::max<uint64_t>(O.elements() * sizeof(uint64_t), 64));
    Wide.Replicas = 1;
    Wide.ReplicaShift = static_cast<unsigned>(std::countr_zero(Bytes));
    std::swap(O, Wide);
    if (Case.counterBytes() > MostBytes)
      std::swap(O, Wide);
  }
}

GlobalKernel::GlobalKernel(const profile::Descriptor &Desc, std::vector<size_t> ParamBytes,
                           std::vector<uint64_t> Symbols, uint64_t MostEvaluated)
    : Params(Desc, std::move(ParamBytes), std::move(Symbols)), Forms(Desc.Forms, Desc.ParamCount),
      CounterBits(Desc.GlobalCounterBits), Threshold(Desc.GlobalThreshold),
      MostEvaluated(MostEvaluated) {
  if (!problem().empty())
    return;
  for (uint32_t I = 0; I < Desc.Variables.size(); ++I)
    Shifts.push_back(elementShift(Desc, I));
  AnyShift = elementShift(Desc, profile::None);
  HasCloneAll = (Desc.Modes & GMPROF_MODE_GLOBAL_ALL) != 0;
  describeSites(Desc);
}

void GlobalKernel::describeSites(const profile::Descriptor &Desc) {
  const std::vector<profile::Variable> &Variables = Desc.Variables;
  Clone.ByVariable.resize(Variables.size());
  CloneAll.ByVariable.resize(Variables.size());
  for (const profile::Site &S : Desc.Sites) {
    if (S.GlobalRule == GMPROF_RULE_NOT_COUNTED || S.GlobalRule == GMPROF_RULE_SKIPPED)
      continue;
    bool Known = S.Variable != profile::None && Variables[S.Variable].Root != profile::None;
    for (CountedAccesses *To : {&Clone, &CloneAll})
      if (To == &CloneAll || S.GlobalRule != GMPROF_RULE_CLOSED_FORM)
        (Known ? To->ByVariable[S.Variable] : To->Anywhere) |= kindsOf(S.Kind);
  }
  // Whatever that code is, it may access anything; but without a clone nothing of it can be
  // counted.
  if (Desc.Flags & GMPROF_KERNEL_OPAQUE_CALLS) {
    if (Desc.Modes & GMPROF_MODE_GLOBAL_CLONE)
      Clone.Anywhere = Reads | Writes | Atomics;
    if (Desc.Modes & GMPROF_MODE_GLOBAL_ALL)
      CloneAll.Anywhere = Reads | Writes | Atomics;
  }
}

/// Returns whether the closed forms of a new case are evaluated.
bool GlobalKernel::evaluatesForms(LaunchPlace Place) const {
  return Forms.Forms.empty() || !HasCloneAll ||
         (Evaluated < MostEvaluated && Place != LaunchPlace::GraphBody);
}

/// The objects that a launch's pointers point into, and its integers.
struct GlobalKernel::Reached {
  std::vector<std::optional<LiveObject>> Objects; ///< per variable
  std::vector<int64_t> Offsets, Values;
};

/// A case as it was worked out, and what the log says of it.
struct GlobalKernel::Known {
  GlobalCase Case;
  std::array<uint32_t, 3> Grid, Block;
  Reached R;
  std::shared_ptr<const GlobalCase> Shared; ///< of all launches that have none of their own
};

/// Adds an object. Two accesses to one object are counted in the smaller elements of both.
static void addObject(std::vector<CountedObject> &To, const LiveObject &O, unsigned Shift,
                      CounterKinds Kinds) {
  auto It = std::find_if(To.begin(), To.end(),
                         [&](const CountedObject &Each) { return Each.Id == O.Id; });
  if (It == To.end()) {
    To.push_back({O.Id, O.Address, O.Bytes, Shift, Kinds});
    return;
  }
  It->ElementShift = std::min(It->ElementShift, Shift);
  It->Kinds |= Kinds;
}

std::shared_ptr<const GlobalCase>
GlobalKernel::caseOf(uint32_t Kernel, int Device, const std::array<uint32_t, 3> &Grid,
                     const std::array<uint32_t, 3> &Block, void **Args, LaunchPlace Place,
                     unsigned BlockSample, Objects &Live, Recorder &Log, uint64_t SingleBytes) {
  Key Same(Grid.begin(), Grid.end());
  Same.insert(Same.end(), Block.begin(), Block.end());
  Same.push_back(static_cast<uint64_t>(Place));
  Same.push_back(BlockSample);
  Reached R;
  R.Values = Forms.values(Params, Args);
  Key Arguments = Same;
  Arguments.insert(Arguments.end(), R.Values.begin(), R.Values.end());
  const std::vector<profile::Variable> &Variables = Params.variables();
  for (size_t V = 0; V < Variables.size(); ++V)
    Arguments.push_back(Params.pointer(V, Args));

  LockGuard Guard(Lock);
  uint64_t Now = Live.version();
  if (Now != Version || ByArguments.size() > MaxCases)
    ByArguments.clear();
  Version = Now;
  auto [Of, New] = ByArguments.try_emplace(Arguments);
  if (!New)
    return choose(*Of->second, SingleBytes, Log);

  const bool Evaluates = evaluatesForms(Place);
  if (!Evaluates)
    R.Values.assign(R.Values.size(), 0);
  Same.push_back(Evaluates);
  Same.insert(Same.end(), R.Values.begin(), R.Values.end());
  for (size_t V = 0; V < Variables.size(); ++V) {
    uint64_t Pointer = Arguments[Arguments.size() - Variables.size() + V];
    R.Objects.push_back(Live.find(Pointer));
    const std::optional<LiveObject> &O = R.Objects.back();
    R.Offsets.push_back(O ? static_cast<int64_t>(Pointer - O->Address) : 0);
    Same.push_back(O ? O->Id : 0);
    Same.push_back(static_cast<uint64_t>(R.Offsets.back()));
  }
  GlobalCase Case;
  Case.Kernel = Kernel;
  Case.Place = Place;
  Case.CounterBits = CounterBits;
  Case.Threshold = Threshold;
  Case.BlockSample = BlockSample;
  Case.FormsHold = Evaluates && Forms.hold(Grid, Block, R.Values);
  Evaluated += Evaluates;
  const CountedAccesses &Counted = Case.FormsHold ? Clone : CloneAll;
  Case.Counts = !Counted.none();
  Case.Table = Counted.Anywhere != 0;
  for (size_t V = 0; V < Variables.size(); ++V)
    if (R.Objects[V] && Counted.ByVariable[V] != 0)
      addObject(Case.Objects, *R.Objects[V], Shifts[V], Counted.ByVariable[V]);
  if (Case.Table)
    for (const LiveObject &O : Live.live(Device)) {
      addObject(Case.Objects, O, AnyShift, Counted.Anywhere);
      Same.push_back(O.Id);
    }
  std::set<uint64_t> Accessed;
  for (size_t V = 0; V < Variables.size(); ++V)
    if (R.Objects[V] && CloneAll.ByVariable[V] != 0 && Accessed.insert(R.Objects[V]->Id).second)
      Case.ObjectBytes += R.Objects[V]->Bytes;
  for (const CountedObject &O : Case.Objects)
    if (Accessed.insert(O.Id).second)
      Case.ObjectBytes += O.Bytes;
  for (CountedObject &O : Case.Objects) {
    auto [Before, First] = SmallestShift.try_emplace(O.Id, O.ElementShift);
    O.ElementShift = Before->second = std::min(Before->second, O.ElementShift);
  }
  std::sort(Case.Objects.begin(), Case.Objects.end(),
            [](const CountedObject &A, const CountedObject &B) { return A.Address < B.Address; });
  const uint64_t Blocks = uint64_t(Grid[0]) * Grid[1] * Grid[2];
  Case.CountedBlocks = (Blocks + BlockSample - 1) / BlockSample;
  chooseReplicas(Case, Blocks);
  if (Place == LaunchPlace::GraphBody)
    chooseWideCounters(Case, MostWideBytes);
  Case.Roots.fill(-1);
  for (size_t V = 0; V < Variables.size(); ++V)
    for (size_t I = 0; I < Case.Objects.size(); ++I)
      if (Variables[V].Root != profile::None && R.Objects[V] &&
          R.Objects[V]->Id == Case.Objects[I].Id)
        Case.Roots[Variables[V].Root] = static_cast<int>(I);

  if (ByObjects.size() > MaxCases)
    ByObjects.clear();
  std::shared_ptr<Known> &Made = ByObjects[Same];
  if (!Made)
    Made = std::make_shared<Known>(Known{std::move(Case), Grid, Block, std::move(R), nullptr});
  Of->second = Made;
  return choose(*Made, SingleBytes, Log);
}

std::shared_ptr<const GlobalCase> GlobalKernel::choose(Known &K, uint64_t SingleBytes,
                                                       Recorder &Log) {
  // Each is read by itself, and has counts of its own in the log.
  constexpr uint64_t MostSingles = 64, MostBytesOfSingles = uint64_t(64) << 20;
  const uint64_t Bytes = K.Case.counterBytes();
  if (K.Case.Counts && K.Case.Place == LaunchPlace::Stream && Bytes <= SingleBytes &&
      Singles < MostSingles && Bytes <= MostBytesOfSingles - BytesOfSingles) {
    ++Singles;
    BytesOfSingles += Bytes;
    return make(K, /*OfOneLaunch=*/true, Log);
  }
  if (!K.Shared)
    K.Shared = make(K, /*OfOneLaunch=*/false, Log);
  return K.Shared;
}

std::shared_ptr<const GlobalCase> GlobalKernel::make(const Known &K, bool OfOneLaunch,
                                                     Recorder &Log) const {
  GlobalCase New = K.Case;
  const Reached &R = K.R;
  New.OfOneLaunch = OfOneLaunch;
  New.Context = Log.nextContextId();
  log::GlobalContextRecord Record = {};
  Record.context = New.Context;
  Record.counterBytes = New.counterBytes();
  Record.objectBytes = New.ObjectBytes;
  Record.kernel = New.Kernel;
  std::copy(K.Grid.begin(), K.Grid.end(), Record.grid);
  std::copy(K.Block.begin(), K.Block.end(), Record.block);
  Record.blockSample = New.BlockSample;
  Record.variableCount = static_cast<uint32_t>(Params.variables().size());
  Record.valueCount = static_cast<uint32_t>(R.Values.size());
  Record.closedForms = New.FormsHold ? 1 : 0;
  std::vector<uint64_t> Ids;
  for (const std::optional<LiveObject> &O : R.Objects)
    Ids.push_back(O ? O->Id : 0);
  Log.profileRecord(log::RecordKind::GlobalContext, Record, std::span(Ids), std::span(R.Offsets),
                    std::span(R.Values));
  return std::make_shared<const GlobalCase>(std::move(New));
}

} // namespace gmprof::host
