//===- ProfileBuilder.cpp - From an event log to a Profile ----------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "profile/ProfileBuilder.h"
#include "profile/ApiRecords.h"
#include "profile/Demangle.h"
#include "profile/GlobalRecords.h"
#include "profile/HeatRecords.h"
#include "profile/KernelDescriptor.h"
#include "profile/LaunchModes.h"
#include "profile/LaunchRecords.h"
#include "profile/MachineMemory.h"
#include "profile/MemoryRecords.h"
#include "profile/ObjectRecords.h"
#include "profile/Payload.h"
#include "profile/Progress.h"
#include "profile/Saturating.h"
#include "profile/SharedRecords.h"
#include "profile/SyncRecords.h"
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

namespace gmprof {

using nlohmann::json;
using namespace profile;

namespace {

using Bytes = Payload;

class Builder {
public:
  explicit Builder(EventLogReader &Log) : Log(Log) {}
  Result<Profile> build(const std::string &Path);

private:
  /// Decode a record each, and return false if it is damaged.
  bool record(const EventLogReader::Record &R);
  bool run(Bytes B);
  bool device(Bytes B);
  bool kernel(Bytes B);
  bool launch(Bytes B);
  bool gap(Bytes B);
  bool graph(Bytes B);
  bool graphLaunch(Bytes B);
  bool end(Bytes B);
  void addGap(std::string What, std::string Reason, uint64_t Count);
  Name reasonOf(const log::LaunchRecord &R) const;
  void addKernel(Bytes B);
  void addAwaited(uint32_t Id);
  void countReplays();

