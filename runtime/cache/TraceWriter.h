//===- TraceWriter.h - Writes traces of memory accesses ---------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_CACHE_TRACEWRITER_H
#define GMPROF_CACHE_TRACEWRITER_H

#include "cache/AppendedFile.h"
#include "cache/PackingEffort.h"
#include "cache/RequestCoder.h"
#include "cache/Trace.h"
#include "cache/TraceFormat.h"
#include "profile/JsonText.h"
#include "profile/Result.h"
#include <memory>
#include <mutex>
#include <string>

namespace gmprof::cache {

/// What becomes of a file that is there; a link is never followed.
enum class IfExists { Replace, Refuse };

class TraceWriter {
public:
  /// Requests of an SM that are written together, or fewer of many bytes: so many that it matters
  /// little that each chunk begins anew, and so few that one of each SM fits into memory.
  static constexpr uint32_t ChunkRequests = 4096;
  static constexpr size_t ChunkBytes = size_t(1) << 16;

  static Result<std::unique_ptr<TraceWriter>>
  create(const std::string &Path, const TraceDevice &Device, IfExists Then = IfExists::Replace);

  // These are numbered from 0 in the order in which they are added. What a request or launch
  // names is added before.
  void addKernel(const TraceKernel &Kernel);
  void addSite(const TraceSite &Site);

  void allocate(const TraceObject &Object);
  void release(uint64_t Id);
  /// Between launches.
  void written(const TraceWritten &By);
  void beginLaunch(const TraceLaunch &Launch);
  /// Those of an SM that are written together.
  class OfSm {
    friend TraceWriter;
    uint32_t Sm = 0;
    CoderState State;
    GrowingArray<std::byte> Bytes;
    uint32_t Count = 0;
    PackingEffort Effort;
  };
  OfSm &sm(uint32_t Number);
  /// Has what this thread needs to compress requests, which is memory that the system takes long to
  /// find, before there are any.
  static void prepareThread();
  /// Further requests of an SM, in its order. Threads may call that for different SMs at the
  /// same time. Those without active lanes are left out.
  void add(OfSm &To, const Request &R);
  void add(uint32_t Sm, std::span<const Request> Requests);
  /// Likewise, compresses what was added of an SM: else endLaunch does, of one after the other.
  void flush(OfSm &Sm);
  /// All of it is in the file then, should the program be killed.
  void endLaunch(const TraceLaunchEnd &End = {});
  uint64_t requests() const { return Requests; }

  /// Completes the file. What could not be written is said here.
  Result<uint64_t> finish();

private:
  TraceWriter(int Descriptor, std::string Path) : File(Descriptor), Path(std::move(Path)) {}

  /// Appends one of the notes (docs/cache-trace.md).
  void note(std::string_view Kind, const JsonText &Facts);
  void flushNotes();
  void put(std::vector<std::byte> Record);

  AppendedFile File;
  std::string Path;
  std::mutex Lock;   ///< of what follows
  std::string Notes; ///< not yet written
  std::vector<std::unique_ptr<OfSm>> Sms;
  uint64_t Requests = 0, Launches = 0;
};

} // namespace gmprof::cache

#endif // GMPROF_CACHE_TRACEWRITER_H
