//===- TraceReader.h - Reader of traces of memory accesses ------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads one item after the other, in bounded memory except for rare items. Any file yields either
// items as TraceWriter accepts them or an error. The trace of a killed program lacks its end and
// may end within a record: AcceptsIncomplete returns the items before. The trace of a running
// program may grow.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_CACHE_TRACEREADER_H
#define GMPROF_CACHE_TRACEREADER_H

#include "cache/RequestCoder.h"
#include "cache/Trace.h"
#include "cache/TraceFormat.h"
#include "profile/Result.h"
#include <deque>
#include <memory>
#include <variant>

namespace gmprof::cache {

/// Location of an SM's requests in the file; each chunk can be read independently.
struct RequestChunk {
  uint32_t Sm, Count, RawBytes, Sites;
  uint32_t Bytes; ///< compressed size
  uint64_t At;    ///< offset in the file
};

/// Chunk whose requests are read in steps.
struct OpenChunk {
  std::vector<std::byte> Raw;
  size_t Taken = 0; ///< bytes of Raw already decoded
  uint32_t Left = 0, Sites = 0;
  CoderState State;
};

struct TraceRelease {
  uint64_t Id;
};
struct TraceEnd {};
/// End of a growing file: no further item yet.
struct TracePause {};

using TraceItem = std::variant<TraceKernel, TraceSite, TraceObject, TraceRelease, TraceWritten,
                               TraceLaunch, TraceLaunchEnd, RequestChunk, TraceEnd, TracePause>;

class TraceReader {
public:
  /// Opens a trace. AcceptsIncomplete: a file without its end is an error only if it lacks the note
  /// of the device; an open launch then ends with the file.
  static Result<std::unique_ptr<TraceReader>> open(const std::string &Path,
                                                   bool AcceptsIncomplete = false);
  ~TraceReader();

  /// Sets whether the file is still being written.
  void setGrowing(bool Is);

  const TraceDevice &device() const { return Device; }
  /// Returns the next item; none follow TraceEnd.
  Result<TraceItem> next();
  /// Decodes the requests of a chunk. Returns false if it is damaged. Safe for concurrent use, as
  /// are the two functions below.
  bool unpack(const RequestChunk &From, std::vector<Request> &To) const;
  /// Opens a chunk; then decodes up to `Requests` requests per call.
  bool open(const RequestChunk &From, OpenChunk &To) const;
  static bool unpack(OpenChunk &From, uint32_t Requests, std::vector<Request> &To);
  /// Returns the size of the file.
  uint64_t bytes() const { return Bytes; }
  /// Returns whether the file has its end. Call it after TraceEnd.
  bool complete() const { return Complete; }
  Error damaged() const;

private:
  TraceReader(std::FILE *File, std::string Path, bool AcceptsIncomplete)
      : File(File), Path(std::move(Path)), AcceptsIncomplete(AcceptsIncomplete) {}

  void findSize();
  bool reaches(uint64_t End);
  std::string readRecord();
  std::string endOfFile(int64_t Record);
  bool unpackBytes(const RequestChunk &From, std::vector<std::byte> &Raw) const;
  std::string readNotes(const RequestChunk &Packed);
  std::string check(const TraceItem &Item);

  std::FILE *File;
  std::string Path;
  uint64_t Bytes = 0; ///< size of the file
  const bool AcceptsIncomplete;
  bool Grows = false;
  TraceDevice Device;
  bool HasDevice = false, InLaunch = false, Ended = false, Complete = true;
  uint32_t Kernels = 0, Sites = 0;
  uint64_t Requests = 0, Launches = 0;
  std::deque<TraceItem> Items; ///< read ahead of next()
};

} // namespace gmprof::cache

#endif // GMPROF_CACHE_TRACEREADER_H
