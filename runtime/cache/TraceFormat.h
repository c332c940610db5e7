//===- TraceFormat.h - File format of traces of memory accesses -*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// docs/cache-trace.md describes the format: a file header, then records, each a header and a zstd
// frame with a checksum. The last record marks a complete file.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_CACHE_TRACEFORMAT_H
#define GMPROF_CACHE_TRACEFORMAT_H

#include <cstdint>
#include <filesystem>
#include <string>

namespace gmprof::cache {

/// Returns the path of the trace beside an event log: events.gmtrace for events.gmlog.
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
  Notes = 1,    ///< JSON array of everything except requests
  Requests = 2, ///< the SM's number and its requests
};

struct TraceRecordHead {
  TraceRecord Kind;
  uint32_t Sm;
  uint32_t Count;    ///< number of requests
  uint32_t RawBytes; ///< size of the payload before compression
  uint32_t Bytes;    ///< size of the payload
};

/// Limits of a record, before compression.
inline constexpr uint32_t MostRecordBytes = 1U << 24, MostRecordRequests = 1U << 16;

} // namespace gmprof::cache

#endif // GMPROF_CACHE_TRACEFORMAT_H
