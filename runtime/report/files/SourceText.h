//===- SourceText.h - Lines of the program's source files -------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_REPORT_FILES_SOURCETEXT_H
#define GMPROF_REPORT_FILES_SOURCETEXT_H

#include "profile/Profile.h"
#include "report/model/Summary.h"
#include <map>
#include <string>
#include <vector>

namespace gmprof {

/// Returns the start of the run in ns since 1970, for SourceText; 0 if unknown.
uint64_t startUnixNs(const summary::Run &Run);

/// Reads source files and caches them.
class SourceText {
public:
  /// Files changed after RunUnixNs do not count as what ran; 0: unknown.
  explicit SourceText(uint64_t RunUnixNs) : RunUnixNs(RunUnixNs) {}

  enum class State { Read, Changed, Missing, TooLarge };

  State state(const std::string &File) { return file(File).TheState; }
  /// Returns the present lines, even if changed since the run; empty if unreadable.
  const std::vector<std::string> &lines(const std::string &File) { return file(File).Lines; }

  /// Returns the trimmed line; empty if the file is unreadable or has changed.
  std::string line(const profile::SourcePosition &Of);

  static constexpr size_t MaxBytes = 16 << 20; ///< per file
  static constexpr size_t MaxLine = 200;

private:
  struct Text {
    State TheState = State::Missing;
    std::vector<std::string> Lines;
  };
  const Text &file(const std::string &Name);

  uint64_t RunUnixNs;
  std::map<std::string, Text> Files;
};

} // namespace gmprof

#endif // GMPROF_REPORT_FILES_SOURCETEXT_H
