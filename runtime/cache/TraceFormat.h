//===- TraceFormat.h - Files of traces of memory accesses -------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// docs/cache-trace.md describes the format. In short: a file's head, then records, each a
// head and a zstd frame with a checksum; what comes last says that nothing is missing.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_CACHE_TRACEFORMAT_H
#define GMPROF_CACHE_TRACEFORMAT_H

#include <cstdint>
#include <filesystem>
#include <string>

namespace gmprof::cache {

/// Of the trace beside an event log: events.gmtrace of events.gmlog.
inline std::string tracePathOf(const std::string &LogPath) {
  return std::filesystem::path(LogPath).replace_extension(".gmtrace").string();
}

inline constexpr char TraceMagic[8] = {'G', 'M', 'T', 'R', 'A', 'C', 'E', '\n'};
inline constexpr uint32_t TraceVersion = 9;

struct TraceFileHead {
  char Magic[8];
  uint32_t Version;
  uint32_t Reserved;
};

enum class TraceRecord : uint32_t {
  Notes = 1,    ///< JSON: an array of everything but requests
  Requests = 2, ///< the SM again, and its requests
};

struct TraceRecordHead {
  TraceRecord Kind;
  uint32_t Sm;
  uint32_t Count;    ///< of requests
  uint32_t RawBytes; ///< of the payload, before compression
  uint32_t Bytes;    ///< that follow
};

/// No record has more, before compression.
inline constexpr uint32_t MostRecordBytes = 1U << 24, MostRecordRequests = 1U << 16;

} // namespace gmprof::cache

#endif // GMPROF_CACHE_TRACEFORMAT_H
