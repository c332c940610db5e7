//===- TraceReader.h - Reads traces of memory accesses ----------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One thing after the other, in memory that does not grow with the file, but for what there
// are few of. Whatever a file holds, what comes out is as TraceWriter takes it, or an error.
// Of a program that was killed there is no end of the file, and maybe a part of a record: who
// asks for that gets what is before. Of one that still runs, more may come.
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

/// Where requests of an SM are in the file; each chunk can be read by itself.
struct RequestChunk {
  uint32_t Sm, Count, RawBytes, Sites;
  uint32_t Bytes; ///< packed
  uint64_t At;    ///< the first of them
};

/// A chunk of which requests are taken, some at a time.
struct OpenChunk {
  std::vector<std::byte> Raw;
  size_t Taken = 0; ///< bytes of Raw
  uint32_t Left = 0, Sites = 0;
  CoderState State;
};

struct TraceRelease {
  uint64_t Id;
};
struct TraceEnd {};
/// Of a file that grows: there is nothing more yet.
struct TracePause {};

using TraceItem = std::variant<TraceKernel, TraceSite, TraceObject, TraceRelease, TraceWritten,
                               TraceLaunch, TraceLaunchEnd, RequestChunk, TraceEnd, TracePause>;

class TraceReader {
public:
  /// AcceptsIncomplete: a file without its end is no error after the note of the device. A launch
  /// that has not ended then ends with it.
  static Result<std::unique_ptr<TraceReader>> open(const std::string &Path,
                                                   bool AcceptsIncomplete = false);
  ~TraceReader();

  /// Whether somebody writes the file.
  void setGrowing(bool Is);

  const TraceDevice &device() const { return Device; }
  /// After TraceEnd there is no more.
  Result<TraceItem> next();
  /// The requests of a chunk; false if it is damaged. Threads may call that at the same time, and
  /// what follows.
  bool unpack(const RequestChunk &From, std::vector<Request> &To) const;
  /// The same, some at a time: Requests of them, or what is left.
  bool open(const RequestChunk &From, OpenChunk &To) const;
  static bool unpack(OpenChunk &From, uint32_t Requests, std::vector<Request> &To);
  /// Of the file.
  uint64_t bytes() const { return Bytes; }
  /// After TraceEnd: whether the file has its end.
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
  uint64_t Bytes = 0; ///< of the file
  const bool AcceptsIncomplete;
  bool Grows = false;
  TraceDevice Device;
  bool HasDevice = false, InLaunch = false, Ended = false, Complete = true;
  uint32_t Kernels = 0, Sites = 0;
  uint64_t Requests = 0, Launches = 0;
  std::deque<TraceItem> Items; ///< that have been read and not been asked for
};

} // namespace gmprof::cache

#endif // GMPROF_CACHE_TRACEREADER_H
