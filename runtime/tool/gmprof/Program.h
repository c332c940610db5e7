//===- Program.h - Facts about a program's file -----------------*- C++ -*-===//
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

/// Facts from the ELF file; all false for scripts and other files.
struct ProgramFacts {
  bool Elf = false;
  bool Foreign = false;          ///< not for this machine
  bool StaticallyLinked = false; ///< has no dynamic loader
  bool KernelsInside = false;    ///< has a fat binary
  bool OwnCudart = false;        ///< KernelsInside, and libcudart linked in
  bool BitcodeInside = false;    ///< kernels of gmprof-clang++ for the CPU device
  bool PtxInside = false;        ///< PTX in the fat binary, which the CPU device runs too
  std::vector<std::string> Needed;
};

ProgramFacts examineElf(std::span<const unsigned char> File);

/// Returns the file that a shell would run: searches PATH if Name has no slash.
Result<std::string> findProgram(const std::string &Name);

/// Checks whether the file can be run and profiled. An error says what to do.
Result<ProgramFacts> checkProgram(const std::string &Path);

} // namespace gmprof::host

#endif // GMPROF_TOOL_GMPROF_PROGRAM_H
