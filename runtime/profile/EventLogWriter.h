//===- EventLogWriter.h - Appends records to an event log -------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Writes records into a shared mapping of the file: they survive a crash of the program, for the
// cost of a copy. A record counts once its kind is written, which happens last; unwritten space is
// 0. Records of calls are packed on writing (PackedRecords.h), which takes less time than the page
// faults they would cause. The file grows in chunks whose blocks are reserved first, because a
// store into a mapping on a full disk raises a signal. The first failure ends the log: later
// records are counted as dropped, never half written.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_PROFILE_EVENTLOGWRITER_H
#define GMPROF_PROFILE_EVENTLOGWRITER_H

#include "profile/PackedRecords.h"
#include "profile/Records.h"
#include "profile/Result.h"
#include "profile/SpinningMutex.h"
#include <atomic>
#include <cstddef>
#include <initializer_list>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <sys/types.h>
#include <type_traits>
#include <utility>

namespace gmprof {

class EventLogWriter {
public:
  /// Bytes of a payload, in the order written.
  using Part = std::span<const std::byte>;

  /// Creates Path (mode 0600) and writes the file header. Fails if Path exists, also as a symbolic
  /// link.
  static Result<std::unique_ptr<EventLogWriter>> create(const std::string &Path);
  ~EventLogWriter();
  EventLogWriter(const EventLogWriter &) = delete;
  EventLogWriter &operator=(const EventLogWriter &) = delete;

  /// Appends one record. Thread-safe. Returns false if the record was dropped because this or an
  /// earlier write failed: see error().
  bool append(log::RecordKind Kind, std::initializer_list<Part> Parts);
  bool append(log::RecordKind Kind, std::string_view Json) { return append(Kind, {bytes(Json)}); }

  /// Truncates the file to the written size.
  void trim();

  /// Return the first failure, empty if there is none, and the number of records dropped because of
  /// it.
  std::string error() const;
  uint64_t dropped() const { return Dropped.load(std::memory_order_relaxed); }
  const std::string &path() const { return Path; }
  /// Closes the log without writing; for a forked child, which must not write to its parent's log.
  void close();

  static Part bytes(std::string_view Text) { return std::as_bytes(std::span(Text)); }
  template <typename T>
    requires std::is_trivially_copyable_v<T>
  static Part bytes(const T &Struct) {
    return std::as_bytes(std::span(&Struct, 1));
  }
  template <typename T>
    requires std::is_trivially_copyable_v<T>
  static Part array(std::span<const T> Elements) {
    return std::as_bytes(Elements);
  }

private:
  EventLogWriter(int Fd, std::string Path);
  void unmap();
  /// Maps room for `Bytes` more bytes, or records the failure. The caller holds the lock.
  bool reserve(uint64_t Bytes);
  bool grow(uint64_t Bytes);
  void failed(int Why);
  /// Returns true if Fd is still the log. Programs close descriptors that they did not open, and
  /// then reuse their numbers.
  bool isOpen() const;
  /// Reopens the log if Fd is no longer the log.
  bool reopen();
  /// Append a record; return false on failure. The caller holds the lock.
  bool appendPacked(log::RecordKind Kind, std::initializer_list<Part> Parts);
  bool appendPlain(log::RecordKind Kind, std::initializer_list<Part> Parts, uint64_t Bytes);
  std::byte *at(uint64_t Offset) { return Window + (Offset - WindowBegin); }

  mutable SpinningMutex Lock;
  int Fd;
  std::pair<dev_t, ino_t> Identity; ///< device and inode of the file
  std::string Path;
  std::byte *Window = nullptr;             ///< mapped part of the file
  uint64_t WindowBegin = 0, WindowEnd = 0; ///< file offsets
  uint64_t End = 0;                        ///< end of the written part
  PackedRecords Packed;
  std::string Failure;
  std::atomic<uint64_t> Dropped{0};
};

} // namespace gmprof

#endif // GMPROF_PROFILE_EVENTLOGWRITER_H
