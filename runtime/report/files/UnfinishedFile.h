//===- UnfinishedFile.h - Atomic replacement of files -----------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Writes a file beside its final name and renames it, so that readers never see a partial one, and
// the old one remains if writing fails. Unfinished files are removed, also on interrupts. They are
// not synced to disk (see docs/running.md).
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_REPORT_FILES_UNFINISHEDFILE_H
#define GMPROF_REPORT_FILES_UNFINISHEDFILE_H

#include <string>

namespace gmprof {

class UnfinishedFile {
public:
  /// Creates a file at Path plus seven characters, readable only by the owner.
  explicit UnfinishedFile(std::string Path);
  /// Creates an empty closed file in the temporary folder, which is never renamed.
  static UnfinishedFile temporary(const std::string &Name);
  /// Removes the file if it is still unfinished.
  ~UnfinishedFile();
  UnfinishedFile(UnfinishedFile &&Other) noexcept;
  UnfinishedFile(const UnfinishedFile &) = delete;

  /// Returns the descriptor, which the caller must close; -1 with errno set if the file could not
  /// be created.
  int descriptor() const { return Descriptor; }
  /// Returns the path of the unfinished file.
  const std::string &path() const { return Temporary; }

  /// Renames the file to Path, replacing an existing file. Returns false with errno set on failure.
  bool finish();

private:
  std::string Path, Temporary;
  int Descriptor = -1;
};

/// Installs handlers: unless ignored, SIGINT, SIGTERM and SIGHUP remove unfinished files, write
/// Message to standard error, and exit with 128 + the signal. Message must stay valid. Safe
/// to call in signal handlers.
void endWhenInterrupted(const char *Message);

} // namespace gmprof

#endif // GMPROF_REPORT_FILES_UNFINISHEDFILE_H
