//===- TestLog.h - Hand-written event logs ----------------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_TEST_UNIT_PROFILE_TESTLOG_H
#define GMPROF_TEST_UNIT_PROFILE_TESTLOG_H

#include "TestDescriptor.h"
#include "gmprof/abi.h"
#include "profile/CompressedCounts.h"
#include "profile/HeatRuns.h"
#include "profile/PackedAccesses.h"
#include "profile/Records.h"
#include <cstddef>
#include <cstring>
#include <string>
#include <vector>

namespace gmprof::test {

/// Builds an event log in memory.
class LogBytes {
public:
  std::vector<std::byte> Bytes;

  LogBytes() {
    log::FileHeader Header = {};
    std::memcpy(Header.magic, log::Magic, sizeof(Header.magic));
    Header.version = log::Version;
    put(&Header, sizeof(Header));
  }

  void record(log::RecordKind Kind, const std::vector<std::byte> &Payload) {
    log::RecordHeader Header = {};
    Header.kind = Kind;
    Header.bytes = Payload.size();
    put(&Header, sizeof(Header));
    put(Payload.data(), Payload.size());
    Bytes.resize((Bytes.size() + 7) / 8 * 8);
  }

  void json(log::RecordKind Kind, const std::string &Text) {
    auto *Begin = reinterpret_cast<const std::byte *>(Text.data());
    record(Kind, std::vector<std::byte>(Begin, Begin + Text.size()));
  }

  void run(const std::string &Command = "[\"./app\",\"64\"]", const std::string &Config = "{}",
           const std::string &Device = "cpu") {
    json(log::RecordKind::Run,
         "{\"command\":" + Command +
             ",\"host\":\"node1\",\"pid\":42,\"ppid\":41,\"start_unix_ns\":1700000000500000000,"
             "\"steady_start_ns\":1000000000,\"tool\":{\"name\":\"gmprof\",\"version\":\"0.1.0\"},"
             "\"config\":" +
             Config + ",\"device\":\"" + Device + "\"}");
  }
  void device() {
    json(log::RecordKind::Device,
         "{\"id\":0,\"name\":\"Test GPU\",\"compute_capability\":\"9.0\",\"sms\":132,"
         "\"shared_bytes_per_sm\":233472,\"shared_bytes_reserved_per_block\":1024,"
         "\"threads_per_sm\":2048}");
  }
  void end(int ExitStatus = 0) {
    json(log::RecordKind::End, "{\"end_unix_ns\":1700000001000000000,\"steady_end_ns\":1500000000,"
                               "\"exit_status\":" +
                                   std::to_string(ExitStatus) + "}");
  }

  void kernel(uint32_t Id, const std::string &Name, const std::vector<std::byte> &Descriptor,
              uint32_t StaticSharedBytes = 0, const std::string &Reason = "", uint32_t Device = 0,
              bool AwaitsClones = false) {
    log::KernelRecord R = {};
    R.awaitsClones = AwaitsClones;
    R.id = Id;
    R.device = Device;
    R.staticSharedBytes = StaticSharedBytes;
    R.registers = 20;
    R.cloneRegisters = 24;
    R.descriptorBytes = static_cast<uint32_t>(Descriptor.size());
    R.nameBytes = static_cast<uint32_t>(Name.size());
    R.reasonBytes = static_cast<uint32_t>(Reason.size());
    std::vector<std::byte> Payload = bytesOf(R);
    Payload.insert(Payload.end(), Descriptor.begin(), Descriptor.end());
    for (char C : Name + Reason)
      Payload.push_back(std::byte(C));
    record(log::RecordKind::Kernel, Payload);
  }

  void launch(uint64_t Id, uint32_t Kernel, uint64_t Context, uint32_t Grid, uint32_t Block,
              log::LaunchMode Mode = log::LaunchMode::Shared, uint32_t DynamicBytes = 0,
              uint32_t Reason = 0, uint32_t Graph = 0) {
    log::LaunchRecord R = {};
    R.id = Id;
    R.timeNs = 1000000000 + Id * 1000;
    R.context = Context;
    R.kernel = Kernel;
    R.mode = Mode;
    R.grid[0] = Grid;
    R.block[0] = Block;
    R.grid[1] = R.grid[2] = R.block[1] = R.block[2] = 1;
    R.dynamicSharedBytes = DynamicBytes;
    R.reason = Reason;
    R.graph = Graph;
    record(log::RecordKind::Launch, bytesOf(R));
  }

