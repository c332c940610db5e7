//===- Recorder.cpp - Writes what happened into the event log -------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "host/record/Recorder.h"
#include "host/core/Options.h"
#include "host/record/OutputName.h"
#include "profile/JsonText.h"
#include "profile/PackedAccesses.h"
#include <climits>
#include <ctime>
#include <fstream>
#include <iterator>
#include <unistd.h>

namespace gmprof::host {

static uint64_t clockNs(clockid_t Clock) {
  timespec Now = {};
  clock_gettime(Clock, &Now);
  return static_cast<uint64_t>(Now.tv_sec) * 1000000000 + static_cast<uint64_t>(Now.tv_nsec);
}

uint64_t steadyNs() { return clockNs(CLOCK_MONOTONIC); }

uint32_t threadId() {
  thread_local const auto Id = static_cast<uint32_t>(gettid());
  return Id;
}

std::vector<std::string> commandLine() {
  const char *Shown = std::getenv(ShownCommandVariable);
  std::ifstream File("/proc/self/cmdline", std::ios::binary);
  const std::string All = Shown ? Shown : std::string((std::istreambuf_iterator<char>(File)), {});
  const char Separator = Shown ? ShownCommandSeparator : '\0';
  std::vector<std::string> Words;
  for (size_t Begin = 0; Begin < All.size();) {
    size_t End = std::min(All.find(Separator, Begin), All.size());
    Words.push_back(All.substr(Begin, End - Begin));
    Begin = End + 1;
  }
  return Words;
}

std::string hostName() {
  char Name[HOST_NAME_MAX + 1] = {};
  return gethostname(Name, sizeof(Name) - 1) == 0 ? Name : "";
}

void Recorder::run(const Options &O, const std::string &DeviceKind,
                   const std::vector<std::string> &Command, int64_t Pid) {
  std::vector<JsonText::Member> Members = {
      {"command", JsonText::array(Command)},
      {"host", hostName()},
      {"pid", Pid},
      {"ppid", Pid == getpid() ? getppid() : getpid()},
      {"start_unix_ns", clockNs(CLOCK_REALTIME)},
      {"steady_start_ns", steadyNs()},
      {"tool", JsonText::object({{"name", "gmprof"}, {"version", GMPROF_VERSION}})},
      {"config", optionsJson(O)},
      {"device", DeviceKind}};
  if (const std::optional<int> Rank = processRank())
    Members.emplace_back("rank", *Rank);
  Log->append(log::RecordKind::Run, JsonText::object(Members).str());
}

void Recorder::device(const DeviceFacts &Facts) {
  std::vector<JsonText::Member> Members = {
      {"id", Facts.Id},
      {"name", Facts.Name},
      {"compute_capability", std::to_string(Facts.Major) + "." + std::to_string(Facts.Minor)},
      {"sms", Facts.Sms},
      {"shared_bytes_per_block_optin", Facts.SharedOptin},
      {"shared_bytes_per_sm", Facts.SharedPerSm},
      {"shared_bytes_reserved_per_block", Facts.SharedReserved},
      {"threads_per_sm", Facts.ThreadsPerSm}};
  if (Facts.MemoryBytesPerSecond != 0)
    Members.emplace_back("memory_bytes_per_second", Facts.MemoryBytesPerSecond);
  Log->append(log::RecordKind::Device, JsonText::object(Members).str());
}

void Recorder::kernel(const log::KernelRecord &Record, std::span<const std::byte> Descriptor,
                      const std::string &Name, const std::string &Reason) {
  log::KernelRecord R = Record;
  R.descriptorBytes = static_cast<uint32_t>(Descriptor.size());
  R.nameBytes = static_cast<uint32_t>(Name.size());
  R.reasonBytes = static_cast<uint32_t>(Reason.size());
  Log->append(log::RecordKind::Kernel,
              {EventLogWriter::bytes(R), Descriptor, EventLogWriter::bytes(std::string_view(Name)),
               EventLogWriter::bytes(std::string_view(Reason))});
  LockGuard Guard(Lock);
  KernelNames[R.id] = Name;
}

void Recorder::launch(const log::LaunchRecord &Record) {
  Log->append(log::RecordKind::Launch, {EventLogWriter::bytes(Record)});
  // A node of a graph is launched when its graph is.
  if (Record.graph == 0)
    Launches.fetch_add(1, std::memory_order_relaxed);
  LockGuard Guard(Lock);
  if (LaunchedIds.insert(Record.kernel).second)
    LaunchedKernels.insert(KernelNames[Record.kernel]);
}

void Recorder::launchForms(const log::LaunchFormsRecord &Record) {
  Log->append(log::RecordKind::LaunchForms, {EventLogWriter::bytes(Record)});
}

void Recorder::launchTime(const log::LaunchTimeRecord &Record) {
  Log->append(log::RecordKind::LaunchTime, {EventLogWriter::bytes(Record)});
}

void Recorder::accessSet(uint32_t Id, std::span<const log::ObjectAccess> Accesses,
                         log::AccessKnowledge Knowledge) {
  log::AccessSetRecord R = {Id, static_cast<uint32_t>(Accesses.size()), Knowledge, 0};
  Log->append(log::RecordKind::AccessSet, {EventLogWriter::bytes(R), packAccesses(Accesses)});
}

void Recorder::launchAccesses(uint64_t Launch, uint32_t Set) {
  log::LaunchAccessesRecord R = {Launch, Set, 0};
  Log->append(log::RecordKind::LaunchAccesses, {EventLogWriter::bytes(R)});
}

void Recorder::graph(uint64_t Graph, std::span<const uint64_t> Contexts,
                     uint32_t OtherKernelNodes) {
  log::GraphRecord R = {Graph, static_cast<uint32_t>(Contexts.size()), OtherKernelNodes};
  Log->append(log::RecordKind::Graph, {EventLogWriter::bytes(R), EventLogWriter::array(Contexts)});
}

void Recorder::graphNode(const log::GraphNodeRecord &Record) {
  Log->append(log::RecordKind::GraphNode, {EventLogWriter::bytes(Record)});
}

void Recorder::graphCopyNode(uint64_t Id, const log::CopyRecord &Copy, std::string_view Api) {
  const log::GraphNodeRecord Node = {Id, 0, 0, log::GraphNodeKind::Copy, 0};
  log::CopyRecord R = Copy;
  R.apiBytes = static_cast<uint32_t>(Api.size());
  Log->append(log::RecordKind::GraphNode,
              {EventLogWriter::bytes(Node), EventLogWriter::bytes(R), EventLogWriter::bytes(Api)});
}

void Recorder::graphNodes(uint64_t Graph, std::span<const uint64_t> Nodes,
                          std::span<const std::array<uint32_t, 2>> Edges) {
  const log::GraphNodesRecord R = {Graph, static_cast<uint32_t>(Nodes.size()),
                                   static_cast<uint32_t>(Edges.size())};
  Log->append(log::RecordKind::GraphNodes, {EventLogWriter::bytes(R), EventLogWriter::array(Nodes),
                                            EventLogWriter::array(Edges)});
}

void Recorder::graphLaunch(const log::GraphLaunchRecord &Record, uint64_t KernelNodes) {
  Log->append(log::RecordKind::GraphLaunch, {EventLogWriter::bytes(Record)});
  Launches.fetch_add(KernelNodes, std::memory_order_relaxed);
}

void Recorder::object(const log::ObjectRecord &Record, std::string_view Name,
                      std::string_view Api) {
  log::ObjectRecord R = Record;
  R.nameBytes = static_cast<uint32_t>(Name.size());
  R.apiBytes = static_cast<uint32_t>(Api.size());
  Log->append(log::RecordKind::Object,
              {EventLogWriter::bytes(R), EventLogWriter::bytes(Name), EventLogWriter::bytes(Api)});
}

void Recorder::release(const log::ReleaseRecord &Record, std::string_view Api) {
  log::ReleaseRecord R = Record;
  R.apiBytes = static_cast<uint32_t>(Api.size());
  Log->append(log::RecordKind::Release, {EventLogWriter::bytes(R), EventLogWriter::bytes(Api)});
}

void Recorder::memoryReading(const log::MemoryReadingRecord &Record) {
  Log->append(log::RecordKind::MemoryReading, {EventLogWriter::bytes(Record)});
}

void Recorder::failedAllocation(const log::FailedAllocationRecord &Record, std::string_view Api) {
  log::FailedAllocationRecord R = Record;
  R.apiBytes = static_cast<uint32_t>(Api.size());
  Log->append(log::RecordKind::FailedAllocation,
              {EventLogWriter::bytes(R), EventLogWriter::bytes(Api)});
}

void Recorder::copy(const log::CopyRecord &Record, std::string_view Api) {
  log::CopyRecord R = Record;
  R.apiBytes = static_cast<uint32_t>(Api.size());
  Log->append(log::RecordKind::Copy, {EventLogWriter::bytes(R), EventLogWriter::bytes(Api)});
}

void Recorder::order(const log::OrderRecord &Record) {
  Log->append(log::RecordKind::Order, {EventLogWriter::bytes(Record)});
}

void Recorder::apiCall(const log::ApiCallRecord &Record, std::string_view Api) {
  log::ApiCallRecord R = Record;
  R.apiBytes = static_cast<uint32_t>(Api.size());
  Log->append(log::RecordKind::ApiCall, {EventLogWriter::bytes(R), EventLogWriter::bytes(Api)});
}

void Recorder::gpuTime(const log::GpuTimeRecord &Record) {
  Log->append(log::RecordKind::GpuTime, {EventLogWriter::bytes(Record)});
}

void Recorder::hostUse(const log::HostUseRecord &Record) {
  Log->append(log::RecordKind::HostUse, {EventLogWriter::bytes(Record)});
}

void Recorder::content(const log::ContentRecord &Record) {
  Log->append(log::RecordKind::Content, {EventLogWriter::bytes(Record)});
}

void Recorder::migration(const log::MigrationRecord &Record) {
  Log->append(log::RecordKind::Migration, {EventLogWriter::bytes(Record)});
}

void Recorder::objectName(uint64_t Object, std::string_view Name) {
  log::ObjectNameRecord R = {Object, static_cast<uint32_t>(Name.size()), 0};
  Log->append(log::RecordKind::ObjectName, {EventLogWriter::bytes(R), EventLogWriter::bytes(Name)});
}

void Recorder::region(std::string_view Name) {
  log::RegionRecord R = {steadyNs(), threadId(), 0, static_cast<uint32_t>(Name.size()), 0};
  Log->append(log::RecordKind::Region, {EventLogWriter::bytes(R), EventLogWriter::bytes(Name)});
}

void Recorder::regionEnd() {
  log::RegionRecord R = {steadyNs(), threadId(), 1, 0, 0};
  Log->append(log::RecordKind::Region, {EventLogWriter::bytes(R)});
}

void Recorder::callPath(uint32_t Id, std::span<const uint64_t> Addresses) {
  log::CallPathRecord R = {Id, static_cast<uint32_t>(Addresses.size())};
  Log->append(log::RecordKind::CallPath,
              {EventLogWriter::bytes(R), EventLogWriter::array(Addresses)});
}

void Recorder::pythonCode(uint32_t Id, std::string_view File, std::string_view Function) {
  log::PythonCodeRecord R = {Id, static_cast<uint32_t>(File.size()),
                             static_cast<uint32_t>(Function.size()), 0};
  Log->append(log::RecordKind::PythonCode, {EventLogWriter::bytes(R), EventLogWriter::bytes(File),
                                            EventLogWriter::bytes(Function)});
}

void Recorder::pythonStack(uint32_t Id, uint64_t Interpreter,
                           std::span<const log::PythonFrame> Frames) {
  log::PythonStackRecord R = {Interpreter, Id, static_cast<uint32_t>(Frames.size())};
  Log->append(log::RecordKind::PythonStack,
              {EventLogWriter::bytes(R), EventLogWriter::array(Frames)});
}

void Recorder::pythonPath(uint32_t Id, uint32_t CallPath, uint32_t Stack) {
  log::PythonPathRecord R = {Id, CallPath, Stack, 0};
  Log->append(log::RecordKind::PythonPath, {EventLogWriter::bytes(R)});
}

void Recorder::image(const ImageFacts &Facts) {
  std::vector<JsonText::Member> Members = {{"path", Facts.Path},
                                           {"build_id", Facts.BuildId},
                                           {"address", Facts.Address},
                                           {"bytes", Facts.Bytes},
                                           {"offset", Facts.Offset}};
  Log->append(log::RecordKind::Image, JsonText::object(Members).str());
}

void Recorder::end(std::optional<int> ExitStatus, uint64_t DeviceBytes) {
  std::vector<JsonText::Member> Members = {{"end_unix_ns", clockNs(CLOCK_REALTIME)},
                                           {"steady_end_ns", steadyNs()},
                                           {"device_bytes_used", DeviceBytes}};
  if (ExitStatus)
    Members.emplace_back("exit_status", *ExitStatus);
  Log->append(log::RecordKind::End, JsonText::object(Members).str());
  Log->trim();
}

uint32_t Recorder::reason(const std::string &Text) {
  if (Text.empty())
    return 0;
  LockGuard Guard(Lock);
  auto [It, New] = Reasons.try_emplace(Text, static_cast<uint32_t>(Reasons.size() + 1));
  if (New)
    gapRecord("launches", Text, 0, It->second);
  return It->second;
}

void Recorder::gap(const std::string &What, const std::string &Reason, uint64_t Count) {
  gapRecord(What, Reason, Count, 0);
}

void Recorder::gapRecord(const std::string &What, const std::string &Reason, uint64_t Count,
                         uint32_t Id) {
  std::vector<JsonText::Member> Members = {{"what", What}, {"reason", Reason}, {"count", Count}};
  if (Id != 0)
    Members.emplace_back("id", Id);
  Log->append(log::RecordKind::Gap, JsonText::object(Members).str());
}

size_t Recorder::kernels() const {
  LockGuard Guard(Lock);
  return LaunchedKernels.size();
}

} // namespace gmprof::host
