//===- SourceText.h - Lines of the program's source -------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_REPORT_SOURCETEXT_H
#define GMPROF_REPORT_SOURCETEXT_H

#include "profile/Profile.h"
#include <map>
#include <string>
#include <vector>

namespace gmprof {

/// Reads source files, each once.
class SourceText {
public:
  /// What was changed since then (0: is not known) is not what ran.
  explicit SourceText(uint64_t RunUnixNs) : RunUnixNs(RunUnixNs) {}

  enum class State { Read, Changed, Missing, TooLarge };

  State state(const std::string &File) { return file(File).TheState; }
  /// As it is now, whether or not it was changed; none if it cannot be read.
  const std::vector<std::string> &lines(const std::string &File) { return file(File).Lines; }

  /// Without the space around it; empty if the file cannot be read, or was changed.
  std::string line(const profile::SourcePosition &Of);

  static constexpr size_t MaxBytes = 16 << 20; ///< of a file
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

#endif // GMPROF_REPORT_SOURCETEXT_H
