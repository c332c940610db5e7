//===- UnfinishedFile.h - A file that is there whole or not at all -*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Files are written beside their final names and renamed, so that a reader never sees half of one,
// and what was there before stays if it goes wrong. What is unfinished is removed, also when the
// command is interrupted. They are not synchronised with the disk (docs/running.md says why).
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_REPORT_UNFINISHEDFILE_H
#define GMPROF_REPORT_UNFINISHEDFILE_H

#include <string>

namespace gmprof {

class UnfinishedFile {
public:
  /// Creates Path with seven characters more. Only its owner can read it.
  explicit UnfinishedFile(std::string Path);
  /// One that stays so, for a while, in the folder for temporary files; empty and closed.
  static UnfinishedFile temporary(const std::string &Name);
  /// Removes it if it is still unfinished.
  ~UnfinishedFile();
  UnfinishedFile(UnfinishedFile &&Other) noexcept;
  UnfinishedFile(const UnfinishedFile &) = delete;

  /// To write it, for the caller to close; -1: it could not be created, and errno says why.
  int descriptor() const { return Descriptor; }
  /// Where it is as long as it is unfinished.
  const std::string &path() const { return Temporary; }

  /// Gives it its name, in place of what has that. False: errno says why.
  bool finish();

private:
  std::string Path, Temporary;
  int Descriptor = -1;
};

/// From now on, SIGINT, SIGTERM and SIGHUP remove unfinished files, write Message to the standard
/// error and end the process with 128 + the signal, unless they are ignored. Message has to stay.
/// Can be called by handlers of signals.
void endWhenInterrupted(const char *Message);

} // namespace gmprof

#endif // GMPROF_REPORT_UNFINISHEDFILE_H
