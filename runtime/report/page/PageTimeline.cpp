//===- PageTimeline.cpp - Timelines for the web page ----------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "report/page/PageTimeline.h"
#include "analysis/ProgramSource.h"
#include "analysis/objects/MemoryAccount.h"
#include "analysis/objects/ObjectAnalysis.h"
#include "analysis/objects/PeakMemory.h"
#include "analysis/sync/SyncTrace.h"
#include "report/model/SummaryNames.h"
#include "report/page/PageColumns.h"
#include "report/text/TextReport.h"
#include "report/views/AccountView.h"
#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <set>

namespace gmprof {

using nlohmann::ordered_json;
using profile::Api;
using profile::ApiKind;
using profile::ApiObject;
using profile::None;
using Column = std::vector<uint64_t>;

namespace {

/// Converts times to ns since the start of a run.
struct Clock {
  uint64_t StartNs;
  uint64_t operator()(uint64_t Ns) const { return Ns - std::min(Ns, StartNs); }
};

/// Time from the begin of the first use to the end of the last.
struct Use {
  uint64_t Begin = UINT64_MAX, End = 0;
};

/// Numbers distinct source lines.
class Places {
public:
  explicit Places(const profile::Profile &P) : P(P), OfPath(P.CallPaths.size()) {}

  /// Returns the number plus one; 0 if unknown.
  uint64_t numberOf(uint32_t CallPath);
  const ordered_json &all() const { return All; }

private:
  const profile::Profile &P;
  std::vector<std::optional<uint64_t>> OfPath;
  std::map<std::pair<std::string, unsigned>, uint64_t> Numbers;
  ordered_json All = ordered_json::array();
};

/// Numbers threads and streams in the order of first use.
class Lanes {
public:
  uint64_t numberOf(const std::string &Name, bool Gpu);
  const ordered_json &all() const { return All; }

private:
  std::map<std::string, uint64_t> Numbers;
  ordered_json All = ordered_json::array();
};

/// Numbers streams, whose own numbers are handles.
class StreamNames {
public:
  std::string of(uint32_t Device, uint64_t Stream);

private:
  std::map<std::pair<uint32_t, uint64_t>, size_t> Numbers;
};

} // namespace

uint64_t Places::numberOf(uint32_t CallPath) {
  if (CallPath == None)
    return 0;
  std::optional<uint64_t> &Number = OfPath[CallPath];
  if (Number)
    return *Number;
  Number = 0;
  if (const auto S = source(analysis::programSource(P.CallPaths[CallPath]))) {
    const auto [At, IsNew] = Numbers.try_emplace({S->file, S->line}, All.size() + 1);
    if (IsNew)
      All.push_back({{"file", S->file}, {"line", S->line}});
    Number = At->second;
  }
  return *Number;
}

uint64_t Lanes::numberOf(const std::string &Name, bool Gpu) {
  const auto [At, IsNew] = Numbers.try_emplace(Name, All.size());
  if (IsNew)
    All.push_back({{"name", Name}, {"gpu", Gpu}});
  return At->second;
}

std::string StreamNames::of(uint32_t Device, uint64_t Stream) {
  const std::string Of = "device " + std::to_string(Device);
  if (Stream == 0)
    return Of + ", default stream";
  return Of + ", stream " +
         std::to_string(Numbers.try_emplace({Device, Stream}, Numbers.size() + 1).first->second);
}

static std::string threadName(uint32_t Thread) {
  return Thread == 0 ? "unknown thread" : "thread " + std::to_string(Thread);
}

/// Returns the lane of an operation. Launches that were recorded without their thread have their
/// own.
static std::string laneName(const Api &A) {
  return A.Thread == 0 && A.Launch != None ? "kernel launches" : threadName(A.Thread);
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

static bool isOfModule(const ApiObject &O) {
  return O.Kind == log::ObjectKind::GlobalVariable || O.Kind == log::ObjectKind::Constant;
}

static std::vector<Use> usesOf(const profile::ApiTrace &T, Clock Since) {
  std::vector<Use> Uses(T.Objects.size());
  for (const Api &A : T.Apis)
    for (const profile::ApiAccess &Access : A.Accesses) {
      Use &U = Uses[Access.Object];
      U.Begin = std::min(U.Begin, Since(A.TimeNs));
      U.End = std::max(U.End, Since(std::max(A.TimeNs, A.EndNs)));
    }
  return Uses;
}

/// Returns the index in objects[] plus one by Object::Id. Objects are matched by time of allocation
/// and size, as the summary does not have the log's ids.
static std::map<uint64_t, uint64_t> placesInSummary(const profile::Profile &P,
                                                    const summary::Summary &S, Clock Since) {
  std::map<std::pair<int64_t, uint64_t>, uint64_t> Known;
  for (const summary::Object &O : S.objects)
    if (O.alloc && !O.kernel)
      Known.try_emplace({std::llround(O.alloc->seconds * 1e9), O.bytes}, O.id + 1);
  std::map<uint64_t, uint64_t> Places;
  for (const profile::Object &O : P.Objects) {
    const auto At = Known.find({static_cast<int64_t>(Since(O.Made.TimeNs)), O.Bytes});
    if (At != Known.end())
      Places[O.Id] = At->second;
  }
  return Places;
}

/// Adds the bytes of each owner at each change of the memory. Returns the owners' names.
static ordered_json addOwners(PageColumns &Columns, const analysis::MemoryAccounts &Of,
                              const std::function<uint64_t(uint32_t)> &When) {
  const analysis::MemoryOverTime Over = Of.overTime();
  Column Times;
  for (uint32_t Time : Over.Times)
    Times.push_back(When(Time));
  const std::string Device = std::to_string(Of.device());
  Columns.addDifferences(("owners_time_" + Device).c_str(), Times);
  ordered_json Names = ordered_json::array();
  for (const analysis::MemoryOverTime::Series &Each : Over.All) {
    Columns.addDifferences(("owner_" + Device + "_" + std::to_string(Names.size())).c_str(),
                           Each.Bytes);
    Names.push_back(Each.Owner == analysis::MemoryOwner::Unattributed
                        ? "CUDA, other processes, unattributed"
                        : ownerText(analysis::ownerName(Each.Owner), Each.Name));
  }
  return Names;
}

std::string pageMemory(const profile::Profile &P, const profile::ApiTrace &T,
                       const summary::Summary &S) {
  const Clock Since = {P.TheRun.SteadyStartNs};
  uint64_t End = Since(P.TheRun.SteadyEndNs);
  for (const Api &A : T.Apis)
    End = std::max(End, Since(std::max(A.TimeNs, A.EndNs)));
  auto When = [&](uint32_t Index) { return Since(analysis::effectNs(T.Apis[Index])); };

  const std::vector<Use> Uses = usesOf(T, Since);
  const std::map<uint64_t, uint64_t> InSummary = placesInSummary(P, S, Since);
  PageStrings Names, Kinds;
  Column Begin, Length, UsedAfter, UsedFor, Bytes, Name, Kind, Device, Released, Number;
  std::set<uint32_t> Devices;
  std::map<uint32_t, analysis::MemoryAccounts> Accounts;
  Places OfPlaces(P);
  Column Place;
  for (size_t I = 0; I < T.Objects.size(); ++I) {
    const ApiObject &O = T.Objects[I];
    const uint64_t From = isOfModule(O) ? 0 : When(O.Allocation);
    const uint64_t To = std::max(From, O.Release ? When(*O.Release) : End);
    const Use U = {std::clamp(Uses[I].Begin, From, To), std::clamp(Uses[I].End, From, To)};
    const bool Used = Uses[I].Begin != UINT64_MAX;
    Begin.push_back(From);
    Length.push_back(To - From);
    UsedAfter.push_back(Used ? U.Begin - From + 1 : 0);
    UsedFor.push_back(Used ? U.End - U.Begin : 0);
    Bytes.push_back(O.Bytes);
    Name.push_back(Names.numberOf(O.Name.empty() ? O.Where.str() : O.Name.str()));
    Kind.push_back(Kinds.numberOf(objectKindName(O.Kind)));
    Device.push_back(O.Device);
    Released.push_back(O.Release.has_value());
    const auto Known = InSummary.find(O.Id);
    Number.push_back(Known == InSummary.end() ? 0 : Known->second);
    const auto &Of = Accounts.try_emplace(O.Device, P, T, O.Device).first->second;
    Place.push_back(Of.counts(static_cast<uint32_t>(I))
                        ? OfPlaces.numberOf(std::as_const(T.Apis)[O.Allocation].CallPath)
                        : 0);
    Devices.insert(O.Device);
  }
  PageColumns Columns;
  Columns.addDifferences("begin", Begin);
  Columns.add("length", Length);
  Columns.add("used_after", UsedAfter);
  Columns.add("used_for", UsedFor);
  Columns.add("bytes", Bytes);
  Columns.add("name", Name);
  Columns.add("kind", Kind);
  Columns.add("device", Device);
  Columns.add("released", Released);
  Columns.addDifferences("object", Number);
  Columns.add("place", Place);

  ordered_json InUse = ordered_json::array(), Owners = ordered_json::array();
  for (uint32_t Each : Devices) {
    const analysis::MemoryUse MemoryInUse(T, Each);
    if (MemoryInUse.peakBytes() == 0)
      continue;
    Column Times, InUseBytes;
    for (size_t I = 0; I < MemoryInUse.times().size(); ++I) {
      const uint32_t At = MemoryInUse.times()[I];
      if (At >= T.Apis.size())
        break; // the end of the run, when leaked memory still exists
      Times.push_back(When(At));
      InUseBytes.push_back(MemoryInUse.bytes()[I]);
    }
    Columns.addDifferences(("time_" + std::to_string(Each)).c_str(), Times);
    Columns.addDifferences(("in_use_" + std::to_string(Each)).c_str(), InUseBytes);
    InUse.push_back(Each);
    Owners.push_back(addOwners(Columns, Accounts.at(Each), When));
  }
  return Columns.text({{"end", End},
                       {"names", Names.all()},
                       {"kinds", Kinds.all()},
                       {"places", OfPlaces.all()},
                       {"devices", std::move(InUse)},
                       {"owners", std::move(Owners)}});
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

static const char *kindName(ApiKind Kind) {
  const bool Memory = Kind == ApiKind::Allocation || Kind == ApiKind::Release;
  return Memory ? "memory" : apiKindName(Kind);
}

static const char *kindName(log::CallKind Kind) {
  switch (Kind) {
  case log::CallKind::Launch:
    return "launch";
  case log::CallKind::HostFunction:
    return "host function";
  case log::CallKind::Copy:
    return "copy";
  case log::CallKind::Set:
    return "set";
  case log::CallKind::Allocation:
  case log::CallKind::Release:
    return "memory";
  case log::CallKind::StreamSynchronized:
  case log::CallKind::EventSynchronized:
  case log::CallKind::DeviceSynchronized:
  case log::CallKind::EventRead:
    return "wait";
  default:
    return "other";
  }
}

namespace {

/// Columns common to the calls of all profiles.
struct CallColumns {
  Column Begin, Length, Kind, Name, Lane, Place;
  PageStrings Kinds, Names;

  void add(uint64_t From, uint64_t To, const char *OfKind, const std::string &Called,
           uint64_t InLane, uint64_t At) {
    Begin.push_back(From);
    Length.push_back(To - std::min(From, To));
    Kind.push_back(Kinds.numberOf(OfKind));
    Name.push_back(Names.numberOf(Called));
    Lane.push_back(InLane);
    Place.push_back(At);
  }
  void addTo(PageColumns &Columns) const {
    Columns.addDifferences("begin", Begin);
    Columns.add("length", Length);
    Columns.add("kind", Kind);
    Columns.add("name", Name);
    Columns.add("lane", Lane);
    Columns.add("place", Place);
  }
  ordered_json head(const Lanes &OfLanes, const Places &OfPlaces) const {
    return {{"kinds", Kinds.all()},
            {"names", Names.all()},
            {"lanes", OfLanes.all()},
            {"places", OfPlaces.all()}};
  }
};

} // namespace

std::string pageCalls(const profile::Profile &P, const profile::ApiTrace &T) {
  const Clock Since = {P.TheRun.SteadyStartNs};
  CallColumns Calls;
  Lanes OfLanes;
  Places OfPlaces(P);
  Column Accesses, Object, Kinds;
  for (const Api &A : T.Apis) {
    Calls.add(Since(A.TimeNs), Since(A.EndNs), kindName(A.Kind),
              A.Launch == None ? A.Name.str() : shortName(A.Name.str()),
              OfLanes.numberOf(laneName(A), false), OfPlaces.numberOf(A.CallPath));
    Accesses.push_back(A.Accesses.size());
    for (const profile::ApiAccess &Access : A.Accesses) {
      Object.push_back(Access.Object);
      Kinds.push_back((Access.Reads ? 1 : 0) | (Access.Writes ? 2 : 0));
    }
  }
  PageColumns Columns;
  Calls.addTo(Columns);
  Columns.add("accesses", Accesses);
  Columns.addDifferences("accessed", Object);
  Columns.add("access", Kinds);
  return Columns.text(Calls.head(OfLanes, OfPlaces));
}

namespace {

/// Finds the kernel of a launch call: the launch recorded during the call.
class LaunchNames {
public:
  explicit LaunchNames(const profile::Profile &P) : P(P) {
    for (const profile::Launch &L : P.Launches)
      ByTime.emplace(L.TimeNs, std::pair(L.Thread, L.Kernel));
  }
  std::string of(const profile::ApiCall &C) const {
    if (C.Kind == log::CallKind::Launch)
      for (auto At = ByTime.lower_bound(C.BeginNs); At != ByTime.end() && At->first <= C.EndNs;
           ++At)
        if (const auto [Thread, Kernel] = At->second; Thread == 0 || Thread == C.Thread)
          return shortName(P.Kernels[Kernel].Demangled);
    return C.Api;
  }

private:
  const profile::Profile &P;
  std::multimap<uint64_t, std::pair<uint32_t, uint32_t>> ByTime;
};

} // namespace

std::string pageSyncCalls(const analysis::SyncRuns &Runs) {
  const profile::Profile &P = *Runs.Trace;
  const Clock Since = {P.TheRun.SteadyStartNs};
  std::vector<analysis::CallProblem> Problems;
  analysis::syncProblems(Runs, &Problems);
  const analysis::SyncTrace Trace = analysis::buildSyncTrace(P);
  const LaunchNames Kernels(*Runs.Memory);
  CallColumns Calls;
  Lanes OfLanes;
  Places OfPlaces(P);
  StreamNames Streams;
  Column Wait, Site, Problem;
  for (size_t I = 0; I < Trace.Calls.size(); ++I) {
    const profile::ApiCall &C = P.Calls[Trace.Calls[I].Index];
    const uint32_t InMemory = Problems[I].InMemory;
    Calls.add(Since(C.BeginNs), Since(C.EndNs), kindName(C.Kind),
              InMemory == None ? C.Api : Kernels.of(Runs.Memory->Calls[InMemory]),
              OfLanes.numberOf(threadName(C.Thread), false), OfPlaces.numberOf(C.CallPath));
    Wait.push_back(Trace.Calls[I].WaitNs);
    Site.push_back(Problems[I].Site);
    Problem.push_back(Problems[I].Duplicate
                          ? static_cast<uint64_t>(analysis::SyncProblem::UnnecessaryTransfer)
                          : static_cast<uint64_t>(Problems[I].Problem));
  }
  struct Operation {
    uint64_t Begin, End, Lane, Call;
  };
  std::vector<Operation> Operations;
  for (const analysis::SyncOperation &O : Trace.Operations)
    if (O.EndNs != 0) {
      const profile::ApiCall &C = P.Calls[Trace.Calls[O.Call].Index];
      Operations.push_back({Since(O.BeginNs), Since(O.EndNs),
                            OfLanes.numberOf(Streams.of(C.Device, C.Stream), true), O.Call});
    }
  std::sort(Operations.begin(), Operations.end(), [](const Operation &A, const Operation &B) {
    return std::pair(A.Begin, A.Call) < std::pair(B.Begin, B.Call);
  });
  Column GpuBegin, GpuLength, GpuLane, GpuCall;
  for (const Operation &O : Operations) {
    GpuBegin.push_back(O.Begin);
    GpuLength.push_back(O.End - std::min(O.Begin, O.End));
    GpuLane.push_back(O.Lane);
    GpuCall.push_back(O.Call);
  }
  PageColumns Columns;
  Calls.addTo(Columns);
  Columns.add("wait", Wait);
  Columns.add("site", Site);
  Columns.add("problem", Problem);
  Columns.addDifferences("gpu_begin", GpuBegin);
  Columns.add("gpu_length", GpuLength);
  Columns.add("gpu_lane", GpuLane);
  Columns.addDifferences("gpu_call", GpuCall);
  return Columns.text(Calls.head(OfLanes, OfPlaces));
}

} // namespace gmprof
