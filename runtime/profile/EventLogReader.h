//===- EventLogReader.h - Reads the records of an event log -----*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Iterates over a log with bounds checks. A record that is cut off by the file's end or has no kind
// yet is not an error: the program died while writing it, and all earlier records count. Zeros at
// the end are reserved space.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_PROFILE_EVENTLOGREADER_H
#define GMPROF_PROFILE_EVENTLOGREADER_H

#include "profile/PackedRecords.h"
#include "profile/Records.h"
#include "profile/Result.h"
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace gmprof {

class EventLogReader {
public:
  struct Record {
    log::RecordKind Kind;
    /// Valid as long as the reader; for packed records, until the next record of their kind.
    std::span<const std::byte> Payload;
  };

  /// Maps a file, or decompresses it (CompressedLog.h). Errors: unreadable, not an event log, other
  /// version.
  static Result<EventLogReader> open(const std::string &Path);
  /// Copies the current contents of a log that a program is still writing. The file shrinks when it
  /// is completed, so it is not mapped. More than Most bytes are an error.
  static Result<EventLogReader> openUnfinished(const std::string &Path, size_t Most);
  /// Reads a log in memory; `Path` is used in messages.
  static Result<EventLogReader> create(std::vector<std::byte> Log, const std::string &Path);

  /// Returns the next record; nothing at the end.
  std::optional<Record> next();
  /// Returns the offset of the record that next() would return.
  size_t position() const { return Position; }
  /// Returns the whole log, without compression.
  std::span<const std::byte> log() const { return Log; }
  /// Returns the size of the whole log.
  size_t bytes() const { return Log.size(); }
  /// Returns true if the file ends within a record. Call it after the last next().
  bool truncated() const { return Truncated; }

private:
  using Bytes = std::span<const std::byte>;

  EventLogReader(Bytes Log, std::shared_ptr<const void> Owner)
      : Log(Log), Owner(std::move(Owner)) {}
  static Result<EventLogReader> create(Bytes Log, std::shared_ptr<const void> Owner,
                                       const std::string &Path);
  void releaseRead();
  std::optional<Record> nextPlain();

  Bytes Log;
  std::shared_ptr<const void> Owner; ///< keeps Log alive
  size_t Position = sizeof(log::FileHeader);
  size_t Released = SIZE_MAX; ///< end of the mapped part that was dropped from memory; SIZE_MAX:
                              ///< the log is not mapped
  bool Truncated = false;
  std::unique_ptr<PackedRecords> Packed = std::make_unique<PackedRecords>();
};

} // namespace gmprof

#endif // GMPROF_PROFILE_EVENTLOGREADER_H