  void launchForms(uint64_t Launch, log::LaunchMode Mode, uint64_t Context) {
    record(log::RecordKind::LaunchForms, bytesOf(log::LaunchFormsRecord{Launch, Context, Mode, 0}));
  }
  void launchTime(uint64_t Launch, uint64_t Ns) {
    record(log::RecordKind::LaunchTime, bytesOf(log::LaunchTimeRecord{Launch, Ns}));
  }

  struct Counts {
    uint64_t Context = 1, Case = 0, Blocks = 1, Threads = 32, Lost = 0, BodyLaunches = 0;
    uint32_t Kernel = 1, FirstAddress = 1024, DynamicAddress = 1024, DynamicBytes = 0;
    uint32_t BlockSample = 1;
    std::vector<uint64_t> Sums;
    std::vector<uint32_t> Capped = {}; ///< empty: none
    std::vector<uint32_t> Addresses;
    uint32_t Groups = 0;
    std::vector<double> Deviations = {}; ///< empty: none
  };
  void counts(const Counts &C) {
    log::SharedCountsRecord R = {};
    R.context = C.Context;
    R.sharedCase = C.Case;
    R.blocks = C.Blocks;
    R.threads = C.Threads;
    R.lost = C.Lost;
    R.bodyLaunches = C.BodyLaunches;
    R.kernel = C.Kernel;
    R.words = static_cast<uint32_t>(C.Sums.size());
    R.variableCount = static_cast<uint32_t>(C.Addresses.size());
    R.firstAddress = C.FirstAddress;
    R.dynamicAddress = C.DynamicAddress;
    R.dynamicSharedBytes = C.DynamicBytes;
    R.blockSample = C.BlockSample;
    R.groups = C.Groups;
    std::vector<uint32_t> Capped = C.Capped;
    Capped.resize(C.Sums.size());
    std::vector<std::byte> Payload = bytesOf(R);
    append(Payload, C.Sums);
    append(Payload, Capped);
    append(Payload, C.Addresses);
    std::vector<double> Deviations = C.Deviations;
    Deviations.resize(C.Addresses.size());
    append(Payload, Deviations);
    record(log::RecordKind::SharedCounts, Payload);
  }

  void sharedCase(const log::SharedCaseRecord &R, const std::vector<int64_t> &Values) {
    std::vector<std::byte> Payload = bytesOf(R);
    append(Payload, Values);
    record(log::RecordKind::SharedCase, Payload);
  }

  void graph(uint64_t Graph, const std::vector<uint64_t> &Contexts, uint32_t OtherNodes = 0) {
    log::GraphRecord R = {Graph, static_cast<uint32_t>(Contexts.size()), OtherNodes};
    std::vector<std::byte> Payload = bytesOf(R);
    append(Payload, Contexts);
    record(log::RecordKind::Graph, Payload);
  }
  void graphLaunch(uint64_t Graph) {
    log::GraphLaunchRecord R = {};
    R.graph = Graph;
    record(log::RecordKind::GraphLaunch, bytesOf(R));
  }

  void object(uint64_t Id, const std::string &Name, const std::string &Api, uint64_t Address,
              uint64_t Size, log::ObjectKind Kind = log::ObjectKind::Device) {
    log::ObjectRecord R = {};
    R.id = Id;
    R.timeNs = 1000000000 + Id;
    R.address = Address;
    R.bytes = Size;
    R.kind = Kind;
    R.nameBytes = static_cast<uint32_t>(Name.size());
    R.apiBytes = static_cast<uint32_t>(Api.size());
    std::vector<std::byte> Payload = bytesOf(R);
    for (char C : Name + Api)
      Payload.push_back(std::byte(C));
    record(log::RecordKind::Object, Payload);
  }

