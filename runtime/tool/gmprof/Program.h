//===- Program.h - What can be told of a program before it runs -*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_TOOL_GMPROF_PROGRAM_H
#define GMPROF_TOOL_GMPROF_PROGRAM_H

#include "profile/Result.h"
#include <span>
#include <string>
#include <vector>

namespace gmprof::host {

/// As far as the ELF file says; all false for scripts and the like.
struct ProgramFacts {
  bool Elf = false;
  bool Foreign = false;          ///< not for this machine
  bool StaticallyLinked = false; ///< has no dynamic loader
  bool KernelsInside = false;    ///< has a fat binary
  bool OwnCudart = false;        ///< KernelsInside, and libcudart linked in
  bool BitcodeInside = false;    ///< kernels for the CPU device
  std::vector<std::string> Needed;
};

ProgramFacts examineElf(std::span<const unsigned char> File);

/// The file that a shell would run: looks along PATH if Name has no slash.
Result<std::string> findProgram(const std::string &Name);

/// Whether the file can be run and watched. An error says what to do.
Result<ProgramFacts> checkProgram(const std::string &Path);

} // namespace gmprof::host

#endif // GMPROF_TOOL_GMPROF_PROGRAM_H
