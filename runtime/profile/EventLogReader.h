//===- EventLogReader.h - Reads the records of an event log -----*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Bounds-checked iteration over a log. A record that the file ends within, or that
// has no kind yet, is not an error: the program died while writing it, and all before
// it counts. Zeros at the end are what was reserved and not written.
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
    /// Valid as long as the reader; of packed records, until the next one of its kind.
    std::span<const std::byte> Payload;
  };

  /// Maps a file. Errors: unreadable, not an event log, of another version.
  static Result<EventLogReader> open(const std::string &Path);
  /// The same for one that a program still writes, which becomes shorter when it is complete:
  /// nothing of it is mapped. What it has by now; an error if that is more than Most bytes.
  static Result<EventLogReader> openUnfinished(const std::string &Path, size_t Most);
  /// The same for a log in memory; Path is for messages.
  static Result<EventLogReader> create(std::vector<std::byte> Log, const std::string &Path);

  /// The next record; nothing at the end.
  std::optional<Record> next();
  /// Where that begins.
  size_t position() const { return Position; }
  /// Of the whole log.
  size_t bytes() const { return Log.size(); }
  /// After the last next(): the file ends within a record.
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
  std::shared_ptr<const void> Owner; ///< of Log
  size_t Position = sizeof(log::FileHeader);
  size_t Released = SIZE_MAX; ///< of a mapped log: what is out of memory again
  bool Truncated = false;
  std::unique_ptr<PackedRecords> Packed = std::make_unique<PackedRecords>();
};

} // namespace gmprof

#endif // GMPROF_PROFILE_EVENTLOGREADER_H
