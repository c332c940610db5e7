//===- EventLogWriter.h - Appends records to an event log -------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Records are written into a shared mapping of the file: they are the kernel's as soon
// as they are written, and outlive a crash of the program, at the cost of a copy.
// A record counts once its kind is written, which comes last; what is not written yet
// is 0. Those of calls are packed, each as it is written (PackedRecords.h), which takes less time
// than the pages that they would fill. The file grows in chunks whose blocks are reserved first,
// because a store into a full disk would be a signal. The first failure ends the log: what follows
// is counted as dropped, never half written.
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

  /// Creates Path (0600) and writes the file header. An existing file or
  /// symbolic link is an error: nothing is overwritten.
  static Result<std::unique_ptr<EventLogWriter>> create(const std::string &Path);
  ~EventLogWriter();
  EventLogWriter(const EventLogWriter &) = delete;
  EventLogWriter &operator=(const EventLogWriter &) = delete;

  /// Appends one record. Callable from several threads at a time. False when the
  /// record was dropped because a write failed, now or before: see error().
  bool append(log::RecordKind Kind, std::initializer_list<Part> Parts);
  bool append(log::RecordKind Kind, std::string_view Json) { return append(Kind, {bytes(Json)}); }

  /// Cuts off what is reserved and not written yet.
  void trim();

  /// The first failure, empty if none; records lost because of it.
  std::string error() const;
  uint64_t dropped() const { return Dropped.load(std::memory_order_relaxed); }
  const std::string &path() const { return Path; }
  /// For a forked child, which must not write into its parent's log.
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
  /// Maps room for so many bytes more, or records the failure. The lock is held.
  bool reserve(uint64_t Bytes);
  bool grow(uint64_t Bytes);
  void failed(int Why);
  /// Whether Fd is the log still. Programs close descriptors that they did not
  /// open, and then open others in their place.
  bool isOpen() const;
  /// Opens the log again where it is not.
  bool reopen();
  /// Whether the record was written. The lock is held.
  bool appendPacked(log::RecordKind Kind, std::initializer_list<Part> Parts);
  bool appendPlain(log::RecordKind Kind, std::initializer_list<Part> Parts, uint64_t Bytes);
  std::byte *at(uint64_t Offset) { return Window + (Offset - WindowBegin); }

  mutable SpinningMutex Lock;
  int Fd;
  std::pair<dev_t, ino_t> Identity; ///< of the file
  std::string Path;
  std::byte *Window = nullptr;             ///< the mapped part of the file
  uint64_t WindowBegin = 0, WindowEnd = 0; ///< offsets
  uint64_t End = 0;                        ///< of what is written
  PackedRecords Packed;
  std::string Failure;
  std::atomic<uint64_t> Dropped{0};
};

} // namespace gmprof

#endif // GMPROF_PROFILE_EVENTLOGWRITER_H
