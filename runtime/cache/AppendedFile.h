//===- AppendedFile.h - A file that threads append to -----------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// To write takes long where the system has to find memory for it. One thread at a time does, for
// all; the others go on meanwhile.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_CACHE_APPENDEDFILE_H
#define GMPROF_CACHE_APPENDEDFILE_H

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <vector>

namespace gmprof::cache {

class AppendedFile {
public:
  /// An open file, which is closed with it.
  explicit AppendedFile(int Descriptor) : Descriptor(Descriptor) {}
  ~AppendedFile();
  AppendedFile(const AppendedFile &) = delete;
  AppendedFile &operator=(const AppendedFile &) = delete;

  /// Records are in the file in the order of these calls, unless writing failed before.
  void append(std::vector<std::byte> Record);
  /// Until all of them are in the file.
  void flush();
  /// Nothing is written from here on.
  void fail(int Why);
  /// The same as flush, and closes the file. Returns errno of what failed first, or 0.
  int close();

private:
  using Records = std::vector<std::vector<std::byte>>;
  /// Somebody writes them, or waits for who does.
  static constexpr size_t ManyBytes = size_t(1) << 18, MostBytes = size_t(1) << 24;

  void write(std::unique_lock<std::mutex> &Guard);
  int writeNow(Records All, size_t Bytes);

  // Of the thread that writes.
  int Descriptor;
  uint64_t Written = 0;

  std::mutex Lock; ///< of what follows
  std::condition_variable Done;
  Records Pending;
  size_t Bytes = 0; ///< of these
  bool IsWriting = false;
  int Failure = 0;
};

} // namespace gmprof::cache

#endif // GMPROF_CACHE_APPENDEDFILE_H
