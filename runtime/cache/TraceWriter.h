//===- TraceWriter.h - Writer of traces of memory accesses ------*- C++ -*-===//
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
#include "profile/Mutex.h"
#include "profile/Result.h"
#include <atomic>
#include <memory>
#include <string>

namespace gmprof::cache {

/// Treatment of an existing file; links are never followed.
enum class IfExists { Replace, Refuse };

/// Writes a trace file.
class TraceWriter {
public:
  /// Limits of a chunk of an SM's requests. Large enough to amortise the reset of the encoder,
  /// small enough to keep one chunk of each SM in memory.
  static constexpr uint32_t ChunkRequests = 4096;
  static constexpr size_t ChunkBytes = size_t(1) << 16;

  static Result<std::unique_ptr<TraceWriter>>
  create(const std::string &Path, const TraceDevice &Device, IfExists Then = IfExists::Replace);

  // Kernels and sites are numbered from 0 in the order of these calls. They must be added before
  // requests and launches that refer to them.
  void addKernel(const TraceKernel &Kernel);
  void addSite(const TraceSite &Site);

  void allocate(const TraceObject &Object);
  void release(uint64_t Id);
  /// Registers memory written by a copy. Call it between launches.
  void written(const TraceWritten &By);
  void beginLaunch(const TraceLaunch &Launch);
  /// Chunk of an SM.
  class OfSm {
    friend TraceWriter;
    uint32_t Sm = 0;
    CoderState State;
    GrowingArray<std::byte> Bytes;
    uint32_t Count = 0;
    PackingEffort Effort;
  };
  OfSm &sm(uint32_t Number);
  /// Appends requests of an SM, in its order. Safe for concurrent calls for different SMs. Drops
  /// requests without active lanes.
  void add(OfSm &To, const Request &R);
  void add(uint32_t Sm, std::span<const Request> Requests);
  /// Compresses and writes the SM's pending chunk; safe for concurrent calls for different SMs.
  /// Otherwise endLaunch() does, SM after SM.
  void flush(OfSm &Sm);
  /// Ends a launch. On return all of it is in the file and survives a kill of the program.
  void endLaunch(const TraceLaunchEnd &End = {});
  uint64_t requests() const { return Requests; }

  /// Completes the file and returns its number of requests, or the first write error.
  Result<uint64_t> finish();

private:
  TraceWriter(int Descriptor, std::string Path) : File(Descriptor), Path(std::move(Path)) {}

  /// Appends one of the JSON records, called notes (docs/cache-trace.md).
  void note(std::string_view Kind, const JsonText &Facts);
  void flushNotes() GMPROF_REQUIRES(Lock);
  void put(std::vector<std::byte> Record);

  AppendedFile File;
  std::string Path;
  Mutex Lock;
  std::string Notes GMPROF_GUARDED_BY(Lock);                      ///< pending
  std::vector<std::unique_ptr<OfSm>> Sms GMPROF_GUARDED_BY(Lock); ///< added to by any thread
  std::atomic<uint64_t> Requests = 0;
  uint64_t Launches = 0;
};

} // namespace gmprof::cache

#endif // GMPROF_CACHE_TRACEWRITER_H