  EventLogReader &Log;
  Profile P;
  uint64_t Position = 0; ///< of the record in the log
  ObjectRecords Objects{P};
  ApiRecords Apis{P, Objects};
  SyncRecords Syncs{P, Objects};
  bool HasRun = false;
  std::map<uint32_t, uint32_t> KernelIndex; ///< kernel's id in the log to index
  std::map<uint64_t, uint64_t> Replays;     ///< by context
  GlobalRecords Global{P, KernelIndex};
  HeatCases HeatOfCases{P, KernelIndex};
  HeatRecords Heat{P, KernelIndex, HeatOfCases};
  SharedCases Cases{P, KernelIndex};
  SharedRecords Shared{P, KernelIndex, Cases, Replays};
  LaunchRecords OfLaunches{P};
  MemoryRecords OfMemory{P, Objects};
  /// Index by record and descriptor; equal kernel records are one kernel.
  std::map<std::string, uint32_t, std::less<>> KernelByContent;
  struct Awaiting {
    std::vector<std::byte> Record;  ///< the kernel's, so far
    std::vector<uint32_t> Launches; ///< indices
  };
  std::map<uint32_t, Awaiting> AwaitingById; ///< kernels without another record so far
  std::map<std::pair<std::string, std::string>, size_t> GapIndex;
  std::map<uint32_t, Name> Reasons;
  struct Graph {
    std::vector<uint64_t> Contexts;
    uint32_t OtherNodes = 0;
  };
  std::map<uint64_t, Graph> Graphs;
};

} // namespace

bool Builder::run(Bytes B) {
  json J = json::parse(text(B), nullptr, /*allow_exceptions=*/false);
  if (HasRun || !J.is_object() || !J.contains("command"))
    return false;
  Run R;
  R.Command = J.at("command").get<std::vector<std::string>>();
  R.Host = J.value("host", "");
  R.Pid = J.value("pid", int64_t(0));
  R.ParentPid = J.value("ppid", int64_t(0));
  if (J.contains("rank"))
    R.Rank = J.at("rank").get<int>();
  R.StartUnixNs = J.value("start_unix_ns", uint64_t(0));
  R.SteadyStartNs = J.value("steady_start_ns", uint64_t(0));
  R.DeviceKind = J.value("device", "");
  json Tool = J.value("tool", json::object());
  R.ToolName = Tool.value("name", "");
  R.ToolVersion = Tool.value("version", "");
  json Config = J.value("config", json::object());
  R.ConfigJson = Config.dump();
  R.Profiles =
      Config.value("profiles", std::vector{Config.value("profile", profile::UnnamedProfile)});
  R.SyncStage = Config.value("sync_stage", "");
  P.TheRun = std::move(R);
  HasRun = true;
  return true;
}

bool Builder::device(Bytes B) {
  json J = json::parse(text(B), nullptr, false);
  if (!J.is_object())
    return false;
  Device D;
  D.Id = J.at("id").get<uint32_t>();
  D.Name = J.value("name", "");
  D.ComputeCapability = J.value("compute_capability", "");
  D.SharedBytesPerSm = J.value("shared_bytes_per_sm", uint64_t(0));
  D.SharedBytesReservedPerBlock = J.value("shared_bytes_reserved_per_block", uint64_t(0));
  D.ThreadsPerSm = J.value("threads_per_sm", uint64_t(0));
  D.AttributesJson = J.dump();
  P.Devices.push_back(std::move(D));
  return true;
}

bool Builder::kernel(Bytes B) {
  const Bytes Whole = B;
  log::KernelRecord R;
  if (!take(B, R))
    return false;
  uint64_t Expected = uint64_t(R.descriptorBytes) + R.nameBytes + R.reasonBytes;
  if (B.size() != Expected || R.nameBytes == 0 || KernelIndex.count(R.id))
    return false;
  if (R.awaitsClones) {
    AwaitingById[R.id].Record.assign(Whole.begin(), Whole.end());
    return true;
  }
  addKernel(Whole);
  addAwaited(R.id);
  return true;
}

/// Adds the launches of a kernel that awaited clones to the kernel, which has an index now.
void Builder::addAwaited(uint32_t Id) {
  const auto Awaited = AwaitingById.extract(Id);
  if (Awaited.empty())
    return;
  for (const uint32_t Each : Awaited.mapped().Launches)
    P.Launches.change(Each, [&](Launch &L) { L.Kernel = KernelIndex.at(Id); });
}

/// Adds a kernel with a valid record.
void Builder::addKernel(Bytes B) {
  log::KernelRecord R;
  const std::string_view Content = text(B);
  take(B, R);
  // All fields except id and device.
  log::KernelRecord Key = R;
  Key.id = Key.device = 0;
  std::string ContentKey(reinterpret_cast<const char *>(&Key), sizeof(Key));
  ContentKey += Content.substr(sizeof(Key));
  auto [It, New] = KernelByContent.try_emplace(ContentKey, uint32_t(P.Kernels.size()));
  KernelIndex[R.id] = It->second;
  if (!New) {
    // Loaded again on this device: from another file, or after a reset.
    std::vector<uint32_t> &Devices = P.Kernels[It->second].Devices;
    if (std::find(Devices.begin(), Devices.end(), R.device) == Devices.end())
      Devices.push_back(R.device);
    return;
  }

  Kernel &K = P.Kernels.emplace_back();
  K.Name = text(B.subspan(R.descriptorBytes, R.nameBytes));
  K.Reason = text(B.subspan(R.descriptorBytes + R.nameBytes));
  K.Demangled = demangle(K.Name);
  K.Devices = {R.device};
  K.StaticSharedBytes = R.staticSharedBytes;
  K.Registers = R.registers;
  K.CloneRegisters = R.cloneRegisters;
  if (R.descriptorBytes == 0) {
    if (K.Reason.empty())
      K.Reason = "it was not compiled with the GMProf plugin";
    return;
  }
  Result<Descriptor> Desc = decodeDescriptor(B.first(R.descriptorBytes));
  if (Desc) {
    Result<std::optional<MachineMemory>> Machine =
        decodeMachineMemory(B.first(R.descriptorBytes), *Desc);
    if (!Machine)
      Desc = Error{Machine.error()};
    else if (*Machine)
      P.Machine.emplace(static_cast<uint32_t>(P.Kernels.size() - 1), std::move(**Machine));
  }
  if (Desc)
    K.Desc = std::move(*Desc);
  if (K.Reason.empty())
    K.Reason = Desc ? K.Desc->SkipReason : Desc.error();
}

bool Builder::launch(Bytes B) {
  log::LaunchRecord R;
  if (!take(B, R) || !B.empty())
    return false;
  const auto Kernel = KernelIndex.find(R.kernel);
  const auto Waits = Kernel == KernelIndex.end() ? AwaitingById.find(R.kernel) : AwaitingById.end();
  if ((Kernel == KernelIndex.end() && Waits == AwaitingById.end()) || !isLaunchMode(R.mode))
    return false;
  if (Waits != AwaitingById.end())
    Waits->second.Launches.push_back(static_cast<uint32_t>(P.Launches.size()));
  Launch &L = P.Launches.emplace_back();
  L.Record = Position;
  L.Id = R.id;
  L.TimeNs = R.timeNs;
  L.Stream = R.stream;
  L.Context = R.context;
  L.Kernel = Kernel == KernelIndex.end() ? 0 : Kernel->second; // else addAwaited() sets it
  L.Mode = R.mode;
  for (int I = 0; I < 3; ++I) {
    L.Grid[I] = R.grid[I];
    L.Block[I] = R.block[I];
  }
  L.DynamicSharedBytes = R.dynamicSharedBytes;
  L.Device = R.device;
  L.Graph = R.graph != 0;
  L.InBody = R.graph == 2;
  L.CallPath = Objects.findPath(R.callPath);
  L.Thread = R.thread;
  Apis.launch(R);
  L.Reason = reasonOf(R);
  return true;
}

void Builder::addGap(std::string What, std::string Reason, uint64_t Count) {
  auto [It, New] = GapIndex.try_emplace({What, Reason}, P.Gaps.size());
  if (New)
    P.Gaps.push_back({std::move(What), std::move(Reason), 0});
  Gap &G = P.Gaps[It->second];
  G.Count = addSaturating(G.Count, Count);
}

bool Builder::gap(Bytes B) {
  json J = json::parse(text(B), nullptr, false);
  if (!J.is_object())
    return false;
  std::string Reason = J.at("reason").get<std::string>();
  if (J.contains("id"))
    Reasons[J.at("id").get<uint32_t>()] = Reason;
  uint64_t Count = J.at("count").get<uint64_t>();
  if (Count != 0)
    addGap(J.at("what").get<std::string>(), Reason, Count);
  return true;
}

bool Builder::graph(Bytes B) {
  log::GraphRecord R;
  Graph G;
  if (!take(B, R) || !take(B, G.Contexts, R.contextCount) || !B.empty())
    return false;
  G.OtherNodes = R.otherKernelNodes;
  Graphs[R.graph] = std::move(G);
  return true;
}

bool Builder::graphLaunch(Bytes B) {
  log::GraphLaunchRecord R;
  if (!take(B, R) || !B.empty())
    return false;
  auto It = Graphs.find(R.graph);
  if (It == Graphs.end())
    return false;
  for (uint64_t Context : It->second.Contexts)
    ++Replays[Context];
  P.PlainGraphNodes += It->second.OtherNodes;
  Apis.graphLaunch(R, Position);
  return true;
}

bool Builder::end(Bytes B) {
  json J = json::parse(text(B), nullptr, false);
  if (!J.is_object())
    return false;
  P.TheRun.EndUnixNs = J.value("end_unix_ns", uint64_t(0));
  P.TheRun.SteadyEndNs = J.value("steady_end_ns", uint64_t(0));
  if (J.contains("exit_status") && !J.at("exit_status").is_null())
    P.TheRun.ExitStatus = J.at("exit_status").get<int>();
  P.TheRun.Ended = true;
  return true;
}

bool Builder::record(const EventLogReader::Record &R) {
  const Bytes Payload = R.Payload;
  switch (R.Kind) {
#define GMPROF_RECORD(Kind, number, decoded)                                                       \
  case log::RecordKind::Kind:                                                                      \
    return decoded;
#include "profile/records.def"
  }
  addGap("records", "of a kind that this GMProf does not know", 1);
  return true;
}

/// Sets Launch::Times of graph nodes: the launches of their graph or, in conditional bodies, the
/// count of the context. Nodes that share a context share its replays evenly. A node without a
/// clone has the replays of its first further context.
void Builder::countReplays() {
  std::map<uint32_t, uint64_t> ContextOf; // by launch that is a graph node
  std::set<uint64_t> OfBodies;
  uint32_t Index = 0;
  for (const Launch &L : P.Launches) {
    if (L.Graph)
      ContextOf[Index] = L.Context;
    ++Index;
  }
  for (const LaunchForms &Further : P.FurtherContexts)
    if (auto It = ContextOf.find(Further.Launch); It != ContextOf.end() && It->second == 0)
      It->second = Further.Context;
  std::map<uint64_t, uint64_t> Nodes; // by context
  for (const auto &[Each, Context] : ContextOf) {
    ++Nodes[Context];
    if (std::as_const(P.Launches)[Each].InBody)
      OfBodies.insert(Context);
  }
  for (const GlobalContext &C : P.GlobalContexts)
    if (OfBodies.count(C.Context) != 0)
      Replays[C.Context] = C.LaunchesCounted;
  for (const HeatContext &C : P.Heat)
    if (OfBodies.count(C.Context) != 0)
      Replays[C.Context] = C.BodyLaunches;
  for (const auto &[Each, Context] : ContextOf) {
    uint64_t &Left = Nodes[Context];
    uint64_t &Replayed = Replays[Context];
    const uint64_t Times = Context == 0 ? 0 : Replayed / Left;
    P.Launches.change(Each, [&](Launch &L) { L.Times = Times; });
    Replayed -= Times;
    --Left;
  }
}

/// Returns why a launch was not profiled. The reason's record precedes the launch's.
Name Builder::reasonOf(const log::LaunchRecord &R) const {
  auto Reason = Reasons.find(R.reason);
  if (Reason != Reasons.end())
    return Reason->second;
  if (R.mode != log::LaunchMode::Refused)
    return {};
  const auto Kernel = KernelIndex.find(R.kernel);
  const std::string Never = Kernel == KernelIndex.end() ? "" : P.Kernels[Kernel->second].Reason;
  return Never.empty() ? "no reason was recorded" : Never;
}

Result<Profile> Builder::build(const std::string &Path) {
  constexpr uint64_t RecordsAtATime = 1 << 12;
  while (std::optional<EventLogReader::Record> R = Log.next()) {
    bool Valid;
    if (Position++ % RecordsAtATime == 0)
      progress("reading " + Path, Log.position(), Log.bytes());
    try {
      Valid = record(*R);
    } catch (const json::exception &) {
      Valid = false; // a JSON value is missing or of another type
    }
    if (!Valid)
      addGap("records", "damaged", 1);
  }
  P.TheRun.Truncated = Log.truncated();
  if (!HasRun)
    return Error{"the event log '" + Path + "' does not say which run it is of: " +
                 (Log.truncated() ? "the program died before that was recorded" : "it is damaged")};
  while (!AwaitingById.empty()) {
    const uint32_t Id = AwaitingById.begin()->first;
    addKernel(AwaitingById.begin()->second.Record);
    addAwaited(Id);
  }
  if (uint64_t Damaged = OfLaunches.addToLaunches())
    addGap("records", "damaged", Damaged);
  countReplays();
  if (uint64_t Failed = Cases.addToCounts())
    addGap("counts", "closed forms of accesses of shared memory could not be computed", Failed);
  if (uint64_t Failed = HeatOfCases.addToHeat())
    addGap("heat maps", "closed forms of the launch's accesses could not be computed", Failed);
  return std::move(P);
}

Result<Profile> buildProfile(EventLogReader &Log, const std::string &Path) {
  return Builder(Log).build(Path);
}

Result<Profile> readProfile(const std::string &Path) {
  Result<EventLogReader> Log = EventLogReader::open(Path);
  if (!Log)
    return Error{Log.error()};
  return buildProfile(*Log, Path);
}

} // namespace gmprof
