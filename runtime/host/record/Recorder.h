//===- Recorder.h - Writes what happened into the event log -----*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The records of profile/Records.h, as the host runtime makes them. All
// functions are callable from several threads at a time.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_HOST_RECORD_RECORDER_H
#define GMPROF_HOST_RECORD_RECORDER_H

#include "gmprof/abi.h"
#include "profile/EventLogWriter.h"
#include "profile/Mutex.h"
#include "profile/Records.h"
#include <array>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

namespace gmprof::host {

struct Options;

/// Returns nanoseconds of the steady clock.
uint64_t steadyNs();

/// Returns the number of this thread in records.
uint32_t threadId();

/// Variable of the environment with the command line that results show, in place of the program's
/// own: `gmprof kernel` starts a program of GMProf. Its words are separated by
/// ShownCommandSeparator.
inline constexpr const char *ShownCommandVariable = "GMPROF_SHOWN_COMMAND";
inline constexpr char ShownCommandSeparator = '\x1f';

/// Returns the command line that results show: the program's, from /proc/self/cmdline, unless
/// ShownCommandVariable is set.
std::vector<std::string> commandLine();

std::string hostName();

struct DeviceFacts {
  int Id = 0;
  std::string Name;
  bool OnCpu = false; ///< the CPU device
  int Major = 0, Minor = 0;
  int Sms = 0, SharedOptin = 0, SharedPerSm = 0, SharedReserved = 0, ThreadsPerSm = 0;
  uint64_t MemoryBytesPerSecond = 0; ///< of device memory, upper bound; 0: unknown
};

/// An executable or library in the program's address space, see log::RecordKind::Image.
struct ImageFacts {
  std::string Path, BuildId;
  uint64_t Address = 0, Bytes = 0, Offset = 0;

  bool operator==(const ImageFacts &) const = default;
};

class Recorder {
public:
  explicit Recorder(std::unique_ptr<EventLogWriter> Log) : Log(std::move(Log)) {}

  /// Records the run. Command and Pid: of the profiled program.
  void run(const Options &O, const std::string &DeviceKind, const std::vector<std::string> &Command,
           int64_t Pid);
  void device(const DeviceFacts &Facts);
  void kernel(const log::KernelRecord &Record, std::span<const std::byte> Descriptor,
              const std::string &Name, const std::string &Reason);
  void launch(const log::LaunchRecord &Record);
  void launchForms(const log::LaunchFormsRecord &Record);
  void launchTime(const log::LaunchTimeRecord &Record);
  /// Appends a record that only one profile has: the struct, then the elements of the arrays.
  template <typename Record, typename... Element>
  void profileRecord(log::RecordKind Kind, const Record &R, std::span<Element>... Arrays) {
    Log->append(Kind, {EventLogWriter::bytes(R), std::as_bytes(Arrays)...});
  }
  void accessSet(uint32_t Id, std::span<const log::ObjectAccess> Accesses,
                 log::AccessKnowledge Knowledge);
  void launchAccesses(uint64_t Launch, uint32_t Set);
  void graph(uint64_t Graph, std::span<const uint64_t> Contexts, uint32_t OtherKernelNodes);
  void graphNode(const log::GraphNodeRecord &Record);
  void graphCopyNode(uint64_t Id, const log::CopyRecord &Copy, std::string_view Api);
  void graphNodes(uint64_t Graph, std::span<const uint64_t> Nodes,
                  std::span<const std::array<uint32_t, 2>> Edges);
  void graphLaunch(const log::GraphLaunchRecord &Record, uint64_t KernelNodes);
  void object(const log::ObjectRecord &Record, std::string_view Name, std::string_view Api);
  void release(const log::ReleaseRecord &Record, std::string_view Api);
  void memoryReading(const log::MemoryReadingRecord &Record);
  void failedAllocation(const log::FailedAllocationRecord &Record, std::string_view Api);
  void copy(const log::CopyRecord &Record, std::string_view Api);
  void order(const log::OrderRecord &Record);
  void apiCall(const log::ApiCallRecord &Record, std::string_view Api);
  void gpuTime(const log::GpuTimeRecord &Record);
  void hostUse(const log::HostUseRecord &Record);
  void content(const log::ContentRecord &Record);
  void migration(const log::MigrationRecord &Record);
  void objectName(uint64_t Object, std::string_view Name);
  /// Begins a region of this thread.
  void region(std::string_view Name);
  void regionEnd();
  void callPath(uint32_t Id, std::span<const uint64_t> Addresses);
  void pythonCode(uint32_t Id, std::string_view File, std::string_view Function);
  void pythonStack(uint32_t Id, uint64_t Interpreter, std::span<const log::PythonFrame> Frames);
  void pythonPath(uint32_t Id, uint32_t CallPath, uint32_t Stack);
  void image(const ImageFacts &Facts);
  /// Ends the log. DeviceBytes: the maximum of the device memory that profiling used.
  void end(std::optional<int> ExitStatus, uint64_t DeviceBytes);

  /// Returns the number by which launch records refer to this reason; 0 if it is empty.
  uint32_t reason(const std::string &Text);
  void gap(const std::string &What, const std::string &Reason, uint64_t Count);

  uint64_t nextLaunchId() { return LastLaunch.fetch_add(1, std::memory_order_relaxed) + 1; }
  uint64_t nextContextId() { return LastContext.fetch_add(1, std::memory_order_relaxed) + 1; }
  uint64_t launches() const { return Launches.load(std::memory_order_relaxed); }
  /// Returns the number of distinct kernels that were launched.
  size_t kernels() const;
  const std::string &path() const { return Log->path(); }
  /// Returns the reason why the log is incomplete; empty if it is complete.
  std::string error() const { return Log->error(); }
  /// Closes the file in a forked child.
  void closeFile() { Log->close(); }

private:
  void gapRecord(const std::string &What, const std::string &Reason, uint64_t Count, uint32_t Id);

  std::unique_ptr<EventLogWriter> Log;
  std::atomic<uint64_t> LastLaunch{0}, LastContext{0}, Launches{0};
  mutable Mutex Lock;
  std::map<std::string, uint32_t> Reasons GMPROF_GUARDED_BY(Lock);
  std::map<uint32_t, std::string> KernelNames GMPROF_GUARDED_BY(Lock);
  std::set<std::string> LaunchedKernels GMPROF_GUARDED_BY(Lock);
  std::set<uint32_t> LaunchedIds GMPROF_GUARDED_BY(Lock);
};

} // namespace gmprof::host

#endif // GMPROF_HOST_RECORD_RECORDER_H
