//===- OutputName.h - What the output directory is called -------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Output directories are named by patterns, so that each process of a job has its own: %p the
// process id, %h the host, %e the program, %r the rank, %t when that was, %q{VAR} the environment
// variable VAR, %% a percent sign. These are what LLVM's profiles and ncu call %p, %h and %q{VAR}.
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

/// Why Pattern is none; empty if it is one.
std::string checkOutput(std::string_view Pattern);

/// What patterns stand for, but for environment variables.
struct OutputFacts {
  long Pid = 0;
  std::string Host, Executable;
  std::optional<int> Rank;
  std::time_t Time = 0;
};

/// An error if it is no pattern, or there is nothing that it stands for.
Result<std::string> expandOutput(std::string_view Pattern, const OutputFacts &Facts);

/// As Pattern, a name in which nothing is to be expanded.
std::string literalOutput(std::string_view Name);

/// Of this process in an MPI job, or another one whose launcher tells ranks in the environment.
std::optional<int> processRank();

/// Of this process now, which runs Executable.
OutputFacts outputFacts(std::string Executable);

} // namespace gmprof::host

#endif // GMPROF_HOST_RECORD_OUTPUTNAME_H