  struct Global {
    uint64_t Context = 1;
    uint32_t Kernel = 1, BlockSample = 1;
    uint32_t Grid = 1, Block = 32;
    bool ClosedForms = true;
    uint64_t CounterBytes = 0, ObjectBytes = 0;
    std::vector<uint64_t> Objects; ///< per variable
    std::vector<int64_t> Offsets;  ///< empty: 0
    std::vector<int64_t> Values;
  };
  void globalContext(const Global &G) {
    log::GlobalContextRecord R = {};
    R.context = G.Context;
    R.counterBytes = G.CounterBytes;
    R.objectBytes = G.ObjectBytes;
    R.kernel = G.Kernel;
    R.grid[0] = G.Grid;
    R.block[0] = G.Block;
    R.grid[1] = R.grid[2] = R.block[1] = R.block[2] = 1;
    R.blockSample = G.BlockSample;
    R.variableCount = static_cast<uint32_t>(G.Objects.size());
    R.valueCount = static_cast<uint32_t>(G.Values.size());
    R.closedForms = G.ClosedForms;
    std::vector<int64_t> Offsets = G.Offsets;
    Offsets.resize(G.Objects.size());
    std::vector<std::byte> Payload = bytesOf(R);
    append(Payload, G.Objects);
    append(Payload, Offsets);
    append(Payload, G.Values);
    record(log::RecordKind::GlobalContext, Payload);
  }
  void globalCounts(log::GlobalCountsRecord R, const std::vector<uint64_t> &Sums,
                    const std::vector<uint32_t> &Capped = {}) {
    R.elements = Sums.size();
    R.thresholdReached = !Capped.empty();
    R.blockSample = R.blockSample ? R.blockSample : 1;
    std::vector<std::byte> Payload = bytesOf(R);
    std::vector<std::byte> Counts = compressCounts(Sums, Capped);
    Payload.insert(Payload.end(), Counts.begin(), Counts.end());
    record(log::RecordKind::GlobalCounts, Payload);
  }
  void globalTotals(const log::GlobalTotalsRecord &R) {
    record(log::RecordKind::GlobalTotals, bytesOf(R));
  }

  struct Heat {
    log::HeatRecord Record = {}; ///< lengths of arrays are set automatically
    std::vector<GmprofHeatSite> Sites;
    std::vector<GmprofHeatSite> SharedSites; ///< empty: no requests to shared memory
    std::vector<GmprofHeatWord> Words;       ///< per word and kind
    std::vector<uint64_t> Objects;           ///< per variable; empty: unknown
    std::vector<uint32_t> Variables;
  };
  void heat(const Heat &H) {
    log::HeatRecord R = H.Record;
    R.siteCount = static_cast<uint32_t>(H.Sites.size()) - 1;
    R.words = static_cast<uint32_t>(H.Words.size() / GMPROF_COUNTER_KINDS);
    R.variableCount = static_cast<uint32_t>(H.Variables.size());
    std::vector<std::byte> Payload = bytesOf(R);
    append(Payload, H.Sites);
    std::vector<GmprofHeatSite> SharedSites = H.SharedSites;
    SharedSites.resize(H.Sites.size());
    append(Payload, SharedSites);
    append(Payload, H.Words);
    std::vector<uint64_t> Objects = H.Objects;
    Objects.resize(H.Variables.size());
    append(Payload, Objects);
    append(Payload, H.Variables);
    record(log::RecordKind::Heat, Payload);
  }
  void compressedHeatRuns(const log::HeatRunsRecord &R, const std::vector<std::byte> &Runs) {
    std::vector<std::byte> Payload = bytesOf(R);
    append(Payload, Runs);
    record(log::RecordKind::HeatRuns, Payload);
  }
  void heatRuns(log::HeatRunsRecord R, const std::vector<log::HeatRun> &Runs) {
    R.runs = Runs.size();
    compressedHeatRuns(R, compressHeatRuns(Runs));
  }

  struct HeatCase {
    log::HeatCaseRecord Record = {}; ///< lengths of arrays are set automatically
    std::vector<int64_t> Values;
    std::vector<uint64_t> Objects, Pointers; ///< per variable
    std::vector<log::HeatRange> Ranges;
  };
  void heatCase(const HeatCase &C) {
    log::HeatCaseRecord R = C.Record;
    R.valueCount = static_cast<uint32_t>(C.Values.size());
    R.variableCount = static_cast<uint32_t>(C.Pointers.size());
    R.rangeCount = static_cast<uint32_t>(C.Ranges.size());
    std::vector<std::byte> Payload = bytesOf(R);
    append(Payload, C.Values);
    append(Payload, C.Objects);
    append(Payload, C.Pointers);
    append(Payload, C.Ranges);
    record(log::RecordKind::HeatCase, Payload);
  }
  void heatPages(const log::HeatPagesRecord &R, const std::vector<std::byte> &Pages) {
    std::vector<std::byte> Payload = bytesOf(R);
    append(Payload, Pages);
    record(log::RecordKind::HeatPages, Payload);
  }

