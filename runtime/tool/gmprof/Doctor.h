//===- Doctor.h - Diagnoses this machine ------------------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_TOOL_GMPROF_DOCTOR_H
#define GMPROF_TOOL_GMPROF_DOCTOR_H

#include <string>
#include <vector>

namespace gmprof::host {

/// One of the things that GMProf works with.
struct Diagnosis {
  enum class State { Works, Missing, Broken } Is = State::Works;
  std::string What;   ///< two or three words
  std::string Detail; ///< the path; or the problem, its consequence and the fix
};

/// Requirements for running and profiling programs, and for compiling them.
struct Diagnoses {
  std::vector<Diagnosis> Running, Compiling;

  bool canRun() const;
  bool canCompile() const;
};
Diagnoses diagnose();

std::string diagnosesText(const Diagnoses &All, unsigned Width);

/// Removes the clones of earlier runs, and prints how many there were. Returns the exit status.
int clearCloneCache();

/// Prints a diagnosis of this machine. Returns the exit status of the command: 1 if programs cannot
/// be profiled.
int runDoctor();

} // namespace gmprof::host

#endif // GMPROF_TOOL_GMPROF_DOCTOR_H
