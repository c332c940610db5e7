//===- Preparation.h - Prepares a run ---------------------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_TOOL_GMPROF_PREPARATION_H
#define GMPROF_TOOL_GMPROF_PREPARATION_H

#include "host/core/Options.h"
#include "host/record/OutputDirectory.h"
#include "tool/gmprof/Program.h"
#include "tool/gmprof/Run.h"
#include <unistd.h>

namespace gmprof::host {

/// Prints an error, and returns Status.
int fail(int Status, const std::string &Message);

/// Returns the resolved path; empty if there is no such file.
std::string realPath(const std::string &Path);

/// Returns the folder of libgmprof.so, relative to this command; empty if the library does not
/// exist.
std::string libraryDirectory();

/// The prepared run: options, program and device.
struct Preparation {
  Options TheOptions;
  std::string Program; ///< its file
  ProgramFacts Facts;
  bool OnCpu = false;
  std::string Preload;
  std::string PythonPath; ///< PYTHONPATH of the program, with GMProf's folder
  std::unique_ptr<OutputDirectory> Directory;
  bool Repeated = false; ///< an earlier run has printed what the program prints
};

/// Each of these returns 0, or prints an error and returns the exit status.
int prepareOptions(const RunCommand &Command, Options &O);
int prepareProgram(const RunCommand &Command, Preparation &P);
int prepareDevice(Preparation &P);

/// Standard input, which can be rewound if it is a file, but not if it is a pipe.
class Input {
public:
  Input() : At(lseek(STDIN_FILENO, 0, SEEK_CUR)) {}
  void again() const {
    if (At >= 0)
      lseek(STDIN_FILENO, At, SEEK_SET);
  }
  bool canBeReadAgain() const { return At >= 0; }

private:
  const off_t At;
};

} // namespace gmprof::host

#endif // GMPROF_TOOL_GMPROF_PREPARATION_H
