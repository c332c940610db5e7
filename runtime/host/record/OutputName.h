//===- OutputName.h - Names of output directories ---------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Expands the pattern of the output directory's name, so that each process of a job has its own: %p
// the process id, %h the host, %e the program, %r the rank, %t the start time, %q{VAR} the
// environment variable VAR, %% a percent sign. LLVM's profiles and ncu use %p, %h and %q{VAR} in
// the same way.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_HOST_RECORD_OUTPUTNAME_H
#define GMPROF_HOST_RECORD_OUTPUTNAME_H

#include "profile/Result.h"
#include <ctime>
#include <optional>
#include <string>
#include <string_view>

namespace gmprof::host {

/// Returns the error in Pattern; empty if it is valid.
std::string checkOutput(std::string_view Pattern);

/// Values of patterns, except for environment variables.
struct OutputFacts {
  long Pid = 0;
  std::string Host, Executable;
  std::optional<int> Rank;
  std::time_t Time = 0;
};

/// Expands Pattern. Returns an error if it is invalid, or if one of its values does not exist.
Result<std::string> expandOutput(std::string_view Pattern, const OutputFacts &Facts);

/// Returns a pattern that expands to Name.
std::string literalOutput(std::string_view Name);

/// Returns the rank of this process in an MPI job, or in another job whose launcher sets the rank
/// in the environment.
std::optional<int> processRank();

/// Returns the values of this process, which runs Executable.
OutputFacts outputFacts(std::string Executable);

} // namespace gmprof::host

#endif // GMPROF_HOST_RECORD_OUTPUTNAME_H
