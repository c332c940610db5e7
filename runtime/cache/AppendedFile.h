//===- AppendedFile.h - File that several threads append to -----*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A write blocks for long if the system has to find memory for it. One thread at a time writes, for
// all; the others continue, which saves a third of their time.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_CACHE_APPENDEDFILE_H
#define GMPROF_CACHE_APPENDEDFILE_H

#include "profile/Mutex.h"
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace gmprof::cache {

/// Appends records to a file. Safe for concurrent use.
class AppendedFile {
public:
  /// Takes ownership of an open file.
  explicit AppendedFile(int Descriptor) : Descriptor(Descriptor) {}
  ~AppendedFile();
  AppendedFile(const AppendedFile &) = delete;
  AppendedFile &operator=(const AppendedFile &) = delete;

  /// Appends a record. Records are in the file in the order of these calls, unless a write failed
  /// before.
  void append(std::vector<std::byte> Record);
  /// Waits until all records are in the file.
  void flush();
  /// Stops all writing; `Why` is the errno to report.
  void fail(int Why);
  /// Flushes and closes the file. Returns the errno of the first failure, or 0.
  int close();

private:
  using Records = std::vector<std::vector<std::byte>>;
  /// Pending bytes from which a caller writes them, and from which it waits if another thread is
  /// writing.
  static constexpr size_t ManyBytes = size_t(1) << 18, MostBytes = size_t(1) << 24;

  void write() GMPROF_REQUIRES(Lock);
  int writeNow(Records All, size_t Bytes);

  // Used by the writing thread only.
  int Descriptor;
  uint64_t Written = 0;

  Mutex Lock;
  std::condition_variable Done;
  Records Pending GMPROF_GUARDED_BY(Lock);
  size_t Bytes GMPROF_GUARDED_BY(Lock) = 0; ///< size of Pending
  bool IsWriting GMPROF_GUARDED_BY(Lock) = false;
  int Failure GMPROF_GUARDED_BY(Lock) = 0;
};

} // namespace gmprof::cache

#endif // GMPROF_CACHE_APPENDEDFILE_H