  struct Object {
    uint64_t Id = 1, BeginNs = 1099999000, TimeNs = 1100000000, Address = 0x7000, Bytes = 256;
    log::ObjectKind Kind = log::ObjectKind::Device;
    uint32_t CallPath = 0;
    std::string Name = {}, Api = "cudaMalloc";
    uint32_t Device = 0;
    uint64_t Stream = 0;
    uint64_t Parent = 0;
  };
  void object(const Object &O) {
    log::ObjectRecord R = {};
    R.id = O.Id;
    R.timeNs = O.TimeNs;
    R.beginNs = O.BeginNs;
    R.address = O.Address;
    R.bytes = O.Bytes;
    R.stream = O.Stream;
    R.kind = O.Kind;
    R.parent = O.Parent;
    R.device = O.Device;
    R.callPath = O.CallPath;
    R.thread = 77;
    R.nameBytes = static_cast<uint32_t>(O.Name.size());
    R.apiBytes = static_cast<uint32_t>(O.Api.size());
    std::vector<std::byte> Payload = bytesOf(R);
    for (char C : O.Name + O.Api)
      Payload.push_back(std::byte(C));
    record(log::RecordKind::Object, Payload);
  }
  void release(uint64_t Object, uint64_t TimeNs, uint32_t CallPath = 0,
               const std::string &Api = "cudaFree", bool InGraph = false) {
    log::ReleaseRecord R = {};
    R.object = Object;
    R.timeNs = TimeNs;
    R.endNs = TimeNs + 500;
    R.callPath = CallPath;
    R.graph = InGraph;
    R.thread = 78;
    R.apiBytes = static_cast<uint32_t>(Api.size());
    std::vector<std::byte> Payload = bytesOf(R);
    for (char C : Api)
      Payload.push_back(std::byte(C));
    record(log::RecordKind::Release, Payload);
  }
  void launch(const log::LaunchRecord &R) { record(log::RecordKind::Launch, bytesOf(R)); }
  void accessSet(uint32_t Id, const std::vector<log::ObjectAccess> &Accesses,
                 bool Inferred = false) {
    accessSet(Id, Accesses,
              Inferred ? log::AccessKnowledge::Inferred : log::AccessKnowledge::Exact);
  }
  void accessSet(uint32_t Id, const std::vector<log::ObjectAccess> &Accesses,
                 log::AccessKnowledge Knowledge) {
    log::AccessSetRecord R = {Id, static_cast<uint32_t>(Accesses.size()), Knowledge, 0};
    std::vector<std::byte> Payload = bytesOf(R);
    append(Payload, packAccesses(Accesses));
    record(log::RecordKind::AccessSet, Payload);
  }
  void launchAccesses(uint64_t Launch, uint32_t Set) {
    record(log::RecordKind::LaunchAccesses, bytesOf(log::LaunchAccessesRecord{Launch, Set, 0}));
  }
  void copy(log::CopyRecord R, const std::string &Api) {
    R.apiBytes = static_cast<uint32_t>(Api.size());
    std::vector<std::byte> Payload = bytesOf(R);
    for (char C : Api)
      Payload.push_back(std::byte(C));
    record(log::RecordKind::Copy, Payload);
  }
  void graphNode(const log::GraphNodeRecord &R) { record(log::RecordKind::GraphNode, bytesOf(R)); }
  void graphNodes(uint64_t Graph, const std::vector<uint64_t> &Nodes,
                  const std::vector<uint32_t> &Edges) {
    log::GraphNodesRecord R = {Graph, static_cast<uint32_t>(Nodes.size()),
                               static_cast<uint32_t>(Edges.size() / 2)};
    std::vector<std::byte> Payload = bytesOf(R);
    append(Payload, Nodes);
    append(Payload, Edges);
    record(log::RecordKind::GraphNodes, Payload);
  }
  void order(const log::OrderRecord &R) { record(log::RecordKind::Order, bytesOf(R)); }
  void objectName(uint64_t Object, const std::string &Name) {
    std::vector<std::byte> Payload =
        bytesOf(log::ObjectNameRecord{Object, static_cast<uint32_t>(Name.size()), 0});
    for (char C : Name)
      Payload.push_back(std::byte(C));
    record(log::RecordKind::ObjectName, Payload);
  }
  void region(uint64_t TimeNs, uint32_t Thread, const std::string &Name, bool End = false) {
    std::vector<std::byte> Payload =
        bytesOf(log::RegionRecord{TimeNs, Thread, End, static_cast<uint32_t>(Name.size()), 0});
    for (char C : Name)
      Payload.push_back(std::byte(C));
    record(log::RecordKind::Region, Payload);
  }
  void apiCall(log::ApiCallRecord R, const std::string &Api) {
    R.apiBytes = static_cast<uint32_t>(Api.size());
    std::vector<std::byte> Payload = bytesOf(R);
    for (char C : Api)
      Payload.push_back(std::byte(C));
    record(log::RecordKind::ApiCall, Payload);
  }
  void gpuTime(const log::GpuTimeRecord &R) { record(log::RecordKind::GpuTime, bytesOf(R)); }
  void migration(const log::MigrationRecord &R) { record(log::RecordKind::Migration, bytesOf(R)); }
  void hostUse(const log::HostUseRecord &R) { record(log::RecordKind::HostUse, bytesOf(R)); }
  void callPath(uint32_t Id, const std::vector<uint64_t> &Addresses) {
    log::CallPathRecord R = {Id, static_cast<uint32_t>(Addresses.size())};
    std::vector<std::byte> Payload = bytesOf(R);
    append(Payload, Addresses);
    record(log::RecordKind::CallPath, Payload);
  }
  void pythonCode(uint32_t Id, const std::string &File, const std::string &Function) {
    log::PythonCodeRecord R = {Id, static_cast<uint32_t>(File.size()),
                               static_cast<uint32_t>(Function.size()), 0};
    std::vector<std::byte> Payload = bytesOf(R);
    for (char C : File + Function)
      Payload.push_back(std::byte(C));
    record(log::RecordKind::PythonCode, Payload);
  }
  void pythonStack(uint32_t Id, uint64_t Interpreter, const std::vector<log::PythonFrame> &Frames) {
    log::PythonStackRecord R = {Interpreter, Id, static_cast<uint32_t>(Frames.size())};
    std::vector<std::byte> Payload = bytesOf(R);
    append(Payload, Frames);
    record(log::RecordKind::PythonStack, Payload);
  }
  void pythonPath(uint32_t Id, uint32_t CallPath, uint32_t Stack) {
    record(log::RecordKind::PythonPath, bytesOf(log::PythonPathRecord{Id, CallPath, Stack, 0}));
  }
  void image(const std::string &Path, uint64_t Address, uint64_t Bytes, uint64_t Offset = 0) {
    json(log::RecordKind::Image,
         "{\"path\":\"" + Path + "\",\"build_id\":\"abcd\",\"address\":" + std::to_string(Address) +
             ",\"bytes\":" + std::to_string(Bytes) + ",\"offset\":" + std::to_string(Offset) + "}");
  }

private:
  template <typename T> static std::vector<std::byte> bytesOf(const T &Struct) {
    std::vector<std::byte> Out(sizeof(T));
    std::memcpy(Out.data(), &Struct, sizeof(T));
    return Out;
  }
  template <typename T>
  static void append(std::vector<std::byte> &To, const std::vector<T> &Array) {
    auto *Begin = reinterpret_cast<const std::byte *>(Array.data());
    To.insert(To.end(), Begin, Begin + Array.size() * sizeof(T));
  }
  void put(const void *Data, size_t Size) {
    auto *Begin = static_cast<const std::byte *>(Data);
    Bytes.insert(Bytes.end(), Begin, Begin + Size);
  }
};

} // namespace gmprof::test

#endif // GMPROF_TEST_UNIT_PROFILE_TESTLOG_H
